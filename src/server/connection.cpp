#include "server/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "server/dispatch.h"

namespace dray::server {
namespace {

constexpr std::chrono::seconds kIdleLimit{120};

/// A stretch of an object as the body of a reply.
class ObjectBody final : public http::BodySource {
 public:
  ObjectBody(const ObjectRecord& object, std::uint64_t first, std::uint64_t length, CounterBoard& counters)
      : object_(object), first_(first), length_(length), counters_(counters) {}
  std::uint64_t length() const override { return length_; }

  Result<net::SendEnd> send(net::Stream& stream, Deadline deadline) override {
    std::uint64_t skip = first_, left = length_;
    for (const auto& segment : object_.segments) {
      if (left == 0) break;
      if (skip >= segment->size()) {
        skip -= segment->size();
        continue;
      }
      const std::uint64_t take = std::min(segment->size() - skip, left);
      DRAY_TRY_VOID(segment->send(stream, skip, take, deadline));
      counters_.sent(take);
      left -= take;
      skip = 0;
    }
    return net::SendEnd::done;
  }

 private:
  const ObjectRecord& object_;
  std::uint64_t first_, length_;
  CounterBoard& counters_;
};

/// Unique within this process, and unlikely to come again after a restart.
std::string new_request_id() {
  static const auto start = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  static std::atomic<std::uint64_t> count{0};
  return fmt::format("{:016X}", (start << 20) + count.fetch_add(1, std::memory_order_relaxed));
}

Result<void> send_reply(Exchange& exchange, Reply reply) {
  http::ResponseHead head{.status = reply.status, .headers = std::move(reply.headers)};
  head.headers.add("x-amz-request-id", exchange.request.id);
  head.headers.add("date", base::to_http_date(std::chrono::system_clock::now()));
  head.headers.add("server", "dray");
  if (reply.object == nullptr) return exchange.connection.respond(std::move(head), reply.text, Deadline::never());
  ObjectBody body(*reply.object, reply.first, reply.length, exchange.service.counters);
  return exchange.connection.respond(std::move(head), &body, Deadline::never());
}

}  // namespace

void serve_connection(Service& service, std::unique_ptr<net::Stream> stream) {
  // Every wait below ends after this long without progress, so none of them needs a deadline.
  stream->set_idle_limit(kIdleLimit);
  http::ServerConnection connection(std::move(stream));
  do {
    Result<std::optional<http::RequestHead>> head = connection.next(Deadline::never());
    if (head && !*head) return;
    Exchange exchange{.service = service, .connection = connection, .request = {}};
    exchange.request.id = new_request_id();
    Reply reply;
    if (head) {
      exchange.request.head = **std::move(head);
      reply = dispatch(exchange);
    } else if (head.error().kind == ErrorKind::protocol) {
      reply = error_reply(std::move(head).error(), exchange.request);
    } else {
      return;  // broken or idle: nobody is there to be told
    }
    if (Result<void> sent = send_reply(exchange, std::move(reply)); !sent) {
      // The client sees a body that is too short. One that hung up is no news; a disk that failed is.
      const ErrorKind kind = sent.error().kind;
      if (kind == ErrorKind::io || kind == ErrorKind::not_found) service.log.warning(sent.error().message);
      return;
    }
  } while (connection.keeps());
}

}  // namespace dray::server
