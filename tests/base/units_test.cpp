#include "base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/bytes.h"

namespace dray::base {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using testing::HasSubstr;

struct SizeCase {
  std::string_view text;
  std::uint64_t bytes;
};

constexpr std::uint64_t kPiB = 1024 * kTiB;

constexpr SizeCase kSizes[] = {
    {"0", 0},
    {"1234", 1234},
    {"512B", 512},
    {"512 B", 512},
    {"8K", 8 * kKiB},
    {"8k", 8 * kKiB},
    {"8KB", 8 * kKiB},
    {"8M", 8 * kMiB},
    {"8MiB", 8 * kMiB},
    {"8mib", 8 * kMiB},
    {"8 MiB", 8 * kMiB},
    {"8.0 MiB", 8 * kMiB},
    {"1.5G", 3 * kGiB / 2},
    {"1.0", 1},
    {"0.5K", 512},
    {"0.1K", 102},  // 102.4: what is less than a byte is dropped
    {"2T", 2 * kTiB},
    {"1.25TB", 5 * kTiB / 4},
    {"1P", kPiB},
    {"1.00000000000000088817841970012523233890533447265625P", kPiB + 1},  // 2^-50 of a PiB, exactly one byte
    {"9007199254740993", 9007199254740993},                               // 2^53+1: no double holds it
    {"9223372036854775807", 9223372036854775807u},
    {"8191.9999P", 8191 * kPiB + 1125787316851939},
    {"00000000000000000000000000000000000001K", kKiB},
};

TEST(ParseSizeTest, ReadsBytesAndUnits) {
  for (const auto& [text, bytes] : kSizes) {
    const Result<std::uint64_t> size = parse_size(text);
    ASSERT_TRUE(size.ok()) << text << ": " << size.error().message;
    EXPECT_EQ(*size, bytes) << text;
  }
}

TEST(ParseSizeTest, RefusesWhatIsNoSize) {
  for (std::string_view text :
       {""sv,     " "sv,    "K"sv,   "MiB"sv, "-1"sv,  "-1K"sv,   "+1"sv,     " 1"sv,       "1 "sv,
        "1K "sv,  "1  K"sv, ".5G"sv, "1.G"sv, "1."sv,  "1..5G"sv, "1.5.5G"sv, "1,5G"sv,     "1.5"sv,
        "1.5B"sv, "1X"sv,   "1E"sv,  "1Ki"sv, "1KK"sv, "1BB"sv,   "1iB"sv,    "1e3"sv,      "0x10"sv,
        "1K\0"sv, "1\0K"sv, "\0"sv,  "nan"sv, "inf"sv, "1M/s"sv,  "1\tK"sv,   "\xd9\xa1K"sv}) {
    const Result<std::uint64_t> size = parse_size(text);
    ASSERT_FALSE(size.ok()) << printable(text);
    EXPECT_EQ(size.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(size.error().advice, HasSubstr("1.5GiB"));
  }
}

TEST(ParseSizeTest, RefusesMoreThanTheLargestFile) {
  for (std::string_view text : {"9223372036854775808", "18446744073709551615", "8192P", "8192.0P", "9007199254740992K",
                                "99999999999P", "18014398509481984K"}) {
    EXPECT_FALSE(parse_size(text).ok()) << text;
  }
  EXPECT_FALSE(parse_size(std::string(100'000, '9')).ok());
}

TEST(ParseSizeTest, SurvivesAFractionOfAnyLength) {
  EXPECT_EQ(parse_size("1." + std::string(100'000, '0') + "K").value(), kKiB);
  EXPECT_EQ(parse_size("1." + std::string(100'000, '9') + "K").value(), 2 * kKiB);
  EXPECT_EQ(parse_size("0." + std::string(100'000, '0') + "1K").value(), 0u);
}

struct DurationCase {
  std::string_view text;
  Duration duration;
};

constexpr DurationCase kDurations[] = {
    {"0", 0s},
    {"30", 30s},
    {"30s", 30s},
    {"5m", 5min},
    {"1h", 1h},
    {"2d", 48h},
    {"250ms", 250ms},
    {"1.5h", 90min},
    {"0.1s", 100ms},
    {"0.001", 1ms},
    {"0.3ms", 300us},
    {"106751d", 106751 * 24h},
    {"9223372036", 9223372036s},
};

TEST(ParseDurationTest, ReadsSecondsAndUnits) {
  for (const auto& [text, duration] : kDurations) {
    const Result<Duration> parsed = parse_duration(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->count(), duration.count()) << text;
  }
}

TEST(ParseDurationTest, RefusesWhatIsNoDuration) {
  for (std::string_view text : {""sv, "s"sv, "-1s"sv, "+1s"sv, " 1s"sv, "1 s"sv, "1S"sv, "1M"sv, "1sec"sv, "1h30m"sv,
                                ".5s"sv, "1.s"sv, "1s\0"sv, "inf"sv, "1e3s"sv, "1w"sv}) {
    const Result<Duration> parsed = parse_duration(text);
    ASSERT_FALSE(parsed.ok()) << printable(text);
    EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_argument);
  }
}

TEST(ParseDurationTest, RefusesMoreThanTheClockCanCount) {
  for (std::string_view text :
       {"9223372037", "106752d", "18446744073709551615ms", "18446744073709551616", "9223372036.9"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

struct FormatCase {
  std::uint64_t bytes;
  std::string_view text;
};

constexpr FormatCase kFormats[] = {
    {0, "0 B"},
    {512, "512 B"},
    {1023, "1023 B"},
    {1024, "1.0 KiB"},
    {1536, "1.5 KiB"},
    {8 * kMiB, "8.0 MiB"},
    {kMiB - 1, "1.0 MiB"},  // not "1024.0 KiB"
    {kGiB - 1, "1.0 GiB"},
    {1023 * kKiB, "1023.0 KiB"},
    {kTiB, "1.0 TiB"},
    {kPiB, "1.0 PiB"},
    {std::numeric_limits<std::uint64_t>::max(), "16.0 EiB"},
};

TEST(FormatSizeTest, PicksTheUnitThatReadsBest) {
  for (const auto& [bytes, text] : kFormats) EXPECT_EQ(format_size(bytes), text);
}

TEST(FormatSizeTest, WhatIsPrintedCanBeReadAgain) {
  for (std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1000}, kKiB, 8 * kMiB, 3 * kGiB / 2, 7 * kPiB}) {
    EXPECT_EQ(parse_size(format_size(bytes)).value(), bytes);
  }
}

TEST(FormatRateTest, AddsPerSecond) {
  EXPECT_EQ(format_rate(1.2 * double(kGiB)), "1.2 GiB/s");
  EXPECT_EQ(format_rate(999.9), "999 B/s");
}

TEST(FormatRateTest, SurvivesRatesThatAreNone) {
  EXPECT_EQ(format_rate(std::nan("")), "0 B/s");
  EXPECT_EQ(format_rate(-5), "0 B/s");
  EXPECT_EQ(format_rate(std::numeric_limits<double>::infinity()), "inf EiB/s");
}

TEST(FormatDurationTest, ShowsHoursOnlyWhenThereAreAny) {
  EXPECT_EQ(format_duration(0s), "0:00");
  EXPECT_EQ(format_duration(7s), "0:07");
  EXPECT_EQ(format_duration(7s + 999ms), "0:07");
  EXPECT_EQ(format_duration(59min + 59s), "59:59");
  EXPECT_EQ(format_duration(1h + 2min + 3s), "1:02:03");
  EXPECT_EQ(format_duration(100h), "100:00:00");
  EXPECT_EQ(format_duration(Duration::max()), "2562047:47:16");
}

TEST(FormatDurationTest, NegativeIsZero) {
  EXPECT_EQ(format_duration(-1ns), "0:00");
  EXPECT_EQ(format_duration(Duration::min()), "0:00");
}

}  // namespace
}  // namespace dray::base
