// The workload file's parser over any text: it may refuse, but it must end, and what it accepts keeps its promises.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/workload.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const dray::Result<dray::bench::Workload> workload =
      dray::bench::parse_workload({reinterpret_cast<const char*>(data), size});
  if (!workload.ok()) {
    const dray::ErrorKind kind = workload.error().kind;
    if (kind != dray::ErrorKind::invalid_argument && kind != dray::ErrorKind::unsupported) __builtin_trap();
    if (workload.error().message.empty()) __builtin_trap();
    return 0;
  }
  if (workload->tasks.empty() || workload->max_repeat_count == 0) __builtin_trap();
  if (workload->largest_size() > workload->total_size()) __builtin_trap();
  for (const dray::bench::Task& task : workload->tasks) {
    if (task.key.empty() || task.key.find('\0') != task.key.npos) __builtin_trap();
  }
  return 0;
}
