#include "base/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>

#include "base/bytes.h"

namespace dray {
namespace {

using namespace std::chrono_literals;

TEST(DeadlineTest, NeverByDefault) {
  EXPECT_TRUE(Deadline().is_never());
  EXPECT_FALSE(Deadline::never().passed());
}

TEST(DeadlineTest, AfterALongTimeHasNotPassed) {
  const Deadline deadline = Deadline::after(1h);
  EXPECT_FALSE(deadline.is_never());
  EXPECT_FALSE(deadline.passed());
}

TEST(DeadlineTest, NothingAndNegativeHavePassed) {
  EXPECT_TRUE(Deadline::after(0s).passed());
  EXPECT_TRUE(Deadline::after(-1s).passed());
  EXPECT_TRUE(Deadline::after(Duration::min()).passed());
}

TEST(DeadlineTest, TooLongToAddIsNever) {
  EXPECT_TRUE(Deadline::after(Duration::max()).is_never());
  EXPECT_TRUE(Deadline::after(Duration::max() - 1ns).is_never());
}

TEST(DeadlineTest, EarlierIsTheSmallerOfTwo) {
  const Deadline soon(SteadyTime(1s)), late(SteadyTime(2s));
  EXPECT_EQ(earlier(soon, late), soon);
  EXPECT_EQ(earlier(late, soon), soon);
  EXPECT_EQ(earlier(Deadline::never(), late), late);
  EXPECT_LT(soon, late);
}

namespace b = base;
using namespace std::string_view_literals;
using testing::HasSubstr;

WallTime at(std::int64_t unix_seconds) { return WallTime(std::chrono::seconds(unix_seconds)); }

struct DateCase {
  std::int64_t unix_seconds;
  std::string_view amz, http, iso;
};

constexpr DateCase kDates[] = {
    {1796034512, "20261130T102832Z", "Mon, 30 Nov 2026 10:28:32 GMT", "2026-11-30T10:28:32.000Z"},
    {0, "19700101T000000Z", "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00.000Z"},
    {-1, "19691231T235959Z", "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59.000Z"},
    {951782400, "20000229T000000Z", "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00.000Z"},
    {1709251199, "20240229T235959Z", "Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59.000Z"},
    {1709251200, "20240301T000000Z", "Fri, 01 Mar 2024 00:00:00 GMT", "2024-03-01T00:00:00.000Z"},
    {4107542400, "21000301T000000Z", "Mon, 01 Mar 2100 00:00:00 GMT", "2100-03-01T00:00:00.000Z"},
    {2147483648, "20380119T031408Z", "Tue, 19 Jan 2038 03:14:08 GMT", "2038-01-19T03:14:08.000Z"},
    {-9214560000, "16780101T000000Z", "Sat, 01 Jan 1678 00:00:00 GMT", "1678-01-01T00:00:00.000Z"},
    {9214646399, "22611231T235959Z", "Tue, 31 Dec 2261 23:59:59 GMT", "2261-12-31T23:59:59.000Z"},
};

TEST(DateTest, WritesAllThreeForms) {
  for (const DateCase& date : kDates) {
    EXPECT_EQ(b::to_amz_date(at(date.unix_seconds)), date.amz);
    EXPECT_EQ(b::to_http_date(at(date.unix_seconds)), date.http);
    EXPECT_EQ(b::to_iso8601(at(date.unix_seconds)), date.iso);
  }
}

TEST(DateTest, ReadsAllThreeForms) {
  for (const DateCase& date : kDates) {
    EXPECT_EQ(b::from_amz_date(date.amz).value(), at(date.unix_seconds)) << date.amz;
    EXPECT_EQ(b::from_http_date(date.http).value(), at(date.unix_seconds)) << date.http;
    EXPECT_EQ(b::from_iso8601(date.iso).value(), at(date.unix_seconds)) << date.iso;
  }
}

// The C library is the reference: a step that shares no factor with days or years meets all kinds of dates.
TEST(DateTest, AgreesWithTheSystemOverFourCenturies) {
  for (std::int64_t second = -9'000'000'000; second < 9'000'000'000; second += 86'413 * 7) {
    const std::time_t time = second;
    std::tm parts{};
    ASSERT_NE(gmtime_r(&time, &parts), nullptr);
    char expected[64];
    std::strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    ASSERT_EQ(b::to_http_date(at(second)), expected);
    ASSERT_EQ(b::from_http_date(expected).value(), at(second));
  }
}

TEST(DateTest, FractionsAreCutNotRounded) {
  EXPECT_EQ(b::to_iso8601(at(0) + 999'999'999ns), "1970-01-01T00:00:00.999Z");
  EXPECT_EQ(b::to_iso8601(at(0) - 1ns), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(b::to_amz_date(at(0) - 1ns), "19691231T235959Z");
}

TEST(DateTest, TheClocksOwnLimitsCanBeWritten) {
  EXPECT_EQ(b::to_iso8601(WallTime::max()), "2262-04-11T23:47:16.854Z");
  EXPECT_EQ(b::to_iso8601(WallTime::min()), "1677-09-21T00:12:43.145Z");
}

void expect_refused(const Result<WallTime>& time, std::string_view text) {
  ASSERT_FALSE(time.ok()) << b::printable(text);
  EXPECT_EQ(time.error().kind, ErrorKind::invalid_argument);
}

TEST(AmzDateTest, RefusesOtherForms) {
  for (std::string_view text :
       {""sv, "2026"sv, "20261130"sv, "20261130T102832"sv, "20261130T102832z"sv, "20261130t102832Z"sv,
        "20261130T102832Z "sv, " 20261130T102832Z"sv, "2026-11-30T10:28:32Z"sv, "20261130T1028Z"sv, "20261130T10283Z"sv,
        "+0261130T102832Z"sv, "20261130T10 832Z"sv, "20261130T102832Z\0"sv, "2026113\0T102832Z"sv,
        "120261130T102832Z"sv}) {
    expect_refused(b::from_amz_date(text), text);
  }
}

TEST(AmzDateTest, RefusesDatesThatAreNotInTheCalendar) {
  for (std::string_view text : {"20261330T102832Z", "20260030T102832Z", "20261100T102832Z", "20261131T102832Z",
                                "20260229T000000Z", "21000229T000000Z", "20240230T000000Z", "20261130T242832Z",
                                "20261130T106032Z", "20261130T102861Z", "99999999T999999Z"}) {
    expect_refused(b::from_amz_date(text), text);
  }
}

TEST(AmzDateTest, RefusesYearsTheClockCannotHold) {
  for (std::string_view text : {"00000101T000000Z", "16770101T000000Z", "22630101T000000Z", "99991231T235959Z"}) {
    const Result<WallTime> time = b::from_amz_date(text);
    expect_refused(time, text);
    EXPECT_THAT(time.error().message, HasSubstr("2261"));
  }
}

TEST(HttpDateTest, RefusesOtherForms) {
  for (std::string_view text :
       {""sv, "Mon, 30 Nov 2026 10:28:32"sv, "Mon, 30 Nov 2026 10:28:32 UTC"sv, "Mon, 30 Nov 2026 10:28:32 GMT "sv,
        "mon, 30 Nov 2026 10:28:32 GMT"sv, "Mon, 30 nov 2026 10:28:32 GMT"sv, "Moo, 30 Nov 2026 10:28:32 GMT"sv,
        "Mon, 30 Nev 2026 10:28:32 GMT"sv, "Mon, 3 Nov 2026 10:28:32 GMT"sv, "Mon 30 Nov 2026 10:28:32 GMT"sv,
        "Monday, 30-Nov-26 10:28:32 GMT"sv, "Mon Nov 30 10:28:32 2026"sv, "Mon, 30 Nov 2026 10:28:3\0 GMT"sv,
        "Mon, 30 Nov 26 10:28:32 GMT"sv}) {
    expect_refused(b::from_http_date(text), text);
  }
}

TEST(HttpDateTest, RefusesDatesThatAreNotInTheCalendar) {
  for (std::string_view text :
       {"Mon, 31 Nov 2026 10:28:32 GMT", "Mon, 00 Nov 2026 10:28:32 GMT", "Sun, 29 Feb 2026 10:28:32 GMT",
        "Mon, 30 Nov 2026 24:00:00 GMT", "Mon, 30 Nov 9999 10:28:32 GMT"}) {
    expect_refused(b::from_http_date(text), text);
  }
}

TEST(HttpDateTest, LeapSecondIsTheSecondAfterIt) {
  EXPECT_EQ(b::from_http_date("Sat, 31 Dec 2016 23:59:60 GMT").value(),
            b::from_http_date("Sun, 01 Jan 2017 00:00:00 GMT").value());
}

struct IsoCase {
  std::string_view text;
  std::int64_t unix_seconds;
  std::chrono::nanoseconds fraction;
};

constexpr IsoCase kIsoTimes[] = {
    {"2026-11-30T10:28:32Z", 1796034512, 0ns},
    {"2026-11-30t10:28:32z", 1796034512, 0ns},
    {"2026-11-30 10:28:32Z", 1796034512, 0ns},
    {"2026-11-30T10:28:32.5Z", 1796034512, 500ms},
    {"2026-11-30T10:28:32.000Z", 1796034512, 0ns},
    {"2026-11-30T10:28:32.123456789Z", 1796034512, 123456789ns},
    {"2026-11-30T10:28:32.1234567899999999999999999999999Z", 1796034512, 123456789ns},
    {"2026-11-30T11:28:32+01:00", 1796034512, 0ns},
    {"2026-11-30T04:58:32-05:30", 1796034512, 0ns},
    {"2026-11-30T10:28:32-00:00", 1796034512, 0ns},
    {"2026-12-01T10:27:32+23:59", 1796034512, 0ns},
    {"2024-02-29T00:30:00.25+01:00", 1709163000, 250ms},
    {"1969-12-31T23:59:59.75Z", -1, 750ms},
};

TEST(Iso8601Test, ReadsFractionsAndOffsets) {
  for (const auto& [text, unix_seconds, fraction] : kIsoTimes) {
    const Result<WallTime> time = b::from_iso8601(text);
    ASSERT_TRUE(time.ok()) << text;
    EXPECT_EQ(*time, at(unix_seconds) + fraction) << text;
  }
}

TEST(Iso8601Test, RefusesOtherForms) {
  for (std::string_view text : {""sv,
                                "2026-11-30"sv,
                                "2026-11-30T10:28Z"sv,
                                "2026-11-30T10:28:32"sv,
                                "2026-11-30T10:28:32.Z"sv,
                                "2026-11-30T10:28:32,5Z"sv,
                                "2026-11-30T10:28:32+01"sv,
                                "2026-11-30T10:28:32+0100"sv,
                                "2026-11-30T10:28:32+24:00"sv,
                                "2026-11-30T10:28:32+01:60"sv,
                                "2026-11-30T10:28:32ZZ"sv,
                                "2026-11-30T10:28:32Z+01:00"sv,
                                "20261130T102832Z"sv,
                                "-026-11-30T10:28:32Z"sv,
                                "2026-1-30T10:28:32Z"sv,
                                "2026-11-30T10:28:32Z\0"sv,
                                "2026-11-30\0T10:28:32Z"sv,
                                "12026-11-30T10:28:32Z"sv,
                                "2026-13-30T10:28:32Z"sv,
                                "2026-02-29T10:28:32Z"sv,
                                "2026-11-30T24:00:00Z"sv}) {
    expect_refused(b::from_iso8601(text), text);
  }
}

TEST(Iso8601Test, LimitsHoldWithFractionAndOffset) {
  EXPECT_TRUE(b::from_iso8601("2262-04-11T23:47:15.999999999Z").ok());
  EXPECT_TRUE(b::from_iso8601("1677-09-21T00:12:44Z").ok());
  for (std::string_view text : {"2262-04-11T23:47:16.999999999Z", "2262-04-11T23:47:15-00:01", "2262-04-11T23:47:17Z",
                                "1677-09-21T00:12:43.999Z", "1677-09-21T00:12:44+00:01", "0000-01-01T00:00:00+23:59",
                                "9999-12-31T23:59:59.999999999-23:59"}) {
    expect_refused(b::from_iso8601(text), text);
  }
}

TEST(Iso8601Test, SurvivesAFractionOfAnyLength) {
  EXPECT_EQ(b::from_iso8601("1970-01-01T00:00:00." + std::string(100'000, '9') + "Z").value(), at(0) + 999'999'999ns);
}

}  // namespace
}  // namespace dray
