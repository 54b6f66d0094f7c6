// Statistics: six numbers that tell how a series of measurements went. Pure.
#pragma once

#include <vector>

namespace dray::bench {

struct Statistics {
  double median = 0;  ///< of an even count: the mean of the middle two
  double mean = 0;
  double min = 0;
  double max = 0;
  double variance = 0;  ///< of the series itself: divided by n, as the published runners do
  double std_dev = 0;
};

/// All zero for an empty series.
Statistics statistics_of(std::vector<double> values);

}  // namespace dray::bench
