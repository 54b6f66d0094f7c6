// Copy plan: which object each source becomes. Names only, no file is looked at. Pure.
#pragma once

#include <string>
#include <vector>

#include "dray/object_url.h"
#include "dray/result.h"

namespace dray::cli {

struct PlannedCopy {
  std::string source;  ///< a local path, or "-"
  ObjectUrl target;
  bool named_by_source = false;  ///< the key ends with the source's own name
};

/// To "s3://b", "s3://b/" and "s3://b/p/" sources keep their names; "s3://b/x" names one object. Errors:
/// invalid_argument = wrong usage, unsupported = not built yet, already_exists = several sources for one name, which is
/// refused before anything is done.
Result<std::vector<PlannedCopy>> plan_copies(const std::vector<std::string>& sources, const std::string& destination);

/// An object's URL, bucket and key; anything else is wrong usage.
Result<ObjectUrl> parse_object_url(const std::string& text);

}  // namespace dray::cli
