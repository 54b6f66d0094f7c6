#include "bench/benchmark.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/units.h"
#include "bench/prepare.h"
#include "bench/usage.h"
#include "file/file.h"

namespace dray::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One buffer for all tasks: each sends as much of it as it needs.
Result<std::vector<std::byte>> shared_bytes(std::uint64_t size) {
  const auto memory =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const Error too_much =
      make_error(ErrorKind::exhausted,
                 fmt::format("the workload sends {} from memory, which this machine lacks", base::format_size(size)))
          .advise("take a workload with filesOnDisk");
  if (size >= memory) return too_much;
  try {
    std::vector<std::byte> bytes(size);
    fill_random(bytes, 1);
    return bytes;
  } catch (const std::bad_alloc&) {
    return too_much;
  }
}

/// What to do about a file that is not there.
Error explained(Error error) {
  const bool no_file = error.kind == ErrorKind::not_found && error.os_error != 0;
  return no_file ? std::move(error).advise("make the files with --prepare") : error;
}

Result<void> drop_from_cache(const Workload& workload, const std::string& folder) {
  for (const Task& task : workload.tasks) {
    const std::string path = folder + "/" + task.key;
    Result<file::File> opened = file::File::open(path);
    if (!opened) return explained(std::move(opened).error());
    const file::File file = *std::move(opened);
    // Only clean pages can be dropped.
    Result<void> clean = file.sync_data();
    if (!clean) return std::move(clean).error().within(base::in_quotes(path));
    file.drop_cache();
  }
  return {};
}

Result<Run> run_once(Client& client, const Workload& workload, const Settings& settings, Bytes memory) {
  Run run{.bytes = workload.total_size()};
  std::vector<Transfer> transfers;
  transfers.reserve(workload.tasks.size());
  const Clock::time_point start = Clock::now();
  for (const Task& task : workload.tasks) {
    const ObjectUrl target{settings.bucket, task.key};
    transfers.push_back(workload.files_on_disk
                            ? client.upload(settings.folder + "/" + task.key, target, settings.upload)
                            : client.upload_bytes(memory.first(task.size), target, settings.upload));
  }
  std::optional<Error> first_failure;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    Result<Summary> done = transfers[i].wait();
    std::optional<Error> failure;
    if (!done) {
      failure = explained(std::move(done).error());
    } else if (done->size != workload.tasks[i].size) {
      failure = make_error(ErrorKind::invalid_argument,
                           fmt::format("{} has {} bytes, the workload says {}", base::in_quotes(workload.tasks[i].key),
                                       done->size, workload.tasks[i].size))
                    .advise("make the files with --prepare");
    }
    if (failure && !first_failure) {
      first_failure = std::move(failure);
      for (const Transfer& other : transfers) other.cancel();
    }
  }
  run.seconds = seconds_since(start);
  if (first_failure) return *std::move(first_failure);
  return run;
}

}  // namespace

Result<void> prepare(Client& client, const Workload& workload, const Settings& settings, const Voice& voice) {
  if (workload.files_on_disk) {
    const std::vector<MissingFile> missing = DRAY_TRY(missing_files(workload, settings.folder));
    DRAY_TRY_VOID(make_files(missing, settings.folder, voice));
  }
  if (client.head_bucket(settings.bucket)) return {};
  return client.make_bucket(settings.bucket);
}

Result<std::vector<Run>> run_benchmark(Client& client, const Workload& workload, const Settings& settings,
                                       const Voice& voice) {
  std::vector<std::byte> memory;
  if (!workload.files_on_disk) memory = DRAY_TRY(shared_bytes(workload.largest_size()));

  std::vector<Run> runs;
  const Clock::time_point start = Clock::now();
  do {
    if (settings.cold && workload.files_on_disk) DRAY_TRY_VOID(drop_from_cache(workload, settings.folder));
    runs.push_back(DRAY_TRY(run_once(client, workload, settings, memory)));
    voice.print(run_line(runs.size(), runs.back()));
  } while (runs.size() < workload.max_repeat_count &&
           seconds_since(start) < static_cast<double>(workload.max_repeat_seconds));
  for (const std::string& line : overall_lines(runs)) voice.print(line);
  voice.print(peak_memory_line(peak_memory()));
  return runs;
}

}  // namespace dray::bench
