#include <algorithm>

#include "s3/xml.h"
#include "server/body_input.h"
#include "server/handlers.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxConfigurationBytes = 64 * 1024;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// "Bucket naming rules" in the S3 user guide. They also make the name a safe folder name.
bool is_bucket_name(std::string_view name) {
  if (name.size() < 3 || name.size() > 63 || !is_letter_or_digit(name.front()) || !is_letter_or_digit(name.back())) {
    return false;
  }
  const auto allowed = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '-'; };
  if (!std::all_of(name.begin(), name.end(), allowed) || name.find("..") != std::string_view::npos) return false;
  const auto of_address = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  return !(std::all_of(name.begin(), name.end(), of_address) && std::count(name.begin(), name.end(), '.') == 3);
}

Result<void> check_location(Exchange& exchange) {
  const std::string text = DRAY_TRY(receive_text(exchange, kMaxConfigurationBytes));
  if (text.empty()) return {};
  const Result<s3::XmlElement> document = s3::parse_xml(text);
  if (!document || document->name != "CreateBucketConfiguration") {
    return malformed_xml();
  }
  const std::string_view location = document->child_text("LocationConstraint");
  if (!location.empty() && location != exchange.service.region) {
    return refuse("IllegalLocationConstraintException",
                  "The " + base::printable(location) + " location constraint is incompatible for the region specific " +
                      "endpoint this request was sent to.");
  }
  return {};
}

}  // namespace

Result<Reply> list_buckets(Exchange& exchange) {
  s3::XmlWriter xml;
  xml.open_s3("ListAllMyBucketsResult");
  xml.open("Owner").element("ID", exchange.service.access_key).element("DisplayName", "dray").close("Owner");
  xml.open("Buckets");
  for (const BucketRecord& bucket : exchange.service.catalog.buckets()) {
    xml.open("Bucket")
        .element("Name", bucket.name)
        .element("CreationDate", base::to_iso8601(bucket.created))
        .close("Bucket");
  }
  xml.close("Buckets").close("ListAllMyBucketsResult");
  return Reply::xml(xml.finish());
}

Result<Reply> create_bucket(Exchange& exchange) {
  const std::string& name = exchange.request.bucket;
  if (!is_bucket_name(name)) return refuse("InvalidBucketName", "The specified bucket is not valid.");
  DRAY_TRY_VOID(check_location(exchange));
  DRAY_TRY_VOID(exchange.service.catalog.create_bucket(name));
  Reply reply;
  reply.headers.add("location", "/" + name);
  return reply;
}

Result<Reply> head_bucket(Exchange& exchange) {
  DRAY_TRY(exchange.service.catalog.bucket(exchange.request.bucket));
  Reply reply;
  reply.headers.add("x-amz-bucket-region", exchange.service.region);
  return reply;
}

Result<Reply> delete_bucket(Exchange& exchange) {
  DRAY_TRY_VOID(exchange.service.catalog.remove_bucket(exchange.request.bucket));
  Reply reply;
  reply.status = 204;
  return reply;
}

Result<Reply> get_bucket_location(Exchange& exchange) {
  DRAY_TRY(exchange.service.catalog.bucket(exchange.request.bucket));
  // us-east-1 is written as nothing, as ever.
  const std::string& region = exchange.service.region;
  s3::XmlWriter xml;
  xml.open_s3("LocationConstraint");
  if (region != "us-east-1") {
    std::string escaped;
    s3::append_xml_escaped(escaped, region);
    return Reply::xml(xml.finish() + escaped + "</LocationConstraint>");
  }
  xml.close("LocationConstraint");
  return Reply::xml(xml.finish());
}

}  // namespace dray::server
