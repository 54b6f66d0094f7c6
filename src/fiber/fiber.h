// The record of one fiber. Private to this room; everyone else holds Tickets.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "fiber/context.h"
#include "fiber/loop.h"
#include "fiber/stack.h"
#include "fiber/timers.h"

namespace dray::fiber {

class TaskGroup;

/// Never freed while its Loop lives: a late Ticket may point here. `epoch` moves on with every wait and every reuse.
struct Fiber : Timer {
  enum class State : unsigned char { free, ready, running, parked };

  FiberContext context;
  Stack stack;
  Loop* loop = nullptr;
  std::string name;
  std::function<void()> body;
  TaskGroup* group = nullptr;
  Fiber* group_next = nullptr;
  Fiber* group_previous = nullptr;

  State state = State::free;
  bool cancelled = false;
  bool scope_cancelled = false;
  std::uint64_t scope = 0;   // of the CancelScope it is in, 0 = none
  bool woken_early = false;  // woken between this_wait() and park()
  unsigned shields = 0;
  Wake reason = Wake::signalled;
  std::uint64_t epoch = 0;
  const char* waits_for = "";

  bool must_stop() const { return (cancelled || scope_cancelled) && shields == 0; }
};

}  // namespace dray::fiber
