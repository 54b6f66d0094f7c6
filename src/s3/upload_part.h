// UploadPart: one part of a multipart upload.
#pragma once

#include <cstdint>
#include <string>

#include "hash/checksum.h"
#include "http/client.h"
#include "s3/session.h"

namespace dray::s3 {

/// 1 to 10,000.
using PartNumber = std::uint32_t;
constexpr PartNumber kMaxParts = 10'000;

struct UploadPart {
  std::string_view bucket, key, upload_id;
  PartNumber number = 1;
  const hash::Checksum* checksum = nullptr;  ///< of the body; null or none = none sent
};
/// A part as the store has it.
struct UploadedPart {
  PartNumber number = 0;
  std::uint64_t size = 0;
  std::string etag;  ///< without quotes
  hash::Checksum checksum{};
};
/// Sending the same number again replaces the part. Errors as put_object().
Result<UploadedPart> upload_part(Session& session, const UploadPart& part, http::BodySource& body, Deadline deadline);

}  // namespace dray::s3
