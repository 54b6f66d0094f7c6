// The command line: words in, values out. Touches neither files nor the environment.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"

namespace dray::cli {

struct CommandLine {
  GlobalOptions global;
  Command command;
};

/// What to print instead of running: help that was asked for (exit code 0, for stdout), or what is wrong (2, stderr).
struct Usage {
  std::string text;  ///< without a newline at the end
  int exit_code = 0;
};

/// `words`: without the program's name.
std::variant<CommandLine, Usage> parse_command_line(std::vector<std::string> words);

}  // namespace dray::cli
