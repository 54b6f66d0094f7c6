#include "file/part_reader.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

namespace dray::file {
namespace {

constexpr std::uint64_t kReadAhead = 1 << 20;
/// O_DIRECT has no read-ahead: a read must be large, so that the kernel has many requests on their way to the disk at
/// once.
constexpr std::size_t kDirectBytes = 8 << 20;

Result<MutableBytes> slice_buffer() {
  // A pool thread never waits for a fiber, so nobody else can be using it.
  thread_local PartBuffer buffer;
  if (buffer.size() == 0) buffer = DRAY_TRY(PartBuffer::allocate(kSliceBytes));
  return buffer.bytes();
}

}  // namespace

Result<ReadOutcome> read_slices(const File& file, std::uint64_t offset, std::uint64_t length,
                                const std::function<void(Bytes)>& visit) {
  const MutableBytes buffer = DRAY_TRY(slice_buffer());
  ReadOutcome outcome;
  std::uint64_t advised = 0;
  while (outcome.bytes < length) {
    const MutableBytes want = buffer.first(std::min<std::uint64_t>(buffer.size(), length - outcome.bytes));
    std::size_t got = file.read_cached(offset + outcome.bytes, want);
    if (got < want.size()) {
      if (outcome.bytes + kReadAhead / 2 >= advised && advised < length) {
        const std::uint64_t from = std::max(advised, outcome.bytes);
        advised = std::min(length, outcome.bytes + kReadAhead + kReadAhead / 2);
        file.will_need(offset + from, advised - from);
      }
      const std::size_t rest = DRAY_TRY(file.read_at(offset + outcome.bytes + got, want.subspan(got)));
      outcome.cold += rest;
      got += rest;
    }
    if (got == 0) break;
    visit(want.first(got));
    outcome.bytes += got;
    if (got < want.size()) break;
  }
  return outcome;
}

PartBuffer::~PartBuffer() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

Result<PartBuffer> PartBuffer::allocate(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return os_error(errno, fmt::format("allocate a buffer of {} bytes", size));
  PartBuffer buffer;
  buffer.memory_ = static_cast<std::byte*>(memory);
  buffer.size_ = size;
  return buffer;
}

Result<ReadOutcome> read_into(const File& file, std::uint64_t offset, MutableBytes out,
                              const std::function<void(Bytes)>& visit) {
  ReadOutcome outcome;
  while (outcome.bytes < out.size()) {
    const MutableBytes want = out.subspan(outcome.bytes, std::min(kDirectBytes, out.size() - outcome.bytes));
    const std::size_t got = DRAY_TRY(file.read_at(offset + outcome.bytes, want));
    if (got == 0) break;
    for (std::size_t at = 0; at < got; at += kSliceBytes) visit(want.subspan(at, std::min(kSliceBytes, got - at)));
    outcome.bytes += got;
    if (got < want.size()) break;
  }
  outcome.cold = outcome.bytes;
  return outcome;
}

}  // namespace dray::file
