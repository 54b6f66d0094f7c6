// ServerConnection: the receiving end of the same conversation, one request at a time.
//
// Owned by one fiber. The order of calls for each request: next(), the body through input(), respond(). "100 Continue"
// is sent by the first wants_body() call, so that a handler which refuses early never asks for the body.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "dray/result.h"
#include "http/client.h"
#include "http/head.h"
#include "http/input.h"
#include "net/stream.h"

namespace dray::http {

class ServerConnection {
 public:
  explicit ServerConnection(std::unique_ptr<net::Stream> stream) : stream_(std::move(stream)), input_(*stream_) {}

  /// The next request; nothing when the client has closed. ErrorKind::protocol = answer 400 and close.
  Result<std::optional<RequestHead>> next(Deadline deadline);
  /// Call before reading the body.
  Result<void> wants_body(Deadline deadline);
  Input& input() { return input_; }
  /// Sends the reply; Content-Length and Connection are added. `body` may be null; for HEAD only its length is
  /// announced. `body` must not stop when the client speaks (it may pipeline): its send() uses Stream::write. What is
  /// left of the request's body is thrown away afterwards, up to 16 MiB and 5 s; else the connection is not kept.
  Result<void> respond(ResponseHead head, BodySource* body, Deadline deadline);
  Result<void> respond(ResponseHead head, std::string_view body, Deadline deadline);
  /// Whether another request may follow.
  bool keeps() const { return keep_; }
  net::Stream& stream() { return *stream_; }

 private:
  std::string head_text(ResponseHead head, std::uint64_t length);
  void finish(bool sent);

  std::unique_ptr<net::Stream> stream_;
  Input input_;
  bool keep_ = true;
  bool owes_continue_ = false;
  bool is_head_ = false;
};

}  // namespace dray::http
