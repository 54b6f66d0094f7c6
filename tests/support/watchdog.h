// Watchdog: a test that hangs ends with its name instead of standing still.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace dray::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// While it lives, the process ends after `patience` (four times as much under a sanitizer).
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds patience = std::chrono::seconds(25))
      : thread_([this, patience = kSanitized ? patience * 4 : patience] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, patience, [this] { return over_; })) return;
          const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
          std::fprintf(stderr, "%s.%s hangs\n", test != nullptr ? test->test_suite_name() : "?",
                       test != nullptr ? test->name() : "?");
          std::abort();
        }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace dray::test
