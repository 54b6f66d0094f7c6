// How much memory this process may use.
#pragma once

#include <cstdint>

namespace dray::file {

/// Bytes: the machine's memory or the cgroup's limit at any level, whichever is less; 0 = unknown.
std::uint64_t usable_memory();

}  // namespace dray::file
