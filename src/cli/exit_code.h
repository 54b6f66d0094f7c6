// Exit codes: an interface (docs/manual/cli.md). A signal ends with 128 + its number.
#pragma once

namespace dray::cli {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitSkipped = 4;  ///< done, but some sources were skipped with a warning
constexpr int kExitRefused = 5;  ///< refused for safety, nothing was done
constexpr int kExitSignal = 128;

constexpr int kExitBenchSkipped = 123;
constexpr int kExitBenchFailed = 255;

}  // namespace dray::cli
