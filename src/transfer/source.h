// Source: where an upload's bytes come from: a file (through the page cache, with O_DIRECT, or by one serial reader),
// memory, or a spool of what came through a pipe.
//
// The worker that wants a part calls prepare(): the part is read and checksummed on the offload pool, then body() can
// send it, any number of times. Reading waits for its share: no more parts are read at once than the disk or the cores
// like.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/log.h"
#include "fiber/offload.h"
#include "fiber/sync.h"
#include "file/file.h"
#include "hash/checksum.h"
#include "http/client.h"
#include "transfer/budget.h"
#include "transfer/climber.h"
#include "transfer/plan.h"
#include "transfer/rate_limit.h"

namespace dray::transfer {

/// How many parts are read at once. Parts that lie in the page cache cost CPU only: as many as there are cores. Parts
/// that come from a disk are read as deep as the disk gets faster by it. Thread-safe.
class ReadGate {
 public:
  explicit ReadGate(std::size_t cores);
  Result<fiber::Units> enter(Deadline deadline) { return fiber::Units::acquire(slots_, 1, deadline); }
  /// What one part's reading came to.
  void finished(std::uint64_t bytes, std::uint64_t cold_bytes);
  std::size_t depth() const;

 private:
  void resize(std::size_t depth);
  const std::size_t cores_;
  mutable std::mutex mutex_;
  Climber climber_;
  std::size_t depth_;
  unsigned warm_in_a_row_ = 0;
  fiber::Semaphore slots_;
};

/// Paces all connections of a client together. Thread-safe.
class Pacing {
 public:
  explicit Pacing(std::uint64_t bytes_per_second) : limit_(bytes_per_second), slice_(limit_.slice()) {}
  std::uint64_t slice() const { return slice_; }
  /// Waits until `bytes` more may be sent.
  Result<void> pass(std::uint64_t bytes);

 private:
  std::mutex mutex_;
  RateLimit limit_;
  const std::uint64_t slice_;
};

/// What sources use, shared by all uploads of a client.
struct SourceTools {
  fiber::Offload& offload;
  Budget& budget;
  ReadGate& gate;
  Pacing& pacing;
  fiber::Semaphore& serial_reader;  ///< one unit: Readers::serial
};

/// A prepared part. `body` may be sent more than once.
struct Part {
  hash::Checksum checksum;
  std::unique_ptr<http::BodySource> body;
};

class Source {
 public:
  virtual ~Source() = default;
  /// From a worker's fiber, on any loop, for several parts at once. ErrorKind::source_changed if the range is not there
  /// any more. `sent` counts the bytes that the bodies hand to the network.
  virtual Result<Part> prepare(ByteRange range, ChecksumKind kind, std::atomic<std::uint64_t>& sent) = 0;
  /// Success if it is what it was when it was opened. Does not wait.
  virtual Result<void> check_unchanged() const = 0;
};

/// A regular file that was opened and looked at.
struct OpenedFile {
  std::shared_ptr<const file::File> file;
  std::string path;
  file::Identity identity;
  std::shared_ptr<const file::File> direct{};  ///< the same with O_DIRECT; null = none
};
enum class ReadMode { cached, direct, serial };
/// The whole file in one range is sent with its last page held back until the file is proven unchanged, if `single`.
std::unique_ptr<Source> file_source(SourceTools& tools, OpenedFile file, ReadMode mode, bool single);
/// Borrows the bytes.
std::unique_ptr<Source> memory_source(SourceTools& tools, Bytes bytes);

/// A body that owns or borrows memory, paced; keeps `owner` alive.
std::unique_ptr<http::BodySource> memory_body(SourceTools& tools, Bytes bytes, std::shared_ptr<void> owner,
                                              std::atomic<std::uint64_t>& sent);
/// A body that is a range of a file, sent by sendfile; a range that is not in the page cache is read on the pool first.
/// `check_before_end` (may be null) runs before the last page goes out.
std::unique_ptr<http::BodySource> file_body(SourceTools& tools, std::shared_ptr<const file::File> file, ByteRange range,
                                            std::function<Result<void>()> check_before_end,
                                            std::function<Result<void>()> on_short, std::atomic<std::uint64_t>& sent);

}  // namespace dray::transfer
