// The end of a loop: stop() from anywhere, at any time, and what must never happen.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "fiber/on_loop.h"
#include "fiber/sync.h"

namespace dray::fiber {
namespace {

TEST(LoopStopTest, FromAnotherThreadCancelsEveryFiber) {
  auto loop = Loop::create().value();
  int cancelled = 0;
  std::thread other;
  loop->spawn_root("parent", [&] {
    TaskGroup group;
    for (int i = 0; i < 100; ++i) {
      spawn(group, [&] { cancelled += outcome(sleep_until(far())) == "cancelled" ? 1 : 0; });
    }
    other = std::thread([&] { loop->stop(); });
    EXPECT_EQ(outcome(group.join()), "cancelled");
  });
  loop->run();
  other.join();
  EXPECT_EQ(cancelled, 100);
}

TEST(LoopStopTest, FromAnotherThreadWakesALoopThatSleepsWithoutADeadline) {
  auto loop = Loop::create().value();
  std::string ended;
  std::thread other;
  loop->spawn_root("waits for ever", [&] {
    other = std::thread([&] { loop->stop(); });
    ended = outcome(sleep_until(Deadline::never()));
  });
  loop->run();
  other.join();
  EXPECT_EQ(ended, "cancelled");
}

TEST(LoopStopTest, BeforeRunLetsRunReturn) {
  auto loop = Loop::create().value();
  loop->stop();
  loop->stop();
  loop->run();
  loop->stop();  // and after it, nothing
}

TEST(LoopStopTest, NoFiberStartsAfterIt) {
  auto loop = Loop::create().value();
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  bool ran = false;
  loop->spawn_root("last", [&] {
    Shield shield;
    loop->stop();
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
    TaskGroup group;
    const Result<void> refused = group.spawn("late", [&] { ran = true; });
    EXPECT_EQ(outcome(refused), "cancelled");
    loop->spawn_root("late too", [&ran, held] { ran = true; });
    held.reset();
    EXPECT_TRUE(watch.expired());  // what the body held is freed, although it never ran
  });
  loop->run();
  EXPECT_FALSE(ran);
}

TEST(LoopStopTest, WaitsForFibersThatCleanUpUnderAShield) {
  auto loop = Loop::create().value();
  bool cleaned = false;
  loop->spawn_root("cleans up", [&] {
    EXPECT_EQ(outcome(sleep_until(far())), "cancelled");
    Shield shield;
    EXPECT_TRUE(sleep_for(milliseconds(5)).ok());
    cleaned = true;
  });
  loop->spawn_root("stops", [&] { loop->stop(); });
  loop->run();
  EXPECT_TRUE(cleaned);
}

TEST(LoopStopTest, WorkThatWasPostedBeforeItIsDone) {
  auto loop = Loop::create().value();
  int done = 0;
  loop->post([&] { ++done; });
  loop->stop();
  loop->post([&] { ++done; });
  loop->run();
  EXPECT_EQ(done, 2);
}

TEST(LoopStopTest, WorkThatIsPostedAfterTheEndIsDroppedAndFreed) {
  auto loop = Loop::create().value();
  auto mailbox = loop->mailbox();
  loop->stop();
  loop->run();
  loop.reset();
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  mailbox->post([held = std::move(held)] { FAIL(); });
  EXPECT_TRUE(watch.expired());
}

// The only way to leave run() with live fibers is an exception from posted work, which is forbidden: a bug like it must
// not go by unseen.
TEST(LoopDeathTest, LoopDestroyedWithLiveFibersAbortsWithTheirNames) {
  EXPECT_DEATH(
      {
        auto loop = Loop::create().value();
        loop->spawn_root("sleepy one", [] { (void)sleep_until(Deadline::never()); });
        loop->spawn_root("thirsty one", [] {
          Semaphore nothing(0);
          (void)nothing.acquire(1, Deadline::never());
        });
        loop->spawn_root("trouble", [&] { loop->post([] { throw 1; }); });
        try {
          loop->run();
        } catch (int) {
        }
        loop.reset();
      },
      "live fibers:\n.*sleepy one: waits for time\n.*thirsty one: waits for a semaphore");
}

TEST(LoopDeathTest, WaitOutsideAFiberAborts) {
  EXPECT_DEATH((void)sleep_for(Duration(1)), "outside a fiber");
  EXPECT_DEATH(TaskGroup group, "outside a fiber");
  EXPECT_DEATH(
      {
        auto loop = Loop::create().value();
        loop->post([] { (void)sleep_for(Duration(1)); });
        loop->run();
      },
      "outside a fiber");
}

TEST(LoopDeathTest, RunInsideALoopAborts) {
  EXPECT_DEATH(on_loop([] { on_loop([] {}); }), "inside another loop");
}

}  // namespace
}  // namespace dray::fiber
