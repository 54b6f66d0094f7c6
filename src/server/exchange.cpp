#include "server/exchange.h"

#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxKeyBytes = 1024;

}  // namespace

std::optional<std::string_view> Request::parameter(std::string_view name) const {
  for (const auto& [given, value] : query) {
    if (given == name) return std::string_view(value);
  }
  return std::nullopt;
}

Result<void> read_target(Request& request) {
  const auto bad_uri = [] { return refuse("InvalidURI", "Couldn't parse the specified URI."); };
  std::string_view path = request.head.path();
  if (!path.starts_with('/')) return bad_uri();
  path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  Result<std::string> bucket = base::uri_decode(path.substr(0, slash));
  Result<std::string> key =
      base::uri_decode(slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1));
  Result<base::Query> query = base::parse_query(request.head.query());
  if (!bucket || !key || !query || !base::is_utf8(*key)) return bad_uri();
  if (key->size() > kMaxKeyBytes) return refuse("KeyTooLongError", "Your key is too long");
  if (bucket->empty() && !key->empty()) {
    return refuse("InvalidBucketName", "The specified bucket is not valid.");
  }
  request.bucket = *std::move(bucket);
  request.key = *std::move(key);
  request.query = *std::move(query);
  return {};
}

Reply Reply::xml(std::string document) {
  Reply reply;
  reply.headers.add("content-type", "application/xml");
  reply.text = std::move(document);
  return reply;
}

}  // namespace dray::server
