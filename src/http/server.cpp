#include "http/server.h"

#include <utility>

namespace dray::http {
namespace {

constexpr std::uint64_t kMaxDiscard = 16 << 20;
constexpr std::chrono::seconds kLinger{5};

}  // namespace

Result<std::optional<RequestHead>> ServerConnection::next(Deadline deadline) {
  keep_ = is_head_ = owes_continue_ = false;  // until there is a request that says otherwise
  const std::string_view text = DRAY_TRY(input_.read_head(deadline));
  if (text.empty()) return std::optional<RequestHead>{};
  RequestHead head = DRAY_TRY(parse_request_head(text));
  const Framing framing = DRAY_TRY(framing_of(head));
  input_.begin_body(framing);
  keep_ = keeps_alive(head.headers, head.http10);
  is_head_ = head.method == "HEAD";
  // HTTP/1.0 has no 100 Continue: whoever passed the field on would take it for the reply.
  owes_continue_ = framing.kind != Framing::Kind::none && !head.http10 &&
                   base::equals_ignoring_case(head.headers.get("expect"), "100-continue");
  return std::optional<RequestHead>(std::move(head));
}

Result<void> ServerConnection::wants_body(Deadline deadline) {
  if (!owes_continue_) return {};
  owes_continue_ = false;
  return stream_->write(as_bytes("HTTP/1.1 100 Continue\r\n\r\n"), net::More::no, deadline);
}

Result<void> ServerConnection::respond(ResponseHead head, BodySource* body, Deadline deadline) {
  const std::uint64_t length = body != nullptr ? body->length() : 0;
  const bool has_body = length > 0 && !is_head_;
  std::string text = head_text(std::move(head), length);
  Result<void> sent = stream_->write(as_bytes(text), has_body ? net::More::yes : net::More::no, deadline);
  if (sent && has_body) {
    Result<net::SendEnd> end = body->send(*stream_, deadline);
    if (!end) sent = std::move(end).error();
  }
  finish(sent.ok());
  return sent;
}

Result<void> ServerConnection::respond(ResponseHead head, std::string_view body, Deadline deadline) {
  std::string text = head_text(std::move(head), body.size());
  if (!is_head_) text.append(body);
  Result<void> sent = stream_->write(as_bytes(text), net::More::no, deadline);
  finish(sent.ok());
  return sent;
}

std::string ServerConnection::head_text(ResponseHead head, std::uint64_t length) {
  // A client that waits for 100 Continue and is refused may send its body or not: only a new connection is certain.
  if (owes_continue_) keep_ = false;
  if (head.status != 204 && head.status != 304 && !head.headers.find("content-length")) {
    head.headers.add("content-length", std::to_string(length));
  }
  if (!keep_) head.headers.add("connection", "close");
  std::string text;
  append_head(text, head);
  return text;
}

void ServerConnection::finish(bool sent) {
  const bool client_waits = std::exchange(owes_continue_, false);
  if (!sent) {
    keep_ = false;
    return;
  }
  // Closing while the client still sends would reset the connection and destroy the reply on its way.
  if (input_.body_ended() || client_waits) return;
  if (!input_.discard_body(kMaxDiscard, Deadline::after(kLinger))) keep_ = false;
}

}  // namespace dray::http
