#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/bytes.h"

namespace dray::base {
namespace {

// "1.5GiB" taken apart. The whole part stays an integer: a double would lose bytes beyond 2^53.
struct Quantity {
  std::uint64_t whole = 0;
  double fraction = 0;  // in [0, 1]
  std::string_view suffix;
};

std::size_t count_digits(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

std::optional<Quantity> split(std::string_view text) {
  Quantity quantity;
  const std::size_t digits = count_digits(text);
  const Result<std::uint64_t> whole = parse_u64(text.substr(0, digits));
  if (!whole) return std::nullopt;
  quantity.whole = *whole;
  text.remove_prefix(digits);
  if (text.starts_with('.')) {
    const std::size_t decimals = count_digits(text.substr(1));
    if (decimals == 0) return std::nullopt;
    // Too small for a double is zero, which is what `fraction` already is.
    std::from_chars(text.data(), text.data() + 1 + decimals, quantity.fraction);
    text.remove_prefix(1 + decimals);
  }
  quantity.suffix = text;
  return quantity;
}

// Bytes in one `suffix`; nothing if it is unknown.
std::optional<std::uint64_t> size_unit(std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix[0] == ' ') suffix.remove_prefix(1);  // "8.0 MiB", as format_size writes it
  if (suffix.empty()) return std::nullopt;
  if (equals_ignoring_case(suffix, "B")) return 1;
  constexpr std::string_view kLetters = "kmgtp";
  const std::size_t power = kLetters.find(to_lower(suffix[0]));
  const std::string_view rest = suffix.substr(1);
  const bool known = rest.empty() || equals_ignoring_case(rest, "B") || equals_ignoring_case(rest, "iB");
  if (power == std::string_view::npos || !known) return std::nullopt;
  return std::uint64_t{1} << (10 * (power + 1));
}

// Nanoseconds in one `suffix`; nothing if it is unknown.
std::optional<std::uint64_t> duration_unit(std::string_view suffix) {
  constexpr std::uint64_t kMillisecond = 1'000'000, kSecond = 1000 * kMillisecond;
  if (suffix.empty() || suffix == "s") return kSecond;
  if (suffix == "ms") return kMillisecond;
  if (suffix == "m") return 60 * kSecond;
  if (suffix == "h") return 3600 * kSecond;
  if (suffix == "d") return 24 * 3600 * kSecond;
  return std::nullopt;
}

// whole * unit + part, or nothing if that is more than 2^63-1.
std::optional<std::uint64_t> scaled(std::uint64_t whole, std::uint64_t unit, std::uint64_t part) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (whole > kMost / unit || part > kMost - whole * unit) return std::nullopt;
  return whole * unit + part;
}

Error invalid(std::string message, std::string_view advice) {
  return make_error(ErrorKind::invalid_argument, std::move(message)).advise(advice);
}

std::string format_amount(double bytes, std::string_view after) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (!(bytes > 0)) bytes = 0;  // NaN too: a rate over no time at all
  if (bytes < 1024) return fmt::format("{:.0f} B{}", std::floor(bytes), after);
  std::size_t unit = 0;
  // 1023.95 would be rounded to "1024.0" of its unit: it belongs to the next.
  for (bytes /= 1024; bytes >= 1023.95 && unit + 1 < kUnits.size(); bytes /= 1024) ++unit;
  return fmt::format("{:.1f} {}{}", bytes, kUnits[unit], after);
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kAdvice = "write bytes, or a number and K, M, G, T or P, as in 8M or 1.5GiB";
  const std::optional<Quantity> quantity = split(text);
  const std::optional<std::uint64_t> unit = quantity ? size_unit(quantity->suffix) : std::nullopt;
  if (!unit) return invalid(fmt::format("{} is not a size", in_quotes(text)), kAdvice);
  if (*unit == 1 && quantity->fraction != 0) {
    return invalid(fmt::format("the size {} is not a whole number of bytes", in_quotes(text)), kAdvice);
  }
  // The unit is a power of two, so this product is exact; what is less than a byte is dropped.
  const auto part = static_cast<std::uint64_t>(quantity->fraction * static_cast<double>(*unit));
  const std::optional<std::uint64_t> bytes = scaled(quantity->whole, *unit, part);
  if (!bytes) return invalid(fmt::format("the size {} is more than 2^63-1 bytes", in_quotes(text)), kAdvice);
  return *bytes;
}

Result<Duration> parse_duration(std::string_view text) {
  constexpr std::string_view kAdvice = "write seconds, or a number and ms, s, m, h or d, as in 250ms or 5m";
  const std::optional<Quantity> quantity = split(text);
  const std::optional<std::uint64_t> unit = quantity ? duration_unit(quantity->suffix) : std::nullopt;
  if (!unit) return invalid(fmt::format("{} is not a duration", in_quotes(text)), kAdvice);
  const auto part = static_cast<std::uint64_t>(std::llround(quantity->fraction * static_cast<double>(*unit)));
  const std::optional<std::uint64_t> nanoseconds = scaled(quantity->whole, *unit, part);
  if (!nanoseconds) return invalid(fmt::format("the duration {} is more than 292 years", in_quotes(text)), kAdvice);
  return Duration(static_cast<std::int64_t>(*nanoseconds));
}

std::string format_size(std::uint64_t bytes) { return format_amount(static_cast<double>(bytes), ""); }

std::string format_rate(double bytes_per_second) { return format_amount(bytes_per_second, "/s"); }

std::string format_duration(Duration duration) {
  const std::int64_t seconds = std::max<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(duration).count());
  const std::int64_t hours = seconds / 3600, minutes = seconds / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, seconds % 60);
  return fmt::format("{}:{:02}", minutes, seconds % 60);
}

}  // namespace dray::base
