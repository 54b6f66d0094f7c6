#include "transfer/source.h"

#include <algorithm>

namespace dray::transfer {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr unsigned kWarmEnough = 8;  // parts in a row from the page cache before the depth is for cores again

/// What reading and checksumming a range came to.
struct Folded {
  hash::Checksum checksum;
  file::ReadOutcome read;
};

Result<Folded> fold(const file::File& file, ByteRange range, ChecksumKind kind) {
  hash::RunningChecksum running(kind);
  Folded folded;
  folded.read =
      DRAY_TRY(file::read_slices(file, range.offset, range.length, [&](Bytes slice) { running.update(slice); }));
  folded.checksum = running.finish();
  return folded;
}

/// The same, and the bytes stay in `out`, which may be a little larger than the range (O_DIRECT reads whole blocks).
Result<Folded> fold_into(const file::File& file, ByteRange range, ChecksumKind kind, MutableBytes out) {
  hash::RunningChecksum running(kind);
  std::uint64_t left = range.length;
  Folded folded;
  folded.read = DRAY_TRY(file::read_into(file, range.offset, out, [&](Bytes slice) {
    slice = slice.first(std::min<std::uint64_t>(left, slice.size()));
    running.update(slice);
    left -= slice.size();
  }));
  folded.checksum = running.finish();
  return folded;
}

/// Through the page cache: one pass reads and checksums, sendfile sends from the same pages.
class CachedFile : public Source {
 public:
  CachedFile(SourceTools& tools, OpenedFile opened, bool single)
      : tools_(tools), opened_(std::make_shared<OpenedFile>(std::move(opened))), single_(single) {}

  Result<Part> prepare(ByteRange range, ChecksumKind kind, std::atomic<std::uint64_t>& sent) override {
    Part part;
    if (kind != ChecksumKind::none) part.checksum = DRAY_TRY(checksum_of(range, kind));
    auto check = [opened = opened_] { return file::check_unchanged(*opened->file, opened->path, opened->identity); };
    part.body = file_body(tools_, opened_->file, range, single_ ? check : std::function<Result<void>()>(), check, sent);
    return part;
  }
  Result<void> check_unchanged() const override {
    return file::check_unchanged(*opened_->file, opened_->path, opened_->identity);
  }

 protected:
  Result<hash::Checksum> checksum_of(ByteRange range, ChecksumKind kind) {
    if (range.length <= file::kSliceBytes) {
      if (std::optional<hash::Checksum> at_once = checksum_if_cached(range, kind)) return *std::move(at_once);
    }
    fiber::Units slot = DRAY_TRY(tools_.gate.enter(Deadline::never()));
    const Folded folded = DRAY_TRY(tools_.offload.run(
        [opened = opened_, range, kind] { return fold(*opened->file, range, kind); }, Deadline::never()));
    tools_.gate.finished(folded.read.bytes, folded.read.cold);
    if (folded.read.bytes < range.length) return too_short();
    return folded.checksum;
  }

  /// A small range that is in the page cache is folded right here: a hop to another thread would cost more.
  std::optional<hash::Checksum> checksum_if_cached(ByteRange range, ChecksumKind kind) const {
    // No wait happens while it is in use, so the fibers of a loop can share it.
    thread_local std::unique_ptr<std::byte[]> buffer;
    if (buffer == nullptr) buffer = std::make_unique_for_overwrite<std::byte[]>(file::kSliceBytes);
    const MutableBytes all(buffer.get(), range.length);
    if (opened_->file->read_cached(range.offset, all) != range.length) return std::nullopt;
    return hash::checksum_of(kind, all);
  }

  Error too_short() const {
    if (Result<void> changed = check_unchanged(); !changed) return std::move(changed).error();
    return make_error(ErrorKind::source_changed, base::in_quotes(opened_->path) + " is shorter than its size says");
  }

  SourceTools& tools_;
  std::shared_ptr<const OpenedFile> opened_;
  bool single_;
};

/// Whole parts in memory: read with O_DIRECT, or one after the other by a single reader.
class BufferedFile final : public CachedFile {
 public:
  BufferedFile(SourceTools& tools, OpenedFile opened, ReadMode mode, bool single)
      : CachedFile(tools, std::move(opened), single), mode_(mode) {}

  Result<Part> prepare(ByteRange range, ChecksumKind kind, std::atomic<std::uint64_t>& sent) override {
    const std::size_t size =
        (range.length + file::PartBuffer::kAlignment - 1) / file::PartBuffer::kAlignment * file::PartBuffer::kAlignment;
    // A single PUT holds its last page back, which only a file's body does; what does not fit is never buffered.
    if (single_ || !tools_.budget.fits(size)) return CachedFile::prepare(range, kind, sent);
    BudgetedBuffer taken = DRAY_TRY(tools_.budget.take(size, Deadline::never()));
    auto buffer = std::make_shared<BudgetedBuffer>(std::move(taken));
    fiber::Units slot;
    if (mode_ == ReadMode::serial) {
      slot = DRAY_TRY(fiber::Units::acquire(tools_.serial_reader, 1, Deadline::never()));
    } else {
      slot = DRAY_TRY(tools_.gate.enter(Deadline::never()));
    }
    const Folded folded = DRAY_TRY(tools_.offload.run(
        [opened = opened_, range, kind, buffer] {
          const file::File& from = opened->direct != nullptr ? *opened->direct : *opened->file;
          return fold_into(from, range, kind, buffer->bytes());
        },
        Deadline::never()));
    if (mode_ == ReadMode::direct) tools_.gate.finished(folded.read.bytes, folded.read.cold);
    slot.release();
    if (folded.read.bytes < range.length) return too_short();
    Part part;
    part.checksum = folded.checksum;
    part.body = memory_body(tools_, Bytes(buffer->bytes()).first(range.length), buffer, sent);
    return part;
  }

 private:
  ReadMode mode_;
};

class Memory final : public Source {
 public:
  Memory(SourceTools& tools, Bytes bytes) : tools_(tools), bytes_(bytes) {}

  Result<Part> prepare(ByteRange range, ChecksumKind kind, std::atomic<std::uint64_t>& sent) override {
    const Bytes bytes = bytes_.subspan(range.offset, range.length);
    Part part;
    if (kind != ChecksumKind::none) {
      fiber::Units slot = DRAY_TRY(tools_.gate.enter(Deadline::never()));
      fiber::Shield shield;  // the job looks at borrowed bytes: its end must be waited for
      part.checksum =
          DRAY_TRY(tools_.offload.run([bytes, kind] { return hash::checksum_of(kind, bytes); }, Deadline::never()));
    }
    part.body = memory_body(tools_, bytes, nullptr, sent);
    return part;
  }
  Result<void> check_unchanged() const override { return {}; }

 private:
  SourceTools& tools_;
  Bytes bytes_;
};

}  // namespace

ReadGate::ReadGate(std::size_t cores)
    : cores_(std::max<std::size_t>(1, cores)),
      climber_({.start = 16,
                .least = 2,
                .most = kDeepest,
                .gain = 1.08,
                .interval = std::chrono::milliseconds(400),
                .rest = std::chrono::seconds(10)}),
      depth_(cores_),
      slots_(depth_) {}

void ReadGate::finished(std::uint64_t bytes, std::uint64_t cold_bytes) {
  std::lock_guard lock(mutex_);
  if (cold_bytes * 2 < bytes) {
    if (++warm_in_a_row_ >= kWarmEnough) resize(cores_);
    return;
  }
  warm_in_a_row_ = 0;
  climber_.moved(bytes, slots_.free_units() <= 0, std::chrono::steady_clock::now());
  resize(climber_.level());
}

std::size_t ReadGate::depth() const {
  std::lock_guard lock(mutex_);
  return depth_;
}

void ReadGate::resize(std::size_t depth) {
  if (depth == depth_) return;
  slots_.add_units(static_cast<std::ptrdiff_t>(depth) - static_cast<std::ptrdiff_t>(depth_));
  depth_ = depth;
}

Result<void> Pacing::pass(std::uint64_t bytes) {
  if (!limit_.limited()) return {};
  SteadyTime when;
  {
    std::lock_guard lock(mutex_);
    when = limit_.reserve(bytes, std::chrono::steady_clock::now());
  }
  if (when <= std::chrono::steady_clock::now()) return {};
  return fiber::sleep_until(Deadline(when));
}

std::unique_ptr<Source> file_source(SourceTools& tools, OpenedFile file, ReadMode mode, bool single) {
  if (mode == ReadMode::cached) return std::make_unique<CachedFile>(tools, std::move(file), single);
  return std::make_unique<BufferedFile>(tools, std::move(file), mode, single);
}

std::unique_ptr<Source> memory_source(SourceTools& tools, Bytes bytes) {
  return std::make_unique<Memory>(tools, bytes);
}

}  // namespace dray::transfer
