#include "file/memory_size.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/bytes.h"

namespace dray::file {
namespace {

std::uint64_t cgroup_limit() {
  std::ifstream membership("/proc/self/cgroup");
  std::string line, path;
  while (std::getline(membership, line)) {
    if (line.rfind("0::", 0) == 0) path = line.substr(3);
  }
  std::uint64_t least = 0;
  for (;;) {
    std::ifstream limit("/sys/fs/cgroup" + (path == "/" ? std::string() : path) + "/memory.max");
    if (std::getline(limit, line)) {
      const Result<std::uint64_t> bytes = base::parse_u64(line);  // "max" is no number: no limit
      if (bytes && (least == 0 || *bytes < least)) least = *bytes;
    }
    if (path.empty() || path == "/") return least;
    path.resize(path.rfind('/') == 0 ? 1 : path.rfind('/'));
  }
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
