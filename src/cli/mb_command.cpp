// mb: makes a bucket.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/one_operation.h"
#include "cli/tally.h"

namespace dray::cli {

void declare_mb(CLI::App& app, Command& chosen) {
  CLI::App* mb = app.add_subcommand("mb", "make a bucket");
  auto command = std::make_shared<MbCommand>();
  mb->add_option("URL", command->url, "s3://BUCKET")->type_name("URL")->required();
  mb->callback([command, &chosen] { chosen = *command; });
}

int run(const MbCommand& command, Context& context) {
  const Result<ObjectUrl> url = ObjectUrl::parse(command.url);
  if (!url) return wrong_usage(context, url.error());
  if (!url->key.empty()) {
    return wrong_usage(context,
                       make_error(ErrorKind::invalid_argument,
                                  base::in_quotes(command.url) + " names an object: s3://BUCKET was expected"));
  }
  const Operation operation{.name = "mb", .destination = command.url};
  Result<Client> client = open_client(context);
  if (!client) return fail(context, operation, std::move(client).error());
  Result<void> made = client->make_bucket(url->bucket);
  if (!made) return fail(context, operation, std::move(made).error());
  return finish_one(context, {.operation = operation});
}

}  // namespace dray::cli
