#include "http/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/bytes.h"

namespace dray::http {
namespace {

Error bad(std::string what) { return make_error(ErrorKind::protocol, "malformed HTTP head: " + std::move(what)); }

bool is_token_char(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool is_token(std::string_view text) {
  for (char c : text) {
    if (!is_token_char(c)) return false;
  }
  return !text.empty();
}
bool is_field_text(std::string_view text) {
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\t') || u == 0x7f) return false;
  }
  return true;
}

/// Takes the next line off `text`, without its CRLF. A lone CR or LF anywhere in it is refused.
Result<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return bad("no end of line");
  const std::string_view line = text.substr(0, end);
  if (line.find_first_of("\r\n") != std::string_view::npos) return bad("a lone line break");
  text.remove_prefix(end + 2);
  return line;
}

Result<Headers> parse_fields(std::string_view text) {
  Headers headers;
  for (;;) {
    const std::string_view line = DRAY_TRY(take_line(text));
    if (line.empty()) break;
    if (headers.size() == kMaxFields) return bad("too many fields");
    const Headers::Field field = DRAY_TRY(parse_field(line));
    headers.add(field.name, field.value);
  }
  if (!text.empty()) return bad("text after the empty line");
  return headers;
}

/// "HTTP/1.1" or "HTTP/1.0"; whether it is 1.0.
Result<bool> parse_version(std::string_view text) {
  if (text == "HTTP/1.1") return false;
  if (text == "HTTP/1.0") return true;
  return bad("not HTTP/1.1");
}

/// Equal lengths that were repeated count as one (RFC 9112 section 6.3 lets us).
Result<std::optional<std::uint64_t>> content_length(const Headers& headers) {
  std::optional<std::uint64_t> length;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Headers::Field field = headers.at(i);
    if (field.name != "content-length") continue;
    Result<std::uint64_t> value = base::parse_u64(field.value);
    if (!value || *value > (std::uint64_t{1} << 62)) return bad("Content-Length is not a number");
    if (length && *length != *value) return bad("two different Content-Length fields");
    length = *value;
  }
  return length;
}

Result<bool> is_chunked(const Headers& headers, bool http10) {
  const std::size_t count = headers.count("transfer-encoding");
  if (count == 0) return false;
  if (http10) return bad("Transfer-Encoding in HTTP/1.0");
  if (count > 1 || !base::equals_ignoring_case(headers.get("transfer-encoding"), "chunked")) {
    return bad("Transfer-Encoding is not \"chunked\"");
  }
  return true;
}

/// Connection is a list, and may come in several fields ("TE, close").
bool has_connection_option(const Headers& headers, std::string_view option) {
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (headers.at(i).name != "connection") continue;
    std::string_view rest = headers.at(i).value;
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(','));
      if (base::equals_ignoring_case(base::trim(item), option)) return true;
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    }
  }
  return false;
}

void append_fields(std::string& to, const Headers& headers) {
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Headers::Field field = headers.at(i);
    to.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  to.append("\r\n");
}

}  // namespace

std::string_view RequestHead::query() const {
  const std::size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view{} : std::string_view(target).substr(mark + 1);
}

Result<Headers::Field> parse_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return bad("a field without colon");
  const Headers::Field field{.name = line.substr(0, colon), .value = base::trim(line.substr(colon + 1))};
  if (!is_token(field.name)) return bad("a field name with forbidden characters");
  if (!is_field_text(field.value)) return bad("a field value with control characters");
  return field;
}

Result<RequestHead> parse_request_head(std::string_view text) {
  const std::string_view line = DRAY_TRY(take_line(text));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return bad("the request line has no three parts");
  RequestHead head;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  head.http10 = DRAY_TRY(parse_version(line.substr(last + 1)));
  if (!is_token(head.method)) return bad("the method has forbidden characters");
  if (head.target.empty() || (head.target[0] != '/' && head.target != "*")) return bad("the target is no path");
  for (char c : head.target) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) return bad("the target has forbidden characters");
  }
  head.headers = DRAY_TRY(parse_fields(text));
  return head;
}

Result<ResponseHead> parse_response_head(std::string_view text) {
  const std::string_view line = DRAY_TRY(take_line(text));
  ResponseHead head;
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return bad("the status line has no status");
  head.http10 = DRAY_TRY(parse_version(line.substr(0, space)));
  const std::string_view status = line.substr(space + 1, 3);
  if (status.size() != 3 || status[0] < '1' || status[0] > '9') return bad("the status is no three-digit number");
  for (char c : status) {
    if (c < '0' || c > '9') return bad("the status is no three-digit number");
    head.status = head.status * 10 + (c - '0');
  }
  const std::string_view rest = line.substr(space + 4);
  if (!rest.empty() && rest[0] != ' ') return bad("the status is no three-digit number");
  if (!is_field_text(rest)) return bad("the reason has control characters");
  head.reason = base::trim(rest);
  head.headers = DRAY_TRY(parse_fields(text));
  return head;
}

void append_head(std::string& to, const RequestHead& head) {
  to.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n");
  append_fields(to, head.headers);
}

void append_head(std::string& to, const ResponseHead& head) {
  fmt::format_to(std::back_inserter(to), "HTTP/1.1 {} {}\r\n", head.status,
                 head.reason.empty() ? reason_of(head.status) : head.reason);
  append_fields(to, head.headers);
}

Result<Framing> framing_of(const RequestHead& head) {
  const std::optional<std::uint64_t> length = DRAY_TRY(content_length(head.headers));
  const bool chunked = DRAY_TRY(is_chunked(head.headers, head.http10));
  if (length && chunked) return bad("both Content-Length and Transfer-Encoding");
  if (chunked) return Framing{.kind = Framing::Kind::chunked};
  if (length && *length > 0) return Framing{.kind = Framing::Kind::length, .length = *length};
  return Framing{};
}

Result<Framing> framing_of(const ResponseHead& head, std::string_view method) {
  if (method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304) return Framing{};
  const std::optional<std::uint64_t> length = DRAY_TRY(content_length(head.headers));
  if (DRAY_TRY(is_chunked(head.headers, head.http10))) {
    if (length) return bad("both Content-Length and Transfer-Encoding");
    return Framing{.kind = Framing::Kind::chunked};
  }
  if (!length) return Framing{.kind = Framing::Kind::until_close};
  return *length == 0 ? Framing{} : Framing{.kind = Framing::Kind::length, .length = *length};
}

bool keeps_alive(const Headers& headers, bool http10) {
  if (has_connection_option(headers, "close")) return false;
  return !http10 || has_connection_option(headers, "keep-alive");
}

std::string_view reason_of(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

}  // namespace dray::http
