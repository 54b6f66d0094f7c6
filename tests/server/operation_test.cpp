#include "server/operation.h"

#include <gtest/gtest.h>

#include <vector>

namespace dray::server {
namespace {

TEST(OperationTest, FollowsMethodResourceAndSubresource) {
  struct Row {
    std::string_view method;
    Resource resource;
    base::Query query;
    std::string_view expected;  ///< the operation's name or the error's code
  };
  const std::vector<Row> rows = {
      {"GET", Resource::service, {}, "ListBuckets"},
      {"PUT", Resource::service, {}, "MethodNotAllowed"},
      {"PUT", Resource::bucket, {}, "CreateBucket"},
      {"GET", Resource::bucket, {}, "ListObjects"},
      {"GET", Resource::bucket, {{"list-type", "2"}, {"prefix", "uploads"}}, "ListObjects"},
      {"GET", Resource::bucket, {{"location", ""}}, "GetBucketLocation"},
      {"GET", Resource::bucket, {{"uploads", ""}}, "ListMultipartUploads"},
      {"POST", Resource::bucket, {{"delete", ""}}, "DeleteObjects"},
      {"GET", Resource::bucket, {{"versioning", ""}}, "NotImplemented"},
      {"PUT", Resource::bucket, {{"policy", ""}}, "NotImplemented"},
      {"PUT", Resource::object, {{"x-id", "PutObject"}}, "PutObject"},
      {"PUT", Resource::object, {{"partNumber", "1"}, {"uploadId", "u"}}, "UploadPart"},
      {"PUT", Resource::object, {{"acl", ""}}, "NotImplemented"},
      {"GET", Resource::object, {{"tagging", ""}}, "NotImplemented"},
      {"GET", Resource::object, {{"attributes", ""}}, "NotImplemented"},
      {"GET", Resource::object, {{"versionId", "null"}}, "GetObject"},
      {"GET", Resource::object, {{"uploadId", "u"}}, "ListParts"},
      {"HEAD", Resource::object, {}, "HeadObject"},
      {"DELETE", Resource::object, {}, "DeleteObject"},
      {"DELETE", Resource::object, {{"uploadId", "u"}}, "AbortMultipartUpload"},
      {"POST", Resource::object, {{"uploads", ""}}, "CreateMultipartUpload"},
      {"POST", Resource::object, {{"uploadId", "u"}}, "CompleteMultipartUpload"},
      {"POST", Resource::object, {}, "MethodNotAllowed"},
      {"PATCH", Resource::object, {}, "MethodNotAllowed"},
  };
  for (const Row& row : rows) {
    const Result<Operation> operation = operation_of(row.method, row.resource, row.query);
    EXPECT_EQ(operation ? name_of(*operation) : operation.error().code, row.expected)
        << row.method << " " << row.expected;
  }
}

TEST(OperationTest, EveryOperationHasAName) {
  for (std::size_t i = 0; i < kOperations; ++i) EXPECT_FALSE(name_of(static_cast<Operation>(i)).empty()) << i;
}

}  // namespace
}  // namespace dray::server
