#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "hash/crc_kernel.h"

namespace dray::hash {
namespace {

// tables[k][b]: the state that byte b leaves after k more zero bytes.
template <std::uint64_t Q>
constexpr auto make_tables() {
  using Entry = std::conditional_t<(Q >> 32) == 0, std::uint32_t, std::uint64_t>;
  std::array<std::array<Entry, 256>, 8> tables{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint64_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = times_x<Q>(state);
    tables[0][byte] = static_cast<Entry>(state);
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const Entry before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

template <std::uint64_t Q>
constexpr auto kTables = make_tables<Q>();

std::uint64_t load_little_endian(const std::byte* data) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

}  // namespace

template <std::uint64_t Q>
std::uint64_t PortableCrc::step(std::uint64_t state, const std::byte* data, std::size_t size) {
  const auto& tables = kTables<Q>;
  for (; size >= 8; data += 8, size -= 8) {
    const std::uint64_t word = state ^ load_little_endian(data);
    state = 0;
    for (unsigned i = 0; i < 8; ++i) state ^= tables[7 - i][(word >> (8 * i)) & 0xFF];
  }
  for (; size > 0; ++data, --size) {
    state = (state >> 8) ^ tables[0][(state ^ static_cast<std::uint64_t>(*data)) & 0xFF];
  }
  return state;
}

template std::uint64_t PortableCrc::step<kCrc32Polynomial>(std::uint64_t, const std::byte*, std::size_t);
template std::uint64_t PortableCrc::step<kCrc32cPolynomial>(std::uint64_t, const std::byte*, std::size_t);
template std::uint64_t PortableCrc::step<kCrc64NvmePolynomial>(std::uint64_t, const std::byte*, std::size_t);

CrcKernel portable_crc() { return kernel_of<PortableCrc>("portable"); }

}  // namespace dray::hash
