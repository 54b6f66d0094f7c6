// What the first pass over a part costs, by how it is read: CPU seconds per GiB, for docs/decisions and
// bench/RESULTS.md.
//
//   read_variants FILE        read it once before, so that it is in the page cache
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "hash/crc.h"

namespace {

using dray::Bytes;
constexpr std::uint64_t kPart = 8 << 20;

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t fold(const void* memory, std::size_t length) {
  return dray::hash::crc64nvme(0, Bytes(static_cast<const std::byte*>(memory), length));
}

struct Variant {
  const char* name;
  std::function<void(int file, std::uint64_t size)> run;
};

Variant pread_variant(const char* name, std::size_t slice, bool with_crc) {
  return {name, [slice, with_crc](int file, std::uint64_t size) {
            std::vector<char> buffer(slice);
            for (std::uint64_t at = 0; at < size; at += slice) {
              const ssize_t got = pread(file, buffer.data(), slice, static_cast<off_t>(at));
              if (got > 0 && with_crc) fold(buffer.data(), static_cast<std::size_t>(got));
            }
          }};
}

Variant mmap_variant(const char* name, int flags) {
  return {name, [flags](int file, std::uint64_t size) {
            for (std::uint64_t at = 0; at < size; at += kPart) {
              const std::size_t length = std::min(kPart, size - at);
              void* memory = mmap(nullptr, length, PROT_READ, MAP_SHARED | flags, file, static_cast<off_t>(at));
              if (memory == MAP_FAILED) return;
              fold(memory, length);
              munmap(memory, length);
            }
          }};
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    std::fprintf(stderr, "usage: read_variants FILE\n");
    return 2;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  void* kept = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
  const std::vector<Variant> variants = {
      pread_variant("pread 256 KiB, no checksum", 256 << 10, false),
      pread_variant("pread 64 KiB + CRC64", 64 << 10, true),
      pread_variant("pread 256 KiB + CRC64", 256 << 10, true),
      pread_variant("pread 1 MiB + CRC64", 1 << 20, true),
      pread_variant("pread 8 MiB + CRC64", 8 << 20, true),
      mmap_variant("mmap of the part + CRC64", 0),
      mmap_variant("mmap of the part, populated + CRC64", MAP_POPULATE),
      {"mapping that is there already + CRC64", [kept](int, std::uint64_t length) { fold(kept, length); }},
  };
  for (const Variant& variant : variants) {
    std::vector<double> costs;
    for (int i = 0; i < 5; ++i) {
      const double before = cpu_seconds();
      variant.run(file, size);
      costs.push_back((cpu_seconds() - before) / (static_cast<double>(size) / (1 << 30)));
    }
    std::sort(costs.begin(), costs.end());
    fmt::print("{:<40} {:.3f} CPU-s/GiB (min {:.3f}, max {:.3f})\n", variant.name, costs[2], costs.front(),
               costs.back());
  }
}
