#include "server/listing.h"

#include <optional>

namespace dray::server {
namespace {

/// The smallest string that is greater than every string that starts with `prefix`; nothing if there is none.
std::optional<std::string> end_of_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

/// The first key beyond all that start with `prefix`.
ObjectMap::const_iterator beyond(const ObjectMap& objects, const std::string& prefix) {
  const std::optional<std::string> end = end_of_prefix(prefix);
  return end ? objects.lower_bound(*end) : objects.end();
}

/// The common prefix that a key is rolled up into; nothing if it stands for itself.
std::optional<std::string> rolled_up(std::string_view key, const ListQuery& query) {
  if (query.delimiter.empty()) return std::nullopt;
  const std::size_t at = key.find(query.delimiter, query.prefix.size());
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(key.substr(0, at + query.delimiter.size()));
}

ObjectMap::const_iterator first_of(const ObjectMap& objects, const ListQuery& query) {
  if (query.after < query.prefix) return objects.lower_bound(query.prefix);
  if (query.after.starts_with(query.prefix) && rolled_up(query.after, query) == query.after) {
    return beyond(objects, query.after);
  }
  return objects.upper_bound(query.after);
}

}  // namespace

ListPage list_page(const ObjectMap& objects, const ListQuery& query) {
  ListPage page;
  if (query.max_keys == 0) return page;
  auto at = first_of(objects, query);
  while (at != objects.end() && at->first.starts_with(query.prefix)) {
    if (page.count() == query.max_keys) {
      page.truncated = true;
      break;
    }
    if (std::optional<std::string> common = rolled_up(at->first, query)) {
      at = beyond(objects, *common);
      page.last = *common;
      page.common_prefixes.push_back(std::move(*common));
    } else {
      page.last = at->first;
      page.objects.push_back(at->second);
      ++at;
    }
  }
  return page;
}

}  // namespace dray::server
