// What the server knows of buckets, objects and multipart uploads, apart from their bytes. Values; once in the catalog
// a record is never changed, only replaced, so any thread may read it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "hash/checksum.h"
#include "server/segment.h"

namespace dray::server {

/// Headers that are kept and returned as they were sent: content-type, x-amz-meta-*, ...
using KeptHeaders = std::vector<std::pair<std::string, std::string>>;

struct BucketRecord {
  std::string name;
  WallTime created;
};

struct ObjectRecord {
  std::string key;
  std::uint64_t size = 0;
  std::string etag;   ///< without quotes
  WallTime modified;  ///< whole seconds, so that listings and Last-Modified agree
  KeptHeaders headers;
  hash::Checksum checksum;  ///< kind none = the object has none
  std::string upload_id;    ///< of the multipart upload it came from, else empty
  std::vector<std::shared_ptr<const Segment>> segments;
};

struct UploadRecord {
  std::string id;
  std::string bucket;
  std::string key;
  WallTime initiated;
  KeptHeaders headers;
  ChecksumKind checksum_kind = ChecksumKind::none;
  hash::ChecksumType checksum_type = hash::ChecksumType::full_object;
};

struct PartRecord {
  int number = 0;
  std::uint64_t size = 0;
  std::string etag;  ///< without quotes
  WallTime modified;
  hash::Checksum checksum;
  std::shared_ptr<const Segment> segment;
};

}  // namespace dray::server
