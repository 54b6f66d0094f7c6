#include "server/operation.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

struct Row {
  Operation operation;
  std::string_view name;
  std::string_view method;
  Resource resource;
  std::string_view subresource;
};

/// In the order of Operation.
constexpr std::array<Row, kOperations> kRows = {{
    {Operation::list_buckets, "ListBuckets", "GET", Resource::service, ""},
    {Operation::create_bucket, "CreateBucket", "PUT", Resource::bucket, ""},
    {Operation::head_bucket, "HeadBucket", "HEAD", Resource::bucket, ""},
    {Operation::delete_bucket, "DeleteBucket", "DELETE", Resource::bucket, ""},
    {Operation::get_bucket_location, "GetBucketLocation", "GET", Resource::bucket, "location"},
    {Operation::list_objects, "ListObjects", "GET", Resource::bucket, ""},
    {Operation::list_multipart_uploads, "ListMultipartUploads", "GET", Resource::bucket, "uploads"},
    {Operation::delete_objects, "DeleteObjects", "POST", Resource::bucket, "delete"},
    {Operation::put_object, "PutObject", "PUT", Resource::object, ""},
    {Operation::get_object, "GetObject", "GET", Resource::object, ""},
    {Operation::head_object, "HeadObject", "HEAD", Resource::object, ""},
    {Operation::delete_object, "DeleteObject", "DELETE", Resource::object, ""},
    {Operation::create_multipart_upload, "CreateMultipartUpload", "POST", Resource::object, "uploads"},
    {Operation::upload_part, "UploadPart", "PUT", Resource::object, "uploadId"},
    {Operation::list_parts, "ListParts", "GET", Resource::object, "uploadId"},
    {Operation::complete_multipart_upload, "CompleteMultipartUpload", "POST", Resource::object, "uploadId"},
    {Operation::abort_multipart_upload, "AbortMultipartUpload", "DELETE", Resource::object, "uploadId"},
}};

/// The sub-resources of S3 (the query parameters that choose an operation).
constexpr std::array kSubresources = std::to_array<std::string_view>({
    "accelerate",
    "acl",
    "analytics",
    "attributes",
    "cors",
    "delete",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "location",
    "logging",
    "metadataTable",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "renameObject",
    "replication",
    "requestPayment",
    "restore",
    "retention",
    "select",
    "session",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
    "versioning",
    "versions",
    "website",
});

std::string_view subresource_of(const base::Query& query) {
  for (const auto& [name, value] : query) {
    if (std::find(kSubresources.begin(), kSubresources.end(), name) != kSubresources.end()) return name;
  }
  return {};
}

}  // namespace

std::string_view name_of(Operation operation) { return kRows[static_cast<std::size_t>(operation)].name; }

Result<Operation> operation_of(std::string_view method, Resource resource, const base::Query& query) {
  const std::string_view subresource = subresource_of(query);
  for (const Row& row : kRows) {
    if (row.method == method && row.resource == resource && row.subresource == subresource) return row.operation;
  }
  if (!subresource.empty()) {
    return refuse("NotImplemented", "This server does not implement ?" + std::string(subresource) + " with " +
                                        base::printable(method) + ".");
  }
  return refuse("MethodNotAllowed", "The specified method is not allowed against this resource.");
}

}  // namespace dray::server
