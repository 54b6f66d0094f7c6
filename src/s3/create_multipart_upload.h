// CreateMultipartUpload: begins an object that is sent in parts.
#pragma once

#include <string>

#include "hash/checksum.h"
#include "s3/object_attributes.h"

namespace dray::s3 {

struct CreateMultipartUpload {
  std::string_view bucket, key;
  const ObjectAttributes* attributes = nullptr;
  ChecksumKind checksum = ChecksumKind::none;
};
/// The upload id. The checksum's type is always said: CRC32 and CRC32C would become COMPOSITE otherwise.
Result<std::string> create_multipart_upload(Session& session, const CreateMultipartUpload& create, Deadline deadline);

}  // namespace dray::s3
