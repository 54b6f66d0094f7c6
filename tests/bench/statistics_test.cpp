#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace dray::bench {
namespace {

TEST(StatisticsTest, SixNumbersOfAKnownSeries) {
  const Statistics s = statistics_of({9, 2, 5, 4, 4, 4, 7, 5});  // order does not matter
  EXPECT_DOUBLE_EQ(s.median, 4.5);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.min, 2);
  EXPECT_DOUBLE_EQ(s.max, 9);
  EXPECT_DOUBLE_EQ(s.variance, 4);
  EXPECT_DOUBLE_EQ(s.std_dev, 2);
}

TEST(StatisticsTest, MedianOfAnOddCountIsTheMiddleOne) { EXPECT_DOUBLE_EQ(statistics_of({3, 1, 100}).median, 3); }

TEST(StatisticsTest, OneValueHasNoVariance) {
  const Statistics s = statistics_of({2.5});
  EXPECT_DOUBLE_EQ(s.median, 2.5);
  EXPECT_DOUBLE_EQ(s.mean, 2.5);
  EXPECT_DOUBLE_EQ(s.variance, 0);
  EXPECT_DOUBLE_EQ(s.std_dev, 0);
}

TEST(StatisticsTest, NothingIsAllZero) {
  const Statistics s = statistics_of({});
  EXPECT_DOUBLE_EQ(s.median, 0);
  EXPECT_DOUBLE_EQ(s.max, 0);
  EXPECT_DOUBLE_EQ(s.std_dev, 0);
}

}  // namespace
}  // namespace dray::bench
