// Sizes and durations over any text: in their bounds or refused, and any of them can be shown.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/bytes.h"
#include "base/units.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = dray::base::parse_size(text)) {
    if (*bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) __builtin_trap();
    if (dray::base::format_size(*bytes).empty()) __builtin_trap();
    // A plain number is itself.
    if (const auto number = dray::base::parse_u64(text); number && *number != *bytes) __builtin_trap();
  } else if (bytes.error().kind != dray::ErrorKind::invalid_argument) {
    __builtin_trap();
  }
  if (const auto duration = dray::base::parse_duration(text)) {
    if (*duration < dray::Duration::zero()) __builtin_trap();
    if (dray::base::format_duration(*duration).empty()) __builtin_trap();
  } else if (duration.error().kind != dray::ErrorKind::invalid_argument) {
    __builtin_trap();
  }
  return 0;
}
