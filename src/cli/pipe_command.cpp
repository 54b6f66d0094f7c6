// pipe: standard input to an object.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/copier.h"
#include "cli/copy_plan.h"
#include "cli/one_operation.h"
#include "cli/upload_flags.h"

namespace dray::cli {

void declare_pipe(CLI::App& app, Command& chosen) {
  CLI::App* pipe = app.add_subcommand("pipe", "standard input to an object");
  auto command = std::make_shared<PipeCommand>();
  pipe->add_option("URL", command->url, "s3://BUCKET/KEY")->type_name("URL")->required();
  declare_object_options(*pipe, command->upload);
  declare_transfer_options(*pipe, command->upload.options);
  pipe->callback([command, &chosen] { chosen = *command; });
}

int run(const PipeCommand& command, Context& context) {
  const Result<ObjectUrl> target = parse_object_url(command.url);
  if (!target) return wrong_usage(context, target.error());
  const Source source{.operation = {.name = "pipe", .destination = command.url},
                      .path = "-",
                      .target = *target,
                      .kind = Source::Kind::standard_input};
  Result<Client> client = open_client(context);
  if (!client) return fail(context, source.operation, std::move(client).error());
  UploadQueue queue(*client, context, 1, std::nullopt);
  Copier(*client, queue, command.upload).start(source);
  if (command.upload.dry_run) context.output.note("dry run: nothing was uploaded");
  return queue.finish();
}

}  // namespace dray::cli
