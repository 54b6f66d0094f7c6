#include "bench/usage.h"

#include <sys/resource.h>

#include <charconv>
#include <string_view>

#include "file/file.h"

namespace dray::bench {
namespace {

/// "VmHWM:   61440 kB" in the text of /proc/self/status, in bytes; 0 if it is not there.
std::uint64_t high_water_mark(std::string_view status) {
  constexpr std::string_view kLabel = "VmHWM:";
  const std::size_t at = status.find(kLabel);
  if (at == status.npos) return 0;
  status.remove_prefix(at + kLabel.size());
  status.remove_prefix(std::min(status.find_first_of("0123456789"), status.size()));
  std::uint64_t kibibytes = 0;
  std::from_chars(status.data(), status.data() + status.size(), kibibytes);
  return kibibytes * 1024;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

std::uint64_t peak_memory() {
  if (const Result<file::File> status = file::File::open("/proc/self/status")) {
    char text[8192];
    const Result<std::size_t> got = status->read_at(0, std::as_writable_bytes(std::span(text)));
    if (got && *got > 0) {
      if (const std::uint64_t bytes = high_water_mark({text, *got}); bytes > 0) return bytes;
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

}  // namespace dray::bench
