// ClientConnection: one request at a time over one connection, and its reply.
//
// Owned by one fiber. The order of calls: exchange(), then the body through input(), then (if reusable()) the next
// exchange(). A server may answer before it has read the whole body (a redirect, a refusal): that reply is returned
// like any other, and the connection is then not reusable.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "dray/result.h"
#include "http/head.h"
#include "http/input.h"
#include "net/stream.h"

namespace dray::http {

/// What a request carries after its head. Borrowed by exchange().
class BodySource {
 public:
  virtual ~BodySource() = default;
  virtual std::uint64_t length() const = 0;
  /// Sends exactly length() bytes, or stops when the peer speaks first. An Error means that the source failed (or the
  /// stream did); the connection is then closed, so that a half-sent body can never count as a whole one.
  virtual Result<net::SendEnd> send(net::Stream& stream, Deadline deadline) = 0;
};

/// Bytes in memory; borrows them.
class BytesBody final : public BodySource {
 public:
  explicit BytesBody(Bytes bytes) : bytes_(bytes) {}
  std::uint64_t length() const override { return bytes_.size(); }
  Result<net::SendEnd> send(net::Stream& stream, Deadline deadline) override;

 private:
  Bytes bytes_;
};

class ClientConnection {
 public:
  explicit ClientConnection(std::unique_ptr<net::Stream> stream) : stream_(std::move(stream)), input_(*stream_) {}

  /// Sends the head (serialised, with its empty line) and the body; returns the final reply's head (1xx are skipped).
  Result<ResponseHead> exchange(std::string_view method, std::string_view head, BodySource* body, Deadline deadline);
  /// The body of the reply.
  Input& input() { return input_; }
  /// Whether another exchange may follow: the last reply was read to its end and both sides keep the connection.
  bool reusable() const { return keep_ && input_.body_ended() && input_.buffered() == 0; }
  /// Whether it died or misbehaved while idle. One system call.
  bool went_stale() { return stream_->has_input(); }
  /// True if exchange() failed before any byte of a reply came: on a connection that had idled, the server has most
  /// likely closed it without seeing the request.
  bool failed_before_reply() const { return failed_before_reply_; }
  std::uint64_t exchanges() const { return exchanges_; }
  net::Stream& stream() { return *stream_; }
  void close() { stream_->close(); }

 private:
  std::unique_ptr<net::Stream> stream_;
  Input input_;
  bool keep_ = true;
  bool failed_before_reply_ = false;
  std::uint64_t exchanges_ = 0;
};

}  // namespace dray::http
