#include "cli/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>
#include <variant>

#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace dray::cli {
namespace {

int show(const Usage& usage, Output& output) {
  if (usage.exit_code == kExitDone) {
    output.print(usage.text);
  } else {
    output.say(usage.text);
  }
  return usage.exit_code;
}

int run_command(const CommandLine& line, Output& output) {
  Interrupts interrupts;
  Context context{line.global, output, interrupts};
  return std::visit([&context](const auto& command) { return run(command, context); }, line.command);
}

OutputStyle style_of(const GlobalOptions& options) {
  return {.json = options.json,
          .quiet = options.quiet,
          .only_show_errors = options.only_show_errors,
          .log_level = options.log_level};
}

}  // namespace

void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Write-only for stdin as well: a read from it must fail.
    if (open("/dev/null", O_WRONLY) != fd) _exit(kExitFailed);  // NOLINT: children may have it
  }
}

int run_program(std::vector<std::string> words) {
  const std::variant<CommandLine, Usage> parsed = parse_command_line(std::move(words));
  const auto* line = std::get_if<CommandLine>(&parsed);
  Output output(line != nullptr ? style_of(line->global) : OutputStyle{});
  const int code = line != nullptr ? run_command(*line, output) : show(std::get<Usage>(parsed), output);
  if (const Result<void> written = output.finish(); !written && code == kExitDone) {
    output.say("dray: " + written.error().message);
    return kExitFailed;
  }
  return code;
}

}  // namespace dray::cli
