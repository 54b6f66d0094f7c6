// Polynomials over GF(2) modulo a CRC's, at compile time or run time. Inside `hash` only. Pure; any thread.
//
// A polynomial of degree below 64 is a 64-bit word in reflected order: bit 63 holds the coefficient of x^0, bit 0 that
// of x^63. The divisor Q is written the same way with its leading x^64 left out, which is how reflected CRC polynomials
// are published. A 32-bit CRC needs no code of its own: with its polynomial P extended by zeros the word reads
// Q = P * x^32, and since (a * x^32) mod (P * x^32) = (a mod P) * x^32, a 64-bit CRC modulo Q keeps the 32-bit CRC
// modulo P in its low half. All of dray's kernels are therefore 64 bits wide and take Q as a template argument.
#pragma once

#include <cstdint>

namespace dray::hash {

inline constexpr std::uint64_t kCrc32Polynomial = 0xEDB88320;
inline constexpr std::uint64_t kCrc32cPolynomial = 0x82F63B78;
inline constexpr std::uint64_t kCrc64NvmePolynomial = 0x9A6C9329AC4BC9B5;

inline constexpr std::uint64_t kOne = std::uint64_t{1} << 63;  // x^0

template <std::uint64_t Q>
constexpr std::uint64_t times_x(std::uint64_t a) {
  return (a >> 1) ^ (Q & (0 - (a & 1)));  // without a branch, which would be mispredicted half the time
}

/// a * b mod Q.
template <std::uint64_t Q>
constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  for (; a != 0; a <<= 1, b = times_x<Q>(b)) product ^= b & (0 - (a >> 63));
  return product;
}

/// x^n mod Q, in as many multiplications as n has bits.
template <std::uint64_t Q>
constexpr std::uint64_t power_of_x(std::uint64_t n) {
  std::uint64_t power = kOne;
  for (std::uint64_t square = kOne >> 1; n != 0; n >>= 1, square = multiply<Q>(square, square)) {
    if ((n & 1) != 0) power = multiply<Q>(power, square);
  }
  return power;
}

/// The whole part of x^127 / Q, by long division: what Barrett's reduction multiplies with.
template <std::uint64_t Q>
constexpr std::uint64_t reciprocal() {
  std::uint64_t quotient = 1;   // x^127 / x^64 = x^63
  std::uint64_t remainder = Q;  // times x^63
  for (int degree = 62; degree >= 0; --degree, remainder = times_x<Q>(remainder)) {
    if ((remainder & 1) != 0) quotient |= kOne >> degree;
  }
  return quotient;
}

}  // namespace dray::hash
