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

/// Whether a CompleteMultipartUpload or PutObject that failed like this may have made the object all the same: no reply
/// came, or none that makes sense.
bool leaves_outcome_open(const Error& error);
/// Whether this refusal may come from our own success: the upload is gone, or the object is there. `again`: the request
/// had been sent before.
bool may_refuse_repetition(const Error& error, bool again);

/// The ETag that S3 gives to an object of these parts: the MD5 of their MD5s and "-N". Nothing if a part's ETag is not
/// an MD5.
std::optional<std::string> multipart_etag(std::span<const s3::UploadedPart> parts);

/// Whether the object in the store is the one we sent: same size, and an equal checksum of the same kind and type, or
/// (for an upload in parts) the ETag that follows from the parts'. Size alone never proves it.
bool proves_same_object(const s3::ObjectHead& head, const hash::Checksum& checksum,
                        std::span<const s3::UploadedPart> parts, std::uint64_t size);

}  // namespace dray::transfer
