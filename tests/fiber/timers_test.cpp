#include "fiber/timers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "fiber/on_loop.h"

namespace dray::fiber {
namespace {

SteadyTime at(int tick) { return SteadyTime(Duration(tick)); }

TEST(TimerHeapTest, AgreesWithASortedModelUnderRandomArmDisarmAndPop) {
  constexpr std::size_t kTimers = 1000;
  std::mt19937 random(1);
  TimerHeap heap;
  std::vector<Timer> timers(kTimers);
  std::multimap<SteadyTime, Timer*> model;
  const auto forget = [&](Timer* timer) {
    for (auto [it, end] = model.equal_range(timer->when); it != end; ++it) {
      if (it->second == timer) return void(model.erase(it));
    }
  };
  for (int step = 0; step < scaled(400'000); ++step) {
    Timer& timer = timers[random() % kTimers];
    const unsigned dice = random() % 10;
    if (dice < 5) {
      if (timer.armed()) forget(&timer);
      heap.arm(timer, at(static_cast<int>(random() % 500)));  // few distinct times: ties are frequent
      model.emplace(timer.when, &timer);
    } else if (dice < 8) {
      if (timer.armed()) forget(&timer);
      heap.disarm(timer);
      ASSERT_FALSE(timer.armed());
    } else {
      const SteadyTime now = at(static_cast<int>(random() % 500));
      Timer* due = heap.pop_due(now);
      const bool expected = !model.empty() && model.begin()->first <= now;
      ASSERT_EQ(due != nullptr, expected);
      if (due != nullptr) {
        ASSERT_EQ(due->when, model.begin()->first);
        ASSERT_FALSE(due->armed());
        forget(due);
      }
    }
    ASSERT_EQ(heap.size(), model.size());
    ASSERT_EQ(heap.empty(), model.empty());
    if (!model.empty()) {
      ASSERT_EQ(heap.next(), model.begin()->first);
    }
  }
}

TEST(TimerHeapTest, HundredThousandTimersLeaveInOrder) {
  std::mt19937 random(2);
  TimerHeap heap;
  std::vector<Timer> timers(static_cast<std::size_t>(scaled(100'000)));
  for (Timer& timer : timers) heap.arm(timer, at(static_cast<int>(random() % 1'000'000)));
  for (std::size_t i = 0; i < timers.size(); i += 3) heap.disarm(timers[i]);
  SteadyTime last = at(0);
  std::size_t popped = 0;
  while (Timer* due = heap.pop_due(SteadyTime::max())) {
    ASSERT_LE(last, due->when);
    last = due->when;
    ++popped;
  }
  EXPECT_EQ(popped, timers.size() - (timers.size() + 2) / 3);
}

TEST(TimerHeapTest, TimersOfTheSameInstantAreTakenInTheOrderTheyWereArmedForTwo) {
  TimerHeap heap;
  Timer first, second;
  heap.arm(first, at(5));
  heap.arm(second, at(5));
  EXPECT_EQ(heap.pop_due(at(5)), &first);
  EXPECT_EQ(heap.pop_due(at(5)), &second);
}

TEST(TimerHeapTest, NothingIsDueBeforeItsTime) {
  TimerHeap heap;
  Timer timer;
  heap.arm(timer, at(5));
  EXPECT_EQ(heap.pop_due(at(4)), nullptr);
  EXPECT_EQ(heap.pop_due(at(5)), &timer);
  EXPECT_EQ(heap.pop_due(at(6)), nullptr);
}

TEST(TimerHeapTest, ArmingAnArmedTimerMovesIt) {
  TimerHeap heap;
  Timer early, late;
  heap.arm(early, at(1));
  heap.arm(late, at(2));
  heap.arm(early, at(3));
  EXPECT_EQ(heap.size(), 2u);
  EXPECT_EQ(heap.pop_due(at(9)), &late);
  EXPECT_EQ(heap.pop_due(at(9)), &early);
}

TEST(TimerHeapTest, DisarmingAnIdleTimerDoesNothing) {
  TimerHeap heap;
  Timer armed, idle;
  heap.arm(armed, at(1));
  heap.disarm(idle);
  EXPECT_EQ(heap.size(), 1u);
}

TEST(SleepTest, PassedDeadlineEndsAtOnceButLetsOthersRunFirst) {
  on_loop([] {
    bool other_ran = false;
    TaskGroup group;
    spawn(group, [&] { other_ran = true; });
    EXPECT_EQ(outcome(sleep_until(past())), "ok");
    EXPECT_TRUE(other_ran);
  });
}

TEST(SleepTest, ZeroAndNegativeDurationsEndAtOnce) {
  on_loop([] {
    EXPECT_EQ(outcome(sleep_for(Duration(0))), "ok");
    EXPECT_EQ(outcome(sleep_for(Duration(-1))), "ok");
    EXPECT_EQ(outcome(sleep_for(Duration::min())), "ok");
  });
}

TEST(SleepTest, TimesAtTheEndOfTheClockDoNotOverflow) {
  EXPECT_TRUE(Deadline::after(Duration::max()).is_never());
  on_loop([] {
    for (const Deadline deadline :
         {Deadline::after(Duration::max()), Deadline::never(), Deadline(SteadyTime::max() - Duration(1)),
          Deadline::after(std::chrono::years(100))}) {
      std::string ended = "not yet";
      TaskGroup group;
      spawn(group, [&] { ended = outcome(sleep_until(deadline)); });
      EXPECT_EQ(outcome(sleep_for(milliseconds(2))), "ok");
      EXPECT_EQ(ended, "not yet");
      group.cancel();
      EXPECT_TRUE(group.join().ok());
      EXPECT_EQ(ended, "cancelled");
    }
  });
}

TEST(SleepTest, TheEarlierOfTwoDeadlinesHolds) {
  const Deadline parent = Deadline::after(milliseconds(1)), own = Deadline::after(seconds(100));
  EXPECT_EQ(earlier(parent, own), parent);
  EXPECT_EQ(earlier(own, parent), parent);
  EXPECT_EQ(earlier(own, Deadline::never()), own);
  on_loop([&] {
    EXPECT_EQ(outcome(sleep_until(earlier(own, parent))), "ok");
    EXPECT_FALSE(own.passed());
  });
}

TEST(SleepTest, SubMillisecondTimersNeitherFireEarlyNorSpin) {
  on_loop([] {
    const auto began = steady_clock::now();
    const Duration cpu_before = thread_cpu();
    for (int i = 0; i < 200; ++i) {
      const Deadline due = Deadline::after(microseconds(50 + i * 4));
      EXPECT_EQ(outcome(sleep_until(due)), "ok");
      EXPECT_TRUE(due.passed());
    }
    // A loop that spins until the time has come burns all of the wall time.
    EXPECT_LT(thread_cpu() - cpu_before, (steady_clock::now() - began) / 2 + milliseconds(20));
  });
}

TEST(SleepTest, SleepersWakeInTheOrderOfTheirTimes) {
  on_loop([] {
    const SteadyTime start = steady_clock::now() + milliseconds(5);
    std::vector<int> order;
    TaskGroup group;
    for (const int tick : {7, 3, 9, 1, 5}) {
      spawn(group, [&order, start, tick] {
        const Deadline due(start + milliseconds(tick));
        EXPECT_EQ(outcome(sleep_until(due)), "ok");
        EXPECT_TRUE(due.passed());
        order.push_back(tick);
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(order, (std::vector<int>{1, 3, 5, 7, 9}));
  });
}

// A ticket that was taken but never parked on belongs to no later wait: not by a wake before it, nor by one during it.
TEST(SleepTest, TicketOfAnAbandonedWaitDoesNotEndALaterSleep) {
  on_loop([] {
    const Ticket early = this_wait();
    early.wake();
    Deadline due = Deadline::after(milliseconds(5));
    EXPECT_EQ(outcome(sleep_until(due)), "ok");
    EXPECT_TRUE(due.passed());

    const Ticket late = this_wait();
    TaskGroup group;
    spawn(group, [late] { late.wake(); });
    due = Deadline::after(milliseconds(5));
    EXPECT_EQ(outcome(sleep_until(due)), "ok");
    EXPECT_TRUE(due.passed());
  });
}

}  // namespace
}  // namespace dray::fiber
