#include "s3/abort_multipart_upload.h"

namespace dray::s3 {

Result<void> abort_multipart_upload(Session& session, std::string_view bucket, std::string_view key,
                                    std::string_view upload_id, Deadline deadline) {
  Request request{.operation = "AbortMultipartUpload", .method = "DELETE", .bucket = bucket, .key = key};
  request.query = {{"uploadId", std::string(upload_id)}};
  Result<Reply> reply = session.exchange(std::move(request), std::string_view{}, deadline);
  if (!reply && reply.error().code != "NoSuchUpload") return std::move(reply).error();
  return {};
}

}  // namespace dray::s3
