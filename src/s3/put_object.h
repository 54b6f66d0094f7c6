// PutObject: one object in one request (at most 5 GiB).
#pragma once

#include <string>

#include "hash/checksum.h"
#include "http/client.h"
#include "s3/object_attributes.h"

namespace dray::s3 {

struct PutObject {
  std::string_view bucket, key;
  const ObjectAttributes* attributes = nullptr;
  const hash::Checksum* checksum = nullptr;  ///< of the body; null or none = none sent
  bool if_none_match = false;                ///< refuse to replace an object
};
struct PutResult {
  std::string etag;  ///< without quotes
  std::string version_id;
};
/// A success without an ETag is ErrorKind::protocol; a checksum in the reply that is not ours is checksum_mismatch.
Result<PutResult> put_object(Session& session, const PutObject& put, http::BodySource* body, Deadline deadline);

/// Adds "x-amz-checksum-...: value", unless there is none.
void add_checksum(Request& request, const hash::Checksum* checksum);
/// If the reply tells a checksum of this kind, it must be this one.
Result<void> check_reply_checksum(const Reply& reply, const hash::Checksum* checksum, std::string_view operation);
/// The ETag without its quotes; ErrorKind::protocol if the reply has none.
Result<std::string> etag_of(const Reply& reply, std::string_view operation);
std::string unquote_etag(std::string_view etag);

}  // namespace dray::s3
