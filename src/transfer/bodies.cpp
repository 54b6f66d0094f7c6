// The bodies that sources send: memory and ranges of files.
#include <algorithm>

#include "fiber/loop.h"
#include "transfer/source.h"

namespace dray::transfer {
namespace {

class MemoryBody final : public http::BodySource {
 public:
  MemoryBody(SourceTools& tools, Bytes bytes, std::shared_ptr<void> owner, std::atomic<std::uint64_t>& sent)
      : tools_(tools), bytes_(bytes), owner_(std::move(owner)), sent_(sent) {}
  std::uint64_t length() const override { return bytes_.size(); }

  Result<net::SendEnd> send(net::Stream& stream, Deadline deadline) override {
    for (std::uint64_t at = 0; at < bytes_.size();) {
      const Bytes slice = bytes_.subspan(at, std::min<std::uint64_t>(tools_.pacing.slice(), bytes_.size() - at));
      DRAY_TRY_VOID(tools_.pacing.pass(slice.size()));
      const net::More more = at + slice.size() < bytes_.size() ? net::More::yes : net::More::no;
      const net::Sent sent = DRAY_TRY(stream.write_watching(slice, more, deadline));
      sent_.fetch_add(sent.bytes, std::memory_order_relaxed);
      if (sent.end != net::SendEnd::done) return sent.end;
      at += sent.bytes;
    }
    return net::SendEnd::done;
  }

 private:
  SourceTools& tools_;
  Bytes bytes_;
  std::shared_ptr<void> owner_;
  std::atomic<std::uint64_t>& sent_;
};

/// What is held back until the source is proven unchanged: no object can come to be without it. A page rather than a
/// byte, since a byte alone would cost a segment of its own.
constexpr std::uint64_t kHeldBack = 4096;

class FileBody final : public http::BodySource {
 public:
  FileBody(SourceTools& tools, std::shared_ptr<const file::File> file, ByteRange range,
           std::function<Result<void>()> check_before_end, std::function<Result<void>()> on_short,
           std::atomic<std::uint64_t>& sent)
      : tools_(tools),
        file_(std::move(file)),
        range_(range),
        check_(std::move(check_before_end)),
        on_short_(std::move(on_short)),
        sent_(sent) {}
  std::uint64_t length() const override { return range_.length; }

  Result<net::SendEnd> send(net::Stream& stream, Deadline deadline) override {
    const std::uint64_t free_to_go = check_ ? range_.length - std::min(range_.length, kHeldBack) : range_.length;
    for (std::uint64_t at = 0; at < range_.length;) {
      if (check_ && at == free_to_go) DRAY_TRY_VOID(check_());
      const std::uint64_t end = std::min(at + tools_.pacing.slice(), range_.length);
      DRAY_TRY_VOID(load(at, end));
      const std::uint64_t slice = (at < free_to_go ? std::min(end, free_to_go) : end) - at;
      DRAY_TRY_VOID(tools_.pacing.pass(slice));
      const net::Sent sent =
          DRAY_TRY(stream.send_file(file_->fd(), range_.offset + at, slice, net::More::no, deadline));
      sent_.fetch_add(sent.bytes, std::memory_order_relaxed);
      if (sent.end == net::SendEnd::source_end) return ended_early();
      if (sent.end == net::SendEnd::peer_spoke) return sent.end;
      at += sent.bytes;
    }
    return net::SendEnd::done;
  }

 private:
  /// The loop must not block on a disk: what is not in the page cache is read on the pool first, up to the part's end.
  Result<void> load(std::uint64_t at, std::uint64_t end) {
    if (end <= loaded_) return {};
    std::byte probe[1];
    if (file_->read_cached(range_.offset + end - 1, probe) == 1) {
      loaded_ = end;
      return {};
    }
    const std::uint64_t length = range_.length - at;
    fiber::Units slot = DRAY_TRY(tools_.gate.enter(Deadline::never()));
    const file::ReadOutcome outcome =
        DRAY_TRY(tools_.offload.run([file = file_, offset = range_.offset + at,
                                     length] { return file::read_slices(*file, offset, length, [](Bytes) {}); },
                                    Deadline::never()));
    tools_.gate.finished(outcome.bytes, outcome.cold);
    loaded_ = at + outcome.bytes;
    return {};
  }

  Error ended_early() const {
    if (on_short_) {
      if (Result<void> changed = on_short_(); !changed) return std::move(changed).error();
    }
    return make_error(ErrorKind::source_changed, "the file ended before the part did");
  }

  SourceTools& tools_;
  std::shared_ptr<const file::File> file_;
  ByteRange range_;
  std::function<Result<void>()> check_;
  std::function<Result<void>()> on_short_;
  std::uint64_t loaded_ = 0;
  std::atomic<std::uint64_t>& sent_;
};

}  // namespace

std::unique_ptr<http::BodySource> memory_body(SourceTools& tools, Bytes bytes, std::shared_ptr<void> owner,
                                              std::atomic<std::uint64_t>& sent) {
  return std::make_unique<MemoryBody>(tools, bytes, std::move(owner), sent);
}

std::unique_ptr<http::BodySource> file_body(SourceTools& tools, std::shared_ptr<const file::File> file, ByteRange range,
                                            std::function<Result<void>()> check_before_end,
                                            std::function<Result<void>()> on_short, std::atomic<std::uint64_t>& sent) {
  return std::make_unique<FileBody>(tools, std::move(file), range, std::move(check_before_end), std::move(on_short),
                                    sent);
}

}  // namespace dray::transfer
