// What the tests of this room share: a loop for one test, and how much a sanitizer slows it down.
#pragma once

#include <gtest/gtest.h>
#include <time.h>

#include <string>
#include <utility>

#include "fiber/loop.h"
#include "fiber/task_group.h"

#if defined(__SANITIZE_ADDRESS__)
#define DRAY_TEST_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define DRAY_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DRAY_TEST_ASAN 1
#elif __has_feature(thread_sanitizer)
#define DRAY_TEST_TSAN 1
#endif
#endif
#if defined(DRAY_TEST_ASAN) || defined(DRAY_TEST_TSAN)
#define DRAY_TEST_SANITIZED 1
#endif

namespace dray::fiber {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// How often to do what is done many times: less under the sanitizers.
constexpr int scaled(int rounds) {
#if defined(DRAY_TEST_TSAN)
  return rounds / 10;
#elif defined(DRAY_TEST_ASAN)
  return rounds / 4;
#else
  return rounds;
#endif
}

/// Runs `body` as a fiber on a loop of its own, on the calling thread, and returns when every fiber has ended. What the
/// body left running is cancelled.
template <class Body>
void on_loop(Body body) {
  auto loop = Loop::create().value();
  loop->spawn_root("test", [&] {
    body();
    loop->stop();
  });
  loop->run();
}

inline void spawn(TaskGroup& group, std::function<void()> body, std::string name = "child") {
  const Result<void> started = group.spawn(std::move(name), std::move(body));
  ASSERT_TRUE(started.ok()) << started.error().message;
}

/// Whether a wait ended by its signal ("" in failure texts), or the kind of its error.
inline std::string outcome(const Result<void>& result) {
  return result.ok() ? "ok" : std::string(name_of(result.error().kind));
}

/// A deadline that only a hang meets: a test that hits it fails rather than stands still.
inline Deadline far() { return Deadline::after(seconds(60)); }
inline Deadline past() { return Deadline(steady_clock::now() - seconds(1)); }

/// CPU time of the calling thread.
inline Duration thread_cpu() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return seconds(now.tv_sec) + Duration(now.tv_nsec);
}

}  // namespace dray::fiber
