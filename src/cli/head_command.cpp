// head: what the store tells about one object, or whether a bucket is there.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/head_text.h"
#include "cli/one_operation.h"

namespace dray::cli {

void declare_head(CLI::App& app, Command& chosen) {
  CLI::App* head = app.add_subcommand("head", "size, type, checksum and metadata of an object")->alias("stat");
  auto command = std::make_shared<HeadCommand>();
  head->add_option("URL", command->url, "s3://BUCKET/KEY, or s3://BUCKET")->type_name("URL")->required();
  head->callback([command, &chosen] { chosen = *command; });
}

int run(const HeadCommand& command, Context& context) {
  const Result<ObjectUrl> url = ObjectUrl::parse(command.url);
  if (!url) return wrong_usage(context, url.error());
  const Operation operation{.name = "head", .source = command.url};
  Result<Client> client = open_client(context);
  if (!client) return fail(context, operation, std::move(client).error());
  Outcome outcome{.operation = operation};
  std::string text = "Bucket     " + base::printable(url->bucket);
  if (url->key.empty()) {
    Result<void> there = client->head_bucket(url->bucket);
    if (!there) return fail(context, operation, std::move(there).error());
  } else {
    Result<ObjectInfo> info = client->head_object(*url);
    if (!info) return fail(context, operation, std::move(info).error());
    text = head_text(*url, *info);
    outcome.object = *std::move(info);
  }
  if (context.output.style().json) return finish_one(context, outcome);
  context.output.print(text);
  return kExitDone;
}

}  // namespace dray::cli
