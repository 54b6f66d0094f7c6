#include "s3/complete_multipart_upload.h"

#include "s3/error.h"
#include "s3/put_object.h"
#include "s3/xml.h"

namespace dray::s3 {

std::string part_list_xml(std::span<const UploadedPart> parts) {
  XmlWriter xml;
  xml.open_s3("CompleteMultipartUpload");
  for (const UploadedPart& part : parts) {
    xml.open("Part");
    if (part.checksum.kind != ChecksumKind::none) {
      xml.element(hash::element_of(part.checksum.kind), part.checksum.text());
    }
    xml.element("ETag", "\"" + part.etag + "\"");
    xml.element("PartNumber", part.number);
    xml.close("Part");
  }
  xml.close("CompleteMultipartUpload");
  return xml.finish();
}

Result<CompletedUpload> complete_multipart_upload(Session& session, const CompleteMultipartUpload& complete,
                                                  Deadline deadline) {
  Request request{
      .operation = "CompleteMultipartUpload", .method = "POST", .bucket = complete.bucket, .key = complete.key};
  request.query = {{"uploadId", std::string(complete.upload_id)}};
  request.headers.emplace_back("content-type", "application/xml");
  request.headers.emplace_back("x-amz-mp-object-size", std::to_string(complete.object_size));
  if (complete.if_none_match) request.headers.emplace_back("if-none-match", "*");
  const ChecksumKind kind = complete.checksum.kind;
  if (kind != ChecksumKind::none) {
    // A composite value follows from the parts' in the list; stores do not agree on its form in this header.
    if (complete.checksum.type == hash::ChecksumType::full_object) {
      request.headers.emplace_back(hash::header_of(kind), complete.checksum.text());
    }
    request.headers.emplace_back("x-amz-checksum-type", hash::name_of(complete.checksum.type));
  }
  const std::string body = part_list_xml(complete.parts);
  const Reply reply = DRAY_TRY(session.exchange(std::move(request), body, deadline));

  Result<XmlElement> document = parse_xml(reply.body);
  CompletedUpload result;
  if (document && document->name == "CompleteMultipartUploadResult")
    result.etag = unquote_etag(document->child_text("ETag"));
  if (result.etag.empty()) return error_in_success(reply.head, reply.body, "CompleteMultipartUpload");
  const std::string_view told = document->child_text(hash::element_of(kind));
  if (kind != ChecksumKind::none && !told.empty() && told != complete.checksum.text()) {
    return make_error(ErrorKind::checksum_mismatch, "CompleteMultipartUpload: the store reports checksum " +
                                                        base::printable(told) + " where " + complete.checksum.text() +
                                                        " was sent");
  }
  result.version_id = reply.head.headers.get("x-amz-version-id");
  return result;
}

}  // namespace dray::s3
