// Report: the lines that a benchmark prints, which other programs read with regular expressions. Pure.
//
// Numbers are in fixed notation, never with an exponent. Lines come without a newline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dray::bench {

/// One run over all tasks.
struct Run {
  double seconds = 0;
  std::uint64_t bytes = 0;
  double gigabits_per_second() const;  ///< 10^9 bits
};

/// "Run:1 Secs:31.788 Gb/s:8.1 Mb/s:8106.8 GiB/s:0.9 MiB/s:966.4"; the first run has number 1.
std::string run_line(std::size_t number, const Run& run);
/// "Overall Throughput (Gb/s) Median:... Mean:... Min:... Max:... Variance:... StdDev:..." and the same for
/// "Overall Duration (Secs)".
std::vector<std::string> overall_lines(const std::vector<Run>& runs);
/// "Peak RSS:61.250 MiB".
std::string peak_memory_line(std::uint64_t bytes);

}  // namespace dray::bench
