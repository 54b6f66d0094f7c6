// What most commands begin and end with: a client, and a report on their one operation.
#pragma once

#include "cli/commands.h"
#include "dray/client.h"

namespace dray::cli {

/// From the environment and the global options; its notices go to the context's output.
Result<Client> open_client(Context& context);

/// Reports the one operation of a command, with a summary of one; returns the exit code.
int finish_one(Context& context, const Outcome& outcome);
/// Reports `error` as the failure of `operation`, likewise.
int fail(Context& context, Operation operation, Error error);
/// `dray: what is wrong: what to do`: exit code 2.
int wrong_usage(Context& context, const Error& error);

}  // namespace dray::cli
