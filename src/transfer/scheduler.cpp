#include "transfer/scheduler.h"

#include <algorithm>

namespace dray::transfer {

Scheduler::Scheduler(Options options) : options_(std::move(options)), climber_(options_.climber) {}

void Scheduler::add(Order order, Task task, SteadyTime not_before) {
  Changes changes;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    if (not_before == SteadyTime::min()) {
      ready_.emplace(order, std::move(task));
    } else {
      // Whoever sleeps until the first of these must look at the clock again.
      const bool comes_first = later_.empty() || not_before < later_.begin()->first;
      later_.emplace(not_before, std::pair(order, std::move(task)));
      if (comes_first && watcher_) wake(watcher_, changes);
    }
    staff(changes);
  }
  apply(changes);
}

/// Wakes or hires so that no task waits while a worker could take it, now or when it is due.
void Scheduler::staff(Changes& changes) {
  const std::size_t room = limit_locked() > busy_ ? limit_locked() - busy_ : 0;
  const std::size_t watch = !later_.empty() && !watcher_ ? 1 : 0;
  const std::size_t needed = std::min(room, ready_.size() + watch);
  // Those who were woken or hired a moment ago and have not yet come for their task.
  const std::size_t on_their_way = workers_ - busy_ - idle_.size();
  std::size_t missing = needed > on_their_way ? needed - on_their_way : 0;
  for (; missing > 0 && !idle_.empty(); --missing) wake(idle_.back(), changes);
  const std::size_t more = std::min(missing, limit_locked() - std::min(limit_locked(), workers_));
  changes.hire += more;
  workers_ += more;
}

void Scheduler::wake(fiber::Ticket worker, Changes& changes) {
  std::erase(idle_, worker);
  if (worker == watcher_) watcher_.clear();
  changes.wake.push_back(worker);
}

void Scheduler::apply(const Changes& changes) {
  for (const fiber::Ticket& ticket : changes.wake) ticket.wake();
  for (std::size_t i = 0; i < changes.hire; ++i) options_.hire();
}

void Scheduler::promote_due(SteadyTime now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    auto& [order, task] = later_.begin()->second;
    ready_.emplace(order, std::move(task));
    later_.erase(later_.begin());
  }
}

std::optional<Scheduler::Task> Scheduler::next(Comes worker) {
  std::unique_lock lock(mutex_);
  if (worker == Comes::from_a_task) --busy_;
  while (!closed_) {
    promote_due(std::chrono::steady_clock::now());
    if (!ready_.empty() && busy_ < limit_locked()) {
      Task task = std::move(ready_.begin()->second);
      ready_.erase(ready_.begin());
      ++busy_;
      Changes changes;
      staff(changes);
      lock.unlock();
      apply(changes);
      return task;
    }
    const fiber::Ticket ticket = fiber::this_wait();
    idle_.push_back(ticket);
    Deadline wait = Deadline::never();
    if (!later_.empty() && !watcher_) {
      watcher_ = ticket;
      wait = Deadline(later_.begin()->first);
    }
    lock.unlock();
    const fiber::Wake wake = fiber::park(wait, "work");
    lock.lock();
    std::erase(idle_, ticket);  // still there unless somebody woke us
    if (watcher_ == ticket) watcher_.clear();
    if (wake == fiber::Wake::cancelled) break;
  }
  --workers_;
  return std::nullopt;
}

std::size_t Scheduler::drop(std::uint64_t object) {
  std::vector<Task> dropped;  // destroyed outside the lock: what they own may want it
  std::lock_guard lock(mutex_);
  const auto from = ready_.lower_bound(Order{object, 1}), to = ready_.lower_bound(Order{object + 1, 0});
  for (auto it = from; it != to; ++it) dropped.push_back(std::move(it->second));
  ready_.erase(from, to);
  for (auto it = later_.begin(); it != later_.end();) {
    auto& [order, task] = it->second;
    if (order.object != object || order.step == 0) {
      ++it;
      continue;
    }
    dropped.push_back(std::move(task));
    it = later_.erase(it);
  }
  return dropped.size();
}

void Scheduler::close() {
  std::vector<fiber::Ticket> idle;
  std::multimap<Order, Task> ready;  // destroyed outside the lock: what they own may want it
  std::multimap<SteadyTime, std::pair<Order, Task>> later;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    idle.swap(idle_);
    ready.swap(ready_);
    later.swap(later_);
  }
  for (const fiber::Ticket& ticket : idle) ticket.wake();
}

void Scheduler::moved(std::uint64_t bytes) {
  if (options_.exactly != 0) return;
  Changes changes;
  {
    std::lock_guard lock(mutex_);
    const bool saturated = busy_ >= climber_.level();
    if (!climber_.moved(bytes, saturated, std::chrono::steady_clock::now())) return;
    staff(changes);
  }
  apply(changes);
}

void Scheduler::slow_down() {
  if (options_.exactly != 0) return;
  std::lock_guard lock(mutex_);
  climber_.back_off(std::chrono::steady_clock::now());
}

std::size_t Scheduler::limit() const {
  std::lock_guard lock(mutex_);
  return limit_locked();
}

}  // namespace dray::transfer
