// TaskGroup: child fibers that cannot outlive the scope they were started in.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string>

#include "dray/result.h"
#include "fiber/loop.h"

namespace dray::fiber {

/// Starts fibers on the calling fiber's loop and joins them. For the fiber that made it. Its destructor cancels what
/// still runs and waits for it, so a forgotten join loses time, never a fiber; it may run during unwinding.
class TaskGroup {
 public:
  TaskGroup();
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// ErrorKind::exhausted if no stack can be had; ErrorKind::cancelled while the loop stops.
  Result<void> spawn(std::string name, std::function<void()> body);
  /// Waits until all children have ended. If the caller is cancelled, the children are cancelled too and still waited
  /// for; the error is then `cancelled`. The first exception that left a child is thrown here.
  Result<void> join();
  /// Asks every child to end; does not wait.
  void cancel();
  std::size_t size() const { return count_; }

 private:
  friend struct LoopState;
  void child_ended(Fiber& fiber, std::exception_ptr failure);
  void wait_for_all(bool& was_cancelled);

  Loop& loop_;
  Fiber* first_ = nullptr;
  std::size_t count_ = 0;
  std::exception_ptr failure_;
  Ticket joiner_;
};

}  // namespace dray::fiber
