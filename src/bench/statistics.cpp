#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dray::bench {

Statistics statistics_of(std::vector<double> values) {
  Statistics result;
  if (values.empty()) return result;
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  const std::size_t middle = values.size() / 2;
  result.median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  result.min = values.front();
  result.max = values.back();
  for (double value : values) result.variance += (value - result.mean) * (value - result.mean) / count;
  result.std_dev = std::sqrt(result.variance);
  return result;
}

}  // namespace dray::bench
