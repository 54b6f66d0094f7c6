#include "transfer/plan.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/bytes.h"

namespace dray::transfer {
namespace {

using base::kGiB, base::kMiB, base::kTiB;

constexpr std::uint64_t kPart = kDefaultPartBytes;

struct PlanRow {
  std::string_view what;
  std::uint64_t size, part_size, threshold;
  std::uint32_t parts;  // 0 = one PUT
  std::uint64_t planned_part_size;
  bool grown;
};
constexpr PlanRow kRows[] = {
    {"nothing", 0, 0, 0, 0, kPart, false},
    {"one byte", 1, 0, 0, 0, kPart, false},
    {"a byte less than a part", kPart - 1, 0, 0, 0, kPart, false},
    {"exactly a part", kPart, 0, 0, 0, kPart, false},
    {"a byte more than a part", kPart + 1, 0, 0, 2, kPart, false},
    {"exactly two parts", 2 * kPart, 0, 0, 2, kPart, false},
    {"exactly three parts", 3 * kPart, 0, 0, 3, kPart, false},
    {"a byte more than three parts", 3 * kPart + 1, 0, 0, 4, kPart, false},
    {"exactly 10,000 parts", 10'000 * kPart, 0, 0, 10'000, kPart, false},
    {"a byte more than 10,000 parts", 10'000 * kPart + 1, 0, 0, 8'889, 9 * kMiB, true},
    {"10,001 parts' worth", 10'001 * kPart, 0, 0, 8'890, 9 * kMiB, true},
    {"5 GiB, and as one PUT", 5 * kGiB, 0, 5 * kGiB, 0, kPart, false},
    {"more than 5 GiB is never one PUT", 5 * kGiB + 1, 0, 100 * kGiB, 641, kPart, false},
    {"5 TiB", 5 * kTiB, 0, 0, 9'987, 525 * kMiB, true},
    {"50 TB", 50'000'000'000'000, 0, 0, 9'999, 4'769 * kMiB, true},
    {"all that 10,000 parts of 5 GiB hold", 10'000 * 5 * kGiB, 0, 0, 10'000, 5 * kGiB, true},
    {"an explicit part size", 100 * kMiB, 5 * kMiB, 0, 20, 5 * kMiB, false},
    {"an explicit part size, one byte over", 5 * kMiB + 1, 5 * kMiB, 0, 2, 5 * kMiB, false},
    {"an explicit part size that is no whole MiB", 20 * kMiB, 5 * kMiB + 7, 0, 4, 5 * kMiB + 7, false},
    {"an explicit part size that is too small for 10,000", 100 * kGiB, 5 * kMiB, 0, 9'310, 11 * kMiB, true},
    {"the largest explicit part size", 6 * kGiB, 5 * kGiB, 0, 2, 5 * kGiB, false},
    {"a threshold under the part size", 10, 0, 9, 1, kPart, false},
    {"exactly the threshold", 10, 0, 10, 0, kPart, false},
    {"a threshold over the part size", 64 * kMiB, 0, 64 * kMiB, 0, kPart, false},
    {"a byte over such a threshold", 64 * kMiB + 1, 0, 64 * kMiB, 9, kPart, false},
};

TEST(PlanTest, CutsAnObjectAsTheTableSays) {
  for (const PlanRow& row : kRows) {
    SCOPED_TRACE(row.what);
    const Result<PartPlan> plan = plan_parts(row.size, row.part_size, row.threshold);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(plan->size, row.size);
    EXPECT_EQ(plan->parts, row.parts);
    EXPECT_EQ(plan->single(), row.parts == 0);
    EXPECT_EQ(plan->part_size, row.planned_part_size);
    EXPECT_EQ(plan->grown, row.grown);
  }
}

TEST(PlanTest, RefusesWhatS3CannotTake) {
  struct Row {
    std::uint64_t size, part_size;
  };
  for (const Row& row :
       {Row{1, 1}, Row{1, 5 * kMiB - 1}, Row{100 * kMiB, kMiB}, Row{kGiB, 5 * kGiB + 1}, Row{10'000 * 5 * kGiB + 1, 0},
        Row{std::numeric_limits<std::uint64_t>::max(), 0}, Row{std::numeric_limits<std::uint64_t>::max(), 5 * kGiB}}) {
    const Result<PartPlan> plan = plan_parts(row.size, row.part_size, 0);
    ASSERT_FALSE(plan.ok()) << row.size << " in parts of " << row.part_size;
    EXPECT_EQ(plan.error().kind, ErrorKind::invalid_argument);
  }
}

TEST(PlanTest, PartsFollowEachOtherAndCoverTheObject) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2'000; ++round) {
    const std::uint64_t size = random() % (10'000 * kMaxPartBytes + 1) >> (random() % 45);
    const std::uint64_t part_size = random() % 2 == 0 ? 0 : 5 * kMiB + random() % kGiB;
    const Result<PartPlan> plan = plan_parts(size, part_size, 1);
    ASSERT_TRUE(plan.ok()) << size << " in parts of " << part_size << ": " << plan.error().message;
    ASSERT_LE(plan->parts, kMaxPartCount);
    std::uint64_t at = 0;
    for (std::uint32_t number = 1; number <= plan->parts; ++number) {
      const ByteRange range = plan->part(number);
      ASSERT_EQ(range.offset, at);
      ASSERT_GT(range.length, 0u);
      ASSERT_LE(range.length, kMaxPartBytes);
      ASSERT_TRUE(number == plan->parts || range.length == plan->part_size);
      at += range.length;
    }
    ASSERT_TRUE(plan->single() || at == size);
  }
}

TEST(StreamPartSizeTest, DoublesEachThousandParts) {
  EXPECT_EQ(stream_part_size(1, 8 * kMiB), 8 * kMiB);
  EXPECT_EQ(stream_part_size(1'000, 8 * kMiB), 8 * kMiB);
  EXPECT_EQ(stream_part_size(1'001, 8 * kMiB), 16 * kMiB);
  EXPECT_EQ(stream_part_size(9'001, 8 * kMiB), 4 * kGiB);
  EXPECT_EQ(stream_part_size(10'000, 8 * kMiB), 4 * kGiB);
}

TEST(StreamPartSizeTest, TenThousandPartsHoldNearlyEightTiB) {
  std::uint64_t sum = 0;
  for (std::uint32_t number = 1; number <= kMaxPartCount; ++number) sum += stream_part_size(number, 8 * kMiB);
  EXPECT_EQ(sum, 8 * kMiB * 1'000 * 1'023);
}

TEST(StreamPartSizeTest, NeverExceedsWhatAPartMayHave) {
  for (std::uint64_t base : {5 * kMiB, 100 * kMiB, kGiB, 5 * kGiB}) {
    for (std::uint32_t number = 1; number <= kMaxPartCount; number += 333) {
      EXPECT_LE(stream_part_size(number, base), kMaxPartBytes) << base << ", part " << number;
      EXPECT_GE(stream_part_size(number, base), base) << base << ", part " << number;
    }
  }
}

}  // namespace
}  // namespace dray::transfer
