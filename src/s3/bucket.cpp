#include "s3/bucket.h"

#include "s3/xml.h"

namespace dray::s3 {

Result<void> head_bucket(Session& session, std::string_view bucket, Deadline deadline) {
  Request request{.operation = "HeadBucket", .method = "HEAD", .bucket = bucket};
  Result<Reply> reply = session.exchange(std::move(request), std::string_view{}, deadline);
  if (reply) return {};
  Error error = std::move(reply).error();
  if (error.http_status == 404) {
    error.code = "NoSuchBucket";
    error = std::move(error).advise("check the bucket name and the endpoint, or make it with: dray mb");
  }
  return error;
}

Result<void> create_bucket(Session& session, std::string_view bucket, std::string_view region, Deadline deadline) {
  Request request{.operation = "CreateBucket", .method = "PUT", .bucket = bucket};
  std::string body;
  // Stores that are not AWS know other regions, or none: "default" is Ceph's.
  if (!region.empty() && region != "us-east-1" && region != "default") {
    XmlWriter xml;
    xml.open_s3("CreateBucketConfiguration").element("LocationConstraint", region).close("CreateBucketConfiguration");
    body = xml.finish();
    request.headers.emplace_back("content-type", "application/xml");
  }
  DRAY_TRY_VOID(session.exchange(std::move(request), body, deadline));
  return {};
}

}  // namespace dray::s3
