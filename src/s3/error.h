// S3's error replies and what they mean here. Pure.
#pragma once

#include <string>
#include <string_view>

#include "dray/result.h"
#include "http/head.h"

namespace dray::s3 {

/// The Error of a reply with an error status, from its body (an <Error> document, possibly missing: HEAD) and headers.
/// `what` is the operation: "PutObject s3://bucket/key". Kinds: NoSuchBucket, NoSuchKey, NoSuchUpload and plain 404
/// not_found; 401, 403 access_denied; BadDigest and its like checksum_mismatch; 412 and a bucket's name that is taken
/// already_exists; 501 unsupported; the rest server. Known codes carry advice. Code and message are fit to be shown.
Error error_of(const http::ResponseHead& head, std::string_view body, std::string_view what);
/// The Error of an <Error> document that came with status 200 (CompleteMultipartUpload, CopyObject).
Error error_in_success(const http::ResponseHead& head, std::string_view body, std::string_view what);
/// The HTTP status that S3 sends with a code ("NoSuchKey" -> 404), 400 for unknown ones. For servers.
int status_of(std::string_view code);

}  // namespace dray::s3
