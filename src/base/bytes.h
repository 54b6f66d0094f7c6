// Bytes: spans of raw memory, and their text forms. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dray/result.h"

namespace dray {

/// Borrowed bytes. Whoever passes one keeps the memory alive until the call returns.
using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

inline Bytes as_bytes(std::string_view text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }
inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

namespace base {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB, kTiB = 1024 * kGiB;

std::string to_hex(Bytes bytes);  ///< lower case
/// 0 to 15 for a hex digit of either case, -1 for any other character.
int hex_value(char c);
/// Fails on an odd length and on a character that is not a hex digit.
Result<std::string> from_hex(std::string_view text);
std::string to_base64(Bytes bytes);  ///< standard alphabet, padded (RFC 4648 section 4)
/// Strict: padding is required; white space and left-over bits that are not zero are refused.
Result<std::string> from_base64(std::string_view text);

/// ASCII only, whatever the locale.
char to_lower(char c);
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);
/// Without leading and trailing spaces and tabs.
std::string_view trim(std::string_view text);
/// A whole decimal number without sign, space or overflow; else an error.
Result<std::uint64_t> parse_u64(std::string_view text);
bool is_utf8(std::string_view text);
/// For messages and logs: control characters become \n, \t, \x1b ..., so that a name cannot forge a line.
/// So do bytes that are not UTF-8 (\xff) and characters that break the line or turn its direction (\u2028, \u202e).
/// All else stays as it is, the backslash too.
std::string printable(std::string_view text);
/// printable() in quotes, cut after 80 bytes: for error messages about what was typed. Never for secrets.
std::string in_quotes(std::string_view text);

}  // namespace base
}  // namespace dray
