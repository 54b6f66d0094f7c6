// Progress: what a running command shows of itself. The texts are pure; the display decides when to show one.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "cli/global_options.h"
#include "cli/output.h"

namespace dray::cli {

/// One look at everything under way.
struct Snapshot {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> total{};  ///< unknown while a stream is among the sources
  double rate = 0;                       ///< bytes a second, over the last seconds
  Duration elapsed{};
  std::uint64_t files_left = 0;
  std::size_t connections = 0;
  std::string name{};  ///< of the one file that is left; may be empty; shown as it is, so it must be printable
};

/// "[=====>    ]  45%  1.2 GiB of 2.6 GiB  356.0 MiB/s  ETA 0:04  3 files left  16 connections", at most `columns`
/// wide: the graph shrinks, then goes, then the end is cut.
std::string bar_text(const Snapshot& snapshot, std::size_t columns);
/// "1.2 GiB of 2.6 GiB (45%), 356.0 MiB/s, ETA 0:04, 3 files left, 16 connections": for a log.
std::string line_text(const Snapshot& snapshot);

/// How fast it went in the last ten seconds.
class RateMeter {
 public:
  void add(SteadyTime now, std::uint64_t bytes);
  double bytes_per_second() const;  ///< 0 before the second look

 private:
  std::deque<std::pair<SteadyTime, std::uint64_t>> looks_;
};

/// bar, lines or none: what `automatic` means here. A log that is read by programs (--json) gets no lines unasked.
ProgressMode resolve(const GlobalOptions& options, bool terminal);

/// Shows snapshots, not more often than eyes or a log can take. On one thread.
class ProgressDisplay {
 public:
  ProgressDisplay(Output& output, ProgressMode mode, SteadyTime start);
  /// Whether a snapshot would be shown now: making one costs something.
  bool due(SteadyTime now) const;
  /// Shows it; `rate` and `elapsed` are filled in here.
  void show(Snapshot snapshot, SteadyTime now);
  void clear();

 private:
  Output& output_;
  ProgressMode mode_;
  SteadyTime start_;
  SteadyTime next_;
  RateMeter meter_;
};

}  // namespace dray::cli
