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

#include <cstddef>

namespace dray::fiber {

/// What `__cxa_get_globals()` points to: the chain of caught exceptions and the count of uncaught ones. 16 bytes.
struct ExceptionState {
  void* caught = nullptr;
  unsigned long uncaught = 0;
};

/// The saved side of a loop thread while one of its fibers runs. One for each Loop.
struct LoopContext {
  void* context = nullptr;
  ExceptionState exceptions;
  const void* stack_bottom = nullptr;  // AddressSanitizer tells them on a fiber's first entry
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;
  void* tsan_fiber = nullptr;
};

/// The saved side of a fiber while it waits.
struct FiberContext {
  void* context = nullptr;
  void (*entry)(void* argument) = nullptr;
  ExceptionState exceptions;
  void* stack_bottom = nullptr;
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;
  void* tsan_fiber = nullptr;
};

/// Sets up a fiber that will run `entry` on the given stack. When `entry` returns, the fiber has left for good.
void prepare(FiberContext& fiber, void* stack_bottom, std::size_t stack_size, void (*entry)(void* argument));
/// On the loop: runs the fiber until it suspends or leaves. `argument` reaches `entry` the first time.
void resume(LoopContext& loop, FiberContext& fiber, void* argument);
/// In a fiber: back to the loop until the next resume(). errno is as before.
void suspend(LoopContext& loop, FiberContext& fiber);
/// On the loop, after the fiber left: frees what the sanitizers keep for it.
void retire(FiberContext& fiber);

}  // namespace dray::fiber
