// The headers of objects: which of a request's are kept, and what replies say. Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/headers.h"
#include "server/body_verifier.h"
#include "server/catalog.h"
#include "server/record.h"

namespace dray::server {

/// The headers that are kept with an object. NotImplemented for those whose meaning would be lost in silence (customer
/// keys, tags, object lock), MetadataTooLarge above 2 KiB of x-amz-meta-*.
Result<KeptHeaders> kept_headers(const http::Headers& request);

/// If-None-Match: * and If-Match on writes; NotImplemented for other forms.
Result<WriteCondition> write_condition(const http::Headers& request);

/// "\"9e107d9d372bb6826bd81d3542a419d6\""
std::string quoted(std::string_view etag);
/// Without the quotes, if it has them.
std::string_view unquoted(std::string_view etag);

/// The ETag of a body that came in one piece; in a store that discards it is made of the size.
std::string etag_of(const BodyDigests& digests);

/// x-amz-checksum-ALG and x-amz-checksum-type; nothing for none.
void add_checksum(http::Headers& to, const hash::Checksum& checksum);

}  // namespace dray::server
