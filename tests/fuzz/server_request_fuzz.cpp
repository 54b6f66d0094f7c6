// All that the server reads from a request before it knows whether to trust it, and its XML bodies: "HEAD\r\n\r\nBODY".
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/head.h"
#include "server/body_verifier.h"
#include "server/byte_range.h"
#include "server/completion.h"
#include "server/exchange.h"
#include "server/object_headers.h"
#include "server/operation.h"
#include "server/precondition.h"

namespace {

constexpr std::uint64_t kSize = 1000;

void read_head(std::string_view text) {
  using namespace dray;
  Result<http::RequestHead> head = http::parse_request_head(text);
  if (!head.ok()) return;
  (void)http::framing_of(*head);
  server::Request request{.head = *std::move(head), .query = {}, .bucket = {}, .key = {}, .id = {}};
  if (!server::read_target(request).ok()) return;
  if (request.key.size() > 1024 || !base::is_utf8(request.key)) __builtin_trap();
  if (request.bucket.find('/') != std::string::npos && request.head.path().find('%') == std::string_view::npos) {
    __builtin_trap();
  }
  (void)server::operation_of(request.head.method, request.resource(), request.query);
  const http::Headers& headers = request.head.headers;
  (void)server::read_claims(headers, headers.get("x-amz-content-sha256"));
  (void)server::kept_headers(headers);
  (void)server::write_condition(headers);
  (void)server::check_read_conditions(headers, "etag", {});
  const server::RangeRequest range = server::parse_range(headers.find("range"), kSize);
  if (range.kind == server::RangeRequest::Kind::part &&
      (range.range.length == 0 || range.range.first + range.range.length > kSize)) {
    __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  read_head(text.substr(0, end + 4));
  (void)dray::server::parse_completion(text.substr(end + 4));
  return 0;
}
