// Cancellation in every state of a fiber, tickets that come late, scopes and shields.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/sync.h"

namespace dray::fiber {
namespace {

TEST(CancellationTest, BeforeTheStartTheBodyRunsAndItsFirstWaitIsCancelled) {
  on_loop([] {
    std::string ended = "never ran";
    TaskGroup group;
    spawn(group, [&] {
      EXPECT_TRUE(cancel_requested());
      ended = outcome(sleep_until(far()));
    });
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "cancelled");
  });
}

TEST(CancellationTest, WhileReadyItIsMetAtTheNextWait) {
  on_loop([] {
    std::string ended;
    TaskGroup group;
    spawn(group, [&] {
      yield();
      EXPECT_TRUE(cancel_requested());
      ended = outcome(sleep_until(far()));
    });
    yield();  // the child ran as far as its own yield and is ready
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "cancelled");
  });
}

TEST(CancellationTest, WhileParkedTheWaitEnds) {
  on_loop([] {
    Wake ended = Wake::signalled;
    TaskGroup group;
    spawn(group, [&] {
      this_wait();
      ended = park(far(), "nothing");
    });
    yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, Wake::cancelled);
  });
}

TEST(CancellationTest, AfterTheWakeButBeforeItRunsTheWakeCountsFirst) {
  on_loop([] {
    std::vector<Wake> seen;
    Ticket ticket;
    TaskGroup group;
    spawn(group, [&] {
      ticket = this_wait();
      seen.push_back(park(far(), "the wake"));
      this_wait();
      seen.push_back(park(far(), "nothing"));
    });
    yield();
    ticket.wake();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<Wake>{Wake::signalled, Wake::cancelled}));
  });
}

TEST(CancellationTest, BeforeTheWakeTheCancellationCounts) {
  on_loop([] {
    std::vector<Wake> seen;
    Ticket ticket;
    TaskGroup group;
    spawn(group, [&] {
      ticket = this_wait();
      seen.push_back(park(far(), "the wake"));
    });
    yield();
    group.cancel();
    ticket.wake();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<Wake>{Wake::cancelled}));
  });
}

TEST(CancellationTest, ItIsALevelThatEachLaterWaitMeetsAgain) {
  on_loop([] {
    int cancelled = 0;
    TaskGroup group;
    spawn(group, [&] {
      Semaphore nothing(0);
      for (int i = 0; i < 3; ++i) {
        if (outcome(sleep_until(far())) == "cancelled") ++cancelled;
        if (outcome(nothing.acquire(1, far())) == "cancelled") ++cancelled;
      }
    });
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(cancelled, 6);
  });
}

TEST(CancellationTest, TwiceIsOnce) {
  on_loop([] {
    int waits = 0;
    TaskGroup group;
    spawn(group, [&] {
      EXPECT_EQ(outcome(sleep_until(far())), "cancelled");
      ++waits;
    });
    yield();
    group.cancel();
    group.cancel();
    yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(waits, 1);
  });
}

TEST(CancellationTest, FiberMayCancelItsOwnGroup) {
  on_loop([] {
    std::string ended;
    TaskGroup group;
    spawn(group, [&] {
      group.cancel();
      EXPECT_TRUE(cancel_requested());
      ended = outcome(sleep_until(far()));
    });
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "cancelled");
  });
}

TEST(CancellationTest, CancelledWaitStillLetsOthersRun) {
  on_loop([] {
    bool other_ran = false;
    TaskGroup cancelled, others;
    spawn(cancelled, [&] {
      spawn(others, [&] { other_ran = true; });  // behind us in the run queue
      EXPECT_EQ(outcome(sleep_until(far())), "cancelled");
      EXPECT_TRUE(other_ran);
    });
    cancelled.cancel();
    EXPECT_TRUE(cancelled.join().ok());
    EXPECT_TRUE(others.join().ok());
  });
}

TEST(CancellationTest, NextFiberOnTheSameRecordStartsUncancelled) {
  on_loop([] {
    for (int i = 0; i < 3; ++i) {
      TaskGroup group;
      spawn(group, [] {
        EXPECT_FALSE(cancel_requested());
        (void)sleep_until(far());
      });
      yield();
      group.cancel();
      EXPECT_TRUE(group.join().ok());
    }
  });
}

TEST(TicketTest, WakeBetweenThisWaitAndParkIsNotLost) {
  on_loop([] {
    const Ticket ticket = this_wait();
    ticket.wake();
    EXPECT_EQ(park(far(), "the wake"), Wake::signalled);
  });
}

TEST(TicketTest, WakeOfAnEndedWaitDoesNothing) {
  on_loop([] {
    std::vector<Wake> seen;
    Ticket ticket;
    TaskGroup group;
    spawn(group, [&] {
      ticket = this_wait();
      seen.push_back(park(past(), "a deadline that has passed"));
      this_wait();
      seen.push_back(park(Deadline::after(milliseconds(5)), "a deadline"));
    });
    yield();
    yield();
    ticket.wake();  // the fiber is in its second wait by now
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<Wake>{Wake::timed_out, Wake::timed_out}));
  });
}

TEST(TicketTest, WakeForAFiberThatHasEndedDoesNotReachTheNextOneOnItsRecord) {
  on_loop([] {
    Ticket old;
    TaskGroup group;
    spawn(group, [&] {
      old = this_wait();
      (void)park(past(), "nothing");
    });
    EXPECT_TRUE(group.join().ok());
    Wake ended = Wake::signalled;
    spawn(group, [&] {
      this_wait();
      ended = park(Deadline::after(milliseconds(2)), "nothing");
    });
    for (int i = 0; i < 3; ++i) {
      old.wake();
      yield();
    }
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, Wake::timed_out);
  });
}

TEST(TicketTest, TwoWakesOfOneWaitAreOne) {
  on_loop([] {
    Ticket ticket;
    Wake second = Wake::signalled;
    TaskGroup group;
    spawn(group, [&] {
      ticket = this_wait();
      EXPECT_EQ(park(far(), "the wake"), Wake::signalled);
      this_wait();
      second = park(Deadline::after(milliseconds(1)), "nothing");
    });
    yield();
    ticket.wake();
    ticket.wake();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(second, Wake::timed_out);
  });
}

TEST(ShieldTest, DelaysCancellationToTheFirstWaitAfterIt) {
  on_loop([] {
    std::vector<std::string> seen;
    TaskGroup group;
    spawn(group, [&] {
      {
        Shield shield;
        seen.push_back(outcome(sleep_for(milliseconds(2))));
        EXPECT_FALSE(cancel_requested());
        {
          Shield inner;
          seen.push_back(outcome(sleep_for(milliseconds(1))));
        }
        seen.push_back(outcome(sleep_for(milliseconds(1))));
      }
      EXPECT_TRUE(cancel_requested());
      seen.push_back(outcome(sleep_until(far())));
    });
    yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<std::string>{"ok", "ok", "ok", "cancelled"}));
  });
}

TEST(ShieldTest, DeadlinesAndWakesWorkUnderIt) {
  on_loop([] {
    std::vector<Wake> seen;
    Ticket ticket;
    TaskGroup group;
    spawn(group, [&] {
      Shield shield;
      this_wait();
      seen.push_back(park(Deadline::after(milliseconds(1)), "a deadline"));
      ticket = this_wait();
      seen.push_back(park(far(), "the wake"));
    });
    group.cancel();
    while (!ticket) EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
    ticket.wake();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<Wake>{Wake::timed_out, Wake::signalled}));
  });
}

TEST(CancelScopeTest, CancelsTheWaitsInItAndNoneAfterIt) {
  on_loop([] {
    std::vector<std::string> seen;
    CancelScope::Token token;
    TaskGroup group;
    spawn(group, [&] {
      {
        CancelScope scope;
        token = scope.token();
        seen.push_back(outcome(sleep_until(far())));
        EXPECT_TRUE(cancel_requested());
        seen.push_back(outcome(sleep_until(far())));
      }
      EXPECT_FALSE(cancel_requested());
      seen.push_back(outcome(sleep_for(milliseconds(1))));
    });
    yield();
    token.cancel();
    token.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<std::string>{"cancelled", "cancelled", "ok"}));
  });
}

TEST(CancelScopeTest, TokenOfAScopeThatWasLeftDoesNothingToTheNextOneNorToTheNextFiber) {
  on_loop([] {
    std::string second, third;
    CancelScope::Token old;
    TaskGroup group;
    spawn(group, [&] {
      {
        CancelScope scope;
        old = scope.token();
      }
      CancelScope scope;
      old.cancel();
      second = outcome(sleep_for(milliseconds(1)));
    });
    EXPECT_TRUE(group.join().ok());
    spawn(group, [&] {
      CancelScope scope;
      old.cancel();
      third = outcome(sleep_for(milliseconds(1)));
    });
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(second, "ok");
    EXPECT_EQ(third, "ok");
  });
}

TEST(CancelScopeTest, CancellationOfTheFiberOutlivesTheScope) {
  on_loop([] {
    std::vector<std::string> seen;
    TaskGroup group;
    spawn(group, [&] {
      {
        CancelScope scope;
        seen.push_back(outcome(sleep_until(far())));
      }
      seen.push_back(outcome(sleep_until(far())));
    });
    yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<std::string>{"cancelled", "cancelled"}));
  });
}

TEST(CancelScopeTest, ShieldDelaysIt) {
  on_loop([] {
    std::vector<std::string> seen;
    TaskGroup group;
    spawn(group, [&] {
      CancelScope scope;
      scope.token().cancel();
      {
        Shield shield;
        seen.push_back(outcome(sleep_for(milliseconds(1))));
      }
      seen.push_back(outcome(sleep_until(far())));
    });
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, (std::vector<std::string>{"ok", "cancelled"}));
  });
}

TEST(CancelScopeTest, FromAnotherThreadRacesWithTheEndOfTheScope) {
  on_loop([] {
    int cancelled = 0, ended = 0;
    for (int round = 0; round < 200; ++round) {
      std::thread other;
      {
        CancelScope scope;
        other = std::thread([token = scope.token()] { token.cancel(); });
        ++(sleep_for(microseconds(round)).ok() ? ended : cancelled);
      }
      other.join();
      EXPECT_FALSE(cancel_requested());
    }
    EXPECT_EQ(cancelled + ended, 200);
    EXPECT_EQ(outcome(sleep_for(milliseconds(1))), "ok");
  });
}

}  // namespace
}  // namespace dray::fiber
