#include "hash/crc_fold.h"

#if defined(__x86_64__)

namespace dray::hash {

// Eight registers at once, as one fold waits several cycles for its products.
template <std::uint64_t Q>
DRAY_PCLMUL std::uint64_t PclmulCrc::step(std::uint64_t state, const std::byte* data, std::size_t size) {
  constexpr std::size_t kRegisters = 8, kStride = kRegisters * 16;
  if (size < 16) return PortableCrc::step<Q>(state, data, size);
  if (size < kStride) return finish<Q>(_mm_xor_si128(load(data), word(state)), data + 16, size - 16);

  using Stride = FoldBy<Q, kStride * 8>;
  const __m128i by = _mm_set_epi64x(static_cast<long long>(Stride::high), static_cast<long long>(Stride::low));
  __m128i folded[kRegisters];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRegisters; ++i) folded[i] = load(data + 16 * i);
  folded[0] = _mm_xor_si128(folded[0], word(state));
  for (data += kStride, size -= kStride; size >= kStride; data += kStride, size -= kStride) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRegisters; ++i) {
      const __m128i low = _mm_clmulepi64_si128(folded[i], by, 0x00);
      const __m128i high = _mm_clmulepi64_si128(folded[i], by, 0x11);
      folded[i] = _mm_xor_si128(_mm_xor_si128(low, high), load(data + 16 * i));
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 1; i < kRegisters; ++i) folded[i] = fold<Q>(folded[i - 1], folded[i]);
  return finish<Q>(folded[kRegisters - 1], data, size);
}

template std::uint64_t PclmulCrc::step<kCrc32Polynomial>(std::uint64_t, const std::byte*, std::size_t);
template std::uint64_t PclmulCrc::step<kCrc32cPolynomial>(std::uint64_t, const std::byte*, std::size_t);
template std::uint64_t PclmulCrc::step<kCrc64NvmePolynomial>(std::uint64_t, const std::byte*, std::size_t);

CrcKernel pclmul_crc() { return kernel_of<PclmulCrc>("pclmul"); }

}  // namespace dray::hash

#endif
