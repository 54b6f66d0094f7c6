#include "fiber/descriptor.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "fiber/on_loop.h"
#include "fiber/sockets.h"

namespace dray::fiber {
namespace {

TEST(DescriptorTest, ReaderWaitsUntilSomethingComes) {
  on_loop([] {
    Pair pair = socket_pair();
    std::array<char, 8> got{};
    TaskGroup group;
    spawn(group, [&] { EXPECT_EQ(read_some(pair.a, got.data(), got.size(), far()).value(), 5u); });
    yield();
    EXPECT_TRUE(write_all(pair.b, "hello", 5, far()).ok());
    EXPECT_TRUE(group.join().ok());
    EXPECT_STREQ(got.data(), "hello");
  });
}

TEST(DescriptorTest, WriterWaitsUntilThereIsRoom) {
  on_loop([] {
    Pair pair = socket_pair(4096);
    fill(pair.a);
    std::string ended = "waits";
    TaskGroup group;
    spawn(group, [&] { ended = outcome(pair.a.wait_writable(far())); });
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());
    EXPECT_EQ(ended, "waits");
    drain(pair.b);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
  });
}

TEST(DescriptorTest, WaitsEndAtTheirDeadline) {
  on_loop([] {
    Pair pair = socket_pair(4096);
    fill(pair.a);
    pair.a.blocked_reading();
    EXPECT_EQ(outcome(pair.a.wait_readable(Deadline::after(milliseconds(1)))), "timed_out");
    EXPECT_EQ(outcome(pair.a.wait_writable(past())), "timed_out");
    EXPECT_EQ(outcome(pair.a.wait_either(past())), "timed_out");
  });
}

TEST(DescriptorTest, CancelledWaitLeavesTheDescriptorUsable) {
  on_loop([] {
    Pair pair = socket_pair();
    std::string ended;
    TaskGroup group;
    spawn(group, [&] {
      pair.a.blocked_reading();
      ended = outcome(pair.a.wait_readable(far()));
    });
    yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "cancelled");
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());
    EXPECT_EQ(outcome(pair.a.wait_readable(far())), "ok");
  });
}

// Edge-triggered: each of these events comes once, and only once.
TEST(DescriptorTest, EventBetweenEagainAndTheWaitIsSeen) {
  on_loop([] {
    Pair pair = socket_pair();
    char byte = 0;
    EXPECT_LT(recv(pair.a.fd(), &byte, 1, 0), 0);
    pair.a.blocked_reading();
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());
    EXPECT_EQ(outcome(pair.a.wait_readable(far())), "ok");
  });
}

TEST(DescriptorTest, EventThatCameWhileNobodyWaitedIsSeenLater) {
  on_loop([] {
    Pair pair = socket_pair();
    pair.a.blocked_reading();
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());
    EXPECT_TRUE(sleep_for(milliseconds(1)).ok());  // the event is delivered, to no one
    EXPECT_TRUE(pair.a.input_seen());
    EXPECT_EQ(outcome(pair.a.wait_readable(past())), "ok");
  });
}

TEST(DescriptorTest, WhatCameBeforeTheDeadlineWinsOverIt) {
  on_loop([] {
    Pair pair = socket_pair();
    pair.a.blocked_reading();
    std::string ended;
    TaskGroup group;
    spawn(group, [&] { ended = outcome(pair.a.wait_readable(far())); });
    yield();
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());
    while (!pair.a.input_seen()) yield();
    group.cancel();  // woken but not yet run
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
  });
}

TEST(DescriptorTest, EventInTheTurnOfTheCancellationWinsOverItToo) {
  on_loop([] {
    Pair pair = socket_pair();
    pair.a.blocked_reading();
    std::string ended;
    TaskGroup group;
    spawn(group, [&] { ended = outcome(pair.a.wait_readable(far())); });
    yield();
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());
    group.cancel();  // ready as cancelled; the event is delivered before it runs
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
  });
}

TEST(DescriptorTest, WaitEitherEndsByInputOrByRoom) {
  on_loop([] {
    Pair pair = socket_pair(4096);
    fill(pair.a);
    pair.a.blocked_reading();
    std::string ended;
    TaskGroup group;
    spawn(group, [&] { ended = outcome(pair.a.wait_either(far())); });
    yield();
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
    EXPECT_TRUE(pair.a.input_seen());

    pair.a.blocked_reading();
    spawn(group, [&] { ended = outcome(pair.a.wait_either(far())); });
    yield();
    drain(pair.b);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
    EXPECT_TRUE(pair.a.output_seen());
  });
}

TEST(DescriptorTest, CloseByAnotherFiberWakesReaderAndWriterAndThenCloses) {
  on_loop([] {
    Pair pair = socket_pair(4096);
    const int fd = pair.a.fd();
    fill(pair.a);
    pair.a.blocked_reading();
    std::string reader, writer;
    TaskGroup group;
    spawn(group, [&] {
      reader = outcome(pair.a.wait_readable(far()));
      EXPECT_EQ(outcome(pair.a.wait_readable(far())), "cancelled");  // and so does each later one
    });
    spawn(group, [&] { writer = outcome(pair.a.wait_writable(far())); });
    yield();
    pair.a.close();
    pair.a.close();
    EXPECT_TRUE(is_open(fd));  // those who wait still hold its number: nobody else may get it yet
    EXPECT_TRUE(group.join().ok());
    EXPECT_FALSE(is_open(fd));
    EXPECT_FALSE(pair.a.open());
    EXPECT_EQ(reader, "cancelled");
    EXPECT_EQ(writer, "cancelled");
    EXPECT_EQ(outcome(pair.a.wait_writable(far())), "cancelled");
  });
}

TEST(DescriptorTest, ReusedNumberGetsNoStaleEvent) {
  on_loop([] {
    for (int round = 0; round < 100; ++round) {
      Pair old = socket_pair();
      const int number = old.a.fd();
      old.a.blocked_reading();
      EXPECT_TRUE(write_all(old.b, "x", 1, far()).ok());  // an event is on its way
      old.a.close();
      Pair fresh = socket_pair();
      EXPECT_EQ(fresh.a.fd(), number);
      fresh.a.blocked_reading();
      yield();
      yield();
      EXPECT_FALSE(fresh.a.input_seen());
    }
  });
}

TEST(DescriptorTest, FirstOfTwoInOneBatchMayCloseTheSecond) {
  on_loop([] {
    Pair one = socket_pair(), two = socket_pair();
    one.a.blocked_reading();
    two.a.blocked_reading();
    std::string first, second;
    TaskGroup group;
    spawn(group, [&] {
      first = outcome(one.a.wait_readable(far()));
      two.a.close();
    });
    spawn(group, [&] {
      second = outcome(two.a.wait_readable(far()));
      one.a.close();
    });
    yield();
    EXPECT_TRUE(write_all(one.b, "x", 1, far()).ok());  // both events are in the same epoll_wait
    EXPECT_TRUE(write_all(two.b, "x", 1, far()).ok());
    EXPECT_TRUE(group.join().ok());
    EXPECT_TRUE(first == "ok" || second == "ok");
    EXPECT_TRUE(first == "cancelled" || second == "cancelled");
  });
}

TEST(DescriptorTest, CopyOfAClosedDescriptorRaisesNoGhostEvents) {
  on_loop([] {
    Pair pair = socket_pair();
    const int copy = fcntl(pair.a.fd(), F_DUPFD_CLOEXEC, 0);
    pair.a.close();
    yield();  // the slot may be used again
    Pair fresh = socket_pair();
    fresh.a.blocked_reading();
    fresh.b.blocked_reading();
    const Duration before = thread_cpu();
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());  // an event for the copy
    EXPECT_TRUE(sleep_for(milliseconds(50)).ok());
    EXPECT_FALSE(fresh.a.input_seen());
    EXPECT_FALSE(fresh.b.input_seen());
    EXPECT_LT(thread_cpu() - before, milliseconds(25));
    EXPECT_EQ(::close(copy), 0);
  });
}

TEST(DescriptorTest, HalfCloseIsAnEndForTheReaderOnly) {
  on_loop([] {
    Pair pair = socket_pair();
    pair.a.blocked_reading();
    EXPECT_EQ(shutdown(pair.b.fd(), SHUT_WR), 0);
    char byte = 0;
    EXPECT_EQ(read_some(pair.a, &byte, 1, far()).value(), 0u);
    EXPECT_TRUE(write_all(pair.a, "x", 1, far()).ok());
    EXPECT_EQ(read_some(pair.b, &byte, 1, far()).value(), 1u);
  });
}

TEST(DescriptorTest, AdoptMakesNonBlocking) {
  on_loop([] {
    std::array<int, 2> fds{};
    ASSERT_EQ(pipe2(fds.data(), O_CLOEXEC), 0);
    Descriptor end = Descriptor::adopt(fds[0]).value();
    EXPECT_NE(fcntl(fds[0], F_GETFL) & O_NONBLOCK, 0);
    ::close(fds[1]);
  });
}

TEST(DescriptorTest, RegularFileIsRefusedAndClosed) {
  on_loop([] {
    std::FILE* file = std::tmpfile();
    ASSERT_NE(file, nullptr);
    const int fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    std::fclose(file);
    EXPECT_FALSE(Descriptor::adopt(fd).ok());
    EXPECT_FALSE(is_open(fd));
  });
}

TEST(DescriptorTest, NumberThatIsNotOpenIsRefused) {
  on_loop([] {
    const Result<Descriptor> refused = Descriptor::adopt(19'999);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().os_error, EBADF);
  });
}

TEST(DescriptorTest, MovingPassesTheWatchOn) {
  on_loop([] {
    Pair pair = socket_pair();
    Descriptor moved = std::move(pair.a);
    EXPECT_FALSE(pair.a.open());  // NOLINT: what a move leaves behind is the question
    pair.a.close();
    moved.blocked_reading();
    EXPECT_TRUE(write_all(pair.b, "x", 1, far()).ok());
    EXPECT_EQ(outcome(moved.wait_readable(far())), "ok");
    const int fd = moved.fd();
    moved = Descriptor();
    EXPECT_FALSE(is_open(fd));
  });
}

TEST(DescriptorTest, ThousandsMayBeOpenedAndClosedOnTheSameSlots) {
  on_loop([] {
    for (int i = 0; i < scaled(5000); ++i) {
      Pair pair = socket_pair();
      char byte = 0;
      EXPECT_TRUE(write_all(pair.a, "x", 1, far()).ok());
      EXPECT_EQ(read_some(pair.b, &byte, 1, far()).value(), 1u);
      if (i % 16 == 0) yield();  // slots come back after a turn
    }
  });
}

TEST(DescriptorDeathTest, MisuseAborts) {
  const auto with_reader = [](auto then) {
    on_loop([then] {
      auto pair = std::make_unique<Pair>(socket_pair());
      pair->a.blocked_reading();
      TaskGroup group;
      spawn(group, [&pair] { (void)pair->a.wait_readable(far()); });
      yield();
      then(pair);
    });
  };
  using Held = std::unique_ptr<Pair>;
  EXPECT_DEATH(with_reader([](Held& pair) { pair.reset(); }), "destroyed while a fiber waits");
  EXPECT_DEATH(with_reader([](Held& pair) { Descriptor stolen = std::move(pair->a); }), "moved while a fiber waits");
  EXPECT_DEATH(with_reader([](Held& pair) { (void)pair->a.wait_readable(far()); }), "two fibers wait");
  EXPECT_DEATH((void)Descriptor::adopt(0), "outside a loop");
}

}  // namespace
}  // namespace dray::fiber
