// Voice: where a benchmark's words go. The program decides what stdout and stderr are; tests collect them.
#pragma once

#include <functional>
#include <string_view>

namespace dray::bench {

/// Lines without their newline. Called on the thread that runs the benchmark; each line is out when the call returns.
struct Voice {
  std::function<void(std::string_view line)> print;  ///< results
  std::function<void(std::string_view line)> note;   ///< talk
};

}  // namespace dray::bench
