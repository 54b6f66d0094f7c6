#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "bench/statistics.h"

namespace dray::bench {
namespace {

/// A clock that did not move must not make a rate infinite.
double bytes_per_second(const Run& run) { return static_cast<double>(run.bytes) / std::max(run.seconds, 1e-9); }

std::string overall_line(std::string_view label, std::vector<double> values) {
  const Statistics s = statistics_of(std::move(values));
  return fmt::format("Overall {} Median:{:.3f} Mean:{:.3f} Min:{:.3f} Max:{:.3f} Variance:{:.3f} StdDev:{:.3f}", label,
                     s.median, s.mean, s.min, s.max, s.variance, s.std_dev);
}

}  // namespace

double Run::gigabits_per_second() const { return bytes_per_second(*this) * 8 / 1e9; }

std::string run_line(std::size_t number, const Run& run) {
  const double rate = bytes_per_second(run);
  return fmt::format("Run:{} Secs:{:.3f} Gb/s:{:.1f} Mb/s:{:.1f} GiB/s:{:.1f} MiB/s:{:.1f}", number, run.seconds,
                     rate * 8 / 1e9, rate * 8 / 1e6, rate / static_cast<double>(base::kGiB),
                     rate / static_cast<double>(base::kMiB));
}

std::vector<std::string> overall_lines(const std::vector<Run>& runs) {
  std::vector<double> rates;
  std::vector<double> seconds;
  for (const Run& run : runs) {
    rates.push_back(run.gigabits_per_second());
    seconds.push_back(run.seconds);
  }
  return {overall_line("Throughput (Gb/s)", std::move(rates)), overall_line("Duration (Secs)", std::move(seconds))};
}

std::string peak_memory_line(std::uint64_t bytes) {
  return fmt::format("Peak RSS:{:.3f} MiB", static_cast<double>(bytes) / static_cast<double>(base::kMiB));
}

}  // namespace dray::bench
