// The commands: what each was given, as a value; how it declares its options; and how it runs. One file each.
//
// run() returns the exit code. It prints through the context's Output alone and blocks until the command has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/global_options.h"
#include "cli/interrupts.h"
#include "cli/output.h"

namespace dray::cli {

/// What a command may use. Borrowed for the length of run().
struct Context {
  const GlobalOptions& global;
  Output& output;
  Interrupts& interrupts;
};

/// Options of whatever uploads.
struct UploadFlags {
  UploadOptions options;
  bool no_clobber = false;
  bool dry_run = false;
};

struct CpCommand {
  std::vector<std::string> paths;  ///< SRC... DST
  UploadFlags upload;
};
struct PipeCommand {
  std::string url;
  UploadFlags upload;
};
struct MbCommand {
  std::string url;
};
struct HeadCommand {
  std::string url;
};
struct ServeCommand {
  std::string directory;
  bool memory = false;
  bool null = false;
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::string access_key;
  std::string secret_key;
};
struct BenchCommand {
  std::string workload;
  std::string bucket;
  std::string region;
  double target_gbps = 0;
  UploadOptions upload;
  std::optional<ChecksumKind> checksum;  ///< instead of the workload's
  bool cold = false;
  bool prepare = false;
  bool prepare_only = false;
};
struct VersionCommand {};

using Command =
    std::variant<CpCommand, PipeCommand, MbCommand, HeadCommand, ServeCommand, BenchCommand, VersionCommand>;

/// Each adds its command to the application; `chosen` becomes that command when it was typed. Both are borrowed until
/// the parsing has ended.
void declare_cp(CLI::App& app, Command& chosen);
void declare_pipe(CLI::App& app, Command& chosen);
void declare_mb(CLI::App& app, Command& chosen);
void declare_head(CLI::App& app, Command& chosen);
void declare_serve(CLI::App& app, Command& chosen);
void declare_bench(CLI::App& app, Command& chosen);
void declare_version(CLI::App& app, Command& chosen);

int run(const CpCommand& command, Context& context);
int run(const PipeCommand& command, Context& context);
int run(const MbCommand& command, Context& context);
int run(const HeadCommand& command, Context& context);
int run(const ServeCommand& command, Context& context);
int run(const BenchCommand& command, Context& context);
int run(const VersionCommand& command, Context& context);

}  // namespace dray::cli
