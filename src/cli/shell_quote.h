// Words for a POSIX shell. Pure.
#pragma once

#include <string>
#include <string_view>

namespace dray::cli {

/// The text as one word of a shell command: as it is if that is safe, else in single quotes.
std::string shell_quoted(std::string_view text);

}  // namespace dray::cli
