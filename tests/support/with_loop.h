// with_loop: a fiber on a loop's own thread (where all signals are blocked, as in the program), and an offload pool.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "fiber/runtime.h"
#include "fiber/task_group.h"

namespace dray::test {

/// Runs body(fiber::Offload&) as a fiber and returns when it has ended.
template <class Body>
void with_loop(Body body) {
  Result<std::unique_ptr<fiber::Runtime>> runtime = fiber::Runtime::start({.loops = 1, .offload = {.threads = 4}});
  ASSERT_TRUE(runtime.ok()) << runtime.error().message;
  fiber::Offload& offload = (*runtime)->offload();
  (*runtime)->call((*runtime)->loop(0), [&] { body(offload); });
}

inline void spawn(fiber::TaskGroup& group, std::function<void()> body) {
  const Result<void> started = group.spawn("child", std::move(body));
  ASSERT_TRUE(started.ok()) << started.error().message;
}

/// A deadline that only a hang meets: a test that hits it fails rather than stands still.
inline Deadline far() { return Deadline::after(std::chrono::seconds(60)); }
inline Deadline past() { return Deadline(std::chrono::steady_clock::now() - std::chrono::seconds(1)); }

/// "ok" or the kind of the error: what a test compares.
template <class T>
std::string outcome(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(name_of(result.error().kind));
}
/// The message of an error, for a test's own words; "" if there is none.
template <class T>
std::string message_of(const Result<T>& result) {
  return result.ok() ? "" : result.error().message;
}

}  // namespace dray::test
