// Many fibers, at once and one after the other.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/sync.h"

namespace dray::fiber {
namespace {

#ifdef DRAY_TEST_TSAN
constexpr int kMany = 1'000, kTurnover = 5'000;  // a fiber costs ThreadSanitizer nearly a millisecond
#else
constexpr int kMany = 10'000, kTurnover = scaled(1'000'000);
#endif

TEST(ScaleTest, TenThousandFibersLiveAtOnce) {
  on_loop([] {
    Gate gate;
    int waiting = 0, ended = 0;
    TaskGroup group;
    for (int i = 0; i < kMany; ++i) {
      spawn(group, [&] {
        ++waiting;
        EXPECT_TRUE(gate.wait(far()).ok());
        ++ended;
      });
    }
    while (waiting < kMany) yield();
    EXPECT_EQ(Loop::current()->live_fibers(), static_cast<std::size_t>(kMany) + 1);
    gate.open();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, kMany);
    EXPECT_EQ(Loop::current()->live_fibers(), 1u);
  });
}

TEST(ScaleTest, TenThousandWaitersAreCancelledAtOnce) {
  on_loop([] {
    Semaphore nothing(0);
    int cancelled = 0;
    TaskGroup group;
    for (int i = 0; i < kMany; ++i) {
      spawn(group, [&] { cancelled += outcome(nothing.acquire(1, far())) == "cancelled" ? 1 : 0; });
    }
    yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(cancelled, kMany);
  });
}

TEST(ScaleTest, TenThousandSleepersWithRandomTimesWakeAndNoneEarly) {
  on_loop([] {
    std::mt19937 random(1);
    int early = 0, woken = 0;
    TaskGroup group;
    for (int i = 0; i < kMany; ++i) {
      spawn(group, [&, due = Deadline::after(microseconds(random() % 50'000))] {
        EXPECT_TRUE(sleep_until(due).ok());
        early += due.passed() ? 0 : 1;
        ++woken;
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(early, 0);
    EXPECT_EQ(woken, kMany);
  });
}

std::size_t resident_bytes() {
  std::size_t whole = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> whole >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(ScaleTest, AMillionFibersOneAfterTheOtherLeaveNothingBehind) {
  on_loop([] {
    TaskGroup group;
    long ended = 0;
    const auto run = [&](int count) {
      for (int i = 0; i < count; ++i) {
        spawn(group, [&] { ++ended; });
        if (i % 10 == 9) {
          ASSERT_TRUE(group.join().ok());
        }
      }
      ASSERT_TRUE(group.join().ok());
    };
    constexpr int kWarmUp = 1'000;
    run(kWarmUp);
    [[maybe_unused]] const std::size_t before = resident_bytes();
    run(kTurnover);
    EXPECT_EQ(ended, kWarmUp + kTurnover);
#ifndef DRAY_TEST_SANITIZED
    EXPECT_LT(resident_bytes(), before + (4u << 20));
#endif
  });
}

TEST(ScaleTest, BurstGivesItsMemoryBack) {
#ifndef DRAY_TEST_SANITIZED
  on_loop([] {
    const std::size_t before = resident_bytes();
    TaskGroup group;
    for (int i = 0; i < 1000; ++i) {
      spawn(group, [] {
        std::array<volatile char, 64 << 10> used;
        for (std::size_t at = 0; at < used.size(); at += 1024) used[at] = 1;
        yield();
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_LT(resident_bytes(), before + (32u << 20));  // of 64 MiB and more that were in use
  });
#endif
}

}  // namespace
}  // namespace dray::fiber
