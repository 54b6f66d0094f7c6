// Wakes and work from other threads: none lost, none out of order, none for a wait that is over. The loops sleep
// without a limit, so a wake that is lost is a test that hangs until its deadline and fails.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <random>
#include <thread>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"

namespace dray::fiber {
namespace {

TEST(WakeupTest, StormOfPostsLosesNoneAndKeepsEachThreadsOrder) {
  constexpr int kThreads = 4;
  const int each = scaled(250'000);
  auto runtime = Runtime::start({.loops = 1}).value();
  Loop& loop = runtime->loop(0);
  std::array<int, kThreads> next{};  // on the loop's thread only
  int disorder = 0;
  std::atomic<int> done = 0;
  std::vector<std::thread> posters;
  for (std::size_t id = 0; id < kThreads; ++id) {
    posters.emplace_back([&, id] {
      for (int i = 0; i < each; ++i) {
        loop.post([&, id, i] {
          disorder += next[id]++ == i ? 0 : 1;
          if (next[id] == each) ++done;
        });
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  while (done < kThreads) std::this_thread::yield();
  EXPECT_EQ(disorder, 0);
  EXPECT_LT(loop.wakeup_writes(), static_cast<std::uint64_t>(each) * kThreads / 2);
}

TEST(WakeupTest, ManyPostsToABusyLoopWriteOnce) {
  constexpr int kPosts = 10'000;
  auto runtime = Runtime::start({.loops = 1}).value();
  Loop& loop = runtime->loop(0);
  std::latch busy(1), all_posted(1), done(kPosts);
  loop.post([&] {
    busy.count_down();
    all_posted.wait();
  });
  busy.wait();
  const std::uint64_t before = loop.wakeup_writes();
  for (int i = 0; i < kPosts; ++i) loop.post([&] { done.count_down(); });
  EXPECT_EQ(loop.wakeup_writes() - before, 1u);
  all_posted.count_down();
  done.wait();
}

TEST(WakeupTest, PostFromPostedWorkIsDone) {
  on_loop([] {
    int depth = 0;
    std::function<void()> again = [&] {
      if (++depth < 1000) Loop::current()->post(again);
    };
    Loop::current()->post(again);
    while (depth < 1000) yield();
  });
}

TEST(WakeupTest, WakeFromAnotherLoopRacesWithPark) {
  auto runtime = Runtime::start({.loops = 2}).value();
  runtime->call(runtime->loop(0), [&] {
    for (int round = 0; round < scaled(50'000); ++round) {
      const Ticket ticket = this_wait();
      runtime->loop(1).post([ticket] { ticket.wake(); });
      ASSERT_EQ(park(far(), "the other loop"), Wake::signalled);
    }
  });
}

TEST(WakeupTest, WakeFromAPlainThreadRacesWithParkAndWithDeadlines) {
  auto runtime = Runtime::start({.loops = 1}).value();
  struct Wait {
    Ticket ticket;
    std::atomic<bool> woken = false;
  };
  std::atomic<Wait*> current = nullptr;
  std::atomic<bool> end = false;
  std::thread waker([&] {
    while (!end) {
      Wait* wait = current.exchange(nullptr);
      if (wait == nullptr) {
        std::this_thread::yield();
        continue;
      }
      wait->woken = true;
      wait->ticket.wake();
    }
  });
  const int rounds = scaled(20'000);
  std::vector<Wait> waits(static_cast<std::size_t>(rounds));
  int signalled = 0, timed_out = 0;
  runtime->call(runtime->loop(0), [&] {
    std::mt19937 random(1);
    for (Wait& wait : waits) {
      wait.ticket = this_wait();
      current = &wait;
      const bool hurry = random() % 4 == 0;
      const Wake wake = park(hurry ? Deadline::after(microseconds(random() % 50)) : far(), "the waker");
      if (wake == Wake::signalled) {
        ++signalled;
        ASSERT_TRUE(wait.woken);  // by its own wake, not by a late one of the wait before
      } else {
        ++timed_out;
        ASSERT_TRUE(hurry);
      }
    }
  });
  end = true;
  waker.join();
  EXPECT_EQ(signalled + timed_out, rounds);
  EXPECT_GT(signalled, 0);
}

TEST(WakeupTest, TwoLoopsPassAnItemBackAndForth) {
  auto runtime = Runtime::start({.loops = 2}).value();
  Channel<int> there(1), back(1);
  const int rounds = scaled(20'000);
  std::thread echo([&] {
    runtime->call(runtime->loop(1), [&] {
      for (int i = 0; i < rounds; ++i) ASSERT_TRUE(back.push(*there.pop(far()).value(), far()).ok());
    });
  });
  runtime->call(runtime->loop(0), [&] {
    for (int i = 0; i < rounds; ++i) {
      ASSERT_TRUE(there.push(i, far()).ok());
      ASSERT_EQ(back.pop(far()).value(), i);
    }
  });
  echo.join();
}

TEST(WakeupTest, WaitersAreReleasedByAPlainThread) {
  auto runtime = Runtime::start({.loops = 2}).value();
  Semaphore semaphore(0);
  Gate gate;
  std::atomic<int> through = 0;
  for (int i = 0; i < 20; ++i) {
    runtime->next_loop().spawn_root("waiter", [&] {
      EXPECT_TRUE(semaphore.acquire(1, far()).ok());
      EXPECT_TRUE(gate.wait(far()).ok());
      ++through;
    });
  }
  for (int i = 0; i < 20; ++i) semaphore.release(1);
  gate.open();
  while (through < 20) std::this_thread::yield();
  runtime.reset();  // before what its fibers use
  EXPECT_EQ(semaphore.free_units(), 0);
}

}  // namespace
}  // namespace dray::fiber
