// What the process's control group (cgroup v2) says, at its own level and at each one above: a limit may stand at any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dray::fiber {

/// The first line of the group's file `name` ("cpu.max", "memory.max") at each level that has one, innermost first.
/// Empty outside cgroup v2. Reads files of the kernel, which do not block.
std::vector<std::string> cgroup_lines(std::string_view name);

}  // namespace dray::fiber
