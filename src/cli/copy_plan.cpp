#include "cli/copy_plan.h"

#include <unordered_map>
#include <utility>

#include "base/bytes.h"

namespace dray::cli {
namespace {

Error wrong_usage(std::string message) { return make_error(ErrorKind::invalid_argument, std::move(message)); }

/// "c" of "a/b/c" and of "a/b/c/".
std::string_view base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == path.npos || path.size() == 1 ? path : path.substr(slash + 1);
}

bool is_folder(const ObjectUrl& url) { return url.key.empty() || url.key.ends_with('/'); }

/// Uploads only, for now.
Result<void> check_sides(const std::vector<std::string>& sources, const std::string& destination) {
  for (const std::string& source : sources) {
    if (!ObjectUrl::looks_like(source)) continue;
    return make_error(ErrorKind::unsupported, base::in_quotes(source) + ": copying from S3 is not built yet")
        .advise("cp takes local files to s3://BUCKET/KEY");
  }
  if (ObjectUrl::looks_like(destination)) return {};
  return wrong_usage("neither side is remote: " + base::in_quotes(destination) + " should be s3://BUCKET/KEY");
}

}  // namespace

Result<std::vector<PlannedCopy>> plan_copies(const std::vector<std::string>& sources, const std::string& destination) {
  DRAY_TRY_VOID(check_sides(sources, destination));
  const ObjectUrl target = DRAY_TRY(ObjectUrl::parse(destination));
  if (sources.size() > 1 && !is_folder(target)) {
    return make_error(ErrorKind::already_exists, "several sources for one name, " + base::in_quotes(destination))
        .advise("end it with a slash to keep their names");
  }
  std::vector<PlannedCopy> copies;
  std::unordered_map<std::string, std::string> taken;  // key -> source
  for (const std::string& source : sources) {
    PlannedCopy copy{.source = source, .target = target, .named_by_source = is_folder(target)};
    if (source.empty()) return wrong_usage("a source is empty");
    if (copy.named_by_source) {
      if (source == "-") return wrong_usage("standard input has no name: write s3://BUCKET/KEY in full");
      copy.target.key += base_name(source);
    }
    const auto [other, is_new] = taken.emplace(copy.target.key, source);
    if (!is_new) {
      return make_error(ErrorKind::already_exists, base::in_quotes(other->second) + " and " + base::in_quotes(source) +
                                                       " would both become " + base::in_quotes(copy.target.text()))
          .advise("copy them one by one, each with a name of its own");
    }
    copies.push_back(std::move(copy));
  }
  return copies;
}

Result<ObjectUrl> parse_object_url(const std::string& text) {
  ObjectUrl url = DRAY_TRY(ObjectUrl::parse(text));
  if (url.key.empty()) return wrong_usage(base::in_quotes(text) + " names a bucket: s3://BUCKET/KEY was expected");
  return url;
}

}  // namespace dray::cli
