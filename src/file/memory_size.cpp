#include "file/memory_size.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "fiber/cgroup.h"

namespace dray::file {
namespace {

std::uint64_t cgroup_limit() {
  std::uint64_t least = 0;
  for (const std::string& line : fiber::cgroup_lines("memory.max")) {
    const Result<std::uint64_t> bytes = base::parse_u64(line);  // "max" is no number: no limit
    if (bytes && (least == 0 || *bytes < least)) least = *bytes;
  }
  return least;
}

}  // namespace

std::uint64_t usable_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const std::uint64_t machine =
      pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
  const std::uint64_t group = cgroup_limit();
  if (machine == 0 || group == 0) return std::max(machine, group);
  return std::min(machine, group);
}

}  // namespace dray::file
