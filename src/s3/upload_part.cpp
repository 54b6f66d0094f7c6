#include "s3/upload_part.h"

#include "s3/put_object.h"

namespace dray::s3 {

Result<UploadedPart> upload_part(Session& session, const UploadPart& part, http::BodySource& body, Deadline deadline) {
  Request request{.operation = "UploadPart", .method = "PUT", .bucket = part.bucket, .key = part.key};
  request.query = {{"partNumber", std::to_string(part.number)}, {"uploadId", std::string(part.upload_id)}};
  add_checksum(request, part.checksum);
  const Reply reply = DRAY_TRY(session.exchange(request, &body, deadline));
  DRAY_TRY_VOID(check_reply_checksum(reply, part.checksum, "UploadPart"));
  UploadedPart uploaded{.number = part.number, .size = body.length()};
  uploaded.etag = DRAY_TRY(etag_of(reply, "UploadPart"));
  if (part.checksum != nullptr) uploaded.checksum = *part.checksum;
  return uploaded;
}

}  // namespace dray::s3
