// Budget: the bytes that buffers may have in all, and the buffers themselves, reused.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "dray/result.h"
#include "fiber/sync.h"
#include "file/part_reader.h"

namespace dray::transfer {

class Budget;

/// A buffer and its share of the budget; both go back when it is destroyed, on any thread.
class BudgetedBuffer {
 public:
  BudgetedBuffer() = default;
  BudgetedBuffer(BudgetedBuffer&& other) noexcept;
  BudgetedBuffer& operator=(BudgetedBuffer&& other) noexcept;
  ~BudgetedBuffer();
  MutableBytes bytes() { return buffer_.bytes(); }

 private:
  friend class Budget;
  Budget* budget_ = nullptr;
  file::PartBuffer buffer_;
  fiber::Units queued_;
};

/// For fibers of any loop. Nobody may hold a buffer while it waits for another.
///
/// A worker that waits for a buffer sends nothing meanwhile, and filled buffers that wait in the scheduler's queue need
/// a worker: were all of them there, both would wait for ever. So a quarter never goes to the queue.
class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : bytes_(bytes), free_(bytes), queue_share_(queue_bytes()) {}
  /// Whether a worker may have a buffer of this size at all.
  bool fits(std::uint64_t size) const { return size <= bytes_ / 4; }
  /// The same for the queue: at least two must fit, so that reading and sending overlap.
  bool fits_queue(std::uint64_t size) const { return size <= queue_bytes() / 2; }
  /// For a worker, which gives it back without anybody's help. Waits until the budget has room. ErrorKind::exhausted if
  /// it never will.
  Result<BudgetedBuffer> take(std::size_t size, Deadline deadline);
  /// For a buffer that will wait for a worker.
  Result<BudgetedBuffer> take_for_queue(std::size_t size, Deadline deadline);
  std::uint64_t total() const { return bytes_; }

 private:
  friend class BudgetedBuffer;
  void give_back(file::PartBuffer buffer);
  std::uint64_t queue_bytes() const { return bytes_ - bytes_ / 4; }
  const std::uint64_t bytes_;
  fiber::Semaphore free_;
  fiber::Semaphore queue_share_;
  std::mutex mutex_;                    // guards idle_
  std::vector<file::PartBuffer> idle_;  // all of one size; counted as free, freed when another size is asked for
};

/// What the process may use, from the user's limit (0 = decide) and the machine: see Config::memory_limit.
std::uint64_t memory_limit_from(std::uint64_t wanted);
/// What of it is for buffers: the limit less 24 MiB, at least 16 MiB.
std::uint64_t buffer_budget(std::uint64_t memory_limit);

}  // namespace dray::transfer
