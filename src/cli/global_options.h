// Options that every command takes, before or after its name. Plain values; zero and empty mean "not given".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/time.h"
#include "dray/client.h"

namespace CLI {
class App;
}

namespace dray::cli {

enum class ProgressMode {
  automatic,  ///< a bar on a terminal, a line every few seconds elsewhere
  bar,
  lines,
  none,
};

struct GlobalOptions {
  std::string endpoint_url;
  std::string region;
  std::string profile;
  std::string addressing;
  bool no_sign_request = false;
  std::size_t concurrency = 0;  ///< 0 = auto
  std::uint64_t memory_limit = 0;
  std::uint64_t bandwidth_limit = 0;
  std::optional<int> retries{};
  std::optional<Duration> timeout{};

  bool json = false;
  bool quiet = false;
  bool only_show_errors = false;
  bool stats = false;
  ProgressMode progress = ProgressMode::automatic;
  bool no_progress = false;
  LogLevel log_level = LogLevel::warning;
};

void declare(CLI::App& app, GlobalOptions& options);

/// What the environment and the shared AWS files say, overruled by the options. The client's notices go to `log`.
Result<Config> config_from(const GlobalOptions& options, Log log);

}  // namespace dray::cli
