#include "s3/list_parts.h"

#include "s3/error.h"
#include "s3/put_object.h"
#include "s3/xml.h"

namespace dray::s3 {
namespace {

Error malformed(std::string_view what) {
  return make_error(ErrorKind::protocol, std::string("ListParts: malformed reply: ").append(what));
}

Result<UploadedPart> part_of(const XmlElement& element) {
  UploadedPart part;
  const Result<std::uint64_t> number = base::parse_u64(element.child_text("PartNumber"));
  const Result<std::uint64_t> size = base::parse_u64(element.child_text("Size"));
  if (!number || *number < 1 || *number > kMaxParts) return malformed("part number");
  if (!size) return malformed("size");
  part.number = static_cast<PartNumber>(*number);
  part.size = *size;
  part.etag = unquote_etag(element.child_text("ETag"));
  for (ChecksumKind kind :
       {ChecksumKind::crc64nvme, ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::sha1, ChecksumKind::sha256}) {
    const std::string_view text = element.child_text(hash::element_of(kind));
    if (text.empty()) continue;
    Result<hash::Checksum> checksum = hash::Checksum::parse(kind, text);
    if (!checksum) return malformed(checksum.error().message);
    part.checksum = *std::move(checksum);
  }
  return part;
}

}  // namespace

Result<std::vector<UploadedPart>> list_parts(Session& session, std::string_view bucket, std::string_view key,
                                             std::string_view upload_id, Deadline deadline) {
  std::vector<UploadedPart> parts;
  for (PartNumber after = 0;;) {
    Request request{.operation = "ListParts", .method = "GET", .bucket = bucket, .key = key};
    request.query = {{"uploadId", std::string(upload_id)}, {"part-number-marker", std::to_string(after)}};
    const Reply reply = DRAY_TRY(session.exchange(std::move(request), std::string_view{}, deadline));
    Result<XmlElement> document = parse_xml(reply.body);
    if (!document || document->name != "ListPartsResult") return error_in_success(reply.head, reply.body, "ListParts");
    for (const XmlElement* element : document->children_named("Part")) {
      UploadedPart part = DRAY_TRY(part_of(*element));
      if (!parts.empty() && part.number <= parts.back().number) return malformed("parts out of order");
      parts.push_back(std::move(part));
    }
    if (document->child_text("IsTruncated") != "true") return parts;
    if (parts.empty() || parts.back().number <= after) return malformed("the listing does not advance");
    after = parts.back().number;
  }
}

}  // namespace dray::s3
