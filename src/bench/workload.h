// Workload: what a benchmark moves, read from the JSON files (version 2) that S3 clients' benchmarks publish. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/checksum_kind.h"
#include "dray/result.h"

namespace dray::bench {

enum class Action { upload, download };

/// One object. `key` is also the path of its file, relative to the working directory.
struct Task {
  Action action = Action::upload;
  std::string key;
  std::uint64_t size = 0;  ///< bytes
  friend bool operator==(const Task&, const Task&) = default;
};

struct Workload {
  std::string comment;
  bool files_on_disk = true;  ///< false: the bytes come from memory
  ChecksumKind checksum = ChecksumKind::none;
  std::uint32_t max_repeat_count = 1;
  std::uint64_t max_repeat_seconds = 600;  ///< no run begins after this
  std::vector<Task> tasks;                 ///< at least one

  std::uint64_t total_size() const;    ///< bytes of one run; parse_workload made sure that it fits
  std::uint64_t largest_size() const;  ///< bytes of the largest task
  bool has_downloads() const;
};

/// ErrorKind::unsupported for a version that is not 2, which is a reason to skip the benchmark; invalid_argument for
/// what is no workload file, with the place of the mistake ("tasks[3].size: ..."). Deep nesting is refused, not
/// followed.
Result<Workload> parse_workload(std::string_view text);
/// The same from a file of at most 64 MiB.
Result<Workload> read_workload(const std::string& path);

}  // namespace dray::bench
