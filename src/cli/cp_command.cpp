// cp: local files, FIFOs and standard input to S3.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/copier.h"
#include "cli/copy_plan.h"
#include "cli/exit_code.h"
#include "cli/one_operation.h"
#include "cli/upload_flags.h"

namespace dray::cli {

void declare_cp(CLI::App& app, Command& chosen) {
  CLI::App* cp = app.add_subcommand("cp", "copy files to S3");
  auto command = std::make_shared<CpCommand>();
  cp->add_option("SRC", command->paths,
                 "files, FIFOs, - for standard input; last s3://BUCKET/KEY, or s3://BUCKET/PREFIX/ to keep names")
      ->type_name("SRC... DST")
      ->take_all();
  declare_object_options(*cp, command->upload);
  declare_transfer_options(*cp, command->upload.options);
  cp->callback([command, &chosen] {
    if (command->paths.size() < 2) throw CLI::ValidationError("cp", "SRC and DST are needed");
    chosen = *command;
  });
}

int run(const CpCommand& command, Context& context) {
  const std::vector<std::string> names(command.paths.begin(), command.paths.end() - 1);
  const Result<std::vector<PlannedCopy>> copies = plan_copies(names, command.paths.back());
  if (!copies) {
    const int code = wrong_usage(context, copies.error());
    return copies.error().kind == ErrorKind::already_exists ? kExitRefused : code;
  }
  std::vector<Source> sources;
  for (const PlannedCopy& copy : *copies) sources.push_back(look_at(copy));

  Result<Client> client = open_client(context);
  if (!client) return fail(context, sources.front().operation, std::move(client).error());
  UploadQueue queue(*client, context, sources.size(), total_size(sources));
  Copier copier(*client, queue, command.upload);
  for (const Source& source : sources) copier.start(source);
  if (command.upload.dry_run) context.output.note("dry run: nothing was uploaded");
  return queue.finish();
}

}  // namespace dray::cli
