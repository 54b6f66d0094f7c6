// Benchmark: runs a workload again and again and prints how long each run took.
#pragma once

#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/voice.h"
#include "bench/workload.h"
#include "dray/client.h"

namespace dray::bench {

struct Settings {
  std::string bucket;
  UploadOptions upload;      ///< for every task; the workload's checksum is set by the caller
  std::string folder = ".";  ///< where the keys are paths
  bool cold = false;         ///< before each run the files leave the page cache
};

/// Makes the files (unless the bytes come from memory) and the bucket.
Result<void> prepare(Client& client, const Workload& workload, const Settings& settings, const Voice& voice);

/// Runs until maxRepeatCount runs are done or maxRepeatSecs have passed since the first began, at least once. A run's
/// time is from the first upload's start to the last one's end. Stops at the first upload that fails: the rest of that
/// run is cancelled. Blocks.
Result<std::vector<Run>> run_benchmark(Client& client, const Workload& workload, const Settings& settings,
                                       const Voice& voice);

}  // namespace dray::bench
