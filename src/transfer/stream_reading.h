// StreamReading: one part's worth of a stream, read into a buffer or spooled to an unlinked file, checksummed on the
// way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "fiber/sync.h"
#include "file/file.h"
#include "hash/checksum.h"
#include "transfer/source.h"

namespace dray::transfer {

/// Shared by the fiber that wants the part and the pool jobs that read it; afterwards owned by the part's bodies.
class StreamReading {
 public:
  /// Takes a buffer, waiting for the budget; a part that would not fit is spooled to $TMPDIR (else /tmp) instead.
  static Result<std::shared_ptr<StreamReading>> begin(SourceTools& tools, int fd, std::uint64_t size,
                                                      ChecksumKind kind);

  /// From a fiber: reads until `size` bytes are there, the stream ends, or `stop` says so.
  Result<void> fill(const std::function<bool()>& stop);
  std::uint64_t length() const { return length_; }
  bool spooled() const { return spool_ != nullptr; }
  const hash::Checksum& checksum() const { return checksum_; }
  bool stream_ended() const { return ended_; }
  /// A body and its checksum, as often as wanted. `self` keeps this alive.
  static Part part(const std::shared_ptr<StreamReading>& self, std::atomic<std::uint64_t>& sent);

 private:
  StreamReading(SourceTools& tools, int fd, std::uint64_t size, ChecksumKind kind)
      : tools_(tools), fd_(fd), size_(size), running_(kind) {}
  Result<void> read_some();  // on the pool

  SourceTools& tools_;
  const int fd_;
  const std::uint64_t size_;
  BudgetedBuffer buffer_;
  std::shared_ptr<file::File> spool_;  // null = in the buffer
  hash::RunningChecksum running_;
  hash::Checksum checksum_;
  std::uint64_t length_ = 0;
  bool ended_ = false;
};

}  // namespace dray::transfer
