#include "transfer/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <thread>

#include "aws/credentials_cache.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "http/dialer.h"
#include "support/watchdog.h"

namespace dray::transfer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr ClimberOptions kEight{.start = 8, .most = 128};

/// A scheduler and the workers it hires, as the engine has them.
class SchedulerTest : public testing::Test {
 protected:
  void start(Scheduler::Options options, std::size_t loops = 2) {
    runtime_ = fiber::Runtime::start({.loops = loops, .offload = {.threads = 1}}).value();
    credentials_.emplace(aws::static_credentials({}), runtime_->offload());
    dialer_.emplace(runtime_->offload(), http::DialerLimits{});
    service_ = std::make_unique<s3::Service>(aws::EndpointChoice{}, *credentials_, *dialer_);
    options.hire = [this, &runtime = *runtime_] {
      ++hired_;
      runtime.next_loop().spawn_root("worker", [this] { work(); });
    };
    scheduler_ = std::make_unique<Scheduler>(options);
  }
  void start(std::size_t exactly, std::size_t loops = 2) { start({.exactly = exactly, .hire = {}}, loops); }

  void TearDown() override {
    if (scheduler_ == nullptr) return;
    scheduler_->close();
    hold_.open();
    runtime_.reset();
  }

  void work() {
    s3::Session session(*service_);
    Worker worker{session};
    auto comes = Scheduler::Comes::first_time;
    while (std::optional<Scheduler::Task> task = scheduler_->next(comes)) {
      (*task)(worker);
      task.reset();
      comes = Scheduler::Comes::from_a_task;
    }
    ++dismissed_;
  }

  /// A task that runs until hold_ is opened.
  Scheduler::Task holding() {
    return [this](Worker&) {
      const std::size_t now = ++inside_;
      std::size_t most = most_inside_;
      while (most < now && !most_inside_.compare_exchange_weak(most, now)) {
      }
      (void)hold_.wait(Deadline::never());
      --inside_;
    };
  }

  template <class Condition>
  static bool eventually(Condition condition) {
    for (const auto end = steady_clock::now() + seconds(20); steady_clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::yield();
    }
    return condition();
  }

  test::Watchdog watchdog_{seconds(40)};
  std::unique_ptr<fiber::Runtime> runtime_;
  std::optional<aws::CredentialsCache> credentials_;
  std::optional<http::Dialer> dialer_;
  std::unique_ptr<s3::Service> service_;
  std::unique_ptr<Scheduler> scheduler_;
  fiber::Gate hold_;
  std::atomic<std::size_t> hired_{0}, dismissed_{0}, inside_{0}, most_inside_{0};
};

TEST_F(SchedulerTest, GivesTheOldestObjectsLowestStepFirst) {
  start(1);
  scheduler_->add({0, 0}, holding());
  ASSERT_TRUE(eventually([&] { return inside_ == 1; }));
  std::vector<Order> ran;
  for (const Order order : {Order{2, 1}, Order{1, 7}, Order{2, 0}, Order{3, 1}, Order{1, 2}, Order{1, 0}}) {
    scheduler_->add(order, [&ran, order](Worker&) { ran.push_back(order); });
  }
  std::atomic<bool> last{false};
  scheduler_->add({9, 9}, [&](Worker&) { last = true; });
  hold_.open();
  ASSERT_TRUE(eventually([&] { return last.load(); }));
  EXPECT_EQ(ran, (std::vector<Order>{{1, 0}, {1, 2}, {1, 7}, {2, 0}, {2, 1}, {3, 1}}));
}

TEST_F(SchedulerTest, EqualOrdersKeepTheirTurn) {
  start(1);
  scheduler_->add({0, 0}, holding());
  std::vector<int> ran;
  for (int i = 0; i < 5; ++i) scheduler_->add({1, 0}, [&ran, i](Worker&) { ran.push_back(i); });
  std::atomic<bool> last{false};
  scheduler_->add({2, 0}, [&](Worker&) { last = true; });
  hold_.open();
  ASSERT_TRUE(eventually([&] { return last.load(); }));
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(SchedulerTest, HasExactlyAsManyWorkersAsItWasToldWhenThereIsWork) {
  start(5);
  for (std::uint64_t i = 0; i < 20; ++i) scheduler_->add({i, 0}, holding());
  ASSERT_TRUE(eventually([&] { return inside_ == 5; }));
  hold_.open();
  ASSERT_TRUE(eventually([&] { return inside_ == 0; }));
  EXPECT_EQ(most_inside_, 5u);
  EXPECT_EQ(hired_, 5u);
  EXPECT_EQ(scheduler_->limit(), 5u);
}

TEST_F(SchedulerTest, HiresNoMoreThanThereIsWorkFor) {
  start(64);
  for (std::uint64_t i = 0; i < 3; ++i) scheduler_->add({i, 0}, holding());
  ASSERT_TRUE(eventually([&] { return inside_ == 3; }));
  EXPECT_EQ(hired_, 3u);
}

TEST_F(SchedulerTest, AnIdleWorkerIsWokenBeforeAnotherIsHired) {
  start(64);
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::atomic<bool> ran{false};
    scheduler_->add({i, 0}, [&](Worker&) { ran = true; });
    ASSERT_TRUE(eventually([&] { return ran.load(); }));
  }
  EXPECT_LE(hired_, 8u);  // more than one where the last had not quite come back
}

TEST_F(SchedulerTest, ATaskWithATimeIsNotTakenBeforeIt) {
  start(2);
  const auto when = steady_clock::now() + milliseconds(60);
  std::atomic<bool> ran{false};
  SteadyTime at;
  const auto task = [&](Worker&) {
    at = steady_clock::now();
    ran = true;
  };
  scheduler_->add({1, 1}, task, when);
  ASSERT_TRUE(eventually([&] { return ran.load(); }));
  EXPECT_GE(at, when);
}

TEST_F(SchedulerTest, AnIdleWorkerNoticesAnEarlierTime) {
  start(1);
  std::atomic<bool> ran{false};
  scheduler_->add(
      {1, 1}, [](Worker&) {}, steady_clock::now() + seconds(3'600));
  scheduler_->add(
      {1, 2}, [&](Worker&) { ran = true; }, steady_clock::now() + milliseconds(20));
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
}

TEST_F(SchedulerTest, WaitingForATimeDoesNotKeepAWorkerFromOtherWork) {
  start(1);
  std::atomic<bool> ran{false};
  scheduler_->add(
      {1, 1}, [](Worker&) {}, steady_clock::now() + seconds(3'600));
  scheduler_->add({2, 1}, [&](Worker&) { ran = true; });
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
}

TEST_F(SchedulerTest, SomebodyElseWatchesTheClockWhenTheWatcherGetsWork) {
  start(2);
  std::atomic<int> warm{0};
  for (std::uint64_t i = 0; i < 2; ++i) {
    scheduler_->add({i, 0}, [&](Worker&) {
      ++warm;
      while (warm < 2) fiber::yield();
    });
  }
  ASSERT_TRUE(eventually([&] { return warm == 2; }));  // both are idle, or about to be
  std::atomic<bool> ran{false};
  scheduler_->add(
      {1, 1}, [&](Worker&) { ran = true; }, steady_clock::now() + milliseconds(50));
  scheduler_->add({2, 1}, holding());
  EXPECT_TRUE(eventually([&] { return ran.load(); })) << "nobody looked at the clock";
}

TEST_F(SchedulerTest, ARetryDoesNotWaitForAnotherObjectsLongWork) {
  start(2);
  std::atomic<bool> ran{false};
  scheduler_->add({1, 1}, [&](Worker&) {
    scheduler_->add(
        {1, 1}, [&](Worker&) { ran = true; }, steady_clock::now() + milliseconds(50));
    scheduler_->add({2, 1}, holding());
    // This worker takes the long one; there is room for another worker, who can do the retry.
  });
  EXPECT_TRUE(eventually([&] { return ran.load(); })) << "nobody looked at the clock";
}

TEST_F(SchedulerTest, DropForgetsAnObjectsPartsButNotItsControlRequests) {
  start(1);
  scheduler_->add({0, 0}, holding());
  ASSERT_TRUE(eventually([&] { return inside_ == 1; }));
  std::vector<Order> ran;
  const auto add = [&](Order order, SteadyTime when = SteadyTime::min()) {
    scheduler_->add(
        order, [&ran, order](Worker&) { ran.push_back(order); }, when);
  };
  for (std::uint32_t step = 0; step < 4; ++step) add({1, step});
  for (std::uint32_t step = 0; step < 2; ++step) add({2, step});
  add({1, 9}, steady_clock::now() + milliseconds(1));
  add({2, 9}, steady_clock::now() + milliseconds(1));
  EXPECT_EQ(scheduler_->drop(1), 4u);
  EXPECT_EQ(scheduler_->drop(1), 0u);
  EXPECT_EQ(scheduler_->drop(7), 0u);
  std::atomic<bool> last{false};
  scheduler_->add(
      {3, 0}, [&](Worker&) { last = true; }, steady_clock::now() + milliseconds(5));
  hold_.open();
  ASSERT_TRUE(eventually([&] { return last.load(); }));
  EXPECT_EQ(ran, (std::vector<Order>{{1, 0}, {2, 0}, {2, 1}, {2, 9}}));
}

TEST_F(SchedulerTest, WhatIsDroppedIsDestroyedOutsideTheLock) {
  start(1);
  scheduler_->add({0, 0}, holding());
  struct Talkative {
    Scheduler* scheduler;
    ~Talkative() { (void)scheduler->limit(); }  // takes the lock
  };
  auto held = std::make_shared<Talkative>(scheduler_.get());
  scheduler_->add({1, 1}, [held](Worker&) {});
  scheduler_->add(
      {1, 2}, [held](Worker&) {}, steady_clock::now() + seconds(3'600));
  held.reset();
  EXPECT_EQ(scheduler_->drop(1), 2u);
  auto again = std::make_shared<Talkative>(scheduler_.get());
  scheduler_->add({2, 1}, [again](Worker&) {});
  again.reset();
  scheduler_->close();
}

TEST_F(SchedulerTest, ClosingDismissesEveryWorker) {
  start(4);
  for (std::uint64_t i = 0; i < 4; ++i) scheduler_->add({i, 0}, holding());
  ASSERT_TRUE(eventually([&] { return inside_ == 4; }));
  scheduler_->close();
  hold_.open();
  EXPECT_TRUE(eventually([&] { return dismissed_ == 4; }));
}

TEST_F(SchedulerTest, WhatComesAfterTheEndIsDestroyed) {
  start(1);
  scheduler_->close();
  auto token = std::make_shared<int>(0);
  scheduler_->add({1, 1}, [token](Worker&) {});
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(hired_, 0u);
}

TEST_F(SchedulerTest, AsksForFewerWorkersAfterASlowDown) {
  start({.climber = kEight, .hire = {}});
  EXPECT_EQ(scheduler_->limit(), 8u);
  scheduler_->slow_down();
  EXPECT_EQ(scheduler_->limit(), 4u);
  for (std::uint64_t i = 0; i < 20; ++i) scheduler_->add({i, 0}, holding());
  ASSERT_TRUE(eventually([&] { return inside_ == 4; }));
  hold_.open();
  ASSERT_TRUE(eventually([&] { return inside_ == 0; }));
  EXPECT_EQ(most_inside_, 4u);
}

TEST_F(SchedulerTest, WorksOffEverythingAfterItsLimitWasHalvedUnderLoad) {
  start({.climber = kEight, .hire = {}});
  std::atomic<int> done{0};
  for (std::uint64_t i = 0; i < 8; ++i) scheduler_->add({i, 0}, holding());
  ASSERT_TRUE(eventually([&] { return inside_ == 8; }));
  for (std::uint64_t i = 0; i < 100; ++i) scheduler_->add({100 + i, 0}, [&](Worker&) { ++done; });
  scheduler_->slow_down();
  hold_.open();
  EXPECT_TRUE(eventually([&] { return done == 100; }));
}

TEST_F(SchedulerTest, AnExactNumberIsNotChangedByASlowDown) {
  start(6);
  scheduler_->slow_down();
  EXPECT_EQ(scheduler_->limit(), 6u);
}

/// Everything at once, from several loops and threads: each task runs once or is dropped, and none is forgotten.
TEST_F(SchedulerTest, LosesNoWakeOverManyRandomOperations) {
  constexpr int kThreads = 4;
  const int rounds = test::kSanitized ? 5'000 : 25'000;
  start(7, 3);
  std::atomic<std::uint64_t> ran{0}, added{0}, dropped{0};
  const auto add_one = [&](std::mt19937_64& random) {
    const Order order{random() % 50, static_cast<std::uint32_t>(random() % 4)};
    const SteadyTime when =
        random() % 4 == 0 ? steady_clock::now() + std::chrono::microseconds(random() % 2'000) : SteadyTime::min();
    ++added;
    scheduler_->add(
        order,
        [&ran, kind = random() % 8](Worker&) {
          if (kind == 0) fiber::yield();
          if (kind == 1) (void)fiber::sleep_for(std::chrono::microseconds(10));
          ++ran;
        },
        when);
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(static_cast<std::uint64_t>(thread) + 1);
      for (int round = 0; round < rounds; ++round) {
        add_one(random);
        if (random() % 64 == 0) dropped += scheduler_->drop(random() % 50);
        // Now and then all is worked off, so that workers sleep and must be woken.
        if (random() % 512 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(eventually([&] { return ran + dropped == added; }))
      << ran << " ran and " << dropped << " were dropped of " << added;
  EXPECT_LE(hired_, 7u);
}

}  // namespace
}  // namespace dray::transfer
