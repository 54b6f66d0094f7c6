// Options of the commands that upload.
#pragma once

#include "cli/commands.h"

namespace dray::cli {

/// How a file travels: part sizes, reading. For cp, pipe and bench.
void declare_transfer_options(CLI::App& app, UploadOptions& options);
/// What the object shall be, and when not to write it. For cp and pipe.
void declare_object_options(CLI::App& app, UploadFlags& flags);

}  // namespace dray::cli
