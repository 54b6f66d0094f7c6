#include "fiber/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "fiber/offload.h"
#include "fiber/on_loop.h"

extern char** environ;

namespace dray::fiber {
namespace {

/// Blocks two signals for the test's duration.
class SignalsTest : public testing::Test {
 protected:
  SignalsTest() {
    pthread_sigmask(SIG_SETMASK, nullptr, &before_);
    block_signals({SIGUSR1, SIGUSR2});
  }
  ~SignalsTest() override { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

TEST_F(SignalsTest, FiberWaitsForASignal) {
  on_loop([] {
    Signals signals = Signals::open({SIGUSR1, SIGUSR2}).value();
    std::vector<int> got;
    TaskGroup group;
    spawn(group, [&] {
      got.push_back(signals.next(far()).value());
      got.push_back(signals.next(far()).value());
    });
    yield();
    EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(got, (std::vector<int>{SIGUSR2, SIGUSR1}));
  });
}

TEST_F(SignalsTest, SignalThatCameBeforeTheWaitIsSeen) {
  on_loop([] {
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    Signals signals = Signals::open({SIGUSR1}).value();
    EXPECT_EQ(signals.next(far()).value(), SIGUSR1);
  });
}

TEST_F(SignalsTest, WaitEndsAtItsDeadlineAndByCancellation) {
  on_loop([] {
    Signals signals = Signals::open({SIGUSR1}).value();
    EXPECT_EQ(signals.next(Deadline::after(milliseconds(1))).error().kind, ErrorKind::timed_out);
    ErrorKind ended{};
    TaskGroup group;
    spawn(group, [&] { ended = signals.next(far()).error().kind; });
    yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, ErrorKind::cancelled);
  });
}

TEST_F(SignalsTest, OtherSignalsAreLeftAlone) {
  on_loop([] {
    Signals signals = Signals::open({SIGUSR1}).value();
    EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
    EXPECT_EQ(signals.next(Deadline::after(milliseconds(1))).error().kind, ErrorKind::timed_out);
    Signals other = Signals::open({SIGUSR2}).value();
    EXPECT_EQ(other.next(far()).value(), SIGUSR2);
  });
}

std::atomic<int> alarms = 0;

// A handler runs on whatever stack is in use: also between two fibers and in the middle of a throw.
TEST(SignalStormTest, SwitchesAndThrowsSurviveIt) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { alarms.fetch_add(1, std::memory_order_relaxed); };
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);  // no SA_RESTART: epoll_wait is interrupted too
  const itimerval storm{.it_interval = {.tv_sec = 0, .tv_usec = 100}, .it_value = {.tv_sec = 0, .tv_usec = 100}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &storm, nullptr), 0);
  Offload offload;
  on_loop([&] {
    TaskGroup group;
    for (int id = 0; id < 10; ++id) {
      spawn(group, [&offload, id] {
        for (int round = 0; round < scaled(2000); ++round) {
          try {
            yield();
            throw std::runtime_error("round " + std::to_string(round));
          } catch (const std::runtime_error& error) {
            yield();
            ASSERT_EQ(error.what(), "round " + std::to_string(round));
          }
          if (round % 100 == id) {
            ASSERT_TRUE(sleep_for(microseconds(200)).ok());
          }
          if (round % 200 == id) {
            ASSERT_EQ(offload.run([round] { return round; }, far()).value(), round);
          }
        }
      });
    }
    EXPECT_TRUE(group.join().ok());
  });
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_GT(alarms, 0);
}

TEST(ProcessTest, ProgramsAreStartedFromAFiber) {
  Offload offload;
  on_loop([&] {
    for (int i = 0; i < 5; ++i) {
      std::array<char, 8> name = {"true"};
      std::array<char*, 2> arguments = {name.data(), nullptr};
      pid_t child = 0;
      ASSERT_EQ(posix_spawnp(&child, name.data(), nullptr, nullptr, arguments.data(), environ), 0);
      const Result<int> status = offload.run(
          [child] {
            int ended = -1;
            waitpid(child, &ended, 0);
            return ended;
          },
          far());
      EXPECT_EQ(status.value(), 0);
    }
  });
}

TEST(ProcessTest, ForkAndExecFromAFiberLeavesTheParentsLoopAlone) {
  Offload offload;
  on_loop([&] {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      execlp("true", "true", nullptr);
      _exit(127);
    }
    const Result<int> status = offload.run(
        [child] {
          int ended = -1;
          waitpid(child, &ended, 0);
          return ended;
        },
        far());
    EXPECT_EQ(status.value(), 0);
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
  });
}

}  // namespace
}  // namespace dray::fiber
