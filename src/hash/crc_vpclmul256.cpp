#include "hash/crc_fold.h"

#if defined(__x86_64__)

#define DRAY_VPCLMUL256 __attribute__((target("avx2,vpclmulqdq,pclmul")))

namespace dray::hash {
namespace {

// crc_fold.h's scheme with two messages of 16 bytes side by side in each register.
struct Vpclmul256Crc {
  static constexpr std::size_t kRegisters = 8, kBlock = 32, kStride = kRegisters * kBlock;

  DRAY_VPCLMUL256 static __m256i load(const std::byte* data) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data));
  }

  /// Every lane forward by `bits`, onto `next`.
  template <std::uint64_t Q, unsigned bits>
  DRAY_VPCLMUL256 static __m256i fold(__m256i folded, __m256i next) {
    const __m256i by = _mm256_broadcastsi128_si256(
        _mm_set_epi64x(static_cast<long long>(FoldBy<Q, bits>::high), static_cast<long long>(FoldBy<Q, bits>::low)));
    const __m256i low = _mm256_clmulepi64_epi128(folded, by, 0x00);
    const __m256i high = _mm256_clmulepi64_epi128(folded, by, 0x11);
    return _mm256_xor_si256(_mm256_xor_si256(low, high), next);
  }

  /// The state goes onto the first eight bytes.
  DRAY_VPCLMUL256 static __m256i load_first(const std::byte* data, std::uint64_t state) {
    return _mm256_xor_si256(load(data), _mm256_zextsi128_si256(PclmulCrc::word(state)));
  }

  // All registers at once, as one fold waits several cycles for its products. Takes as many strides as there are, one
  // at least, and leaves the last block.
  template <std::uint64_t Q>
  DRAY_VPCLMUL256 static __m256i fold_strides(std::uint64_t state, const std::byte*& data, std::size_t& size) {
    __m256i folded[kRegisters] = {load_first(data, state)};
#pragma GCC unroll 8
    for (std::size_t i = 1; i < kRegisters; ++i) folded[i] = load(data + kBlock * i);
    for (data += kStride, size -= kStride; size >= kStride; data += kStride, size -= kStride) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kRegisters; ++i) {
        folded[i] = fold<Q, kStride * 8>(folded[i], load(data + kBlock * i));
      }
    }
#pragma GCC unroll 8
    for (std::size_t i = 1; i < kRegisters; ++i) folded[i] = fold<Q, kBlock * 8>(folded[i - 1], folded[i]);
    return folded[kRegisters - 1];
  }

  template <std::uint64_t Q>
  DRAY_VPCLMUL256 static std::uint64_t step(std::uint64_t state, const std::byte* data, std::size_t size) {
    if (size < kBlock) return PclmulCrc::step<Q>(state, data, size);

    __m256i folded;
    if (size < kStride) {
      folded = load_first(data, state);
      data += kBlock, size -= kBlock;
    } else {
      folded = fold_strides<Q>(state, data, size);
    }
    for (; size >= kBlock; data += kBlock, size -= kBlock) folded = fold<Q, kBlock * 8>(folded, load(data));

    __m128i last = _mm256_extracti128_si256(folded, 0);
    last = PclmulCrc::fold<Q>(last, _mm256_extracti128_si256(folded, 1));
    return PclmulCrc::finish<Q>(last, data, size);
  }
};

}  // namespace

CrcKernel vpclmul256_crc() { return kernel_of<Vpclmul256Crc>("vpclmul256"); }

}  // namespace dray::hash

#endif
