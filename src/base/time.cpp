#include "base/time.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/bytes.h"

namespace dray {

Deadline Deadline::after(Duration duration) {
  const SteadyTime now = std::chrono::steady_clock::now();  // since the start of the machine: never negative
  if (duration > SteadyTime::max() - now) return never();
  return Deadline(now + duration);
}

namespace base {
namespace {

using std::chrono::seconds;

// Nanoseconds in 64 bits reach from 1677 to 2262, so that a year always has four digits.
static_assert(std::is_same_v<WallTime::period, std::nano> && sizeof(WallTime::rep) == 8);

constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// A moment taken apart, in UTC. The calendar of <chrono> is arithmetic only: no locale, no time zone file, no lock.
struct Civil {
  int year = 0;
  unsigned month = 0, day = 0;
  unsigned hour = 0, minute = 0, second = 0;
  std::int64_t nanosecond = 0;
  unsigned weekday = 0;  // 0 = Sunday
};

Civil civil_from(WallTime time) {
  // By way of seconds: the midnight before WallTime::min() has no count of nanoseconds.
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  const auto second = std::chrono::floor<seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const auto second_of_day = static_cast<unsigned>((second - day).count());
  const std::int64_t remainder = time.time_since_epoch().count() % kPerSecond;
  return {.year = int(date.year()),
          .month = unsigned(date.month()),
          .day = unsigned(date.day()),
          .hour = second_of_day / 3600,
          .minute = second_of_day / 60 % 60,
          .second = second_of_day % 60,
          .nanosecond = remainder < 0 ? remainder + kPerSecond : remainder,
          .weekday = std::chrono::weekday(day).c_encoding()};
}

// Nothing for a date that is not in the calendar or not in the clock's range. A leap second (60) counts as the second
// after it. `offset` is how far the written time is ahead of UTC.
std::optional<WallTime> wall_from(const Civil& civil, seconds offset = {}) {
  const std::chrono::year_month_day date{std::chrono::year(civil.year), std::chrono::month(civil.month),
                                         std::chrono::day(civil.day)};
  if (!date.ok() || civil.hour > 23 || civil.minute > 59 || civil.second > 60) return std::nullopt;
  const seconds whole = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(civil.hour) +
                        std::chrono::minutes(civil.minute) + seconds(civil.second) - offset;
  // One second inside the limits, so that the fraction cannot overflow either.
  constexpr seconds kFirst = std::chrono::ceil<seconds>(WallTime::min().time_since_epoch());
  constexpr seconds kLast = std::chrono::floor<seconds>(WallTime::max().time_since_epoch()) - seconds(1);
  if (whole < kFirst || whole > kLast) return std::nullopt;
  return WallTime(whole + std::chrono::nanoseconds(civil.nanosecond));
}

// Appends with a fixed number of digits: much quicker than a format string, and SigV4 dates each request.
void append_digits(std::string& to, unsigned value, std::size_t count) {
  to.resize(to.size() + count);
  for (char* out = to.data() + to.size(); count > 0; --count, value /= 10) *--out = static_cast<char>('0' + value % 10);
}

void append_time(std::string& to, const Civil& civil, std::string_view separator) {
  append_digits(to, civil.hour, 2);
  to += separator;
  append_digits(to, civil.minute, 2);
  to += separator;
  append_digits(to, civil.second, 2);
}

// Reads a text of fixed shape from left to right. The first mismatch fails it for good; asked once, at the end.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  unsigned digits(std::size_t count) {
    unsigned value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value * 10 + digit();
    return value;
  }
  unsigned digit() {
    if (!at_digit()) return fail();
    const auto value = static_cast<unsigned>(rest_[0] - '0');
    rest_.remove_prefix(1);
    return value;
  }
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  /// Takes one character if it is among `choices`.
  bool accept(std::string_view choices) {
    if (rest_.empty() || choices.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view text) {
    if (!rest_.starts_with(text)) return static_cast<void>(fail());
    rest_.remove_prefix(text.size());
  }
  void expect_one_of(std::string_view choices) {
    if (!accept(choices)) fail();
  }
  template <std::size_t N>
  unsigned name(const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i) {
      if (!rest_.starts_with(names[i])) continue;
      rest_.remove_prefix(names[i].size());
      return static_cast<unsigned>(i);
    }
    return fail();
  }
  unsigned fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }
  bool matched() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

Result<WallTime> finish(std::string_view text, std::string_view form, const Scanner& scan, const Civil& civil,
                        seconds offset = {}) {
  if (!scan.matched()) {
    return make_error(ErrorKind::invalid_argument,
                      fmt::format("{} is not a time of the form {}", in_quotes(text), form));
  }
  if (std::optional<WallTime> time = wall_from(civil, offset)) return *time;
  return make_error(ErrorKind::invalid_argument,
                    fmt::format("the time {} is not in the calendar, or not between 1678 and 2261", in_quotes(text)));
}

}  // namespace

std::string to_amz_date(WallTime time) {
  const Civil civil = civil_from(time);
  std::string text;
  text.reserve(16);
  append_digits(text, static_cast<unsigned>(civil.year), 4);
  append_digits(text, civil.month, 2);
  append_digits(text, civil.day, 2);
  text += 'T';
  append_time(text, civil, "");
  text += 'Z';
  return text;
}

Result<WallTime> from_amz_date(std::string_view text) {
  Scanner scan(text);
  Civil civil;
  civil.year = static_cast<int>(scan.digits(4));
  civil.month = scan.digits(2);
  civil.day = scan.digits(2);
  scan.expect("T");
  civil.hour = scan.digits(2);
  civil.minute = scan.digits(2);
  civil.second = scan.digits(2);
  scan.expect("Z");
  return finish(text, "20261130T102832Z", scan, civil);
}

std::string to_http_date(WallTime time) {
  const Civil civil = civil_from(time);
  std::string text;
  text.reserve(29);
  text.append(kWeekdays[civil.weekday]).append(", ");
  append_digits(text, civil.day, 2);
  text.append(" ").append(kMonths[civil.month - 1]).append(" ");
  append_digits(text, static_cast<unsigned>(civil.year), 4);
  text += ' ';
  append_time(text, civil, ":");
  text += " GMT";
  return text;
}

Result<WallTime> from_http_date(std::string_view text) {
  Scanner scan(text);
  Civil civil;
  scan.name(kWeekdays);  // must be one; a wrong one harms nobody
  scan.expect(", ");
  civil.day = scan.digits(2);
  scan.expect(" ");
  civil.month = scan.name(kMonths) + 1;
  scan.expect(" ");
  civil.year = static_cast<int>(scan.digits(4));
  scan.expect(" ");
  civil.hour = scan.digits(2);
  scan.expect(":");
  civil.minute = scan.digits(2);
  scan.expect(":");
  civil.second = scan.digits(2);
  scan.expect(" GMT");
  return finish(text, "Mon, 30 Nov 2026 10:28:32 GMT", scan, civil);
}

std::string to_iso8601(WallTime time) {
  const Civil civil = civil_from(time);
  std::string text;
  text.reserve(24);
  append_digits(text, static_cast<unsigned>(civil.year), 4);
  text += '-';
  append_digits(text, civil.month, 2);
  text += '-';
  append_digits(text, civil.day, 2);
  text += 'T';
  append_time(text, civil, ":");
  text += '.';
  append_digits(text, static_cast<unsigned>(civil.nanosecond / 1'000'000), 3);
  text += 'Z';
  return text;
}

Result<WallTime> from_iso8601(std::string_view text) {
  Scanner scan(text);
  Civil civil;
  civil.year = static_cast<int>(scan.digits(4));
  scan.expect("-");
  civil.month = scan.digits(2);
  scan.expect("-");
  civil.day = scan.digits(2);
  scan.expect_one_of("Tt ");
  civil.hour = scan.digits(2);
  scan.expect(":");
  civil.minute = scan.digits(2);
  scan.expect(":");
  civil.second = scan.digits(2);
  if (scan.accept(".")) {
    if (!scan.at_digit()) scan.fail();
    // Digits past the ninth are finer than the clock: read and dropped, as the last place of a digit is 0 by then.
    for (std::int64_t place = 100'000'000; scan.at_digit(); place /= 10) civil.nanosecond += place * scan.digit();
  }
  seconds offset{0};
  if (!scan.accept("Zz")) {
    const bool behind = scan.accept("-");
    if (!behind) scan.expect("+");
    const unsigned hours = scan.digits(2);
    scan.expect(":");
    const unsigned minutes = scan.digits(2);
    if (hours > 23 || minutes > 59) scan.fail();
    offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    if (behind) offset = -offset;
  }
  return finish(text, "2026-11-30T10:28:32Z or 2026-11-30T11:28:32+01:00", scan, civil, offset);
}

}  // namespace base
}  // namespace dray
