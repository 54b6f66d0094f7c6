#include "s3/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "hash/digest.h"
#include "s3/error.h"

namespace dray::s3 {
namespace {

constexpr std::size_t kMaxReplyBytes = 16 << 20;

std::string describe(const Request& request) {
  std::string text(request.operation);
  if (request.bucket.empty()) return text;
  text += " s3://" + base::printable(request.bucket);
  if (!request.key.empty()) text += "/" + base::printable(request.key);
  return text;
}

}  // namespace

Session::Session(Service& service) : service_(service), signer_(service.endpoint.region) {}

Session::~Session() { disconnect(); }

void Session::disconnect() {
  if (!connection_) return;
  connection_.reset();
  service_.connections.fetch_sub(1, std::memory_order_relaxed);
}

Result<void> Session::connect(const aws::Endpoint& endpoint, Deadline deadline) {
  if (connection_ && connection_->reusable() && connected_to_ == endpoint.connect) return {};
  disconnect();
  connection_.emplace(DRAY_TRY(service_.dialer.dial(endpoint.connect, deadline)));
  connected_to_ = endpoint.connect;
  const std::size_t now = service_.connections.fetch_add(1, std::memory_order_relaxed) + 1;
  std::size_t peak = service_.peak_connections.load(std::memory_order_relaxed);
  while (peak < now && !service_.peak_connections.compare_exchange_weak(peak, now)) {
  }
  return {};
}

std::string_view Session::amz_date() {
  const WallTime now = std::chrono::system_clock::now();
  const std::int64_t second = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  if (second != date_second_) {
    date_second_ = second;
    date_ = base::to_amz_date(now);
  }
  return date_;
}

Result<const aws::Endpoint*> Session::endpoint_of(std::string_view bucket) {
  if (!endpoint_ || endpoint_bucket_ != bucket) {
    endpoint_ = DRAY_TRY(aws::endpoint_for(service_.endpoint, bucket));
    endpoint_bucket_ = bucket;
  }
  return &*endpoint_;
}

void Session::write_head(const Request& request, const aws::Endpoint& endpoint, const aws::Credentials& credentials,
                         std::uint64_t length) {
  path_ = endpoint.path_prefix;
  path_ += '/';
  base::append_uri_encoded(path_, request.key, base::Slash::keep);
  const std::string query = base::canonical_query(request.query);

  aws::SignableRequest signable{
      .method = request.method, .path = path_, .query = query, .headers = {}, .payload_hash = request.payload_hash};
  // Asked once: were the clock to tick between two looks, the header and the signature would name different seconds.
  const std::string_view date = amz_date();
  signable.headers.reserve(request.headers.size() + 4);
  signable.headers.emplace_back("host", endpoint.host_header);
  for (const auto& [name, value] : request.headers) signable.headers.emplace_back(name, value);
  if (!credentials.anonymous()) {
    signable.headers.emplace_back("x-amz-content-sha256", request.payload_hash);
    signable.headers.emplace_back("x-amz-date", date);
    if (!credentials.session_token.empty()) {
      signable.headers.emplace_back("x-amz-security-token", credentials.session_token);
    }
  }
  std::sort(signable.headers.begin(), signable.headers.end());

  head_.clear();
  head_.append(request.method).append(" ").append(path_);
  if (!query.empty()) head_.append("?").append(query);
  head_.append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : signable.headers) head_.append(name).append(": ").append(value).append("\r\n");
  if (!credentials.anonymous()) {
    head_.append("authorization: ").append(signer_.authorization(signable, credentials, date)).append("\r\n");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    fmt::format_to(std::back_inserter(head_), "content-length: {}\r\n", length);
  }
  head_.append("accept-encoding: identity\r\nuser-agent: dray/" DRAY_VERSION "\r\n\r\n");
}

Result<Reply> Session::attempt(const Request& request, const aws::Endpoint& endpoint,
                               const aws::Credentials& credentials, http::BodySource* body, Deadline deadline) {
  write_head(request, endpoint, credentials, body != nullptr ? body->length() : 0);
  Reply reply;
  reply.head = DRAY_TRY(connection_->exchange(request.method, head_, body, deadline));
  if (!connection_->input().body_ended()) {
    Result<std::string> body_text = connection_->input().read_body_text(kMaxReplyBytes, deadline);
    // Whoever refuses early may reset the connection before its explanation has come: its status says enough.
    const bool refused = reply.head.status >= 300;
    if (!body_text && !(refused && body_text.error().kind == ErrorKind::network)) return std::move(body_text).error();
    if (body_text) reply.body = *std::move(body_text);
  }
  return reply;
}

Result<Reply> Session::converse(const Request& request, http::BodySource* body, Deadline deadline) {
  const aws::Endpoint* endpoint = DRAY_TRY(endpoint_of(request.bucket));
  // Before connecting: without credentials no connection helps, and their absence is the better message.
  const std::shared_ptr<const aws::Credentials> credentials = DRAY_TRY(service_.credentials.get(deadline));
  for (;;) {
    DRAY_TRY_VOID(connect(*endpoint, deadline));
    const bool fresh = connection_->exchanges() == 0;
    if (!fresh && connection_->went_stale()) {
      disconnect();
      continue;
    }
    Result<Reply> reply = attempt(request, *endpoint, *credentials, body, deadline);
    const bool closed_while_idle =
        !reply && !fresh && connection_->failed_before_reply() && reply.error().kind == ErrorKind::network;
    if (!connection_->reusable()) disconnect();
    if (!closed_while_idle) return reply;
    sent_twice_ = true;
  }
}

Result<Reply> Session::exchange(const Request& request, http::BodySource* body, Deadline deadline) {
  sent_twice_ = false;
  Result<Reply> reply = converse(request, body, deadline);
  if (!reply) return std::move(reply).error().within(describe(request));
  if (reply->head.status < 200 || reply->head.status > 299) {
    return error_of(reply->head, reply->body, describe(request));
  }
  return reply;
}

Result<Reply> Session::exchange(Request request, std::string_view body, Deadline deadline) {
  std::string hash;
  if (body.empty()) {
    request.payload_hash = aws::kEmptyPayloadHash;
  } else {
    hash = base::to_hex(hash::sha256(as_bytes(body)));
    request.payload_hash = hash;
  }
  http::BytesBody bytes(as_bytes(body));
  return exchange(request, body.empty() ? nullptr : &bytes, deadline);
}

}  // namespace dray::s3
