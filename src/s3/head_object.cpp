#include "s3/head_object.h"

#include "s3/put_object.h"

namespace dray::s3 {

Result<ObjectHead> head_object(Session& session, std::string_view bucket, std::string_view key, Deadline deadline) {
  Request request{.operation = "HeadObject", .method = "HEAD", .bucket = bucket, .key = key};
  request.headers.emplace_back("x-amz-checksum-mode", "ENABLED");
  const Reply reply = DRAY_TRY(session.exchange(std::move(request), std::string_view{}, deadline));
  const http::Headers& headers = reply.head.headers;
  ObjectHead head;
  Result<std::uint64_t> size = base::parse_u64(headers.get("content-length"));
  if (!size) return make_error(ErrorKind::protocol, "HeadObject: the reply has no Content-Length");
  head.size = *size;
  head.etag = unquote_etag(headers.get("etag"));
  head.content_type = headers.get("content-type");
  head.last_modified = headers.get("last-modified");
  head.storage_class = headers.get("x-amz-storage-class");
  head.version_id = headers.get("x-amz-version-id");
  for (ChecksumKind kind :
       {ChecksumKind::crc64nvme, ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::sha1, ChecksumKind::sha256}) {
    const auto text = headers.find(hash::header_of(kind));
    if (!text) continue;
    Result<hash::Checksum> checksum = hash::Checksum::parse(kind, *text);
    if (!checksum) return make_error(ErrorKind::protocol, "HeadObject: malformed reply: " + checksum.error().message);
    head.checksum = *std::move(checksum);
    break;
  }
  constexpr std::string_view kPrefix = "x-amz-meta-";
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const http::Headers::Field field = headers.at(i);
    if (field.name.substr(0, kPrefix.size()) == kPrefix) {
      head.metadata.emplace_back(field.name.substr(kPrefix.size()), field.value);
    }
  }
  return head;
}

}  // namespace dray::s3
