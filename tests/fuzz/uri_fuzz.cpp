// URI encoding, queries and endpoint URLs over any text: what was encoded decodes to itself, what was read and written
// again stays the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/uri.h"

namespace {

using namespace dray::base;

void check(bool promise) {
  if (!promise) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (Slash slash : {Slash::keep, Slash::encode}) {
    const std::string encoded = uri_encode(text, slash);
    check(uri_decode(encoded).value() == text);
    check(uri_decode(encoded, true).value() == text);
    check(encoded.find_first_of(std::string_view(" \r\n?#&=+\0", 9)) == encoded.npos);
  }
  (void)uri_decode(text);

  if (const dray::Result<Query> query = parse_query(text)) {
    const std::string canonical = canonical_query(*query);
    check(canonical_query(parse_query(canonical).value()) == canonical);
  }

  if (const dray::Result<Url> url = parse_url(text)) {
    check(url->scheme == "http" || url->scheme == "https");
    check(!url->host.empty() && url->port >= 0 && url->port <= 65535);
    check(url->path.empty() || url->path.front() == '/');
    const std::string again = url->scheme + "://" + url->authority() + url->path;
    const Url same = parse_url(again).value();
    check(same.host == url->host && same.effective_port() == url->effective_port() && same.path == url->path);
    check(again.find_first_of(std::string_view(" \r\n?#\0", 6)) == again.npos);
    check(url->authority().find('@') == std::string::npos);  // no user name; in a path it is a character like others
  } else {
    check(url.error().kind == dray::ErrorKind::invalid_argument);
    check(url.error().message.find_first_of("\r\n\x1b") == url.error().message.npos);
  }
  return 0;
}
