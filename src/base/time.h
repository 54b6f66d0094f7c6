// Time: absolute deadlines on the steady clock, and the wall clock's text forms in HTTP and S3.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "dray/result.h"

namespace dray {

using SteadyTime = std::chrono::steady_clock::time_point;
using Duration = std::chrono::nanoseconds;
using WallTime = std::chrono::system_clock::time_point;

/// An absolute point on the steady clock until which a wait may last; "never" by default. Passed by value to every
/// wait. Never relative: a call that waits three times must not wait three times as long.
class Deadline {
 public:
  constexpr Deadline() = default;
  constexpr explicit Deadline(SteadyTime when) : when_(when) {}
  static constexpr Deadline never() { return {}; }
  /// Saturates: a duration too long to add is "never"; a negative one has already passed.
  static Deadline after(Duration duration);

  constexpr bool is_never() const { return when_ == SteadyTime::max(); }
  constexpr SteadyTime when() const { return when_; }
  bool passed() const { return !is_never() && std::chrono::steady_clock::now() >= when_; }
  /// The earlier of two: min(the caller's, one's own).
  friend constexpr Deadline earlier(Deadline a, Deadline b) { return a.when_ <= b.when_ ? a : b; }
  friend constexpr auto operator<=>(Deadline, Deadline) = default;

 private:
  SteadyTime when_ = SteadyTime::max();
};

namespace base {

/// "20261130T102832Z", as SigV4 wants it (UTC, seconds).
std::string to_amz_date(WallTime time);
Result<WallTime> from_amz_date(std::string_view text);
/// "Mon, 30 Nov 2026 10:28:32 GMT" (RFC 9110 section 5.6.7, IMF-fixdate).
std::string to_http_date(WallTime time);
Result<WallTime> from_http_date(std::string_view text);
/// "2026-11-30T10:28:32.000Z", as S3 writes times in XML (milliseconds).
std::string to_iso8601(WallTime time);
/// RFC 3339 with "Z" or an offset, with or without a fraction.
Result<WallTime> from_iso8601(std::string_view text);

}  // namespace base
}  // namespace dray
