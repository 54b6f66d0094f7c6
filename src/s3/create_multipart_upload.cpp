#include "s3/create_multipart_upload.h"

#include "s3/error.h"
#include "s3/xml.h"

namespace dray::s3 {

Result<std::string> create_multipart_upload(Session& session, const CreateMultipartUpload& create, Deadline deadline) {
  Request request{.operation = "CreateMultipartUpload", .method = "POST", .bucket = create.bucket, .key = create.key};
  request.query = {{"uploads", ""}};
  if (create.attributes != nullptr) create.attributes->add_to(request);
  if (create.checksum != ChecksumKind::none) {
    request.headers.emplace_back("x-amz-checksum-algorithm", hash::algorithm_of(create.checksum));
    request.headers.emplace_back("x-amz-checksum-type", hash::name_of(hash::multipart_type_of(create.checksum)));
  }
  const Reply reply = DRAY_TRY(session.exchange(request, std::string_view{}, deadline));
  Result<XmlElement> document = parse_xml(reply.body);
  std::string id;
  if (document && document->name == "InitiateMultipartUploadResult") id = document->child_text("UploadId");
  if (id.empty()) return error_in_success(reply.head, reply.body, "CreateMultipartUpload");
  return id;
}

}  // namespace dray::s3
