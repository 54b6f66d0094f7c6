// Operation: which S3 operation a request asks for. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/uri.h"
#include "dray/result.h"

namespace dray::server {

enum class Operation {
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
constexpr std::size_t kOperations = 17;

/// "PutObject".
std::string_view name_of(Operation operation);

/// What the path of a request names.
enum class Resource { service, bucket, object };

/// By method, resource and the sub-resource in the query ("?uploads"). NotImplemented for S3's other operations, so
/// that a client never takes "GET /b/k?acl" for the object; MethodNotAllowed for what S3 does not have.
Result<Operation> operation_of(std::string_view method, Resource resource, const base::Query& query);

}  // namespace dray::server
