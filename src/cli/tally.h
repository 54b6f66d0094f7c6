// Tally: what became of all that was planned: the summary's numbers and the exit code. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/outcome.h"

namespace dray::cli {

/// What --stats adds to the summary.
struct Stats {
  std::size_t peak_connections = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_memory = 0;  ///< bytes
};

/// planned == done + failed + skipped once every operation was counted.
struct Tally {
  std::uint64_t planned = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;     ///< those that an interruption ended are among them
  std::uint64_t skipped = 0;    ///< with a warning or without
  std::uint64_t warned = 0;     ///< skipped with a warning
  std::uint64_t cancelled = 0;  ///< failed because of an interruption
  std::uint64_t bytes = 0;      ///< of what is done
  std::uint64_t retries = 0;
  double seconds = 0;
  int signal = 0;  ///< that interrupted it; 0 = none
  std::optional<Stats> stats{};

  void count(const Outcome& outcome);
  /// 128 + signal, else 1 if something failed, else 4 if something was skipped with a warning, else 0.
  int exit_code() const;
};

/// "12 done, 1 failed, 0 skipped; 1.2 GiB in 3.4 s, 361.0 MiB/s".
std::string to_text(const Tally& tally);
/// {"summary":{...}} on one line.
std::string to_json(const Tally& tally);
/// "16 connections at most, 2 retries, 0.91 CPU s, 0.31 CPU s/GiB, 61.3 MiB peak memory".
std::string stats_text(const Tally& tally);
/// "SIGINT"; "signal 99" for one that has no name here.
std::string signal_name(int signal);

}  // namespace dray::cli
