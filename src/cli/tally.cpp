#include "cli/tally.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/units.h"
#include "cli/exit_code.h"

namespace dray::cli {
namespace {

using Json = nlohmann::ordered_json;

double rate_of(const Tally& tally) { return static_cast<double>(tally.bytes) / std::max(tally.seconds, 1e-9); }

double cpu_seconds_per_gib(const Tally& tally) {
  if (tally.bytes == 0) return 0;
  return tally.stats->cpu_seconds * static_cast<double>(base::kGiB) / static_cast<double>(tally.bytes);
}

}  // namespace

void Tally::count(const Outcome& outcome) {
  switch (outcome.state) {
    case Outcome::State::done:
      ++done;
      break;
    case Outcome::State::failed:
      ++failed;
      if (outcome.error.kind == ErrorKind::cancelled) ++cancelled;
      break;
    case Outcome::State::warned:
      ++warned;
      [[fallthrough]];
    case Outcome::State::skipped:
      ++skipped;
      break;
  }
  if (const auto* made = std::get_if<Summary>(&outcome.object)) {
    bytes += made->size;
    retries += made->retries;
  }
}

int Tally::exit_code() const {
  if (signal != 0) return kExitSignal + signal;
  if (failed > 0) return kExitFailed;
  if (warned > 0) return kExitSkipped;
  return kExitDone;
}

std::string to_text(const Tally& tally) {
  return fmt::format("{} done, {} failed, {} skipped; {} in {:.1f} s, {}", tally.done, tally.failed, tally.skipped,
                     base::format_size(tally.bytes), tally.seconds, base::format_rate(rate_of(tally)));
}

std::string to_json(const Tally& tally) {
  Json summary = {{"planned", tally.planned},
                  {"done", tally.done},
                  {"failed", tally.failed},
                  {"skipped", tally.skipped},
                  {"deleted", 0},
                  {"bytes", tally.bytes},
                  {"seconds", tally.seconds},
                  {"bytes_per_second", rate_of(tally)}};
  if (tally.signal != 0) summary["interrupted"] = signal_name(tally.signal);
  if (tally.stats) {
    summary["stats"] = {{"peak_connections", tally.stats->peak_connections},
                        {"retries", tally.retries},
                        {"cpu_seconds", tally.stats->cpu_seconds},
                        {"cpu_seconds_per_gib", cpu_seconds_per_gib(tally)},
                        {"peak_memory", tally.stats->peak_memory}};
  }
  return Json{{"summary", summary}}.dump();
}

std::string stats_text(const Tally& tally) {
  if (!tally.stats) return "";
  return fmt::format("{} connections at most, {} retries, {:.2f} CPU s, {:.2f} CPU s/GiB, {} peak memory",
                     tally.stats->peak_connections, tally.retries, tally.stats->cpu_seconds, cpu_seconds_per_gib(tally),
                     base::format_size(tally.stats->peak_memory));
}

std::string signal_name(int signal) {
  switch (signal) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    default:
      return fmt::format("signal {}", signal);
  }
}

}  // namespace dray::cli
