// bench: runs a published workload and prints how long it took. Its lines and exit codes are those that programs which
// compare S3 clients expect.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "bench/benchmark.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/one_operation.h"
#include "cli/option.h"
#include "cli/upload_flags.h"

namespace dray::cli {
namespace {

Result<void> take_gbps(const std::string& text, double& target) {
  const char* end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, target);
  if (failed == std::errc() && stopped == end && std::isfinite(target) && target > 0) return {};
  return make_error(ErrorKind::invalid_argument, base::in_quotes(text) + " is not a number above 0");
}

int skip(Context& context, const std::string& why) {
  context.output.say("Skipping benchmark - " + why);
  return kExitBenchSkipped;
}

int fail_with(Context& context, const Error& error) {
  if (const int signal = context.interrupts.signal(); signal != 0) {
    context.output.say("interrupted by " + signal_name(signal));
    return kExitSignal + signal;
  }
  // The same words as everywhere, after the runners' own "FAIL - ".
  const std::string advice = error.advice.empty() ? "" : ": " + error.advice;
  const std::string code = error.code.empty() ? "" : " (" + error.code + ")";
  context.output.say("FAIL - " + base::printable(error.message + code + advice));
  return kExitBenchFailed;
}

bench::Voice voice_of(Output& output) {
  return {.print = [&output](std::string_view line) { output.print(line); },
          .note = [&output](std::string_view line) { output.note(line); }};
}

}  // namespace

void declare_bench(CLI::App& app, Command& chosen) {
  CLI::App* bench = app.add_subcommand("bench", "measure uploads with a workload file");
  auto command = std::make_shared<BenchCommand>();
  const auto positional = [&](const char* name, std::string& target, const char* help) {
    bench->add_option(name, target, help)->type_name(name)->required();
  };
  positional("WORKLOAD", command->workload, "a workload file, version 2 (bench/workloads/*.run.json)");
  positional("BUCKET", command->bucket, "where the objects go");
  positional("REGION", command->region, "of the bucket");
  value_option(
      *bench, "TARGET_GBPS", "TARGET_GBPS",
      [command](const std::string& text) { return take_gbps(text, command->target_gbps); },
      "what the network can do, in Gb/s; a hint")
      ->required();
  checksum_option(
      *bench, [command](ChecksumKind kind) { command->checksum = kind; }, "instead of the workload's");
  flag(*bench, "--prepare", command->prepare, "first make the files (at their keys, below this folder) and the bucket");
  flag(*bench, "--prepare-only", command->prepare_only, "make them, run nothing");
  flag(*bench, "--cold", command->cold, "before each run drop the files from the page cache");
  declare_transfer_options(*bench, command->upload);
  bench->callback([command, &chosen] { chosen = *command; });
}

int run(const BenchCommand& command, Context& context) {
  Result<bench::Workload> workload = bench::read_workload(command.workload);
  if (!workload && workload.error().kind == ErrorKind::unsupported) return skip(context, workload.error().message);
  if (!workload) return fail_with(context, workload.error());
  if (workload->has_downloads()) return skip(context, "downloads are not built yet");

  bench::Settings settings{.bucket = command.bucket, .upload = command.upload, .cold = command.cold};
  settings.upload.checksum = command.checksum.value_or(workload->checksum);
  GlobalOptions options = context.global;
  options.region = command.region;
  Context regional{options, context.output, context.interrupts};
  Result<Client> client = open_client(regional);
  if (!client) return fail_with(context, client.error());

  const bench::Voice voice = voice_of(context.output);
  if (command.prepare || command.prepare_only) {
    const Result<void> prepared = bench::prepare(*client, *workload, settings, voice);
    if (!prepared) return fail_with(context, prepared.error());
    if (command.prepare_only) return kExitDone;
  }
  const Interrupts::Registration on_signal(context.interrupts, [&client] { client->cancel_all(); });
  const auto runs = bench::run_benchmark(*client, *workload, settings, voice);
  return runs ? kExitDone : fail_with(context, runs.error());
}

}  // namespace dray::cli
