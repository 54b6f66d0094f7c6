// Sizes, rates and durations as people type and read them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "dray/result.h"

namespace dray::base {

/// "1234", "8M", "8MiB", "1.5G": bytes. K, M, G, T, P with or without "iB" or "B" are powers of 1024, case ignored;
/// one space before the unit is allowed. What is less than a byte is dropped ("0.1K" is 102).
/// Refused: negative, empty, more than 2^63-1, unknown suffix.
Result<std::uint64_t> parse_size(std::string_view text);
/// "30s", "5m", "1h", "2d", "250ms"; a bare number is seconds.
Result<Duration> parse_duration(std::string_view text);
/// "8.0 MiB", "512 B": for people.
std::string format_size(std::uint64_t bytes);
/// "1.2 GiB/s".
std::string format_rate(double bytes_per_second);
/// "1:02:03", "0:07".
std::string format_duration(Duration duration);

}  // namespace dray::base
