#include "fiber/cgroup.h"

#include <fstream>

namespace dray::fiber {

std::vector<std::string> cgroup_lines(std::string_view name) {
  std::ifstream membership("/proc/self/cgroup");
  std::string line, path;
  while (std::getline(membership, line)) {
    if (line.rfind("0::", 0) == 0) path = line.substr(3);
  }
  if (path == "/") path.clear();
  std::vector<std::string> lines;
  for (;;) {
    std::ifstream file(std::string("/sys/fs/cgroup").append(path).append("/").append(name));
    if (std::getline(file, line)) lines.push_back(line);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return lines;
    path.resize(slash);
  }
}

}  // namespace dray::fiber
