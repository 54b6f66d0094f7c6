// Request and response heads (RFC 9112): parsing, writing, and what they say about the body. Pure.
//
// The parser is strict where tolerance lets two parties read one message differently (bare LF, folded lines, space
// before the colon, two lengths): such a head is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dray/result.h"
#include "http/headers.h"

namespace dray::http {

constexpr std::size_t kMaxHeadBytes = 64 * 1024;
constexpr std::size_t kMaxFields = 256;

struct RequestHead {
  std::string method;
  std::string target;  ///< as sent: "/bucket/key?query"
  Headers headers;
  bool http10 = false;

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  std::string_view query() const;
};

struct ResponseHead {
  int status = 0;
  std::string reason;
  Headers headers;
  bool http10 = false;
};

/// `text` ends with the empty line ("\r\n\r\n"). ErrorKind::protocol names what is wrong.
Result<RequestHead> parse_request_head(std::string_view text);
Result<ResponseHead> parse_response_head(std::string_view text);

/// One field line without its line break; the views point into it. For trailers too.
Result<Headers::Field> parse_field(std::string_view line);

void append_head(std::string& to, const RequestHead& head);
void append_head(std::string& to, const ResponseHead& head);
/// The standard phrase of a status ("Not Found"), "Unknown" for others.
std::string_view reason_of(int status);

/// How the end of a body is found (RFC 9112 section 6.3).
struct Framing {
  enum class Kind { none, length, chunked, until_close };
  Kind kind = Kind::none;
  std::uint64_t length = 0;
  friend bool operator==(const Framing&, const Framing&) = default;
};
/// Refuses both Content-Length and Transfer-Encoding, unequal lengths, codings other than chunked, and any coding in
/// HTTP/1.0 (RFC 9112 section 6.1: its sender cannot mean it).
Result<Framing> framing_of(const RequestHead& head);
/// `method` is that of the request answered: HEAD has no body.
Result<Framing> framing_of(const ResponseHead& head, std::string_view method);
/// Whether the sender means to keep the connection.
bool keeps_alive(const Headers& headers, bool http10);

}  // namespace dray::http
