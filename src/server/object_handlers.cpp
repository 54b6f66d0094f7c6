#include <array>

#include "s3/xml.h"
#include "server/body_input.h"
#include "server/byte_range.h"
#include "server/dispatch.h"
#include "server/handlers.h"
#include "server/object_headers.h"
#include "server/precondition.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxDeleteBytes = 8 << 20;
constexpr std::size_t kMaxDeletes = 1000;

/// Query parameters of a GET that replace headers of its reply.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOverrides = {{
    {"response-content-type", "content-type"},
    {"response-content-language", "content-language"},
    {"response-expires", "expires"},
    {"response-cache-control", "cache-control"},
    {"response-content-disposition", "content-disposition"},
    {"response-content-encoding", "content-encoding"},
}};

Result<void> check_version(const Request& request) {
  const auto version = request.parameter("versionId");
  if (!version || *version == "null") return {};  // the version that a bucket without versions has
  return refuse("NoSuchVersion", "The specified version does not exist.");
}

/// What GET and HEAD have in common: all of the reply but its body.
Result<Reply> describe(Exchange& exchange, std::shared_ptr<const ObjectRecord> object) {
  const Request& request = exchange.request;
  Reply reply;
  reply.headers.add("last-modified", base::to_http_date(object->modified));
  reply.headers.add("etag", quoted(object->etag));
  switch (check_read_conditions(request.head.headers, object->etag, object->modified)) {
    case Precondition::failed:
      return precondition_failed();
    case Precondition::not_modified:
      reply.status = 304;
      return reply;
    case Precondition::holds:
      break;
  }
  const RangeRequest range = parse_range(request.head.headers.find("range"), object->size);
  if (range.kind == RangeRequest::Kind::unsatisfiable) {
    Reply refused = error_reply(refuse("InvalidRange", "The requested range is not satisfiable"), request);
    refused.headers.add("content-range", "bytes */" + std::to_string(object->size));
    return refused;
  }
  reply.headers.add("accept-ranges", "bytes");
  bool typed = false;
  for (const auto& [name, value] : object->headers) {
    reply.headers.add(name, value);
    typed = typed || name == "content-type";
  }
  if (!typed) reply.headers.add("content-type", "binary/octet-stream");
  for (const auto& [parameter, name] : kOverrides) {
    if (const auto value = request.parameter(parameter)) reply.headers.set(name, *value);
  }
  reply.length = object->size;
  if (range.kind == RangeRequest::Kind::part) {
    reply.status = 206;
    reply.first = range.range.first;
    reply.length = range.range.length;
    reply.headers.add("content-range", "bytes " + std::to_string(reply.first) + "-" +
                                           std::to_string(reply.first + reply.length - 1) + "/" +
                                           std::to_string(object->size));
  } else if (base::equals_ignoring_case(request.header("x-amz-checksum-mode"), "ENABLED")) {
    add_checksum(reply.headers, object->checksum);
  }
  reply.object = std::move(object);
  return reply;
}

Result<Reply> read_object(Exchange& exchange) {
  const Request& request = exchange.request;
  DRAY_TRY_VOID(check_version(request));
  if (request.parameter("partNumber")) {
    return refuse("NotImplemented", "This server does not implement ?partNumber on reads.");
  }
  std::shared_ptr<const ObjectRecord> object = DRAY_TRY(exchange.service.catalog.object(request.bucket, request.key));
  return describe(exchange, std::move(object));
}

}  // namespace

Result<Reply> put_object(Exchange& exchange) {
  const Request& request = exchange.request;
  if (request.head.headers.find("x-amz-copy-source")) {
    return refuse("NotImplemented", "This server does not implement CopyObject.");
  }
  DRAY_TRY(exchange.service.catalog.bucket(request.bucket));
  ObjectRecord object{.key = request.key};
  object.headers = DRAY_TRY(kept_headers(request.head.headers));
  const WriteCondition condition = DRAY_TRY(write_condition(request.head.headers));
  if (condition.must_be_new && exchange.service.catalog.object(request.bucket, request.key)) {
    return precondition_failed();  // before the body is asked for; put_object() decides
  }
  ReceivedBody body = DRAY_TRY(receive_content(exchange, ChecksumKind::none));
  object.size = body.digests.size;
  object.etag = etag_of(body.digests);
  object.checksum = body.digests.checksum;
  object.segments.push_back(std::move(body.segment));

  Reply reply;
  reply.headers.add("etag", quoted(object.etag));
  add_checksum(reply.headers, object.checksum);
  DRAY_TRY_VOID(exchange.service.catalog.put_object(request.bucket, std::move(object), condition));
  return reply;
}

Result<Reply> get_object(Exchange& exchange) { return read_object(exchange); }

Result<Reply> head_object(Exchange& exchange) { return read_object(exchange); }

Result<Reply> delete_object(Exchange& exchange) {
  DRAY_TRY_VOID(check_version(exchange.request));
  DRAY_TRY_VOID(exchange.service.catalog.remove_object(exchange.request.bucket, exchange.request.key));
  Reply reply;
  reply.status = 204;
  return reply;
}

Result<Reply> delete_objects(Exchange& exchange) {
  const Request& request = exchange.request;
  Catalog& catalog = exchange.service.catalog;
  DRAY_TRY(catalog.bucket(request.bucket));
  const std::string text = DRAY_TRY(receive_text(exchange, kMaxDeleteBytes));
  const Result<s3::XmlElement> document = s3::parse_xml(text);
  const Error malformed = malformed_xml();
  if (!document || document->name != "Delete") return malformed;
  const std::vector<const s3::XmlElement*> objects = document->children_named("Object");
  if (objects.empty() || objects.size() > kMaxDeletes) return malformed;
  const bool quiet = document->child_text("Quiet") == "true";

  s3::XmlWriter xml;
  xml.open_s3("DeleteResult");
  for (const s3::XmlElement* element : objects) {
    const std::string key(element->child_text("Key"));
    if (key.empty()) return malformed;
    const std::string_view version = element->child_text("VersionId");
    Result<void> removed = version.empty() || version == "null"
                               ? catalog.remove_object(request.bucket, key)
                               : refuse("NoSuchVersion", "The specified version does not exist.");
    if (!removed) {
      const Error error = as_refusal(std::move(removed).error());
      xml.open("Error").element("Key", key);
      xml.element("Code", error.code).element("Message", error.message).close("Error");
    } else if (!quiet) {
      xml.open("Deleted").element("Key", key).close("Deleted");
    }
  }
  xml.close("DeleteResult");
  return Reply::xml(xml.finish());
}

}  // namespace dray::server
