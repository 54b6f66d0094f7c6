// Settling: what became of a request whose reply was lost. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dray/result.h"
#include "hash/checksum.h"
#include "s3/head_object.h"
#include "s3/upload_part.h"

namespace dray::transfer {

/// Whether a failed CompleteMultipartUpload may have made the object all the same.
bool leaves_outcome_open(const Error& error);

/// The ETag that S3 gives to an object of these parts: the MD5 of their MD5s and "-N". Nothing if a part's ETag is not
/// an MD5.
std::optional<std::string> multipart_etag(std::span<const s3::UploadedPart> parts);

/// Whether the object in the store is the one we sent: same size, and an equal checksum of the same kind and type, or
/// (for an upload in parts) the ETag that follows from the parts'. Size alone never proves it.
bool proves_same_object(const s3::ObjectHead& head, const hash::Checksum& checksum,
                        std::span<const s3::UploadedPart> parts, std::uint64_t size);

}  // namespace dray::transfer
