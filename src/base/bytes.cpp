#include "base/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace dray::base {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> values_of(std::string_view digits) {
  std::array<std::int8_t, 256> values{};
  for (std::int8_t& value : values) value = -1;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    values[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}

constexpr auto kBase64Values = values_of(kBase64Digits);

int base64_value(char c) { return kBase64Values[static_cast<unsigned char>(c)]; }

// What is decoded may be a key or a password, so errors give places and never the text.
Error bad_base64(std::string_view why) {
  return make_error(ErrorKind::invalid_argument, fmt::format("the text is not base64: {}", why));
}

struct CodePoint {
  char32_t value;
  std::size_t length;  // in bytes; 0 = not UTF-8
};

// The code point that `text` (not empty) begins with. Over-long forms, surrogates and values past U+10FFFF are refused
// (RFC 3629 section 3).
CodePoint first_code_point(std::string_view text) {
  constexpr CodePoint kInvalid{0, 0};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  std::size_t length;
  char32_t value, smallest;
  if ((lead & 0xe0) == 0xc0) {
    length = 2, value = lead & 0x1f, smallest = 0x80;
  } else if ((lead & 0xf0) == 0xe0) {
    length = 3, value = lead & 0x0f, smallest = 0x800;
  } else if ((lead & 0xf8) == 0xf0) {
    length = 4, value = lead & 0x07, smallest = 0x10000;
  } else {
    return kInvalid;
  }
  if (text.size() < length) return kInvalid;
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return kInvalid;
    value = value << 6 | (next & 0x3f);
  }
  if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return kInvalid;
  return {value, length};
}

// Characters that move the cursor, break the line or turn the direction of what follows: with these a file name could
// write itself over, or below, the message that quotes it.
bool forges_text(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) ||                        // C0, DEL, C1
         c == 0x2028 || c == 0x2029 ||                                  // line and paragraph separators
         c == 0x061c || c == 0x200e || c == 0x200f ||                   // direction marks
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);  // embeddings, overrides, isolates
}

void append_escaped(std::string& to, char32_t c) {
  switch (c) {
    case '\n':
      to += "\\n";
      break;
    case '\r':
      to += "\\r";
      break;
    case '\t':
      to += "\\t";
      break;
    default:
      to += c < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
                     : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

std::string to_hex(Bytes bytes) {
  std::string text(bytes.size() * 2, '\0');
  char* out = text.data();
  for (std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    *out++ = kHexDigits[value >> 4];
    *out++ = kHexDigits[value & 15];
  }
  return text;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

Result<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) {
    return make_error(ErrorKind::invalid_argument,
                      fmt::format("the text is not hexadecimal: {} digits are not whole bytes", text.size()));
  }
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]), low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) {
      return make_error(
          ErrorKind::invalid_argument,
          fmt::format("the text is not hexadecimal: character {} is no hex digit", i + (high < 0 ? 1 : 2)));
    }
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::string to_base64(Bytes bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  for (; bytes.size() >= 3; bytes = bytes.subspan(3)) {
    const unsigned group = std::to_integer<unsigned>(bytes[0]) << 16 | std::to_integer<unsigned>(bytes[1]) << 8 |
                           std::to_integer<unsigned>(bytes[2]);
    for (int shift : {18, 12, 6, 0}) *out++ = kBase64Digits[group >> shift & 63];
  }
  if (bytes.empty()) return text;
  unsigned group = std::to_integer<unsigned>(bytes[0]) << 16;
  if (bytes.size() == 2) group |= std::to_integer<unsigned>(bytes[1]) << 8;
  *out++ = kBase64Digits[group >> 18];
  *out++ = kBase64Digits[group >> 12 & 63];
  if (bytes.size() == 2) *out++ = kBase64Digits[group >> 6 & 63];
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return bad_base64(fmt::format("its length {} is not a multiple of 4", text.size()));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::string_view digits = text.substr(0, text.size() - padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  unsigned group = 0;
  int bits = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int value = base64_value(digits[i]);
    if (value < 0) return bad_base64(fmt::format("character {} is not of the alphabet", i + 1));
    group = group << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 0xff);
    }
  }
  // Left-over bits that are not zero would give one value two spellings (RFC 4648 section 3.5).
  if ((group & ((1u << bits) - 1)) != 0) return bad_base64("the last character has bits that belong to no byte");
  return bytes;
}

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = to_lower(c);
  return lower;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<std::uint64_t> parse_u64(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status == std::errc::result_out_of_range) {
    return make_error(ErrorKind::invalid_argument, fmt::format("the number {} is too large", in_quotes(text)));
  }
  if (status != std::errc() || stop != end) {
    return make_error(ErrorKind::invalid_argument, fmt::format("{} is not a whole number", in_quotes(text)));
  }
  return value;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_code_point(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    if (next.length == 0) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (forges_text(next.value)) {
      append_escaped(shown, next.value);
    } else {
      shown.append(text, 0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  if (text.size() <= kLongest) return fmt::format("'{}'", printable(text));
  return fmt::format("'{}...' ({} bytes)", printable(text.substr(0, kLongest)), text.size());
}

}  // namespace dray::base
