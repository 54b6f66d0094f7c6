// No fiber keeps the others from running as long as it yields: timers and events are late by a turn, not by more.
// The bounds are generous, for a machine that does other things too.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/sockets.h"

namespace dray::fiber {
namespace {

constexpr Duration kLate = milliseconds(250);

/// Starts 100 fibers that do nothing but yield, until they are cancelled.
void start_yielders(TaskGroup& group) {
  for (int i = 0; i < 100; ++i) {
    spawn(group, [] {
      while (!cancel_requested()) yield();
    });
  }
}

/// Starts a writer and a reader of a connection on which there is always something to read.
void start_busy_connection(TaskGroup& group, Pair& pair) {
  spawn(group, [&] {
    const std::vector<char> block(256 << 10);
    while (write_all(pair.a, block.data(), block.size(), far()).ok()) yield();
  });
  spawn(group, [&] {
    std::vector<char> block(16 << 10);
    while (!cancel_requested() && read_some(pair.b, block.data(), block.size(), far()).ok()) yield();
  });
}

TEST(FairnessTest, TimersFireInTimeAmongBusyFibers) {
  on_loop([] {
    Pair pair = socket_pair();
    TaskGroup busy;
    start_yielders(busy);
    start_busy_connection(busy, pair);
    Duration worst{};
    for (int i = 0; i < 50; ++i) {
      const Deadline due = Deadline::after(milliseconds(1));
      ASSERT_TRUE(sleep_until(due).ok());
      worst = std::max<Duration>(worst, steady_clock::now() - due.when());
    }
    EXPECT_LT(worst, kLate);
    busy.cancel();
    EXPECT_TRUE(busy.join().ok());
  });
}

TEST(FairnessTest, EventsArriveInTimeAmongBusyFibers) {
  on_loop([] {
    Pair noisy = socket_pair(), quiet = socket_pair();
    TaskGroup busy;
    start_yielders(busy);
    start_busy_connection(busy, noisy);
    Duration worst{};
    for (int i = 0; i < 50; ++i) {
      SteadyTime sent;
      TaskGroup sender;
      spawn(sender, [&] {
        ASSERT_TRUE(sleep_for(milliseconds(1)).ok());
        sent = steady_clock::now();
        ASSERT_TRUE(write_all(quiet.a, "x", 1, far()).ok());
      });
      char byte = 0;
      ASSERT_EQ(read_some(quiet.b, &byte, 1, far()).value(), 1u);
      worst = std::max<Duration>(worst, steady_clock::now() - sent);
      ASSERT_TRUE(sender.join().ok());
    }
    EXPECT_LT(worst, kLate);
    busy.cancel();
    EXPECT_TRUE(busy.join().ok());
  });
}

TEST(FairnessTest, PostedWorkIsDoneAmongBusyFibers) {
  on_loop([] {
    TaskGroup busy;
    start_yielders(busy);
    bool done = false;
    Loop::current()->post([&] { done = true; });
    for (int turns = 0; !done && turns < 3; ++turns) yield();
    EXPECT_TRUE(done);
    busy.cancel();
    EXPECT_TRUE(busy.join().ok());
  });
}

TEST(FairnessTest, YieldingFibersTakeTurns) {
  on_loop([] {
    std::vector<int> turns;
    TaskGroup group;
    for (int id = 0; id < 3; ++id) {
      spawn(group, [&turns, id] {
        for (int i = 0; i < 3; ++i) {
          turns.push_back(id);
          yield();
        }
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(turns, (std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  });
}

}  // namespace
}  // namespace dray::fiber
