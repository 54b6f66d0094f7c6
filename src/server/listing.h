// Listing: one page of keys and common prefixes out of a sorted map of records. Pure.
//
// Keys are in the order of their UTF-8 bytes. With a delimiter, keys that hold it after the prefix are rolled up into
// one common prefix, and the listing jumps over them, so a page costs what it shows. A page begins after `after`: a
// key, or a common prefix, of which then everything is skipped.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/record.h"

namespace dray::server {

/// std::string compares bytes as unsigned: the order that S3 lists in.
using ObjectMap = std::map<std::string, std::shared_ptr<const ObjectRecord>, std::less<>>;

struct ListQuery {
  std::string prefix;
  std::string delimiter;  ///< empty = none
  std::string after;      ///< empty = from the start
  std::size_t max_keys = 1000;
};

struct ListPage {
  std::vector<std::shared_ptr<const ObjectRecord>> objects;
  std::vector<std::string> common_prefixes;
  bool truncated = false;
  std::string last;  ///< the last key or common prefix of the page: `after` of the next one

  std::size_t count() const { return objects.size() + common_prefixes.size(); }
};

ListPage list_page(const ObjectMap& objects, const ListQuery& query);

}  // namespace dray::server
