// CompleteMultipartUpload: makes the object out of its parts.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hash/checksum.h"
#include "s3/upload_part.h"

namespace dray::s3 {

struct CompleteMultipartUpload {
  std::string_view bucket, key, upload_id;
  std::span<const UploadedPart> parts;  ///< in ascending order of number
  hash::Checksum checksum{};            ///< of the whole object; kind none = not sent
  std::uint64_t object_size = 0;        ///< bytes, proves to the store that no part is missing
  bool if_none_match = false;
};
struct CompletedUpload {
  std::string etag;  ///< without quotes
  std::string version_id;
};
/// Only a CompleteMultipartUploadResult with an ETag is success: the store may answer 200 and then an <Error>, or an
/// empty body; both are errors that may be retried.
Result<CompletedUpload> complete_multipart_upload(Session& session, const CompleteMultipartUpload& complete,
                                                  Deadline deadline);

/// The document that is sent; pure.
std::string part_list_xml(std::span<const UploadedPart> parts);

}  // namespace dray::s3
