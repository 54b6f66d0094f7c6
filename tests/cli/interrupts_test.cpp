#include "cli/interrupts.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "fiber/signals.h"

namespace dray::cli {
namespace {

class InterruptsTest : public testing::Test {
 protected:
  InterruptsTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    fiber::block_signals({SIGHUP, SIGINT, SIGTERM});
  }
};
using InterruptsDeathTest = InterruptsTest;

TEST_F(InterruptsTest, FirstSignalCallsWhatIsRegistered) {
  Interrupts interrupts;
  std::atomic<int> called{0};
  const Interrupts::Registration registration(interrupts, [&called] { ++called; });
  EXPECT_EQ(interrupts.signal(), 0);
  kill(getpid(), SIGTERM);
  EXPECT_EQ(interrupts.wait(), SIGTERM);
  EXPECT_EQ(interrupts.signal(), SIGTERM);
  EXPECT_EQ(called, 1);
}

TEST_F(InterruptsTest, EndsAtOnceWhenNothingCame) { Interrupts interrupts; }

TEST_F(InterruptsTest, LateRegistrationIsToldOfAnEarlierSignal) {
  Interrupts interrupts;
  {
    const Interrupts::Registration first(interrupts, [] {});
    kill(getpid(), SIGINT);
    interrupts.wait();
  }
  bool called = false;
  const Interrupts::Registration second(interrupts, [&called] { called = true; });
  EXPECT_TRUE(called);
}

TEST_F(InterruptsTest, IgnoredSignalsStayIgnored) {
  signal(SIGHUP, SIG_IGN);
  {
    Interrupts interrupts;
    const Interrupts::Registration registration(interrupts, [] {});
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGINT);
    EXPECT_EQ(interrupts.wait(), SIGINT);
  }
  signal(SIGHUP, SIG_DFL);
  sigset_t hangup;
  sigemptyset(&hangup);
  sigaddset(&hangup, SIGHUP);
  const timespec now{};
  sigtimedwait(&hangup, nullptr, &now);  // it is still queued, for nobody
}

TEST_F(InterruptsDeathTest, FirstSignalEndsTheProgramIfThereIsNothingToCleanUp) {
  EXPECT_EXIT(
      {
        Interrupts interrupts;
        kill(getpid(), SIGINT);
        for (;;) pause();
      },
      testing::ExitedWithCode(130), "interrupted");
}

TEST_F(InterruptsDeathTest, SecondSignalEndsTheProgramAtOnce) {
  EXPECT_EXIT(
      {
        Interrupts interrupts;
        const Interrupts::Registration registration(interrupts, [] {});
        kill(getpid(), SIGTERM);
        interrupts.wait();
        kill(getpid(), SIGINT);
        for (;;) pause();
      },
      testing::ExitedWithCode(143), "may be left behind");
}

}  // namespace
}  // namespace dray::cli
