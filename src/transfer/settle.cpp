#include "transfer/settle.h"

#include "base/bytes.h"
#include "hash/digest.h"

namespace dray::transfer {

bool leaves_outcome_open(const Error& error) {
  return error.kind == ErrorKind::network || error.kind == ErrorKind::timed_out || error.kind == ErrorKind::protocol;
}

bool may_refuse_repetition(const Error& error, bool again) {
  return error.code == "NoSuchUpload" || (again && error.kind == ErrorKind::already_exists);
}

std::optional<std::string> multipart_etag(std::span<const s3::UploadedPart> parts) {
  if (parts.empty()) return std::nullopt;
  std::string all;
  for (const s3::UploadedPart& part : parts) {
    if (part.etag.size() != 32) return std::nullopt;
    Result<std::string> raw = base::from_hex(part.etag);
    if (!raw) return std::nullopt;
    all += *raw;
  }
  const std::string md5 = hash::digest(hash::DigestKind::md5, as_bytes(all));
  return base::to_hex(as_bytes(md5)) + "-" + std::to_string(parts.size());
}

bool proves_same_object(const s3::ObjectHead& head, const hash::Checksum& checksum,
                        std::span<const s3::UploadedPart> parts, std::uint64_t size) {
  if (head.size != size) return false;
  if (checksum.kind != ChecksumKind::none && head.checksum.kind == checksum.kind &&
      head.checksum.type == checksum.type) {
    return head.checksum == checksum;
  }
  const std::optional<std::string> expected = multipart_etag(parts);
  return expected && head.etag == *expected;
}

}  // namespace dray::transfer
