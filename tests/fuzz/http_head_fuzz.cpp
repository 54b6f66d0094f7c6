// The parsers of HTTP heads over any text: what they accept is strict, and reads back as itself once it is written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/head.h"

namespace {

using namespace dray::http;

void check(bool promise) {
  if (!promise) __builtin_trap();
}

void check_fields(const Headers& headers, const Headers& again) {
  check(headers.size() <= kMaxFields && headers.size() == again.size());
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Headers::Field field = headers.at(i);
    check(!field.name.empty() && field.name == again.at(i).name && field.value == again.at(i).value);
    check(field.name.find_first_of(std::string_view(" \t\r\n:\0", 6)) == field.name.npos);
    check(field.value.find_first_of(std::string_view("\r\n\0", 3)) == field.value.npos);
  }
}

template <class Head>
void check_framing(const dray::Result<Framing>& framing, const Head& head) {
  if (!framing) return;
  if (framing->kind == Framing::Kind::chunked) check(!head.headers.find("content-length") && !head.http10);
  if (framing->kind == Framing::Kind::length) check(framing->length > 0 && !head.headers.find("transfer-encoding"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto head = parse_request_head(text)) {
    std::string written;
    append_head(written, *head);
    const auto again = parse_request_head(written);
    check(again.ok() && again->method == head->method && again->target == head->target);
    check_fields(head->headers, again->headers);
    check_framing(framing_of(*head), *head);
    (void)keeps_alive(head->headers, head->http10);
  } else {
    check(head.error().kind == dray::ErrorKind::protocol);
  }
  if (const auto head = parse_response_head(text)) {
    std::string written;
    append_head(written, *head);
    const auto again = parse_response_head(written);
    check(again.ok() && again->status == head->status && head->status >= 100 && head->status <= 999);
    check_fields(head->headers, again->headers);
    check_framing(framing_of(*head, "GET"), *head);
    check(framing_of(*head, "HEAD").value() == Framing{});
  } else {
    check(head.error().kind == dray::ErrorKind::protocol);
  }
  return 0;
}
