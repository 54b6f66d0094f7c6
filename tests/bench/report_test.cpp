#include "bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/bytes.h"

namespace dray::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ReportTest, RunLineIsThePublishedOne) {
  EXPECT_EQ(run_line(1, {.seconds = 31.788, .bytes = 30 * base::kGiB}),
            "Run:1 Secs:31.788 Gb/s:8.1 Mb/s:8106.8 GiB/s:0.9 MiB/s:966.4");
}

TEST(ReportTest, BothPublishedPatternsFindTheirNumber) {
  // As programs that compare runners search each line of the output.
  const std::regex rate(R"(^Run:\d+ .* Gb/s:(\d+\.\d+))");
  const std::regex seconds(R"(^Run:\d+ Secs:(\d+\.\d+) .*)");
  const std::string line = run_line(12, {.seconds = 2, .bytes = 2'500'000'000});
  std::smatch found;
  ASSERT_TRUE(std::regex_search(line, found, rate)) << line;
  EXPECT_EQ(found[1], "10.0");
  ASSERT_TRUE(std::regex_search(line, found, seconds)) << line;
  EXPECT_EQ(found[1], "2.000");
}

TEST(ReportTest, ExtremeNumbersStayInFixedNotation) {
  for (const bench::Run& run :
       {bench::Run{.seconds = 0, .bytes = 1ull << 62}, bench::Run{.seconds = 1e9, .bytes = 1}, bench::Run{}}) {
    const std::string line = run_line(1, run);
    EXPECT_THAT(line, Not(HasSubstr("e+"))) << line;
    EXPECT_THAT(line, Not(HasSubstr("e-"))) << line;
    EXPECT_THAT(line, Not(HasSubstr("inf"))) << line;
    EXPECT_THAT(line, Not(HasSubstr("nan"))) << line;
  }
}

TEST(ReportTest, OverallLinesHaveSixNumbersEach) {
  const std::vector<bench::Run> runs = {{.seconds = 1, .bytes = 125'000'000}, {.seconds = 2, .bytes = 125'000'000}};
  EXPECT_THAT(
      overall_lines(runs),
      ElementsAre("Overall Throughput (Gb/s) Median:0.750 Mean:0.750 Min:0.500 Max:1.000 Variance:0.062 StdDev:0.250",
                  "Overall Duration (Secs) Median:1.500 Mean:1.500 Min:1.000 Max:2.000 Variance:0.250 StdDev:0.500"));
}

TEST(ReportTest, PeakMemoryIsInMebibytes) { EXPECT_EQ(peak_memory_line(64'225'280), "Peak RSS:61.250 MiB"); }

}  // namespace
}  // namespace dray::bench
