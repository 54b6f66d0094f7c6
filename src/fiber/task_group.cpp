#include "fiber/task_group.h"

#include "fiber/fiber.h"

namespace dray::fiber {

namespace {

Loop& loop_of_fiber() {
  if (!on_fiber()) die("a TaskGroup was made outside a fiber");
  return *Loop::current();
}

}  // namespace

TaskGroup::TaskGroup() : loop_(loop_of_fiber()) {}

TaskGroup::~TaskGroup() {
  if (count_ == 0) return;
  cancel();
  Shield shield;
  bool ignored = false;
  wait_for_all(ignored);
}

Result<void> TaskGroup::spawn(std::string name, std::function<void()> body) {
  Fiber* fiber = DRAY_TRY(loop_.spawn(std::move(name), std::move(body), this));
  fiber->group_previous = nullptr;
  fiber->group_next = first_;
  if (first_ != nullptr) first_->group_previous = fiber;
  first_ = fiber;
  ++count_;
  return {};
}

void TaskGroup::child_ended(Fiber& fiber, std::exception_ptr failure) {
  if (failure && !failure_) failure_ = std::move(failure);
  if (fiber.group_previous != nullptr) fiber.group_previous->group_next = fiber.group_next;
  if (fiber.group_next != nullptr) fiber.group_next->group_previous = fiber.group_previous;
  if (first_ == &fiber) first_ = fiber.group_next;
  fiber.group = nullptr;
  if (--count_ == 0) joiner_.wake();
}

void TaskGroup::wait_for_all(bool& was_cancelled) {
  while (count_ > 0) {
    joiner_ = this_wait();
    const Wake wake = park(Deadline::never(), "child fibers");
    joiner_.clear();
    if (wake != Wake::cancelled) continue;
    was_cancelled = true;
    cancel();
    Shield shield;
    wait_for_all(was_cancelled);
  }
}

Result<void> TaskGroup::join() {
  bool was_cancelled = false;
  wait_for_all(was_cancelled);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (was_cancelled) return wait_error(Wake::cancelled, "join");
  return {};
}

void TaskGroup::cancel() {
  for (Fiber* fiber = first_; fiber != nullptr; fiber = fiber->group_next) loop_.cancel(*fiber);
}

}  // namespace dray::fiber
