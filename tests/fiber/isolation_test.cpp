// What the C library keeps for each thread and fibers share: errno and the floating-point environment. And what a child
// process must not inherit.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>

#include "fiber/offload.h"
#include "fiber/on_loop.h"
#include "fiber/sockets.h"

namespace dray::fiber {
namespace {

TEST(IsolationTest, ErrnoOfAFiberSurvivesItsWaits) {
  on_loop([] {
    TaskGroup group;
    for (int id = 1; id <= 5; ++id) {
      spawn(group, [id] {
        for (int round = 0; round < 10; ++round) {
          errno = id;
          yield();
          EXPECT_EQ(errno, id);
          (void)sleep_for(microseconds(50));
          EXPECT_EQ(errno, id);
        }
      });
    }
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(IsolationTest, RoundingModeOfAFiberStaysItsOwn) {
  on_loop([] {
    TaskGroup group;
    int seen_by_other = -1, seen_by_loop = -1;
    spawn(group, [] {
      EXPECT_EQ(std::fesetround(FE_UPWARD), 0);
      for (int i = 0; i < 5; ++i) {
        yield();
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
      }
    });
    spawn(group, [&] {
      seen_by_other = std::fegetround();
      EXPECT_EQ(std::fesetround(FE_DOWNWARD), 0);
      yield();
      EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    });
    Loop::current()->post([&] { seen_by_loop = std::fegetround(); });
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen_by_other, FE_TONEAREST);
    EXPECT_EQ(seen_by_loop, FE_TONEAREST);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  });
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

// As a new thread does.
TEST(IsolationTest, NewFiberInheritsTheRoundingModeOfItsMaker) {
  on_loop([] {
    int seen = -1;
    TaskGroup group;
    spawn(group, [&] {
      std::fesetround(FE_UPWARD);
      TaskGroup inner;
      spawn(inner, [&] { seen = std::fegetround(); });
      EXPECT_TRUE(inner.join().ok());
    });
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(seen, FE_UPWARD);
  });
}

TEST(IsolationTest, EveryDescriptorOfALoopIsClosedOnExec) {
  std::array<bool, 256> before{};
  for (int fd = 0; fd < 256; ++fd) before[static_cast<std::size_t>(fd)] = is_open(fd);
  auto loop = Loop::create().value();
  int opened = 0;
  for (int fd = 0; fd < 256; ++fd) {
    if (before[static_cast<std::size_t>(fd)] || !is_open(fd)) continue;
    ++opened;
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << "descriptor " << fd;
  }
  EXPECT_EQ(opened, 2);  // epoll and eventfd
}

}  // namespace
}  // namespace dray::fiber
