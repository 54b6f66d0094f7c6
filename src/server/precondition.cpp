#include "server/precondition.h"

#include "base/bytes.h"

namespace dray::server {
namespace {

/// Without "W/" and quotes; S3's clients leave the quotes out at times.
std::string_view bare(std::string_view tag) {
  tag = base::trim(tag);
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
  return tag;
}

}  // namespace

bool names_etag(std::string_view list, std::string_view etag) {
  if (base::trim(list) == "*") return true;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (bare(list.substr(0, comma)) == etag) return true;
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return false;
}

Precondition check_read_conditions(const http::Headers& headers, std::string_view etag, WallTime modified) {
  if (const auto match = headers.find("if-match")) {
    if (!names_etag(*match, etag)) return Precondition::failed;
  } else if (const auto unmodified = headers.find("if-unmodified-since")) {
    const Result<WallTime> since = base::from_http_date(*unmodified);
    if (since && modified > *since) return Precondition::failed;
  }
  if (const auto none_match = headers.find("if-none-match")) {
    if (names_etag(*none_match, etag)) return Precondition::not_modified;
  } else if (const auto modified_since = headers.find("if-modified-since")) {
    const Result<WallTime> since = base::from_http_date(*modified_since);
    if (since && modified <= *since) return Precondition::not_modified;
  }
  return Precondition::holds;
}

}  // namespace dray::server
