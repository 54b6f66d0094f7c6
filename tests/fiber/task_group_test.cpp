#include "fiber/task_group.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/sync.h"

namespace dray::fiber {
namespace {

TEST(TaskGroupTest, JoinWaitsForEveryChild) {
  on_loop([] {
    int ended = 0;
    TaskGroup group;
    for (int i = 0; i < 20; ++i) {
      spawn(group, [&ended, i] {
        EXPECT_TRUE(sleep_for(microseconds(100 * (i % 5))).ok());
        ++ended;
      });
    }
    EXPECT_EQ(group.size(), 20u);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, 20);
    EXPECT_EQ(group.size(), 0u);
  });
}

TEST(TaskGroupTest, EmptyJoinReturnsAtOnce) {
  on_loop([] {
    TaskGroup group;
    EXPECT_TRUE(group.join().ok());
    group.cancel();
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(TaskGroupTest, ChildrenStartInTheOrderTheyWereSpawned) {
  on_loop([] {
    std::vector<int> order;
    TaskGroup group;
    for (int i = 0; i < 5; ++i) spawn(group, [&order, i] { order.push_back(i); });
    EXPECT_TRUE(order.empty());  // none runs before the parent waits
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  });
}

TEST(TaskGroupTest, ChildMaySpawnSiblingsWhileTheParentJoins) {
  on_loop([] {
    int ended = 0;
    TaskGroup group;
    std::function<void(int)> tree = [&](int depth) {
      if (depth > 0) {
        spawn(group, [&tree, depth] { tree(depth - 1); });
        spawn(group, [&tree, depth] { tree(depth - 1); });
      }
      yield();
      ++ended;
    };
    spawn(group, [&] { tree(6); });
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, 127);
  });
}

TEST(TaskGroupTest, CancelledJoinCancelsTheChildrenAndStillWaitsForThem) {
  on_loop([] {
    bool cleaned = false;
    std::string joined;
    TaskGroup outer;
    spawn(outer, [&] {
      TaskGroup inner;
      spawn(inner, [&] {
        EXPECT_EQ(outcome(sleep_until(far())), "cancelled");
        Shield shield;
        EXPECT_TRUE(sleep_for(milliseconds(2)).ok());
        cleaned = true;
      });
      joined = outcome(inner.join());
      EXPECT_TRUE(cleaned);
    });
    yield();
    outer.cancel();
    EXPECT_TRUE(outer.join().ok());
    EXPECT_EQ(joined, "cancelled");
  });
}

TEST(TaskGroupTest, JoinUnderAShieldDoesNotCancelTheChildren) {
  on_loop([] {
    std::string child, joined;
    TaskGroup outer;
    spawn(outer, [&] {
      TaskGroup inner;
      spawn(inner, [&] { child = outcome(sleep_for(milliseconds(3))); });
      Shield shield;
      joined = outcome(inner.join());
    });
    yield();
    outer.cancel();
    EXPECT_TRUE(outer.join().ok());
    EXPECT_EQ(child, "ok");
    EXPECT_EQ(joined, "ok");
  });
}

TEST(TaskGroupTest, JoinThrowsTheFirstExceptionAfterAllHaveEnded) {
  on_loop([] {
    int ended = 0;
    TaskGroup group;
    spawn(group, [&] { throw std::runtime_error("first"); });
    spawn(group, [&] {
      yield();
      throw std::runtime_error("second");
    });
    spawn(group, [&] {
      EXPECT_TRUE(sleep_for(milliseconds(2)).ok());
      ++ended;
    });
    try {
      (void)group.join();
      ADD_FAILURE() << "join did not throw";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
    EXPECT_EQ(ended, 1);
    EXPECT_TRUE(group.join().ok());  // told once
  });
}

TEST(TaskGroupTest, ExceptionsOfAnyTypeArrive) {
  on_loop([] {
    TaskGroup group;
    spawn(group, [] { throw 42; });
    EXPECT_THROW((void)group.join(), int);
  });
}

TEST(TaskGroupTest, GroupIsUsableAgainAfterJoin) {
  on_loop([] {
    TaskGroup group;
    int ended = 0;
    for (int round = 0; round < 3; ++round) {
      spawn(group, [&] { ++ended; });
      EXPECT_TRUE(group.join().ok());
    }
    EXPECT_EQ(ended, 3);
  });
}

TEST(TaskGroupTest, DestructorCancelsAndWaits) {
  on_loop([] {
    std::string ended;
    {
      TaskGroup group;
      spawn(group, [&] {
        ended = outcome(sleep_until(far()));
        Shield shield;
        EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
        ended += " and cleaned up";
      });
      yield();
    }
    EXPECT_EQ(ended, "cancelled and cleaned up");
  });
}

TEST(TaskGroupTest, DestructorDropsAChildsException) {
  on_loop([] {
    TaskGroup group;
    spawn(group, [] { throw std::runtime_error("nobody asks"); });
  });
}

TEST(TaskGroupTest, DestructorWaitsDuringUnwindingAndTheExceptionArrivesIntact) {
  on_loop([] {
    std::string ended;
    try {
      TaskGroup group;
      spawn(group, [&] {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        try {
          throw std::logic_error("the child's own");
        } catch (const std::logic_error&) {
          ended = outcome(sleep_until(far()));
        }
      });
      yield();
      throw std::runtime_error("the parent's");
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "the parent's");
    }
    EXPECT_EQ(ended, "cancelled");
    EXPECT_EQ(std::current_exception(), nullptr);
  });
}

TEST(TaskGroupTest, DestructorOfACancelledFiberStillWaits) {
  on_loop([] {
    bool cleaned = false;
    TaskGroup outer;
    spawn(outer, [&] {
      {
        TaskGroup inner;
        spawn(inner, [&] {
          Shield shield;
          EXPECT_TRUE(sleep_for(milliseconds(2)).ok());
          cleaned = true;
        });
      }
      EXPECT_TRUE(cleaned);
    });
    outer.cancel();
    EXPECT_TRUE(outer.join().ok());
    EXPECT_TRUE(cleaned);
  });
}

struct WaitsWhenDestroyed {
  bool* was_on_fiber;
  ~WaitsWhenDestroyed() {
    *was_on_fiber = on_fiber();
    Shield shield;
    if (on_fiber()) (void)sleep_for(microseconds(100));
  }
};

TEST(TaskGroupTest, CapturesOfABodyAreDestroyedOnItsFiberBeforeJoinReturns) {
  on_loop([] {
    bool was_on_fiber = false;
    auto captured = std::make_shared<WaitsWhenDestroyed>(&was_on_fiber);
    const std::weak_ptr<WaitsWhenDestroyed> watch = captured;
    TaskGroup group;
    spawn(group, [captured = std::move(captured)] { yield(); });
    EXPECT_TRUE(group.join().ok());
    EXPECT_TRUE(watch.expired());
    EXPECT_TRUE(was_on_fiber);
  });
}

TEST(TaskGroupTest, FiberCancelledBeforeItsStartDestroysItsCapturesOnAFiberToo) {
  on_loop([] {
    bool was_on_fiber = false;
    auto captured = std::make_shared<WaitsWhenDestroyed>(&was_on_fiber);
    TaskGroup group;
    spawn(group, [captured = std::move(captured)] {});
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_TRUE(was_on_fiber);
  });
}

// Making a group must not void the ticket of a wait that its maker is about to begin.
TEST(TaskGroupTest, MakingOneDoesNotDisturbAWaitThatIsBeingPrepared) {
  on_loop([] {
    const Ticket ticket = this_wait();
    TaskGroup group;
    spawn(group, [ticket] { ticket.wake(); });
    EXPECT_EQ(park(Deadline::after(seconds(10)), "the child"), Wake::signalled);
  });
}

}  // namespace
}  // namespace dray::fiber
