// Semaphore, Mutex, Condition, Gate and Channel: who gets what, in which order, and how each wait ends.
#include "fiber/sync.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "fiber/on_loop.h"

namespace dray::fiber {
namespace {

TEST(SemaphoreTest, WaitersAreServedInOrder) {
  on_loop([] {
    Semaphore semaphore(0);
    std::vector<int> order;
    TaskGroup group;
    for (int i = 0; i < 5; ++i) {
      spawn(group, [&, i] {
        EXPECT_TRUE(semaphore.acquire(1, far()).ok());
        order.push_back(i);
      });
    }
    yield();
    semaphore.release(2);
    yield();
    semaphore.release(3);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  });
}

TEST(SemaphoreTest, WaiterForManyIsNotOvertakenByOnesForFew) {
  on_loop([] {
    Semaphore semaphore(1);
    std::vector<std::string> order;
    TaskGroup group;
    spawn(group, [&] {
      EXPECT_TRUE(semaphore.acquire(3, far()).ok());
      order.push_back("many");
    });
    spawn(group, [&] {
      EXPECT_TRUE(semaphore.acquire(1, far()).ok());
      order.push_back("few");
    });
    yield();
    EXPECT_FALSE(semaphore.try_acquire(1));  // one is free, but not for those who come later
    semaphore.release(2);
    yield();
    semaphore.release(1);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(order, (std::vector<std::string>{"many", "few"}));
    EXPECT_EQ(semaphore.free_units(), 0);
  });
}

TEST(SemaphoreTest, WhenTheFirstGivesUpTheNextGetsWhatIsFree) {
  on_loop([] {
    Semaphore semaphore(1);
    std::string many, few;
    TaskGroup group, later;
    spawn(group, [&] { many = outcome(semaphore.acquire(3, Deadline::after(milliseconds(2)))); });
    spawn(later, [&] { few = outcome(semaphore.acquire(1, far())); });
    EXPECT_TRUE(group.join().ok());
    EXPECT_TRUE(later.join().ok());
    EXPECT_EQ(many, "timed_out");
    EXPECT_EQ(few, "ok");
  });
}

TEST(SemaphoreTest, UnitGrantedToAFiberThatIsCancelledInTheSameTurnStaysItsOwn) {
  on_loop([] {
    Semaphore semaphore(0);
    std::string ended;
    TaskGroup group;
    spawn(group, [&] { ended = outcome(semaphore.acquire(1, far())); });
    yield();
    semaphore.release(1);
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
    EXPECT_EQ(semaphore.free_units(), 0);
  });
}

TEST(SemaphoreTest, UnitGrantedToAFiberThatWasJustCancelledStaysItsOwnToo) {
  on_loop([] {
    Semaphore semaphore(0);
    std::string ended;
    TaskGroup group;
    spawn(group, [&] { ended = outcome(semaphore.acquire(1, far())); });
    yield();
    group.cancel();  // ready with "cancelled", still in the queue
    semaphore.release(1);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
    EXPECT_EQ(semaphore.free_units(), 0);
  });
}

TEST(SemaphoreTest, ShrinkingTakesEffectAsUnitsComeBack) {
  on_loop([] {
    Semaphore semaphore(2);
    EXPECT_TRUE(semaphore.try_acquire(2));
    semaphore.add_units(-2);
    EXPECT_EQ(semaphore.free_units(), -2);
    semaphore.release(2);
    EXPECT_FALSE(semaphore.try_acquire(1));
    EXPECT_EQ(outcome(semaphore.acquire(1, past())), "timed_out");
    semaphore.add_units(1);
    EXPECT_TRUE(semaphore.try_acquire(1));
  });
}

TEST(SemaphoreTest, UnitsComeBackWithTheirOwner) {
  on_loop([] {
    Semaphore semaphore(5);
    {
      Units units = Units::acquire(semaphore, 3, far()).value();
      EXPECT_EQ(units.count(), 3u);
      Units moved = std::move(units);
      EXPECT_EQ(units.count(), 0u);  // NOLINT: what a move leaves behind is the question
      EXPECT_EQ(semaphore.free_units(), 2);
      moved = Units::acquire(semaphore, 1, far()).value();
      EXPECT_EQ(semaphore.free_units(), 4);
      moved.release();
      moved.release();
      EXPECT_EQ(semaphore.free_units(), 5);
    }
    EXPECT_EQ(semaphore.free_units(), 5);
  });
}

TEST(MutexTest, OnlyOneFiberIsInside) {
  on_loop([] {
    Mutex mutex;
    int inside = 0, entries = 0;
    TaskGroup group;
    for (int i = 0; i < 10; ++i) {
      spawn(group, [&] {
        for (int round = 0; round < 20; ++round) {
          ASSERT_TRUE(mutex.lock(far()).ok());
          EXPECT_EQ(++inside, 1);
          yield();
          --inside;
          ++entries;
          mutex.unlock();
        }
      });
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(entries, 200);
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
  });
}

TEST(ConditionTest, NotifyOneWakesTheFirstAndNotifyAllTheRest) {
  on_loop([] {
    Mutex mutex;
    Condition condition;
    std::vector<int> order;
    TaskGroup group;
    for (int i = 0; i < 4; ++i) {
      spawn(group, [&, i] {
        ASSERT_TRUE(mutex.lock(far()).ok());
        EXPECT_EQ(outcome(condition.wait(mutex, far())), "ok");
        order.push_back(i);
        mutex.unlock();
      });
    }
    yield();
    condition.notify_one();
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
    EXPECT_EQ(order, (std::vector<int>{0}));
    condition.notify_all();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  });
}

TEST(ConditionTest, MutexIsHeldAgainHoweverTheWaitEnded) {
  on_loop([] {
    Mutex mutex;
    Condition condition;
    std::vector<std::string> seen;
    TaskGroup group;
    spawn(group, [&] {
      ASSERT_TRUE(mutex.lock(far()).ok());
      seen.push_back(outcome(condition.wait(mutex, past())));
      EXPECT_FALSE(mutex.try_lock());
      seen.push_back(outcome(condition.wait(mutex, far())));
      EXPECT_FALSE(mutex.try_lock());
      mutex.unlock();
    });
    EXPECT_TRUE(sleep_for(milliseconds(2)).ok());
    ASSERT_TRUE(mutex.lock(far()).ok());  // the cancelled fiber has to wait for it, in spite of being cancelled
    group.cancel();
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
    EXPECT_EQ(seen.size(), 1u);
    mutex.unlock();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<std::string>{"timed_out", "cancelled"}));
  });
}

TEST(ConditionTest, NotificationAtTheInstantOfTheDeadlineIsNotLost) {
  on_loop([] {
    for (int round = 0; round < scaled(200); ++round) {
      Mutex mutex;
      Condition condition;
      const Deadline instant = Deadline::after(microseconds(300));
      int notified = 0, timed_out = 0;
      TaskGroup group;
      const auto wait_until = [&](Deadline deadline) {
        ASSERT_TRUE(mutex.lock(far()).ok());
        ++(condition.wait(mutex, deadline).ok() ? notified : timed_out);
        mutex.unlock();
      };
      // The notifier comes to its instant before, between or after the two whose time comes then.
      const auto notifier = [&] {
        spawn(group, [&] {
          EXPECT_TRUE(sleep_until(instant).ok());
          condition.notify_one();
        });
      };
      if (round % 3 == 0) notifier();
      spawn(group, [&] { wait_until(instant); });
      if (round % 3 == 1) notifier();
      spawn(group, [&] { wait_until(instant); });
      if (round % 3 == 2) notifier();
      spawn(group, [&] { wait_until(Deadline::after(seconds(10))); });
      yield();
      while (notified == 0) ASSERT_TRUE(sleep_for(microseconds(100)).ok());
      EXPECT_TRUE(group.size() <= 2);
      group.cancel();
      EXPECT_TRUE(group.join().ok());
      EXPECT_EQ(notified, 1);  // one notification, one waiter: the third one if the others had left
      EXPECT_EQ(timed_out, 2);
    }
  });
}

TEST(GateTest, OpensForThoseWhoWaitAndForAllWhoComeLater) {
  on_loop([] {
    Gate gate;
    EXPECT_FALSE(gate.is_open());
    EXPECT_EQ(outcome(gate.wait(past())), "timed_out");
    int through = 0;
    TaskGroup group;
    for (int i = 0; i < 5; ++i) {
      spawn(group, [&] { through += gate.wait(far()).ok() ? 1 : 0; });
    }
    yield();
    EXPECT_EQ(through, 0);
    gate.open();
    gate.open();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(through, 5);
    EXPECT_TRUE(gate.is_open());
    EXPECT_EQ(outcome(gate.wait(past())), "ok");
  });
}

TEST(ChannelTest, ItemsComeOutInTheOrderTheyWentIn) {
  on_loop([] {
    Channel<int> channel(3);
    std::vector<int> got;
    TaskGroup group;
    spawn(group, [&] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(channel.push(i, far()).ok());
      channel.close();
    });
    for (;;) {
      const std::optional<int> item = channel.pop(far()).value();
      if (!item) break;
      got.push_back(*item);
    }
    EXPECT_TRUE(group.join().ok());
    ASSERT_EQ(got.size(), 20u);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);
  });
}

TEST(ChannelTest, PushWaitsForRoomAndPopForAnItem) {
  on_loop([] {
    Channel<int> channel(2);
    EXPECT_EQ(channel.pop(past()).error().kind, ErrorKind::timed_out);
    EXPECT_TRUE(channel.push(1, past()).ok());
    EXPECT_TRUE(channel.push(2, past()).ok());
    EXPECT_EQ(outcome(channel.push(3, past())), "timed_out");
    EXPECT_EQ(channel.pop(past()).value(), 1);
    EXPECT_TRUE(channel.push(4, past()).ok());
    EXPECT_EQ(channel.pop(past()).value(), 2);
    EXPECT_EQ(channel.pop(past()).value(), 4);
  });
}

TEST(ChannelTest, CloseLetsTheRestOutAndThenEveryPopEnds) {
  on_loop([] {
    Channel<int> channel(4);
    EXPECT_TRUE(channel.push(1, far()).ok());
    EXPECT_TRUE(channel.push(2, far()).ok());
    channel.close();
    channel.close();
    EXPECT_EQ(outcome(channel.push(3, far())), "cancelled");
    EXPECT_EQ(channel.pop(far()).value(), 1);
    EXPECT_EQ(channel.pop(far()).value(), 2);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(channel.pop(far()).value().has_value());
  });
}

TEST(ChannelTest, CloseWakesAllWhoWait) {
  on_loop([] {
    Channel<int> full(1), empty(1);
    EXPECT_TRUE(full.push(1, far()).ok());
    int refused = 0, ended = 0;
    TaskGroup group;
    for (int i = 0; i < 5; ++i) {
      spawn(group, [&] { refused += outcome(full.push(2, far())) == "cancelled" ? 1 : 0; });
      spawn(group, [&] { ended += empty.pop(far()).value().has_value() ? 0 : 1; });
    }
    yield();
    full.close();
    empty.close();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(refused, 5);
    EXPECT_EQ(ended, 5);
    EXPECT_EQ(full.pop(far()).value(), 1);
    EXPECT_FALSE(full.pop(far()).value().has_value());
  });
}

TEST(ChannelTest, CarriesWhatCanOnlyBeMoved) {
  on_loop([] {
    Channel<std::unique_ptr<int>> channel(1);
    EXPECT_TRUE(channel.push(std::make_unique<int>(7), far()).ok());
    EXPECT_EQ(**channel.pop(far()).value(), 7);
  });
}

TEST(ChannelTest, ItemHandedToAFiberThatIsCancelledInTheSameTurnIsTaken) {
  on_loop([] {
    Channel<int> channel(1);
    std::optional<int> got;
    TaskGroup group;
    spawn(group, [&] { got = channel.pop(far()).value(); });
    yield();
    EXPECT_TRUE(channel.push(5, far()).ok());
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(got, 5);
  });
}

}  // namespace
}  // namespace dray::fiber
