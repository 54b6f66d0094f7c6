// The switch between a loop and one of its fibers, and all that must follow it.
//
// Boost.Context's assembler swaps registers and stack. Three things it does not know about are done here, in the order
// that the tools demand: the C++ exception state (libstdc++ keeps the caught-exception chain for each thread; two
// fibers that wait inside `catch` would see each other's exception), AddressSanitizer's fake stack, ThreadSanitizer's
// fiber.
//
// Only loop <-> fiber switches exist, always on the loop's own thread. A fiber runs to its end; nothing here unwinds or
// destroys a suspended one.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace dray::fiber {

/// What `__cxa_get_globals()` points to: the chain of caught exceptions and the count of uncaught ones. 16 bytes.
struct ExceptionState {
  void* caught = nullptr;
  unsigned long uncaught = 0;
};

/// The saved side of a loop thread while one of its fibers runs. One for each Loop.
struct LoopContext {
  boost::context::detail::fcontext_t context = nullptr;
  ExceptionState exceptions;
  const void* stack_bottom = nullptr;  // AddressSanitizer tells them on a fiber's first entry
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;
  void* tsan_fiber = nullptr;
};

/// The saved side of a fiber while it waits. `entry` must not return: it ends in leave_for_good().
struct FiberContext {
  boost::context::detail::fcontext_t context = nullptr;
  ExceptionState exceptions;
  void* stack_bottom = nullptr;
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;
  void* tsan_fiber = nullptr;
};

/// Sets up a fiber that will start in `entry` (see entered()) on the given stack.
void prepare(FiberContext& fiber, void* stack_bottom, std::size_t stack_size,
             void (*entry)(boost::context::detail::transfer_t));
/// On the loop: runs the fiber until it suspends or leaves. `argument` reaches `entry` the first time.
void resume(LoopContext& loop, FiberContext& fiber, void* argument);
/// In `entry`, first of all: notes where the loop is. Returns the argument of the first resume().
void* entered(LoopContext*& loop_out, boost::context::detail::transfer_t transfer);
/// In a fiber: back to the loop until the next resume().
void suspend(LoopContext& loop, FiberContext& fiber);
/// In a fiber, last of all.
[[noreturn]] void leave_for_good(LoopContext& loop, FiberContext& fiber);
/// On the loop, after the fiber left: frees what the sanitizers keep for it.
void retire(FiberContext& fiber);

}  // namespace dray::fiber
