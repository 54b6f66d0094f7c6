#include "http/client.h"

namespace dray::http {

Result<net::SendEnd> BytesBody::send(net::Stream& stream, Deadline deadline) {
  const net::Sent sent = DRAY_TRY(stream.write_watching(bytes_, net::More::no, deadline));
  return sent.end;
}

Result<ResponseHead> ClientConnection::exchange(std::string_view method, std::string_view head, BodySource* body,
                                                Deadline deadline) {
  keep_ = false;  // until the exchange has gone well
  failed_before_reply_ = true;
  ++exchanges_;
  const bool has_body = body != nullptr && body->length() > 0;
  net::SendEnd end = net::SendEnd::done;
  const net::Sent sent =
      DRAY_TRY(stream_->write_watching(as_bytes(head), has_body ? net::More::yes : net::More::no, deadline));
  end = sent.end;
  if (end == net::SendEnd::peer_spoke && sent.bytes == 0 && exchanges_ > 1) {
    // What comes before the first byte of a request answers another one, or is a farewell to an idle connection.
    return make_error(ErrorKind::network, stream_->peer() + " spoke or hung up before it was asked");
  }
  if (end == net::SendEnd::done && has_body) {
    Result<net::SendEnd> body_end = body->send(*stream_, deadline);
    if (!body_end) {
      failed_before_reply_ = body_end.error().kind == ErrorKind::network;
      return std::move(body_end).error();
    }
    end = *body_end;
    if (end == net::SendEnd::source_end) {
      failed_before_reply_ = false;
      return make_error(ErrorKind::source_changed, "the source of a request's body ended before its length");
    }
  }
  for (;;) {
    const Result<std::string_view> head_read = input_.read_head(deadline);
    if (!head_read) {
      if (input_.buffered() > 0) failed_before_reply_ = false;
      return head_read.error();
    }
    const std::string_view text = *head_read;
    if (text.empty()) {
      return make_error(ErrorKind::network, stream_->peer() + " closed the connection without a reply");
    }
    failed_before_reply_ = false;
    ResponseHead reply = DRAY_TRY(parse_response_head(text));
    if (reply.status < 200) continue;  // 100 Continue and its like: the reply is still to come
    const Framing framing = DRAY_TRY(framing_of(reply, method));
    input_.begin_body(framing);
    keep_ = end == net::SendEnd::done && framing.kind != Framing::Kind::until_close &&
            keeps_alive(reply.headers, reply.http10);
    return reply;
  }
}

}  // namespace dray::http
