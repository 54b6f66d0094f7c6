#include "fiber/context.h"

#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define DRAY_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DRAY_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define DRAY_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DRAY_TSAN 1
#endif
#endif

#ifdef DRAY_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef DRAY_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace dray::fiber {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

#ifdef DRAY_ASAN
void asan_start(void** save, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(save, bottom, size);
}
void asan_finish(void* restore, const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(restore, bottom, size);
}
#else
inline void asan_start(void**, const void*, std::size_t) {}
inline void asan_finish(void*, const void**, std::size_t*) {}
#endif

void save_exceptions(ExceptionState& to) { std::memcpy(static_cast<void*>(&to), abi::__cxa_get_globals(), sizeof to); }
void load_exceptions(const ExceptionState& from) {
  std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &from, sizeof from);
}

/// What a fiber learns when it is entered; lives on the loop's stack until its first switch back.
struct Entry {
  LoopContext& loop;
  FiberContext& fiber;
  void* argument;
};

/// Last of all in a fiber.
[[noreturn]] void leave(LoopContext& loop) {
  asan_start(nullptr, loop.stack_bottom, loop.stack_size);  // null: the fake stack dies with the fiber
#ifdef DRAY_TSAN
  __tsan_switch_to_fiber(loop.tsan_fiber, 0);
#endif
  jump_fcontext(loop.context, nullptr);
  std::abort();  // a fiber that has left is never resumed
}

void enter(transfer_t from) {
  const void* bottom = nullptr;
  std::size_t size = 0;
  asan_finish(nullptr, &bottom, &size);
  const Entry entry = *static_cast<Entry*>(from.data);
  entry.loop.context = from.fctx;
  entry.loop.stack_bottom = bottom;
  entry.loop.stack_size = size;
  entry.fiber.entry(entry.argument);
  leave(entry.loop);
}

}  // namespace

void prepare(FiberContext& fiber, void* stack_bottom, std::size_t stack_size, void (*entry)(void*)) {
  fiber.stack_bottom = stack_bottom;
  fiber.stack_size = stack_size;
  fiber.entry = entry;
  fiber.exceptions = {};
  fiber.fake_stack = nullptr;
  fiber.context = make_fcontext(static_cast<char*>(stack_bottom) + stack_size, stack_size, enter);
#ifdef DRAY_TSAN
  fiber.tsan_fiber = __tsan_create_fiber(0);
#endif
}

void resume(LoopContext& loop, FiberContext& fiber, void* argument) {
  Entry entry{loop, fiber, argument};
  save_exceptions(loop.exceptions);
  load_exceptions(fiber.exceptions);
  asan_start(&loop.fake_stack, fiber.stack_bottom, fiber.stack_size);
#ifdef DRAY_TSAN
  loop.tsan_fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber.tsan_fiber, 0);
#endif
  const transfer_t back = jump_fcontext(fiber.context, &entry);
  asan_finish(loop.fake_stack, nullptr, nullptr);
  fiber.context = back.fctx;
  save_exceptions(fiber.exceptions);
  load_exceptions(loop.exceptions);
}

void suspend(LoopContext& loop, FiberContext& fiber) {
  const int error = errno;  // the thread's, so whoever runs meanwhile changes it
  asan_start(&fiber.fake_stack, loop.stack_bottom, loop.stack_size);
#ifdef DRAY_TSAN
  __tsan_switch_to_fiber(loop.tsan_fiber, 0);
#endif
  const transfer_t back = jump_fcontext(loop.context, nullptr);
  asan_finish(fiber.fake_stack, &loop.stack_bottom, &loop.stack_size);
  loop.context = back.fctx;
  errno = error;
}

void retire(FiberContext& fiber) {
#ifdef DRAY_TSAN
  __tsan_destroy_fiber(fiber.tsan_fiber);
  fiber.tsan_fiber = nullptr;
#endif
#ifdef DRAY_ASAN
  // Frames that were left behind by a throw may still be poisoned; the next fiber on this stack starts clean.
  __asan_unpoison_memory_region(fiber.stack_bottom, fiber.stack_size);
#endif
  fiber.context = nullptr;
}

}  // namespace dray::fiber
