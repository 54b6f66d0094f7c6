// CRC by carry-less multiplication with 128-bit registers: the PCLMULQDQ kernel, and the end of the wider ones.
// Inside `hash` only, x86-64 only. Each function names the instructions that it needs, so that the rest of the program
// stays free of them. Pure; any thread.
//
// How it works: a register holds 16 bytes of the message, L * x^64 + H with L in the low word. To "fold" it forward by
// n bits is to multiply it with x^n modulo Q and add it to the 16 bytes that stand there, which changes the message but
// not its remainder. The product of two reflected words comes out multiplied by x, hence the exponents less by one:
//     L * x^(n+64) + H * x^n  =  (L * [x^(n+63) mod Q] + H * [x^(n-1) mod Q]) * x
// In the end 16 bytes are left, and Barrett's reduction makes the CRC of them. See Gopal et al., "Fast CRC Computation
// for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009).
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include "hash/crc_kernel.h"

#define DRAY_PCLMUL __attribute__((target("pclmul")))

namespace dray::hash {

/// The factors of a fold by `bits`, for the low and the high word.
template <std::uint64_t Q, unsigned bits>
struct FoldBy {
  static constexpr std::uint64_t low = power_of_x<Q>(bits + 63);
  static constexpr std::uint64_t high = power_of_x<Q>(bits - 1);
};

struct PclmulCrc {
  template <std::uint64_t Q>
  DRAY_PCLMUL static std::uint64_t step(std::uint64_t state, const std::byte* data, std::size_t size);

  /// Takes `folded`, 16 bytes that stand for all before, through the bytes that follow.
  template <std::uint64_t Q>
  DRAY_PCLMUL static std::uint64_t finish(__m128i folded, const std::byte* data, std::size_t size);

  /// One register forward by 16 bytes, onto `next`.
  template <std::uint64_t Q>
  DRAY_PCLMUL static __m128i fold(__m128i folded, __m128i next);

  /// The state of the 16 bytes: folded * x^64 mod Q.
  template <std::uint64_t Q>
  DRAY_PCLMUL static std::uint64_t reduce(__m128i folded);

  DRAY_PCLMUL static __m128i load(const std::byte* data) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
  }
  DRAY_PCLMUL static __m128i word(std::uint64_t low) { return _mm_cvtsi64_si128(static_cast<long long>(low)); }
};

template <std::uint64_t Q>
DRAY_PCLMUL inline __m128i PclmulCrc::fold(__m128i folded, __m128i next) {
  const __m128i by =
      _mm_set_epi64x(static_cast<long long>(FoldBy<Q, 128>::high), static_cast<long long>(FoldBy<Q, 128>::low));
  const __m128i low = _mm_clmulepi64_si128(folded, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(folded, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

template <std::uint64_t Q>
DRAY_PCLMUL inline std::uint64_t PclmulCrc::reduce(__m128i folded) {
  // L * x^128 + H * x^64, of which the first is brought below x^128: T1 * x^64 + T0.
  constexpr std::uint64_t kBy128 = power_of_x<Q>(127);
  const __m128i t = _mm_xor_si128(_mm_clmulepi64_si128(folded, word(kBy128), 0x00), _mm_srli_si128(folded, 8));
  // The quotient of T1 * x^64 / Q is the upper half of T1 * (x^127 / Q), exactly: no carries in GF(2).
  constexpr std::uint64_t kReciprocal = reciprocal<Q>();
  const __m128i quotient = _mm_clmulepi64_si128(t, word(kReciprocal), 0x00);
  // quotient * Q, with Q = (Q / x) * x + Q0 as the product gains an x.
  constexpr std::uint64_t kQOverX = (Q << 1) | 1;
  __m128i remainder = _mm_xor_si128(_mm_clmulepi64_si128(quotient, word(kQOverX), 0x00), t);
  if constexpr ((Q & kOne) != 0) remainder = _mm_xor_si128(remainder, _mm_slli_si128(quotient, 8));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(remainder, remainder)));
}

template <std::uint64_t Q>
DRAY_PCLMUL inline std::uint64_t PclmulCrc::finish(__m128i folded, const std::byte* data, std::size_t size) {
  for (; size >= 16; data += 16, size -= 16) folded = fold<Q>(folded, load(data));
  return PortableCrc::step<Q>(reduce<Q>(folded), data, size);
}

extern template std::uint64_t PclmulCrc::step<kCrc32Polynomial>(std::uint64_t, const std::byte*, std::size_t);
extern template std::uint64_t PclmulCrc::step<kCrc32cPolynomial>(std::uint64_t, const std::byte*, std::size_t);
extern template std::uint64_t PclmulCrc::step<kCrc64NvmePolynomial>(std::uint64_t, const std::byte*, std::size_t);

}  // namespace dray::hash

#endif
