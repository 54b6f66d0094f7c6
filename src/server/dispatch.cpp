#include "server/dispatch.h"

#include <fmt/format.h>

#include "hash/digest.h"
#include "s3/xml.h"
#include "server/handlers.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

using Handler = Result<Reply> (*)(Exchange&);

/// In the order of Operation.
constexpr std::array<Handler, kOperations> kHandlers = {
    list_buckets,
    create_bucket,
    head_bucket,
    delete_bucket,
    get_bucket_location,
    list_objects,
    list_multipart_uploads,
    delete_objects,
    put_object,
    get_object,
    head_object,
    delete_object,
    create_multipart_upload,
    upload_part,
    list_parts,
    complete_multipart_upload,
    abort_multipart_upload,
};

Result<void> authenticate(Exchange& exchange) {
  const http::RequestHead& head = exchange.request.head;
  const Service& service = exchange.service;
  aws::ReceivedRequest received{
      .method = head.method, .raw_path = head.path(), .raw_query = head.query(), .headers = {}};
  received.headers.reserve(head.headers.size());
  for (std::size_t i = 0; i < head.headers.size(); ++i) {
    const http::Headers::Field field = head.headers.at(i);
    received.headers.emplace_back(field.name, field.value);
  }
  const auto secrets = [&service](std::string_view access_key) -> std::optional<std::string> {
    if (!hash::equal_in_constant_time(access_key, service.access_key)) return std::nullopt;
    return service.secret_key;
  };
  exchange.identity = DRAY_TRY(aws::verify(received, secrets, service.region, std::chrono::system_clock::now()));
  return {};
}

Result<Reply> handle(Exchange& exchange) {
  DRAY_TRY_VOID(read_target(exchange.request));
  DRAY_TRY_VOID(authenticate(exchange));
  const Request& request = exchange.request;
  const Operation operation = DRAY_TRY(operation_of(request.head.method, request.resource(), request.query));
  exchange.service.counters.count(operation);
  return kHandlers[static_cast<std::size_t>(operation)](exchange);
}

}  // namespace

Reply error_reply(Error error, const Request& request) {
  const Error told = as_refusal(std::move(error));
  s3::XmlWriter xml;
  xml.open("Error")
      .element("Code", told.code)
      .element("Message", told.message)
      .element("Resource", request.head.path())
      .element("RequestId", request.id)
      .close("Error");
  Reply reply = Reply::xml(xml.finish());
  reply.status = told.http_status;
  return reply;
}

Reply dispatch(Exchange& exchange) {
  Result<Reply> reply = handle(exchange);
  if (!reply || reply->status >= 400) exchange.service.counters.refused();
  if (reply) return *std::move(reply);
  const Error& error = reply.error();
  if (exchange.service.log.wants(LogLevel::info)) {
    exchange.service.log.info(fmt::format("{} {}: {}", base::printable(exchange.request.head.method),
                                          base::printable(exchange.request.head.path()), error.message));
  }
  return error_reply(std::move(reply).error(), exchange.request);
}

}  // namespace dray::server
