// The CRCs of S3: CRC-32 (zlib's), CRC-32C (Castagnoli) and CRC-64/NVME. Pure; any thread.
//
// The kernel is chosen at run time from what the processor has: VPCLMULQDQ with AVX-512 or AVX2, PCLMULQDQ, or a
// portable slicing table. All give the same values; tests compare every kernel this machine can run with the table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace dray::hash {

/// Values are the finished ones (initial value and final inversion applied), so that crc(0, "") is 0 and
/// crc32(crc32(0, a), b) is the CRC of a followed by b.
std::uint32_t crc32(std::uint32_t crc, Bytes data);
std::uint32_t crc32c(std::uint32_t crc, Bytes data);
std::uint64_t crc64nvme(std::uint64_t crc, Bytes data);

/// The CRC of A followed by B from those of A and B and B's length in bytes; O(log length).
std::uint32_t combine_crc32(std::uint32_t a, std::uint32_t b, std::uint64_t b_length);
std::uint32_t combine_crc32c(std::uint32_t a, std::uint32_t b, std::uint64_t b_length);
std::uint64_t combine_crc64nvme(std::uint64_t a, std::uint64_t b, std::uint64_t b_length);

/// One implementation, for tests and benchmarks. `name` is "portable", "pclmul", "vpclmul256", "vpclmul512", ...
struct CrcKernel {
  std::string_view name;
  std::uint32_t (*crc32)(std::uint32_t, Bytes) = nullptr;  // null where the kernel has none
  std::uint32_t (*crc32c)(std::uint32_t, Bytes) = nullptr;
  std::uint64_t (*crc64nvme)(std::uint64_t, Bytes) = nullptr;
};
/// Those that this processor can run, slowest first.
std::vector<CrcKernel> available_crc_kernels();

}  // namespace dray::hash
