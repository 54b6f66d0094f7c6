// What `dray head` prints for people: one fact a line. Pure.
#pragma once

#include <string>

#include "dray/client.h"

namespace dray::cli {

/// "Object     s3://b/k\nSize       6\n...", no newline at the end. Facts that the store did not tell are left out.
std::string head_text(const ObjectUrl& url, const ObjectInfo& info);

}  // namespace dray::cli
