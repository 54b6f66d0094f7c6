// Records as text: what a directory store keeps beside the bytes. Pure.
//
//   dray-object 1
//   key photos%2Fa.jpg
//   size 5242881
//   ...
//   end 1f2e3d4c5b6a7988
//
// A line is a name and values, percent-encoded, separated by spaces; the last one holds the CRC-64/NVME of all before
// it, so that a torn or altered file is known as one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/result.h"
#include "server/record.h"

namespace dray::server {

/// A file of the data folder, by its name there.
struct StoredSegment {
  std::string id;
  std::uint64_t size = 0;
  friend bool operator==(const StoredSegment&, const StoredSegment&) = default;
};

/// A record whose segments are still names.
struct StoredObject {
  ObjectRecord record;
  std::vector<StoredSegment> segments;
};
struct StoredPart {
  PartRecord record;
  StoredSegment segment;
};

std::string to_text(const BucketRecord& bucket);
std::string to_text(const ObjectRecord& object, const std::vector<StoredSegment>& segments);
std::string to_text(const UploadRecord& upload);
std::string to_text(const PartRecord& part, const StoredSegment& segment);

// ErrorKind::protocol says what is wrong with the text.
Result<BucketRecord> bucket_from_text(std::string_view text);
Result<StoredObject> object_from_text(std::string_view text);
Result<UploadRecord> upload_from_text(std::string_view text);
Result<StoredPart> part_from_text(std::string_view text);

}  // namespace dray::server
