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

/// A buffer and its share of the budget; both go back when it is destroyed.
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
};

/// For fibers of any loop. A fiber holds at most one buffer while it waits for another, so it cannot deadlock.
class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : bytes_(bytes), free_(bytes) {}
  /// Whether a buffer of this size may be had at all: at least two must fit, so that reading and sending overlap.
  bool fits(std::uint64_t size) const { return size <= bytes_ / 2; }
  /// Waits until the budget has room. ErrorKind::exhausted if it never will.
  Result<BudgetedBuffer> take(std::size_t size, Deadline deadline);
  std::uint64_t total() const { return bytes_; }

 private:
  friend class BudgetedBuffer;
  void give_back(file::PartBuffer buffer);
  const std::uint64_t bytes_;
  fiber::Semaphore free_;
  std::mutex mutex_;                    // guards idle_
  std::vector<file::PartBuffer> idle_;  // all of one size; counted as free, freed when another size is asked for
};

/// What the process may use, from the user's limit (0 = decide) and the machine: see Config::memory_limit.
std::uint64_t memory_limit_from(std::uint64_t wanted);
/// What of it is for buffers: the limit less 24 MiB, at least 16 MiB.
std::uint64_t buffer_budget(std::uint64_t memory_limit);

}  // namespace dray::transfer
