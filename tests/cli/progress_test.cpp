#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"

namespace dray::cli {
namespace {

using namespace std::chrono_literals;
using base::kGiB;
using base::kMiB;
using testing::HasSubstr;
using testing::Not;

Snapshot half_way() {
  return {.bytes = kGiB, .total = 2 * kGiB, .rate = 256.0 * kMiB, .elapsed = 4s, .files_left = 3, .connections = 16};
}

TEST(ProgressTest, BarTellsShareAmountRateTimeFilesAndConnections) {
  EXPECT_EQ(bar_text(half_way(), 200),
            "[===============>              ]  50%  1.0 GiB of 2.0 GiB  256.0 MiB/s  ETA 0:04  3 files left  16 "
            "connections");
}

TEST(ProgressTest, LineTellsTheSame) {
  EXPECT_EQ(line_text(half_way()), "1.0 GiB of 2.0 GiB (50%), 256.0 MiB/s, ETA 0:04, 3 files left, 16 connections");
}

TEST(ProgressTest, BarNeverExceedsTheTerminal) {
  for (std::size_t columns = 0; columns < 120; ++columns) EXPECT_LE(bar_text(half_way(), columns).size(), columns);
}

TEST(ProgressTest, NarrowTerminalsLoseTheGraphFirst) {
  EXPECT_THAT(bar_text(half_way(), 100), testing::StartsWith("[==========>         ]  50%  1.0 GiB"));
  EXPECT_THAT(bar_text(half_way(), 85), testing::StartsWith(" 50%  1.0 GiB"));
}

TEST(ProgressTest, StreamHasNoShareAndNoEnd) {
  Snapshot stream = half_way();
  stream.total.reset();
  EXPECT_EQ(line_text(stream), "1.0 GiB, 256.0 MiB/s, 0:04 so far, 3 files left, 16 connections");
  EXPECT_THAT(bar_text(stream, 200), Not(HasSubstr("%")));
}

TEST(ProgressTest, OneFileIsNamedAndANameIsCutBetweenCharacters) {
  Snapshot one = half_way();
  one.files_left = 1;
  one.name = "big.bin";
  EXPECT_THAT(bar_text(one, 200), testing::EndsWith("  16 connections  big.bin"));
  one.name = std::string(39, 'x') + "\xc3\xa9\xc3\xa9";
  EXPECT_THAT(bar_text(one, 200), testing::EndsWith("x\xc3\xa9"));
}

TEST(ProgressTest, AllIsOneHundredPercentAndNothingElseIs) {
  Snapshot snapshot = half_way();
  snapshot.bytes = 2 * kGiB - 1;
  EXPECT_THAT(line_text(snapshot), HasSubstr("(99%)"));
  snapshot.bytes = 2 * kGiB;
  EXPECT_THAT(line_text(snapshot), HasSubstr("(100%)"));
  snapshot.bytes = 3 * kGiB;  // sources that grew
  EXPECT_THAT(line_text(snapshot), HasSubstr("(100%)"));
}

TEST(ProgressTest, StandstillHasNoEndInSight) {
  Snapshot snapshot = half_way();
  snapshot.rate = 0;
  EXPECT_THAT(line_text(snapshot), HasSubstr("0:04 so far"));
}

TEST(ProgressTest, TimeLeftIsRoundedUp) {
  Snapshot snapshot = half_way();
  snapshot.rate = 10.0 * kGiB;
  EXPECT_THAT(line_text(snapshot), HasSubstr("ETA 0:01"));
}

TEST(ProgressTest, NothingToSendIsNoDivisionByZero) {
  EXPECT_THAT(line_text({.total = 0}), HasSubstr("0 B of 0 B (0%)"));
}

TEST(RateMeterTest, RateIsOverTheLastTenSeconds) {
  RateMeter meter;
  const SteadyTime start{};
  EXPECT_EQ(meter.bytes_per_second(), 0);
  meter.add(start, 0);
  EXPECT_EQ(meter.bytes_per_second(), 0);
  meter.add(start + 1s, 100);
  EXPECT_EQ(meter.bytes_per_second(), 100);
  for (int second = 2; second <= 60; ++second) meter.add(start + std::chrono::seconds(second), 100);
  EXPECT_EQ(meter.bytes_per_second(), 0) << "what happened a minute ago counts still";
}

TEST(RateMeterTest, FewerBytesThanBeforeIsNoNegativeRate) {
  RateMeter meter;
  meter.add(SteadyTime{}, 100);
  meter.add(SteadyTime{} + 1s, 50);
  EXPECT_EQ(meter.bytes_per_second(), 0);
}

TEST(ProgressTest, AutomaticIsABarOnATerminalAndLinesInALog) {
  EXPECT_EQ(resolve({}, true), ProgressMode::bar);
  EXPECT_EQ(resolve({}, false), ProgressMode::lines);
  EXPECT_EQ(resolve({.json = true}, false), ProgressMode::none);
  EXPECT_EQ(resolve({.progress = ProgressMode::bar}, false), ProgressMode::bar);
  EXPECT_EQ(resolve({.json = true, .progress = ProgressMode::lines}, false), ProgressMode::lines);
  EXPECT_EQ(resolve({.quiet = true, .progress = ProgressMode::bar}, true), ProgressMode::none);
  EXPECT_EQ(resolve({.only_show_errors = true}, true), ProgressMode::none);
  EXPECT_EQ(resolve({.no_progress = true}, true), ProgressMode::none);
}

}  // namespace
}  // namespace dray::cli
