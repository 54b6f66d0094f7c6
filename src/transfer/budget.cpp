#include "transfer/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "file/memory_size.h"

namespace dray::transfer {
namespace {

constexpr std::uint64_t kDefaultLimit = 256ull << 20;
constexpr std::uint64_t kForTheProgram = 24ull << 20;
constexpr std::uint64_t kLeastBuffers = 16ull << 20;

Error does_not_fit(std::uint64_t size, std::uint64_t limit) {
  return make_error(ErrorKind::exhausted, fmt::format("a buffer of {} does not fit into the {} for buffers",
                                                      base::format_size(size), base::format_size(limit)))
      .advise("raise --memory-limit or lower --part-size");
}

}  // namespace

BudgetedBuffer::BudgetedBuffer(BudgetedBuffer&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      buffer_(std::move(other.buffer_)),
      queued_(std::move(other.queued_)) {}

BudgetedBuffer& BudgetedBuffer::operator=(BudgetedBuffer&& other) noexcept {
  if (this != &other) {
    if (budget_ != nullptr) budget_->give_back(std::move(buffer_));
    budget_ = std::exchange(other.budget_, nullptr);
    buffer_ = std::move(other.buffer_);
    queued_ = std::move(other.queued_);
  }
  return *this;
}

BudgetedBuffer::~BudgetedBuffer() {
  if (budget_ != nullptr) budget_->give_back(std::move(buffer_));
}

Result<BudgetedBuffer> Budget::take(std::size_t size, Deadline deadline) {
  if (size > bytes_) return does_not_fit(size, bytes_);
  DRAY_TRY_VOID(free_.acquire(size, deadline));
  BudgetedBuffer taken;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty() && idle_.back().size() != size) idle_.clear();
    if (!idle_.empty()) {
      taken.buffer_ = std::move(idle_.back());
      idle_.pop_back();
      taken.budget_ = this;
      return taken;
    }
  }
  Result<file::PartBuffer> buffer = file::PartBuffer::allocate(size);
  if (!buffer) {
    free_.release(size);
    return std::move(buffer).error();
  }
  taken.buffer_ = std::move(*buffer);
  taken.budget_ = this;
  return taken;
}

Result<BudgetedBuffer> Budget::take_for_queue(std::size_t size, Deadline deadline) {
  if (size > queue_bytes()) return does_not_fit(size, queue_bytes());
  fiber::Units share = DRAY_TRY(fiber::Units::acquire(queue_share_, size, deadline));
  BudgetedBuffer buffer = DRAY_TRY(take(size, deadline));
  buffer.queued_ = std::move(share);
  return buffer;
}

void Budget::give_back(file::PartBuffer buffer) {
  const std::size_t size = buffer.size();
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty() && idle_.back().size() != size) idle_.clear();
    idle_.push_back(std::move(buffer));
  }
  free_.release(size);
}

std::uint64_t memory_limit_from(std::uint64_t wanted) {
  if (wanted != 0) return wanted;
  const std::uint64_t machine = file::usable_memory();
  return machine != 0 ? std::min(kDefaultLimit, machine / 4) : kDefaultLimit;
}

std::uint64_t buffer_budget(std::uint64_t memory_limit) {
  return std::max(kLeastBuffers, memory_limit > kForTheProgram ? memory_limit - kForTheProgram : 0);
}

}  // namespace dray::transfer
