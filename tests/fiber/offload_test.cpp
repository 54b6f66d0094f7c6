#include "fiber/offload.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fiber/on_loop.h"

namespace dray::fiber {
namespace {

/// A job that blocks its pool thread until it is let go. Shared with the job, which may outlive the test's fiber.
struct Blocker {
  std::latch entered{1};
  std::latch released{1};
  void block() {
    entered.count_down();
    released.wait();
  }
};

TEST(OffloadTest, GivesWhatTheJobReturns) {
  Offload offload;
  on_loop([&] {
    EXPECT_EQ(offload.run([] { return 7; }, far()).value(), 7);
    EXPECT_EQ(offload.run([] { return Result<int>(8); }, far()).value(), 8);
    EXPECT_TRUE(offload.run([] {}, far()).ok());
    EXPECT_EQ(*offload.run([] { return std::make_unique<int>(9); }, far()).value(), 9);
  });
}

TEST(OffloadTest, ErrorOfTheJobIsTheResult) {
  Offload offload;
  on_loop([&] {
    auto failed = offload.run([]() -> Result<int> { return make_error(ErrorKind::no_space, "full"); }, far());
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().kind, ErrorKind::no_space);
  });
}

TEST(OffloadTest, WhatTheJobThrowsIsThrownOnTheFiber) {
  Offload offload;
  on_loop([&] {
    try {
      (void)offload.run([]() -> int { throw std::runtime_error("from the pool"); }, far());
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "from the pool");
    }
    EXPECT_EQ(offload.run([] { return 1; }, far()).value(), 1);  // the thread lives on
  });
}

TEST(OffloadTest, RunsOnAnotherThreadWhileTheLoopGoesOn) {
  Offload offload;
  on_loop([&] {
    auto blocker = std::make_shared<Blocker>();
    const auto here = std::this_thread::get_id();
    TaskGroup group;
    spawn(group, [&] {
      const auto there = offload.run(
          [blocker] {
            blocker->block();
            return std::this_thread::get_id();
          },
          far());
      EXPECT_NE(there.value(), here);
    });
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());  // would hang if the loop were blocked
    blocker->released.count_down();
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(OffloadTest, WhatTheJobOwnsIsFreedBeforeTheWaiterGoesOn) {
  Offload offload;
  on_loop([&] {
    for (int i = 0; i < 200; ++i) {
      auto owned = std::make_shared<int>(5);
      const std::weak_ptr<int> watch = owned;
      EXPECT_TRUE(offload.run([owned = std::move(owned)] { return *owned; }, far()).ok());
      EXPECT_TRUE(watch.expired());
    }
  });
}

TEST(OffloadTest, JobOutlivesItsWaiterAtTheDeadline) {
  auto blocker = std::make_shared<Blocker>();
  auto owned = std::make_shared<int>(5);
  const std::weak_ptr<int> watch = owned;
  {
    Offload offload;
    on_loop([&] {
      const auto late = offload.run(
          [blocker, owned = std::move(owned)] {
            blocker->block();
            return *owned;
          },
          Deadline::after(milliseconds(2)));
      ASSERT_FALSE(late.ok());
      EXPECT_EQ(late.error().kind, ErrorKind::timed_out);
      EXPECT_FALSE(watch.expired());
      blocker->released.count_down();
    });
  }
  EXPECT_TRUE(watch.expired());  // the pool has waited for it
}

TEST(OffloadTest, CancellationWhileTheJobRunsLeavesItToItself) {
  auto blocker = std::make_shared<Blocker>();
  Offload offload;
  on_loop([&] {
    std::string ended;
    TaskGroup group;
    spawn(group, [&] { ended = outcome(offload.run([blocker] { blocker->block(); }, far())); });
    while (!blocker->entered.try_wait()) yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "cancelled");
    // Its late result must not wake whatever runs on the same record next.
    spawn(group, [&] { ended = outcome(sleep_for(milliseconds(5))); });
    yield();
    blocker->released.count_down();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
  });
}

TEST(OffloadTest, ShieldedFiberWaitsForItsJob) {
  auto blocker = std::make_shared<Blocker>();
  Offload offload;
  on_loop([&] {
    std::string ended;
    TaskGroup group;
    spawn(group, [&] {
      Shield shield;
      ended = outcome(offload.run([blocker] { blocker->block(); }, far()));
    });
    while (!blocker->entered.try_wait()) yield();
    group.cancel();
    yield();
    EXPECT_EQ(ended, "");
    blocker->released.count_down();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
  });
}

TEST(OffloadTest, FullQueueRefusesMore) {
  auto blocker = std::make_shared<Blocker>();
  Offload offload({.threads = 1, .queued = 2});
  ASSERT_TRUE(offload.submit([blocker] { blocker->block(); }).ok());
  blocker->entered.wait();  // the only thread is busy, the queue is empty
  std::atomic<int> ran = 0;
  EXPECT_TRUE(offload.submit([&] { ++ran; }).ok());
  EXPECT_TRUE(offload.submit([&] { ++ran; }).ok());
  EXPECT_EQ(outcome(offload.submit([&] { ++ran; })), "exhausted");
  on_loop([&] { EXPECT_EQ(outcome(offload.run([] {}, far())), "exhausted"); });
  blocker->released.count_down();
  on_loop([&] {
    while (ran < 2) yield();
    EXPECT_TRUE(offload.run([] {}, far()).ok());
  });
  EXPECT_EQ(ran, 2);
}

TEST(OffloadTest, ThreadsAreMadeOnDemandUpToTheBound) {
  Offload offload({.threads = 3});
  EXPECT_EQ(offload.threads(), 0u);
  auto blocker = std::make_shared<Blocker>();
  std::atomic<int> inside = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(offload
                    .submit([&inside, blocker] {
                      ++inside;
                      blocker->released.wait();
                    })
                    .ok());
  }
  EXPECT_EQ(offload.threads(), 3u);
  while (inside < 3) std::this_thread::yield();
  EXPECT_EQ(inside, 3);
  blocker->released.count_down();
  while (inside < 10) std::this_thread::yield();
}

TEST(OffloadTest, IdleThreadIsUsedAgain) {
  Offload offload;
  on_loop([&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(offload.run([] {}, far()).ok());
      EXPECT_TRUE(sleep_for(microseconds(10)).ok());
    }
    // One at a time: a second thread is made only if the first was not yet back asleep.
    EXPECT_LE(offload.threads(), 3u);
  });
}

TEST(OffloadTest, DestructorWaitsForQueuedAndRunningJobs) {
  std::atomic<int> ran = 0;
  {
    Offload offload({.threads = 2});
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(offload.submit([&] { ++ran; }).ok());
  }
  EXPECT_EQ(ran, 100);
}

TEST(OffloadTest, DestructorLeavesAJobThatHangsBehindWithWhatItOwns) {
  auto blocker = std::make_shared<Blocker>();
  auto gone = std::make_shared<std::promise<void>>();
  std::future<void> freed = gone->get_future();
  {
    Offload offload;
    ASSERT_TRUE(offload
                    .submit([blocker, owned = std::shared_ptr<void>(nullptr, [gone](void*) { gone->set_value(); })] {
                      blocker->block();
                    })
                    .ok());
    blocker->entered.wait();
  }  // returns although the job still runs
  EXPECT_EQ(freed.wait_for(seconds(0)), std::future_status::timeout);
  blocker->released.count_down();
  EXPECT_EQ(freed.wait_for(seconds(60)), std::future_status::ready);
}

TEST(OffloadTest, LoopMayEndBeforeTheJob) {
  auto blocker = std::make_shared<Blocker>();
  auto owned = std::make_shared<int>(5);
  const std::weak_ptr<int> watch = owned;
  std::string ended;
  {
    Offload offload;
    {
      auto loop = Loop::create().value();
      loop->spawn_root("waits for the job", [&, owned = std::move(owned)] {
        ended = outcome(offload.run([blocker, owned] { blocker->block(); }, far()));
      });
      std::thread stopper([&] {
        blocker->entered.wait();
        loop->stop();
      });
      loop->run();
      stopper.join();
    }
    EXPECT_EQ(ended, "cancelled");
    EXPECT_FALSE(watch.expired());
    blocker->released.count_down();  // the job ends and reports to a loop that is gone
  }
  EXPECT_TRUE(watch.expired());
}

TEST(OffloadTest, ThousandJobsFromAHundredFibersAllComeBack) {
  Offload offload({.threads = 8});
  on_loop([&] {
    long sum = 0;
    TaskGroup group;
    for (int i = 0; i < 100; ++i) {
      spawn(group, [&sum, &offload, i] {
        for (int k = 0; k < 10; ++k) sum += offload.run([i, k] { return i * 10 + k; }, far()).value();
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(sum, 999L * 1000 / 2);
  });
}

TEST(OffloadTest, DeadlinesThatRaceWithResultsGiveOneOrTheOther) {
  Offload offload({.threads = 4});
  on_loop([&] {
    int ok = 0, late = 0;
    for (int i = 0; i < scaled(2000); ++i) {
      const auto result = offload.run([i] { return i; }, Deadline::after(microseconds(i % 100)));
      if (result.ok()) {
        EXPECT_EQ(*result, i);
        ++ok;
      } else {
        EXPECT_EQ(result.error().kind, ErrorKind::timed_out);
        ++late;
      }
    }
    EXPECT_EQ(ok + late, scaled(2000));
  });
}

TEST(OffloadTest, PoolThreadsBlockAllSignals) {
  Offload offload;
  on_loop([&] {
    const bool blocked = offload
                             .run(
                                 [] {
                                   sigset_t mask;
                                   pthread_sigmask(SIG_SETMASK, nullptr, &mask);
                                   return sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGPROF) == 1;
                                 },
                                 far())
                             .value();
    EXPECT_TRUE(blocked);
  });
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);  // and ours is as it was
}

}  // namespace
}  // namespace dray::fiber
