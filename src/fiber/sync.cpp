#include "fiber/sync.h"

#include <algorithm>
#include <vector>

namespace dray::fiber {

Ticket WaitQueue::grant_front() {
  Waiter* waiter = waiters_.front();
  waiters_.pop_front();
  waiter->granted = true;
  return waiter->ticket;  // a copy: the waiter may be gone as soon as the lock is released
}

Result<void> WaitQueue::wait(std::unique_lock<std::mutex>& lock, std::size_t units, Deadline deadline,
                             const char* what) {
  Waiter waiter{.ticket = this_wait(), .units = units};
  waiters_.push_back(&waiter);
  lock.unlock();
  const Wake wake = park(deadline, what);
  lock.lock();
  if (waiter.granted) return {};  // it was given: keep it, whatever else happened in the same turn
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
  return wait_error(wake, what);
}

Result<void> Semaphore::acquire(std::size_t units, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (queue_.empty() && free_ >= static_cast<std::ptrdiff_t>(units)) {
    free_ -= static_cast<std::ptrdiff_t>(units);
    return {};
  }
  Result<void> granted = queue_.wait(lock, units, deadline, "a semaphore");
  if (!granted) grant(lock);  // it may have stood before someone who wants less
  return granted;
}

bool Semaphore::try_acquire(std::size_t units) {
  std::lock_guard lock(mutex_);
  if (!queue_.empty() || free_ < static_cast<std::ptrdiff_t>(units)) return false;
  free_ -= static_cast<std::ptrdiff_t>(units);
  return true;
}

void Semaphore::release(std::size_t units) { add_units(static_cast<std::ptrdiff_t>(units)); }

void Semaphore::add_units(std::ptrdiff_t units) {
  std::unique_lock lock(mutex_);
  free_ += units;
  grant(lock);
}

std::ptrdiff_t Semaphore::free_units() const {
  std::lock_guard lock(mutex_);
  return free_;
}

void Semaphore::grant(std::unique_lock<std::mutex>& lock) {
  std::vector<Ticket> tickets;
  while (!queue_.empty() && free_ >= static_cast<std::ptrdiff_t>(queue_.front().units)) {
    free_ -= static_cast<std::ptrdiff_t>(queue_.front().units);
    tickets.push_back(queue_.grant_front());
  }
  lock.unlock();
  for (const Ticket& ticket : tickets) ticket.wake();
}

Result<Units> Units::acquire(Semaphore& semaphore, std::size_t units, Deadline deadline) {
  DRAY_TRY_VOID(semaphore.acquire(units, deadline));
  Units taken;
  taken.semaphore_ = &semaphore;
  taken.units_ = units;
  return taken;
}

void Units::release() {
  if (semaphore_ != nullptr && units_ > 0) semaphore_->release(units_);
  semaphore_ = nullptr;
  units_ = 0;
}

Result<void> Condition::wait(Mutex& mutex, Deadline deadline) {
  std::unique_lock lock(mutex_);
  mutex.unlock();
  Result<void> notified = queue_.wait(lock, 1, deadline, "a condition");
  lock.unlock();
  Shield shield;  // the caller counts on holding the mutex again
  (void)mutex.lock(Deadline::never());
  return notified;
}

void Condition::notify_one() {
  std::unique_lock lock(mutex_);
  if (queue_.empty()) return;
  const Ticket ticket = queue_.grant_front();
  lock.unlock();
  ticket.wake();
}

void Condition::notify_all() {
  std::vector<Ticket> tickets;
  {
    std::lock_guard lock(mutex_);
    while (!queue_.empty()) tickets.push_back(queue_.grant_front());
  }
  for (const Ticket& ticket : tickets) ticket.wake();
}

Result<void> Gate::wait(Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (open_) return {};
  return queue_.wait(lock, 1, deadline, "a gate");
}

void Gate::open() {
  std::vector<Ticket> tickets;
  {
    std::lock_guard lock(mutex_);
    open_ = true;
    while (!queue_.empty()) tickets.push_back(queue_.grant_front());
  }
  for (const Ticket& ticket : tickets) ticket.wake();
}

bool Gate::is_open() const {
  std::lock_guard lock(mutex_);
  return open_;
}

}  // namespace dray::fiber
