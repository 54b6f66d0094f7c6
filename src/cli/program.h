// The program, less what concerns the process alone: see main.cpp.
#pragma once

#include <string>
#include <vector>

namespace dray::cli {

/// Descriptors 0 to 2 that are closed become /dev/null: else the next file or socket opened would take their number,
/// and what is printed would go there. Reading from a closed stdin stays an error, not an empty file. Before anything
/// is opened.
void fill_standard_descriptors();

/// Parses, runs, prints; returns the exit code. `words`: without the program's name. The signals that Interrupts
/// watches and SIGPIPE must be blocked.
int run_program(std::vector<std::string> words);

}  // namespace dray::cli
