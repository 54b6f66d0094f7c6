#include "transfer/rate_limit.h"

#include <gtest/gtest.h>

namespace dray::transfer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SteadyTime kStart{seconds(1'000)};

/// How long it takes to send `total` bytes in slices, each sent as soon as it may be.
Duration time_to_send(RateLimit& limit, std::uint64_t total, SteadyTime from) {
  SteadyTime now = from;
  for (std::uint64_t sent = 0; sent < total; sent += limit.slice()) {
    now = std::max(now, limit.reserve(limit.slice(), now));
  }
  return now - from;
}

TEST(RateLimitTest, WithoutALimitNothingWaits) {
  RateLimit limit(0);
  EXPECT_FALSE(limit.limited());
  EXPECT_EQ(limit.reserve(1ull << 40, kStart), kStart);
  EXPECT_EQ(limit.slice(), 1u << 20);
}

TEST(RateLimitTest, HoldsTheRateOverTime) {
  RateLimit limit(1 << 20);
  const Duration took = time_to_send(limit, 60 << 20, kStart);
  EXPECT_GE(took, milliseconds(59'800));
  EXPECT_LE(took, milliseconds(60'200));
}

TEST(RateLimitTest, StartsWithATenthOfASecondAtMost) {
  RateLimit limit(1'000'000);
  EXPECT_LE(limit.reserve(100'000, kStart), kStart);
  EXPECT_GT(limit.reserve(10'000, kStart), kStart);
}

TEST(RateLimitTest, SavesOneSecondAtMostWhileIdle) {
  RateLimit limit(1'000'000);
  (void)limit.reserve(1, kStart);
  const SteadyTime later = kStart + seconds(3'600);
  EXPECT_LE(limit.reserve(1'000'000, later), later);
  EXPECT_GT(limit.reserve(10'000, later), later);
}

TEST(RateLimitTest, DebtIsPaidBeforeTheNextOneGoes) {
  RateLimit limit(1'000'000);
  (void)limit.reserve(100'000, kStart);
  EXPECT_EQ(limit.reserve(2'000'000, kStart), kStart + seconds(2));
  EXPECT_EQ(limit.reserve(500'000, kStart), kStart + milliseconds(2'500));
}

TEST(RateLimitTest, SlicesFitTheRate) {
  EXPECT_EQ(RateLimit(1'000).slice(), 4'096u);
  EXPECT_EQ(RateLimit(1 << 20).slice(), 1u << 17);
  EXPECT_EQ(RateLimit(1ull << 40).slice(), 1u << 20);
}

}  // namespace
}  // namespace dray::transfer
