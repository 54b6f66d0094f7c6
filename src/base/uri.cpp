#include "base/uri.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace dray::base {
namespace {

constexpr bool is_unreserved(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

using CharacterSet = std::array<bool, 256>;

constexpr CharacterSet unreserved_and(std::string_view others) {
  CharacterSet set{};
  for (unsigned c = 0; c < 256; ++c) set[c] = is_unreserved(static_cast<unsigned char>(c));
  for (char c : others) set[static_cast<unsigned char>(c)] = true;
  return set;
}

constexpr CharacterSet kUnreserved = unreserved_and("");
constexpr CharacterSet kUnreservedAndSlash = unreserved_and("/");

Error invalid(std::string message) { return make_error(ErrorKind::invalid_argument, std::move(message)); }

Result<void> check_host_name(std::string_view host) {
  // Letters, digits, "-", "_" (not in DNS, but in the names of containers) and "."; other alphabets come as "xn--".
  if (host.empty()) return invalid("the URL has no host");
  if (host.size() > 253) return invalid(fmt::format("the host {} of the URL is too long", in_quotes(host)));
  const auto allowed = [](char c) { return c != '~' && kUnreserved[static_cast<unsigned char>(c)]; };
  if (!std::all_of(host.begin(), host.end(), allowed)) {
    return invalid(fmt::format("the host {} of the URL has a character that host names do not have", in_quotes(host)));
  }
  if (host.starts_with('.') || host.find("..") != std::string_view::npos) {
    return invalid(fmt::format("the host {} of the URL has an empty label", in_quotes(host)));
  }
  return {};
}

Result<void> check_ipv6(const std::string& host) {
  in6_addr ignored;
  // The size is compared because inet_pton would stop at an embedded NUL and believe what stands before it.
  if (host.find('\0') != std::string::npos || inet_pton(AF_INET6, host.c_str(), &ignored) != 1) {
    return invalid(fmt::format("{} in the URL is not an IPv6 address", in_quotes(host)));
  }
  return {};
}

// The path is sent as it stands, so nothing may be in it that would end or split a request line.
Result<void> check_path(std::string_view path) {
  const auto visible = [](char c) { return c > ' ' && c < 0x7f; };
  if (!std::all_of(path.begin(), path.end(), visible)) {
    return invalid(fmt::format("the path {} of the URL has a space, a control character or a non-ASCII byte",
                               in_quotes(path)))
        .advise("write it percent-encoded");
  }
  if (Result<std::string> decoded = uri_decode(path); !decoded) {
    return std::move(decoded).error().within(fmt::format("the path {} of the URL", in_quotes(path)));
  }
  return {};
}

// Not shown in messages: in "http://user:secret/@host" it would be the password's beginning.
Result<int> parse_port(std::string_view text) {
  if (text.empty()) return invalid("the URL has a ':' without a port after the host");
  const Result<std::uint64_t> port = parse_u64(text);
  if (!port || *port < 1 || *port > 65535) {
    return invalid("the port of the URL is not a number from 1 to 65535");
  }
  return static_cast<int>(*port);
}

// Text before "@" may be a password and text after "?" a signature, so the URL is only shown when it has neither.
Error no_scheme(std::string_view text) {
  constexpr std::string_view kAdvice = "begin it with https:// or http://";
  if (text.find_first_of("@?#") != std::string_view::npos) return invalid("the URL has no scheme").advise(kAdvice);
  return invalid(fmt::format("the URL {} has no scheme", in_quotes(text))).advise(kAdvice);
}

}  // namespace

void append_uri_encoded(std::string& to, std::string_view text, Slash slash) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const CharacterSet& plain = slash == Slash::keep ? kUnreservedAndSlash : kUnreserved;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    const char* run = next;
    while (next != end && plain[static_cast<unsigned char>(*next)]) ++next;
    to.append(run, next);
    for (; next != end && !plain[static_cast<unsigned char>(*next)]; ++next) {
      const auto c = static_cast<unsigned char>(*next);
      const char escape[3] = {'%', kDigits[c >> 4], kDigits[c & 15]};
      to.append(escape, sizeof escape);
    }
  }
}

std::string uri_encode(std::string_view text, Slash slash) {
  std::string encoded;
  encoded.reserve(text.size() + text.size() / 4);  // most keys have few characters that grow
  append_uri_encoded(encoded, text, slash);
  return encoded;
}

Result<std::string> uri_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return invalid(fmt::format("the '%' at character {} is not followed by two hex digits", i + 1));
      }
      decoded += static_cast<char>(high << 4 | low);
      i += 2;
    } else {
      decoded += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return decoded;
}

Result<Query> parse_query(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const std::string_view parameter = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), parameter.size() + 1));
    if (parameter.empty()) continue;
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const std::string_view value = parameter.substr(std::min(parameter.size(), name.size() + 1));
    std::string decoded_name = DRAY_TRY(uri_decode(name, true));
    std::string decoded_value = DRAY_TRY(uri_decode(value, true));
    query.emplace_back(std::move(decoded_name), std::move(decoded_value));
  }
  return query;
}

std::string canonical_query(const Query& query) {
  Query encoded;
  encoded.reserve(query.size());
  for (const auto& [name, value] : query) {
    encoded.emplace_back(uri_encode(name, Slash::encode), uri_encode(value, Slash::encode));
  }
  std::sort(encoded.begin(), encoded.end());
  std::string text;
  for (const auto& [name, value] : encoded) {
    if (!text.empty()) text += '&';
    text.append(name).append("=").append(value);
  }
  return text;
}

std::string Url::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  std::string text = is_ipv6 ? fmt::format("[{}]", host) : host;
  const int scheme_port = scheme == "https" ? 443 : 80;
  if (effective_port() != scheme_port) text += fmt::format(":{}", port);
  return text;
}

Result<Url> parse_url(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return no_scheme(text);
  Url url;
  url.scheme = to_lower(text.substr(0, scheme_end));
  if (url.scheme != "http" && url.scheme != "https") {
    return invalid(fmt::format("the URL's scheme {} is neither http nor https", in_quotes(url.scheme)));
  }
  std::string_view rest = text.substr(scheme_end + 3);
  std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos) {
    return invalid("the URL has a user name or password before its host").advise("remove what stands before the '@'");
  }
  if (rest.find('?') != std::string_view::npos)
    return invalid("the URL has a query").advise("remove the '?' and what follows");
  if (rest.find('#') != std::string_view::npos) {
    return invalid("the URL has a fragment").advise("remove the '#' and what follows");
  }

  std::size_t host_end;
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return invalid("the URL has a '[' without a ']'");
    url.host = to_lower(authority.substr(1, bracket - 1));
    DRAY_TRY(check_ipv6(url.host));
    host_end = bracket + 1;
  } else {
    host_end = std::min(authority.find(':'), authority.size());
    if (authority.find(':', host_end + 1) != std::string_view::npos && host_end != authority.size()) {
      return invalid("the URL has more than one ':' in its host and port")
          .advise("write an IPv6 address in brackets, as in http://[::1]:9000");
    }
    url.host = to_lower(authority.substr(0, host_end));
    DRAY_TRY(check_host_name(url.host));
  }
  const std::string_view after_host = authority.substr(host_end);
  if (after_host.starts_with(':')) {
    url.port = DRAY_TRY(parse_port(after_host.substr(1)));
  } else if (!after_host.empty()) {
    return invalid(fmt::format("the URL has {} after its host", in_quotes(after_host)));
  }
  DRAY_TRY(check_path(rest));
  if (rest != "/") url.path = rest;
  return url;
}

}  // namespace dray::base
