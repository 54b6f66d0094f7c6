// The content type of an object, guessed from its name. Pure.
#pragma once

#include <string_view>

namespace dray::cli {

/// "text/plain" for "a.TXT", the last extension counts, case ignored; empty if it is not known. Compressed forms of
/// other types ("a.txt.gz") are what they are: application/gzip.
std::string_view content_type_of(std::string_view name);

}  // namespace dray::cli
