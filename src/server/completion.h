// Completing a multipart upload: the client's part list held against the parts that came, and the object made of them
// ("CompleteMultipartUpload" in the S3 API reference). Pure.
#pragma once

#include <string_view>
#include <vector>

#include "http/headers.h"
#include "server/catalog.h"

namespace dray::server {

struct ClaimedPart {
  int number = 0;
  std::string etag;  ///< without quotes
  hash::Checksum checksum;
};

/// The body of the request. MalformedXML, InvalidRequest.
Result<std::vector<ClaimedPart>> parse_completion(std::string_view text);

/// Whether the parts' digests were computed from their bytes, or stand in for them (a store that discards).
enum class PartDigests { real, stand_in };

/// InvalidPartOrder, InvalidPart, EntityTooSmall (below 5 MiB, but for the last), InvalidRequest (a composite checksum
/// without the parts' own; x-amz-mp-object-size; x-amz-checksum-type), BadDigest (x-amz-checksum-*).
Result<ObjectRecord> assemble(const UploadView& upload, const std::vector<ClaimedPart>& claimed,
                              const http::Headers& headers, PartDigests digests);

}  // namespace dray::server
