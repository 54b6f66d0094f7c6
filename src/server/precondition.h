// If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since on reads (RFC 9110 section 13.2.2). Pure.
#pragma once

#include <string_view>

#include "base/time.h"
#include "http/headers.h"

namespace dray::server {

enum class Precondition { holds, not_modified, failed };

/// `etag` without quotes. Dates that cannot be read are ignored, as the RFC asks.
Precondition check_read_conditions(const http::Headers& headers, std::string_view etag, WallTime modified);

/// Whether a list of entity tags ("*" or "\"a\", W/\"b\"") names this one.
bool names_etag(std::string_view list, std::string_view etag);

}  // namespace dray::server
