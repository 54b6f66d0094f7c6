#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "cli/exit_code.h"

namespace dray::cli {
namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 1 something failed, 2 wrong usage, 4 some sources were skipped with a warning,\n"
    "5 refused for safety; 129, 130, 143 after a signal.\n";

constexpr std::size_t kColumn = 36;

/// Commands first, then options; a command's help ends with the global options.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kColumn); }

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    const CLI::App* parent = app->get_parent();
    std::string help = app->get_description() + "\n" + usage(*app);
    if (parent == nullptr)
      return help + commands(*app) + options("Options", *app, false) + "\n" + std::string(kExitCodes);
    return help + options("Arguments", *app, true) + options("Options", *app, false) +
           options("Global options", *parent, false);
  }

 private:
  static std::string usage(const CLI::App& app) {
    if (app.get_parent() == nullptr) return "Usage: dray [options] COMMAND [options] ARGUMENTS\n";
    std::string words = app.get_name();
    for (const CLI::Option* option : app.get_options({})) {
      if (option->get_positional()) words += " " + option->get_type_name();
    }
    return "Usage: dray " + words + " [options]\n";
  }

  static std::string row(std::string name, const std::string& description) {
    name = "  " + std::move(name);
    name.resize(std::max(kColumn, name.size() + 1), ' ');
    return name + description + "\n";
  }

  static std::string commands(const CLI::App& app) {
    std::string rows = "\nCommands:\n";
    for (const CLI::App* command : app.get_subcommands({})) {
      std::string name = command->get_name();
      for (const std::string& alias : command->get_aliases()) name += ", " + alias;
      rows += row(name, command->get_description());
    }
    return rows + row("help [COMMAND]", "this text, or that of a command");
  }

  static std::string options(const std::string& heading, const CLI::App& app, bool positional) {
    std::string rows;
    for (const CLI::Option* option : app.get_options({})) {
      if (option->get_positional() != positional || option == app.get_help_ptr()) continue;
      std::string name = positional ? option->get_type_name() : option->get_name(false, true);
      // Flags have no value to name.
      if (!positional && option->get_items_expected_max() > 0) name += " " + option->get_type_name();
      rows += row(name, option->get_description());
    }
    return rows.empty() ? "" : "\n" + heading + ":\n" + rows;
  }
};

void describe(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "this text");
  app.option_defaults()->take_last();
  app.require_subcommand(1);
  app.fallthrough();  // global options may follow the command
}

/// "dray help cp" is "dray cp --help", "dray --version" is "dray version".
std::vector<std::string> as_commands(std::vector<std::string> words) {
  if (words.empty()) return words;
  if (words[0] == "--version") words[0] = "version";
  if (words[0] == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  return words;
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Usage what_is_wrong(const CLI::App& app, const CLI::ParseError& failure) {
  const bool chosen = !app.get_subcommands().empty();
  const std::vector<std::string> left = app.remaining();
  const auto word = std::ranges::find_if(left, [](const std::string& text) { return !text.starts_with('-'); });
  if (!chosen && word != left.end()) {
    return {"dray: unknown command " + base::in_quotes(*word) + "; 'dray help' lists them", kExitUsage};
  }
  if (!chosen && left.empty() && failure.get_name() == "RequiredError") return {trimmed(app.help()), kExitUsage};
  const std::string help = chosen ? "dray help " + app.get_subcommands().front()->get_name() : "dray help";
  return {"dray: " + base::printable(failure.what()) + "; see '" + help + "'", kExitUsage};
}

}  // namespace

std::variant<CommandLine, Usage> parse_command_line(std::vector<std::string> words) {
  CommandLine line;
  CLI::App app("dray: fast and safe transfers between files and S3", "dray");
  describe(app);
  declare(app, line.global);
  for (const auto declare_command :
       {declare_cp, declare_pipe, declare_mb, declare_head, declare_serve, declare_bench, declare_version}) {
    declare_command(app, line.command);
  }
  words = as_commands(std::move(words));
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    app.parse(std::move(words));
    return line;
  } catch (const CLI::CallForHelp&) {
    return Usage{trimmed(app.help()), kExitDone};
  } catch (const CLI::ParseError& failure) {
    return what_is_wrong(app, failure);
  }
}

}  // namespace dray::cli
