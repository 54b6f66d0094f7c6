// serve: the embedded S3 server, for tests and for trying things out.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/one_operation.h"
#include "cli/option.h"
#include "cli/shell_quote.h"
#include "fiber/runtime.h"
#include "server/server.h"

namespace dray::cli {
namespace {

using server::Server;
using server::ServerOptions;

Result<void> check(const ServeCommand& command) {
  const int stores = (command.directory.empty() ? 0 : 1) + (command.memory ? 1 : 0) + (command.null ? 1 : 0);
  if (stores != 1) {
    return make_error(ErrorKind::invalid_argument, "serve needs a store")
        .advise("give one of DIR, --memory and --null");
  }
  if (command.access_key.empty() != command.secret_key.empty()) {
    return make_error(ErrorKind::invalid_argument, "--access-key and --secret-key go together");
  }
  return {};
}

ServerOptions options_from(const ServeCommand& command, Context& context) {
  ServerOptions options;
  options.store = command.memory ? ServerOptions::Store::memory
                  : command.null ? ServerOptions::Store::null
                                 : ServerOptions::Store::directory;
  options.directory = command.directory;
  options.address = command.address;
  options.port = command.port;
  if (!context.global.region.empty()) options.region = context.global.region;
  options.access_key = command.access_key;
  options.secret_key = command.secret_key;
  options.log = context.output.log();
  return options;
}

/// The first line is what programs wait for; the rest is for a shell.
void print_address(const Server& server, Output& output) {
  output.print("listening on " + server.url());
  const auto variable = [&output](std::string_view name, const std::string& value) {
    output.print("export " + std::string(name) + "=" + shell_quoted(value));
  };
  variable("AWS_ENDPOINT_URL", server.url());
  variable("AWS_ACCESS_KEY_ID", server.access_key());
  variable("AWS_SECRET_ACCESS_KEY", server.secret_key());
  variable("AWS_REGION", server.region());
}

}  // namespace

void declare_serve(CLI::App& app, Command& chosen) {
  CLI::App* serve = app.add_subcommand("serve", "an S3 server of its own, for tests and trials");
  auto command = std::make_shared<ServeCommand>();
  serve->add_option("DIR", command->directory, "keep objects in this folder")->type_name("[DIR]");
  flag(*serve, "--memory", command->memory, "keep objects in memory");
  flag(*serve, "--null", command->null, "take any upload, keep names and sizes only");
  text_option(*serve, "--address", "ADDRESS", command->address, "to listen on (127.0.0.1)");
  count_option(
      *serve, "--port", 0, 65'535, [command](std::uint64_t port) { command->port = static_cast<std::uint16_t>(port); },
      "to listen on; 0, the default, takes a free one");
  text_option(*serve, "--access-key", "AK", command->access_key, "with --secret-key; without, a pair is made");
  text_option(*serve, "--secret-key", "SK", command->secret_key, "other users of the machine can see what is typed");
  serve->callback([command, &chosen] { chosen = *command; });
}

int run(const ServeCommand& command, Context& context) {
  if (const Result<void> fine = check(command); !fine) return wrong_usage(context, fine.error());
  const Operation operation{.name = "serve", .source = command.directory};
  const Interrupts::Registration on_signal(context.interrupts, [] {});
  Result<std::unique_ptr<fiber::Runtime>> runtime = fiber::Runtime::start();
  if (!runtime) return fail(context, operation, std::move(runtime).error());
  Result<std::unique_ptr<Server>> server = Server::start(**runtime, options_from(command, context));
  if (!server) return fail(context, operation, std::move(server).error());

  print_address(**server, context.output);
  const int signal = context.interrupts.wait();
  (*server)->stop();
  // Being told to stop is how a server's work ends well.
  return signal == SIGTERM ? kExitDone : kExitSignal + signal;
}

}  // namespace dray::cli
