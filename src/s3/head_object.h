// HeadObject: what the store knows of one object.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hash/checksum.h"
#include "s3/session.h"

namespace dray::s3 {

struct ObjectHead {
  std::uint64_t size = 0;
  std::string etag;  ///< without quotes
  std::string content_type, last_modified, storage_class, version_id;
  hash::Checksum checksum{};                                  ///< kind none = the store told none
  std::vector<std::pair<std::string, std::string>> metadata;  ///< without "x-amz-meta-"
};
/// Asks for the stored checksum too (x-amz-checksum-mode).
Result<ObjectHead> head_object(Session& session, std::string_view bucket, std::string_view key, Deadline deadline);

}  // namespace dray::s3
