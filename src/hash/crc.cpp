#include "hash/crc.h"

#include <array>

#include "hash/crc_kernel.h"

namespace dray::hash {
namespace {

const CrcKernel& fastest_kernel() {
  static const CrcKernel kernel = available_crc_kernels().back();
  return kernel;
}

// x^(8 * 2^k) mod Q for each k: the steps of a shift by any number of bytes.
template <std::uint64_t Q>
constexpr auto make_byte_shifts() {
  std::array<std::uint64_t, 64> shifts{};
  shifts[0] = power_of_x<Q>(8);
  for (std::size_t k = 1; k < shifts.size(); ++k) shifts[k] = multiply<Q>(shifts[k - 1], shifts[k - 1]);
  return shifts;
}

template <std::uint64_t Q>
constexpr auto kByteShifts = make_byte_shifts<Q>();

// CRCs are linear: B's own CRC already holds what its initial value and final inversion contribute, so A's only has to
// be moved past B, by x^(8 * length).
template <std::uint64_t Q>
std::uint64_t combine(std::uint64_t a, std::uint64_t b, std::uint64_t b_length) {
  for (std::size_t k = 0; b_length != 0; ++k, b_length >>= 1) {
    if ((b_length & 1) != 0) a = multiply<Q>(a, kByteShifts<Q>[k]);
  }
  return a ^ b;
}

}  // namespace

std::vector<CrcKernel> available_crc_kernels() {
  std::vector<CrcKernel> kernels{portable_crc()};
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("pclmul")) return kernels;
  kernels.push_back(pclmul_crc());
  if (!__builtin_cpu_supports("vpclmulqdq")) return kernels;
  if (__builtin_cpu_supports("avx2")) kernels.push_back(vpclmul256_crc());
  if (__builtin_cpu_supports("avx512f")) kernels.push_back(vpclmul512_crc());
#endif
  return kernels;
}

std::uint32_t crc32(std::uint32_t crc, Bytes data) { return fastest_kernel().crc32(crc, data); }
std::uint32_t crc32c(std::uint32_t crc, Bytes data) { return fastest_kernel().crc32c(crc, data); }
std::uint64_t crc64nvme(std::uint64_t crc, Bytes data) { return fastest_kernel().crc64nvme(crc, data); }

std::uint32_t combine_crc32(std::uint32_t a, std::uint32_t b, std::uint64_t b_length) {
  return static_cast<std::uint32_t>(combine<kCrc32Polynomial>(a, b, b_length));
}

std::uint32_t combine_crc32c(std::uint32_t a, std::uint32_t b, std::uint64_t b_length) {
  return static_cast<std::uint32_t>(combine<kCrc32cPolynomial>(a, b, b_length));
}

std::uint64_t combine_crc64nvme(std::uint64_t a, std::uint64_t b, std::uint64_t b_length) {
  return combine<kCrc64NvmePolynomial>(a, b, b_length);
}

}  // namespace dray::hash
