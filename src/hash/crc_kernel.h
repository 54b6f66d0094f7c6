// What the CRC kernels share. Inside `hash` only. Pure; any thread.
//
// A kernel is a struct with a static function template step<Q>(state, data, size): it takes the running state (no final
// inversion) through the bytes and returns the new one. kernel_of<> turns the struct into a CrcKernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hash/crc.h"
#include "hash/crc_polynomial.h"

namespace dray::hash {

/// Eight bytes at a time through eight tables of 256 entries. Also the tail of every other kernel.
struct PortableCrc {
  template <std::uint64_t Q>
  static std::uint64_t step(std::uint64_t state, const std::byte* data, std::size_t size);
};
extern template std::uint64_t PortableCrc::step<kCrc32Polynomial>(std::uint64_t, const std::byte*, std::size_t);
extern template std::uint64_t PortableCrc::step<kCrc32cPolynomial>(std::uint64_t, const std::byte*, std::size_t);
extern template std::uint64_t PortableCrc::step<kCrc64NvmePolynomial>(std::uint64_t, const std::byte*, std::size_t);

template <class Kernel, std::uint64_t Q>
std::uint32_t finished_crc32(std::uint32_t crc, Bytes data) {
  return ~static_cast<std::uint32_t>(Kernel::template step<Q>(std::uint32_t{~crc}, data.data(), data.size()));
}

template <class Kernel, std::uint64_t Q>
std::uint64_t finished_crc64(std::uint64_t crc, Bytes data) {
  return ~Kernel::template step<Q>(~crc, data.data(), data.size());
}

template <class Kernel>
CrcKernel kernel_of(std::string_view name) {
  return {name, &finished_crc32<Kernel, kCrc32Polynomial>, &finished_crc32<Kernel, kCrc32cPolynomial>,
          &finished_crc64<Kernel, kCrc64NvmePolynomial>};
}

CrcKernel portable_crc();
#if defined(__x86_64__)
// Callable only where the processor has the instructions: see available_crc_kernels().
CrcKernel pclmul_crc();      // PCLMULQDQ
CrcKernel vpclmul256_crc();  // AVX2 and VPCLMULQDQ
CrcKernel vpclmul512_crc();  // AVX-512F and VPCLMULQDQ
#endif

}  // namespace dray::hash
