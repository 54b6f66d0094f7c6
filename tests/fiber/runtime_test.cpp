#include "fiber/runtime.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/sync.h"

namespace dray::fiber {
namespace {

TEST(RuntimeTest, UsesAtLeastOneCoreAndNoMoreThanThereAre) {
  EXPECT_GE(usable_cores(), 1u);
  EXPECT_LE(usable_cores(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(RuntimeTest, HasALoopForEachCoreUnlessTold) {
  EXPECT_EQ(Runtime::start().value()->size(), std::min<std::size_t>(8, usable_cores()));
  EXPECT_EQ(Runtime::start({.loops = 3}).value()->size(), 3u);
}

TEST(RuntimeTest, EachLoopHasAThreadOfItsOwnAndANameAndTakesItsTurn) {
  auto runtime = Runtime::start({.loops = 3}).value();
  std::set<std::thread::id> threads;
  std::set<std::string> names;
  for (int i = 0; i < 3; ++i) {
    runtime->call(runtime->next_loop(), [&] {
      threads.insert(std::this_thread::get_id());
      names.insert(std::string(Loop::current()->name()));
    });
  }
  EXPECT_EQ(threads.size(), 3u);
  EXPECT_EQ(names, (std::set<std::string>{"loop 0", "loop 1", "loop 2"}));
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0u);
}

TEST(RuntimeTest, CallThrowsWhatTheBodyThrows) {
  auto runtime = Runtime::start({.loops = 1}).value();
  try {
    runtime->call(runtime->loop(0), []() -> int { throw std::runtime_error("from the fiber"); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "from the fiber");
  }
  EXPECT_EQ(runtime->call(runtime->loop(0), [] { return 1; }), 1);
}

TEST(RuntimeTest, CallGivesWhatCanOnlyBeMoved) {
  auto runtime = Runtime::start({.loops = 1}).value();
  auto given = std::make_unique<int>(4);
  EXPECT_EQ(*runtime->call(runtime->loop(0), [given = std::move(given)]() mutable { return std::move(given); }), 4);
}

// What the body holds may be bound to its loop (a descriptor, a group): it must never die on the caller's thread.
TEST(RuntimeTest, WhatTheBodyOfACallHoldsIsDestroyedOnItsFiberBeforeCallReturns) {
  struct Witness {
    std::atomic<int>* on_a_fiber;
    std::atomic<int>* elsewhere;
    ~Witness() {
      ++(on_fiber() ? *on_a_fiber : *elsewhere);
      if (on_fiber()) yield();  // gives the caller time to go on too early
    }
  };
  auto runtime = Runtime::start({.loops = 1}).value();
  std::atomic<int> on_a_fiber = 0, elsewhere = 0;
  for (int i = 1; i <= scaled(1000); ++i) {
    auto held = std::make_shared<Witness>(&on_a_fiber, &elsewhere);
    runtime->call(runtime->loop(0), [held = std::move(held)] {});
    ASSERT_EQ(on_a_fiber, i);
    ASSERT_EQ(elsewhere, 0);
  }
}

TEST(RuntimeTest, CallOnALoopThatStopsThrowsRatherThanHangs) {
  auto runtime = Runtime::start({.loops = 1}).value();
  runtime->loop(0).stop();
  EXPECT_THROW(runtime->call(runtime->loop(0), [] { return 1; }), std::future_error);
}

TEST(RuntimeDeathTest, CallFromALoopAborts) {
  EXPECT_DEATH(
      {
        auto runtime = Runtime::start({.loops = 1}).value();
        runtime->call(runtime->loop(0), [&] { runtime->call(runtime->loop(0), [] {}); });
      },
      "Runtime::call from a loop");
}

TEST(RuntimeTest, DestructorCancelsWhatRunsAndWaitsForIt) {
  std::atomic<int> ended = 0;
  {
    auto runtime = Runtime::start({.loops = 2}).value();
    std::latch started(10);
    for (int i = 0; i < 10; ++i) {
      runtime->next_loop().spawn_root("background", [&] {
        started.count_down();
        EXPECT_EQ(outcome(sleep_until(Deadline::never())), "cancelled");
        Shield shield;
        EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
        ++ended;
      });
    }
    started.wait();
  }
  EXPECT_EQ(ended, 10);
}

TEST(RuntimeTest, MayBeDestroyedWhileOffloadedWorkRuns) {
  std::latch entered(1);
  auto released = std::make_shared<std::latch>(1);
  std::string ended;
  std::thread caller;
  {
    auto runtime = Runtime::start({.loops = 1}).value();
    caller = std::thread([&, raw = runtime.get()] {
      raw->call(raw->loop(0), [&] {
        ended = outcome(raw->offload().run(
            [&entered, released] {
              entered.count_down();
              released->wait();
            },
            Deadline::never()));
      });
    });
    entered.wait();
    runtime->loop(0).stop();
    caller.join();
    released->count_down();
  }
  EXPECT_EQ(ended, "cancelled");
}

TEST(RuntimeTest, LoopThreadsBlockAllSignalsAndTheCallersMaskIsAsBefore) {
  auto runtime = Runtime::start({.loops = 1}).value();
  const auto blocks = [](int signal) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, signal) == 1;
  };
  EXPECT_TRUE(runtime->call(runtime->loop(0), [&] { return blocks(SIGTERM) && blocks(SIGPIPE); }));
  EXPECT_FALSE(blocks(SIGTERM));
}

TEST(RuntimeTest, ManyThreadsMayCallAtOnce) {
  auto runtime = Runtime::start({.loops = 2}).value();
  std::atomic<long> sum = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < scaled(2000); ++k) {
        sum += runtime->call(runtime->next_loop(), [k] {
          yield();
          return k;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  const long rounds = scaled(2000);
  EXPECT_EQ(sum, 4 * rounds * (rounds - 1) / 2);
}

}  // namespace
}  // namespace dray::fiber
