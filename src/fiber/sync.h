// Mutex, Condition, Semaphore, Channel and Gate for fibers, of one loop or of several.
//
// All waits are first come first served, take a deadline and end on cancellation. Ownership is handed over: whoever was
// granted a lock, a unit or an item has it, even if it was cancelled or timed out in the same turn; nothing is lost.
// Only fibers may wait; any thread may notify, release, close or open. Inside is a std::mutex held for a few
// instructions, never across a wait.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/time.h"
#include "dray/result.h"
#include "fiber/loop.h"

namespace dray::fiber {

/// Fibers that wait in order. The building block of the others; the caller's std::mutex guards it.
class WaitQueue {
 public:
  struct Waiter {
    Ticket ticket;
    std::size_t units = 1;
    bool granted = false;
  };
  bool empty() const { return waiters_.empty(); }
  Waiter& front() { return *waiters_.front(); }
  /// Marks the first waiter as granted and removes it; wake the returned ticket after unlocking.
  Ticket grant_front();
  /// Parks the calling fiber. `lock` is released meanwhile and held again on return. Success means granted.
  Result<void> wait(std::unique_lock<std::mutex>& lock, std::size_t units, Deadline deadline, const char* what);

 private:
  std::deque<Waiter*> waiters_;
};

/// Counted units. A waiter for many is not overtaken by later ones for few.
class Semaphore {
 public:
  explicit Semaphore(std::size_t units) : free_(units) {}
  Result<void> acquire(std::size_t units, Deadline deadline);
  bool try_acquire(std::size_t units);
  void release(std::size_t units);
  /// Takes effect as units come back when it shrinks.
  void add_units(std::ptrdiff_t units);
  std::ptrdiff_t free_units() const;

 private:
  void grant(std::unique_lock<std::mutex>& lock);
  mutable std::mutex mutex_;
  std::ptrdiff_t free_;
  WaitQueue queue_;
};

/// Units of a Semaphore, given back by the destructor.
class Units {
 public:
  Units() = default;
  static Result<Units> acquire(Semaphore& semaphore, std::size_t units, Deadline deadline);
  Units(Units&& other) noexcept
      : semaphore_(std::exchange(other.semaphore_, nullptr)), units_(std::exchange(other.units_, 0)) {}
  Units& operator=(Units&& other) noexcept {
    if (this != &other) {
      release();
      semaphore_ = std::exchange(other.semaphore_, nullptr);
      units_ = std::exchange(other.units_, 0);
    }
    return *this;
  }
  ~Units() { release(); }
  void release();
  std::size_t count() const { return units_; }

 private:
  Semaphore* semaphore_ = nullptr;
  std::size_t units_ = 0;
};

/// A lock that may be held across waits. Prefer a Semaphore or a Channel: a lock held across I/O convoys everyone.
class Mutex {
 public:
  Result<void> lock(Deadline deadline) { return semaphore_.acquire(1, deadline); }
  bool try_lock() { return semaphore_.try_acquire(1); }
  void unlock() { semaphore_.release(1); }

 private:
  Semaphore semaphore_{1};
};

class Condition {
 public:
  /// The mutex is released while waiting and held again on return, however the wait ended (also if cancelled).
  Result<void> wait(Mutex& mutex, Deadline deadline);
  void notify_one();
  void notify_all();

 private:
  std::mutex mutex_;
  WaitQueue queue_;
};

/// Opens once and stays open.
class Gate {
 public:
  Result<void> wait(Deadline deadline);
  void open();
  bool is_open() const;

 private:
  mutable std::mutex mutex_;
  bool open_ = false;
  WaitQueue queue_;
};

/// A bounded queue with an end. push() waits for room, pop() for an item; close() refuses further items, and pop()
/// gives nothing once the rest is taken.
template <class T>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : room_(capacity), items_(0) {}

  /// `cancelled` if the channel is closed; the item is then dropped.
  Result<void> push(T item, Deadline deadline) {
    DRAY_TRY_VOID(room_.acquire(1, deadline));
    {
      std::lock_guard lock(mutex_);
      if (closed_) return make_error(ErrorKind::cancelled, "push into a closed channel");
      queue_.push_back(std::move(item));
    }
    items_.release(1);
    return {};
  }
  /// Nothing = closed and empty.
  Result<std::optional<T>> pop(Deadline deadline) {
    DRAY_TRY_VOID(items_.acquire(1, deadline));
    std::unique_lock lock(mutex_);
    if (queue_.empty()) {  // closed: pass the wake on to the next one
      lock.unlock();
      items_.release(1);
      return std::optional<T>{};
    }
    std::optional<T> item(std::move(queue_.front()));
    queue_.pop_front();
    lock.unlock();
    room_.release(1);
    return item;
  }
  void close() {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      closed_ = true;
    }
    items_.release(1);
    room_.release(kAll);
  }

 private:
  static constexpr std::size_t kAll = std::size_t{1} << 40;  // every pusher from now on gets through, and is refused
  Semaphore room_;
  Semaphore items_;
  std::mutex mutex_;
  bool closed_ = false;
  std::deque<T> queue_;
};

}  // namespace dray::fiber
