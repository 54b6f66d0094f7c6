// Nothing is lost: units, locks, notifications and items are counted while fibers are cancelled and time out at random,
// on one loop (where each run with the same seed is the same) and between two.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"

namespace dray::fiber {
namespace {

/// A deadline that has passed, one that is about to, or none.
Deadline some_deadline(std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return past();
    case 1:
      return Deadline::after(microseconds(random() % 300));
    default:
      return Deadline::never();
  }
}

/// Keeps `count` fibers running `work(random)` over and over, cancels one after the other at random, and starts another
/// in its place; `rounds` times.
template <class Work>
void churn(unsigned seed, std::size_t count, int rounds, Work work) {
  std::mt19937 random(seed);
  std::vector<std::unique_ptr<TaskGroup>> groups;
  const auto start = [&](TaskGroup& group) {
    spawn(group, [&work, own_seed = random()] {
      std::mt19937 own(static_cast<unsigned>(own_seed));
      while (!cancel_requested()) work(own);
    });
  };
  for (std::size_t i = 0; i < count; ++i) start(*groups.emplace_back(std::make_unique<TaskGroup>()));
  for (int round = 0; round < rounds; ++round) {
    TaskGroup& victim = *groups[random() % count];
    for (unsigned turns = random() % 3; turns > 0; --turns) yield();
    victim.cancel();
    if (random() % 2 == 0) yield();
    ASSERT_TRUE(victim.join().ok());
    start(victim);
  }
  for (auto& group : groups) group->cancel();
}

void use_units(Semaphore& semaphore, std::ptrdiff_t total, std::mt19937& random) {
  const std::size_t units = 1 + random() % 3;
  if (!semaphore.acquire(units, some_deadline(random))) {
    yield();
    return;
  }
  for (unsigned turns = random() % 3; turns > 0; --turns) yield();
  EXPECT_LE(semaphore.free_units(), total - static_cast<std::ptrdiff_t>(units));
  semaphore.release(units);
  if (random() % 4 == 0) yield();
}

TEST(ConservationTest, SemaphoreUnitsUnderRandomCancellation) {
  on_loop([] {
    Semaphore semaphore(5);
    churn(1, 12, scaled(100'000), [&](std::mt19937& random) { use_units(semaphore, 5, random); });
    EXPECT_EQ(semaphore.free_units(), 5);
  });
}

TEST(ConservationTest, SemaphoreUnitsBetweenTwoLoops) {
  auto runtime = Runtime::start({.loops = 2}).value();
  Semaphore semaphore(5);
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < 2; ++i) {
    callers.emplace_back([&, i] {
      runtime->call(runtime->loop(i), [&, i] {
        churn(2 + i, 8, scaled(10'000), [&](std::mt19937& random) { use_units(semaphore, 5, random); });
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(semaphore.free_units(), 5);
}

TEST(ConservationTest, MutexHasOneOwnerAtATimeUnderRandomCancellation) {
  on_loop([] {
    Mutex mutex;
    int inside = 0;
    churn(3, 10, scaled(50'000), [&](std::mt19937& random) {
      if (!mutex.lock(some_deadline(random))) return yield();
      EXPECT_EQ(++inside, 1);
      if (random() % 2 == 0) yield();
      --inside;
      mutex.unlock();
      if (random() % 4 == 0) yield();
    });
    EXPECT_TRUE(mutex.try_lock());
  });
}

// The counter is not atomic: ThreadSanitizer sees it if a lock is ever handed over without order, or to two.
TEST(ConservationTest, MutexGuardsAPlainCounterBetweenTwoLoops) {
  auto runtime = Runtime::start({.loops = 2}).value();
  Mutex mutex;
  long counter = 0;
  std::atomic<long> expected = 0;
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < 2; ++i) {
    callers.emplace_back([&, i] {
      runtime->call(runtime->loop(i), [&, i] {
        churn(4 + i, 8, scaled(5'000), [&](std::mt19937& random) {
          if (!mutex.lock(some_deadline(random))) return yield();
          const long before = counter;
          if (random() % 2 == 0) yield();
          counter = before + 1;
          mutex.unlock();
          expected.fetch_add(1);
          if (random() % 4 == 0) yield();
        });
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(counter, expected.load());
  EXPECT_TRUE(mutex.try_lock());
}

/// Four fibers that wait on a condition until they are notified or cancelled, each in a group of its own.
struct FourWaiters {
  Mutex mutex;
  Condition condition;
  int waiting = 0, notified = 0, left = 0;
  std::vector<std::unique_ptr<TaskGroup>> groups;

  /// Returns when all four are in the queue.
  void start() {
    for (int i = 0; i < 4; ++i) {
      spawn(*groups.emplace_back(std::make_unique<TaskGroup>()), [this] {
        ASSERT_TRUE(mutex.lock(far()).ok());
        ++waiting;
        ++(condition.wait(mutex, Deadline::never()).ok() ? notified : left);
        mutex.unlock();
      });
    }
    while (waiting < 4) yield();
    yield();
  }
  void cancel_and_join_all() {
    for (auto& group : groups) group->cancel();
    for (auto& group : groups) ASSERT_TRUE(group->join().ok());
    ASSERT_EQ(notified + left, 4);
    ASSERT_TRUE(mutex.try_lock());
    mutex.unlock();
  }
};

// Two notifications and two cancellations in any order: somebody always waits, so each notification must end one wait.
TEST(ConservationTest, NoNotificationIsLostToAWaiterThatIsCancelled) {
  on_loop([] {
    std::mt19937 random(8);
    for (int round = 0; round < scaled(10'000); ++round) {
      FourWaiters four;
      four.start();
      std::array<int, 4> acts = {0, 0, 1, 1};
      std::shuffle(acts.begin(), acts.end(), random);
      std::size_t victim = random() % 4;
      for (const int act : acts) {
        if (act == 0) {
          four.condition.notify_one();
        } else {
          four.groups[victim]->cancel();
          victim = (victim + 1 + random() % 3) % 4;
        }
        if (random() % 4 == 0) yield();
      }
      four.cancel_and_join_all();
      ASSERT_EQ(four.notified, 2);
    }
  });
}

TEST(ConservationTest, NoNotificationFromAnotherLoopIsLostToAWaiterThatIsCancelled) {
  auto runtime = Runtime::start({.loops = 2}).value();
  runtime->call(runtime->loop(0), [&] {
    std::mt19937 random(9);
    for (int round = 0; round < scaled(10'000); ++round) {
      FourWaiters four;
      four.start();
      Gate both_sent;
      runtime->loop(1).post([&] {
        four.condition.notify_one();
        four.condition.notify_one();
        both_sent.open();
      });
      for (std::size_t victim : {random() % 4, random() % 4}) {
        for (unsigned turns = random() % 4; turns > 0; --turns) yield();
        four.groups[victim]->cancel();
      }
      ASSERT_TRUE(both_sent.wait(far()).ok());
      four.cancel_and_join_all();
      ASSERT_EQ(four.notified, 2);
    }
  });
}

TEST(ConservationTest, ChannelItemsUnderRandomCancellation) {
  on_loop([] {
    Channel<int> channel(3);
    long pushed = 0, popped = 0;
    churn(9, 12, scaled(100'000), [&](std::mt19937& random) {
      if (random() % 2 == 0) {
        if (channel.push(1, some_deadline(random))) ++pushed;
      } else {
        if (Result<std::optional<int>> item = channel.pop(some_deadline(random))) popped += item->value();
      }
      yield();
    });
    channel.close();
    while (std::optional<int> item = channel.pop(far()).value()) popped += *item;
    EXPECT_EQ(pushed, popped);
    EXPECT_GT(pushed, 0);
  });
}

TEST(ConservationTest, ChannelItemsBetweenTwoLoops) {
  auto runtime = Runtime::start({.loops = 2}).value();
  Channel<std::unique_ptr<int>> channel(
      3);  // on the heap: an item that two take, or none frees, is seen by the sanitizer
  std::atomic<long> pushed = 0, popped = 0;
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < 2; ++i) {
    callers.emplace_back([&, i] {
      runtime->call(runtime->loop(i), [&, i] {
        churn(10 + i, 8, scaled(10'000), [&](std::mt19937& random) {
          if (random() % 2 == 0) {
            if (channel.push(std::make_unique<int>(1), some_deadline(random))) ++pushed;
          } else {
            auto item = channel.pop(some_deadline(random));
            if (item) popped += **item.value();
          }
          yield();
        });
      });
    });
  }
  for (std::thread& caller : callers) caller.join();
  channel.close();
  runtime->call(runtime->loop(0), [&] {
    while (auto item = channel.pop(far()).value()) popped += **item;
  });
  EXPECT_EQ(pushed.load(), popped.load());
}

TEST(ConservationTest, GateOpensForEveryoneWhoIsNotCancelled) {
  on_loop([] {
    std::mt19937 random(12);
    for (int round = 0; round < scaled(5'000); ++round) {
      Gate gate;
      int through = 0, left = 0;
      TaskGroup stay, go;
      for (int i = 0; i < 3; ++i) {
        spawn(stay, [&] { ++(gate.wait(far()).ok() ? through : left); });
        spawn(go, [&] { ++(gate.wait(far()).ok() ? through : left); });
      }
      if (random() % 2 == 0) yield();
      if (random() % 2 == 0) go.cancel();
      if (random() % 2 == 0) yield();
      gate.open();
      go.cancel();
      ASSERT_TRUE(stay.join().ok());
      ASSERT_TRUE(go.join().ok());
      ASSERT_EQ(through + left, 6);
      ASSERT_GE(through, 3);
    }
  });
}

// Whoever was handed the last unit may destroy the semaphore at once, while the giver is still on its way out.
TEST(ConservationTest, SemaphoreMayBeDestroyedAsSoonAsItsWaiterIsServed) {
  auto runtime = Runtime::start({.loops = 2}).value();
  runtime->call(runtime->loop(0), [&] {
    for (int round = 0; round < scaled(20'000); ++round) {
      auto semaphore = std::make_unique<Semaphore>(0);
      runtime->loop(1).post([semaphore = semaphore.get()] { semaphore->release(1); });
      ASSERT_TRUE(semaphore->acquire(1, far()).ok());
    }
  });
}

}  // namespace
}  // namespace dray::fiber
