#include "transfer/budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "fiber/runtime.h"
#include "fiber/task_group.h"
#include "support/watchdog.h"

namespace dray::transfer {
namespace {

using base::kKiB, base::kMiB;
using std::chrono::milliseconds;
using std::chrono::seconds;

class BudgetTest : public testing::Test {
 protected:
  template <class Body>
  void on_a_fiber(Body body) {
    runtime_->call(runtime_->loop(0), std::move(body));
  }
  static Deadline soon() { return Deadline::after(milliseconds(20)); }

  test::Watchdog watchdog_;
  std::unique_ptr<fiber::Runtime> runtime_ = fiber::Runtime::start({.loops = 2, .offload = {.threads = 1}}).value();
};

TEST_F(BudgetTest, ABufferHasTheSizeThatWasAskedFor) {
  Budget budget(kMiB);
  on_a_fiber([&] {
    Result<BudgetedBuffer> buffer = budget.take(64 * kKiB, soon());
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(buffer->bytes().size(), 64 * kKiB);
    std::fill(buffer->bytes().begin(), buffer->bytes().end(), std::byte{7});
  });
}

TEST_F(BudgetTest, WhoAsksForMoreThanThereIsLeftWaits) {
  Budget budget(kMiB);
  on_a_fiber([&] {
    Result<BudgetedBuffer> first = budget.take(768 * kKiB, soon());
    ASSERT_TRUE(first.ok());
    const Result<BudgetedBuffer> second = budget.take(512 * kKiB, soon());
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().kind, ErrorKind::timed_out);
    first = BudgetedBuffer();
    EXPECT_TRUE(budget.take(512 * kKiB, soon()).ok());
  });
}

TEST_F(BudgetTest, WhoAsksForMoreThanThereEverIsIsToldAtOnce) {
  Budget budget(kMiB);
  on_a_fiber([&] {
    const Result<BudgetedBuffer> buffer = budget.take(kMiB + 1, Deadline::never());
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.error().kind, ErrorKind::exhausted);
    EXPECT_NE(buffer.error().advice, "");
  });
}

TEST_F(BudgetTest, TheQueueNeverGetsAllOfIt) {
  Budget budget(16 * kMiB);
  EXPECT_EQ(budget.total(), 16 * kMiB);
  EXPECT_TRUE(budget.fits_queue(6 * kMiB));
  EXPECT_FALSE(budget.fits_queue(6 * kMiB + 1));
  EXPECT_TRUE(budget.fits(4 * kMiB));
  EXPECT_FALSE(budget.fits(4 * kMiB + 1));
  on_a_fiber([&] {
    const Result<BudgetedBuffer> first = budget.take_for_queue(6 * kMiB, soon());
    const Result<BudgetedBuffer> second = budget.take_for_queue(6 * kMiB, soon());
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_FALSE(budget.take_for_queue(kMiB, soon()).ok());
    EXPECT_TRUE(budget.take(4 * kMiB, soon()).ok());
  });
  on_a_fiber([&] {
    const Result<BudgetedBuffer> again = budget.take_for_queue(12 * kMiB, soon());
    EXPECT_TRUE(again.ok());
    EXPECT_FALSE(budget.take_for_queue(12 * kMiB + 1, Deadline::never()).ok());
  });
}

TEST_F(BudgetTest, AMovedBufferIsGivenBackOnce) {
  Budget budget(kMiB);
  on_a_fiber([&] {
    for (int round = 0; round < 10; ++round) {
      BudgetedBuffer a = budget.take(kMiB, soon()).value();
      BudgetedBuffer b = std::move(a);
      BudgetedBuffer c;
      c = std::move(b);
      BudgetedBuffer& same = c;
      c = std::move(same);
      EXPECT_EQ(c.bytes().size(), kMiB);
    }
    EXPECT_TRUE(budget.take(kMiB, soon()).ok());
    EXPECT_FALSE([&] {
      const auto one = budget.take(kMiB, soon());
      return budget.take(1, soon()).ok();
    }());
  });
}

TEST_F(BudgetTest, ACancelledWaiterTakesNothing) {
  Budget budget(kMiB);
  on_a_fiber([&] {
    Result<BudgetedBuffer> all = budget.take(kMiB, soon());
    ASSERT_TRUE(all.ok());
    fiber::TaskGroup group;
    ErrorKind ended = ErrorKind::internal;
    ASSERT_TRUE(group.spawn("waiter", [&] {
      const Result<BudgetedBuffer> mine = budget.take(kKiB, Deadline::never());
      if (!mine) ended = mine.error().kind;
    }));
    fiber::yield();
    group.cancel();
    ASSERT_TRUE(group.join());
    EXPECT_EQ(ended, ErrorKind::cancelled);
    all = BudgetedBuffer();
    EXPECT_TRUE(budget.take(kMiB, soon()).ok());
  });
}

/// Fibers of two loops take and return buffers of several sizes, time out and are cancelled: never more than the budget
/// is out, and in the end all of it is back.
TEST_F(BudgetTest, ConservesItsBytesUnderCancellation) {
  Budget budget(kMiB);
  const int rounds = test::kSanitized ? 200 : 1'000;
  std::atomic<std::uint64_t> out{0}, most{0}, taken{0};
  const auto play = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int round = 0; round < rounds; ++round) {
      fiber::TaskGroup group;
      for (int child = 0; child < 8; ++child) {
        const std::size_t size = (64 * kKiB) << (random() % 4);
        const Deadline deadline = random() % 2 == 0 ? Deadline::never() : Deadline::after(milliseconds(1));
        (void)group.spawn("taker", [&, size, deadline, queue = random() % 2 == 0, yields = random() % 3] {
          Result<BudgetedBuffer> buffer = queue ? budget.take_for_queue(size, deadline) : budget.take(size, deadline);
          if (!buffer) return;
          ++taken;
          const std::uint64_t now = out += buffer->bytes().size();
          std::uint64_t before = most;
          while (before < now && !most.compare_exchange_weak(before, now)) {
          }
          buffer->bytes()[size - 1] = std::byte{1};
          for (std::uint64_t i = 0; i < yields; ++i) fiber::yield();
          out -= size;
        });
      }
      fiber::yield();
      if (random() % 2 == 0) group.cancel();
      (void)group.join();
    }
  };
  std::thread other([&] { runtime_->call(runtime_->loop(1), [&] { play(2); }); });
  on_a_fiber([&] { play(1); });
  other.join();
  EXPECT_GT(taken, static_cast<std::uint64_t>(rounds));
  EXPECT_LE(most, kMiB);
  on_a_fiber([&] {
    EXPECT_TRUE(budget.take(kMiB, soon()).ok()) << "some of it is lost";
    EXPECT_TRUE(budget.take_for_queue(kMiB / 4 * 3, soon()).ok()) << "some of the queue's share is lost";
  });
}

TEST(MemoryLimitTest, BuffersGetTheLimitLess24MiB) {
  EXPECT_EQ(buffer_budget(256 * kMiB), 232 * kMiB);
  EXPECT_EQ(buffer_budget(64 * kMiB), 40 * kMiB);
}

TEST(MemoryLimitTest, BuffersGetAtLeast16MiB) {
  EXPECT_EQ(buffer_budget(1), 16 * kMiB);
  EXPECT_EQ(buffer_budget(24 * kMiB), 16 * kMiB);
}

TEST(MemoryLimitTest, AWishIsGranted) { EXPECT_EQ(memory_limit_from(123 * kMiB), 123 * kMiB); }

TEST(MemoryLimitTest, IsAQuarterOfAGiBAtMostWithoutAWish) {
  EXPECT_GT(memory_limit_from(0), 0u);
  EXPECT_LE(memory_limit_from(0), 256 * kMiB);
}

}  // namespace
}  // namespace dray::transfer
