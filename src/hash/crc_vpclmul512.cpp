#include "hash/crc_fold.h"

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12's intrinsics take the lanes that a mask leaves out from a variable set to itself, and warn of it.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define DRAY_VPCLMUL512 __attribute__((target("avx512f,vpclmulqdq,pclmul")))

namespace dray::hash {
namespace {

// crc_fold.h's scheme with four messages of 16 bytes side by side in each register.
struct Vpclmul512Crc {
  static constexpr std::size_t kRegisters = 8, kBlock = 64, kStride = kRegisters * kBlock;

  DRAY_VPCLMUL512 static __m512i load(const std::byte* data) { return _mm512_loadu_si512(data); }

  /// Every lane forward by `bits`, onto `next`.
  template <std::uint64_t Q, unsigned bits>
  DRAY_VPCLMUL512 static __m512i fold(__m512i folded, __m512i next) {
    const __m512i by = _mm512_broadcast_i32x4(
        _mm_set_epi64x(static_cast<long long>(FoldBy<Q, bits>::high), static_cast<long long>(FoldBy<Q, bits>::low)));
    const __m512i low = _mm512_clmulepi64_epi128(folded, by, 0x00);
    const __m512i high = _mm512_clmulepi64_epi128(folded, by, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, 0x96);  // the exclusive or of all three
  }

  /// The state goes onto the first eight bytes.
  DRAY_VPCLMUL512 static __m512i load_first(const std::byte* data, std::uint64_t state) {
    return _mm512_xor_si512(load(data), _mm512_zextsi128_si512(PclmulCrc::word(state)));
  }

  // All registers at once, as one fold waits several cycles for its products. Takes as many strides as there are, one
  // at least, and leaves the last block.
  template <std::uint64_t Q>
  DRAY_VPCLMUL512 static __m512i fold_strides(std::uint64_t state, const std::byte*& data, std::size_t& size) {
    __m512i folded[kRegisters] = {load_first(data, state)};
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
  DRAY_VPCLMUL512 static std::uint64_t step(std::uint64_t state, const std::byte* data, std::size_t size) {
    if (size < kBlock) return PclmulCrc::step<Q>(state, data, size);

    __m512i folded;
    if (size < kStride) {
      folded = load_first(data, state);
      data += kBlock, size -= kBlock;
    } else {
      folded = fold_strides<Q>(state, data, size);
    }
    for (; size >= kBlock; data += kBlock, size -= kBlock) folded = fold<Q, kBlock * 8>(folded, load(data));

    __m128i last = _mm512_extracti32x4_epi32(folded, 0);
    last = PclmulCrc::fold<Q>(last, _mm512_extracti32x4_epi32(folded, 1));
    last = PclmulCrc::fold<Q>(last, _mm512_extracti32x4_epi32(folded, 2));
    last = PclmulCrc::fold<Q>(last, _mm512_extracti32x4_epi32(folded, 3));
    return PclmulCrc::finish<Q>(last, data, size);
  }
};

}  // namespace

CrcKernel vpclmul512_crc() { return kernel_of<Vpclmul512Crc>("vpclmul512"); }

}  // namespace dray::hash

#endif
