// What this process has used so far, as the kernel counts it. Any thread.
#pragma once

#include <cstdint>

namespace dray::bench {

/// Bytes. From /proc, since getrusage() inherits the peak of whatever was executed before in the same process.
std::uint64_t peak_memory();
/// Seconds of user and system time, all threads together.
double cpu_seconds();

}  // namespace dray::bench
