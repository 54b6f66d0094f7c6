// version: which dray this is.
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/exit_code.h"

namespace dray::cli {

void declare_version(CLI::App& app, Command& chosen) {
  app.add_subcommand("version", "which dray this is")->callback([&chosen] { chosen = VersionCommand{}; });
}

int run(const VersionCommand&, Context& context) {
  context.output.print("dray " DRAY_VERSION);
  return kExitDone;
}

}  // namespace dray::cli
