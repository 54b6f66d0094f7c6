#include "cli/global_options.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <string_view>

#include "base/bytes.h"
#include "base/units.h"
#include "cli/option.h"

namespace dray::cli {
namespace {

/// The words of an option and what they mean.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};

constexpr Choice<ProgressMode> kProgressModes[] = {{"auto", ProgressMode::automatic},
                                                   {"bar", ProgressMode::bar},
                                                   {"lines", ProgressMode::lines},
                                                   {"none", ProgressMode::none}};
constexpr Choice<LogLevel> kLogLevels[] = {{"trace", LogLevel::trace}, {"debug", LogLevel::debug},
                                           {"info", LogLevel::info},   {"warning", LogLevel::warning},
                                           {"error", LogLevel::error}, {"off", LogLevel::off}};
constexpr Choice<std::string_view> kAddressing[] = {{"auto", "auto"}, {"path", "path"}, {"virtual", "virtual"}};

template <class T, std::size_t N>
Result<T> choose(const Choice<T> (&choices)[N], std::string_view text) {
  std::string words;
  for (const Choice<T>& choice : choices) {
    if (choice.word == text) return choice.value;
    words += (words.empty() ? "" : ", ") + std::string(choice.word);
  }
  return make_error(ErrorKind::invalid_argument, base::in_quotes(text) + " is none of " + words);
}

/// An option whose value is one of the words of a table.
template <class T, std::size_t N, class Target>
void choice_option(CLI::App& app, const std::string& name, const std::string& kind, const Choice<T> (&choices)[N],
                   Target& target, const std::string& help) {
  const auto take = [&choices, &target](const std::string& text) -> Result<void> {
    target = DRAY_TRY(choose(choices, text));
    return {};
  };
  value_option(app, name, kind, take, help);
}

Result<void> take_concurrency(const std::string& text, std::size_t& target) {
  target = 0;
  if (text == "auto") return {};
  const Result<std::uint64_t> number = base::parse_u64(text);
  if (!number || *number == 0 || *number > 10'000) {
    return make_error(ErrorKind::invalid_argument,
                      base::in_quotes(text) + " is neither auto nor a whole number from 1 to 10000");
  }
  target = *number;
  return {};
}

void declare_connection(CLI::App& app, GlobalOptions& options) {
  text_option(app, "--endpoint-url", "URL", options.endpoint_url, "the store, as http://HOST:PORT; default: AWS");
  text_option(app, "--region", "NAME", options.region, "the region to sign for");
  text_option(app, "--profile", "NAME", options.profile, "of the shared AWS config and credentials files");
  choice_option(app, "--addressing", "HOW", kAddressing, options.addressing,
                "auto, path (http://HOST/BUCKET) or virtual (http://BUCKET.HOST)");
  flag(app, "--no-sign-request", options.no_sign_request, "anonymous requests, without credentials");
}

void declare_limits(CLI::App& app, GlobalOptions& options) {
  value_option(
      app, "--concurrency,--numworkers", "N|auto",
      [&](const std::string& text) { return take_concurrency(text, options.concurrency); },
      "connections at once; auto finds out; too many cost SlowDown replies");
  size_option(app, "--memory-limit", options.memory_limit,
              "peak memory of the process (256M, or a quarter of the machine's if that is less)");
  size_option(app, "--bandwidth-limit", options.bandwidth_limit, "bytes a second over all connections");
  count_option(
      app, "--retries", 0, 1'000, [&](std::uint64_t number) { options.retries = static_cast<int>(number); },
      "tries after the first, for each request (5)");
  value_option(
      app, "--timeout", "SECONDS",
      [&](const std::string& text) -> Result<void> {
        options.timeout = DRAY_TRY(base::parse_duration(text));
        if (*options.timeout >= std::chrono::milliseconds(1)) return {};
        return make_error(ErrorKind::invalid_argument, base::in_quotes(text) + " is too short");
      },
      "how long a connection may stand still (30)");
}

void declare_talk(CLI::App& app, GlobalOptions& options) {
  flag(app, "--json", options.json, "one JSON object a line on stdout: operations, errors, a summary");
  choice_option(app, "--progress", "HOW", kProgressModes, options.progress, "auto, bar, lines or none");
  flag(app, "--no-progress", options.no_progress, "the same as --progress none");
  flag(app, "-q,--quiet", options.quiet, "errors only: no finished operations, progress, summary or warnings");
  flag(app, "--only-show-errors", options.only_show_errors, "errors and warnings only");
  choice_option(app, "--log-level", "LEVEL", kLogLevels, options.log_level,
                "trace, debug, info, warning, error or off (warning)");
  flag(app, "--stats", options.stats, "at the end: connections, retries, CPU time, peak memory");
}

}  // namespace

void declare(CLI::App& app, GlobalOptions& options) {
  declare_connection(app, options);
  declare_limits(app, options);
  declare_talk(app, options);
}

Result<Config> config_from(const GlobalOptions& options, Log log) {
  Config config = DRAY_TRY(Config::from_environment(options.profile));
  if (!options.endpoint_url.empty()) config.endpoint_url = options.endpoint_url;
  if (!options.region.empty()) config.region = options.region;
  if (!options.profile.empty()) config.profile = options.profile;
  if (!options.addressing.empty()) config.addressing = options.addressing;
  if (options.no_sign_request) config.sign_requests = false;
  if (options.concurrency != 0) config.concurrency = options.concurrency;
  if (options.memory_limit != 0) config.memory_limit = options.memory_limit;
  if (options.bandwidth_limit != 0) config.bandwidth_limit = options.bandwidth_limit;
  if (options.retries) config.retries = *options.retries;
  if (options.timeout) {
    config.idle_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(*options.timeout);
  }
  config.log = [log = std::move(log)](std::string_view level, std::string_view text) {
    const Result<LogLevel> known = choose(kLogLevels, level);
    log.write(known ? *known : LogLevel::info, text);
  };
  return config;
}

}  // namespace dray::cli
