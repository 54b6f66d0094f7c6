#include "hash/crc.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "hash/crc_polynomial.h"

namespace dray::hash {
namespace {

std::string random_text(std::size_t size, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// The definition: one bit at a time, without a table or a line of the code under test.
template <class Crc>
Crc bitwise_crc(Crc polynomial, std::string_view text) {
  Crc state = ~Crc{0};
  for (const char c : text) {
    state ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? polynomial : 0);
  }
  return ~state;
}

class CrcKernelTest : public testing::TestWithParam<CrcKernel> {};
INSTANTIATE_TEST_SUITE_P(Available, CrcKernelTest, testing::ValuesIn(available_crc_kernels()),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

TEST_P(CrcKernelTest, GivesThePublishedCheckValues) {
  const Bytes digits = as_bytes("123456789");
  EXPECT_EQ(GetParam().crc32(0, digits), 0xcbf43926u);
  EXPECT_EQ(GetParam().crc32c(0, digits), 0xe3069283u);
  EXPECT_EQ(GetParam().crc64nvme(0, digits), 0xae8b14860a799888u);
}

TEST_P(CrcKernelTest, GivesTheCrc32cValuesOfRfc3720) {
  std::string ascending, descending;
  for (int i = 0; i < 32; ++i) {
    ascending += static_cast<char>(i);
    descending += static_cast<char>(31 - i);
  }
  EXPECT_EQ(GetParam().crc32c(0, as_bytes(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(GetParam().crc32c(0, as_bytes(std::string(32, '\xff'))), 0x62a8ab43u);
  EXPECT_EQ(GetParam().crc32c(0, as_bytes(ascending)), 0x46dd794eu);
  EXPECT_EQ(GetParam().crc32c(0, as_bytes(descending)), 0x113fdb5cu);
}

TEST_P(CrcKernelTest, GivesTheCrc64ValuesOfTheNvmeSpecification) {
  // NVM Express NVM Command Set Specification, "64b CRC Test Cases": 4096 bytes each.
  std::string up, down;
  for (int i = 0; i < 4096; ++i) {
    up += static_cast<char>(i);
    down += static_cast<char>(255 - i);
  }
  EXPECT_EQ(GetParam().crc64nvme(0, as_bytes(std::string(4096, '\0'))), 0x6482d367eb22b64eu);
  EXPECT_EQ(GetParam().crc64nvme(0, as_bytes(std::string(4096, '\xff'))), 0xc0ddba7302eca3acu);
  EXPECT_EQ(GetParam().crc64nvme(0, as_bytes(up)), 0x3e729f5f6750449cu);
  EXPECT_EQ(GetParam().crc64nvme(0, as_bytes(down)), 0x9a2df64b8e9e517eu);
}

TEST_P(CrcKernelTest, LeavesTheValueAloneForNoBytes) {
  EXPECT_EQ(GetParam().crc32(0, {}), 0u);
  EXPECT_EQ(GetParam().crc32c(0xdeadbeef, {}), 0xdeadbeefu);
  EXPECT_EQ(GetParam().crc64nvme(0x0123456789abcdef, {}), 0x0123456789abcdefu);
}

TEST_P(CrcKernelTest, AgreesWithTheDefinitionForEveryShortLength) {
  const std::string text = random_text(1100, 1);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string_view head = std::string_view(text).substr(0, size);
    ASSERT_EQ(GetParam().crc32(0, as_bytes(head)), bitwise_crc<std::uint32_t>(0xEDB88320, head)) << size;
    ASSERT_EQ(GetParam().crc32c(0, as_bytes(head)), bitwise_crc<std::uint32_t>(0x82F63B78, head)) << size;
    ASSERT_EQ(GetParam().crc64nvme(0, as_bytes(head)), bitwise_crc<std::uint64_t>(0x9A6C9329AC4BC9B5, head)) << size;
  }
}

TEST_P(CrcKernelTest, AgreesWithThePortableOneAtAnyLengthAlignmentAndStart) {
  const CrcKernel portable = available_crc_kernels().front();
  const std::string text = random_text(5000 + 64, 2);
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t offset = random() % 64, size = random() % 5001;
    const std::uint64_t start = random();
    const auto start32 = static_cast<std::uint32_t>(start);
    // A copy of its own, so that a sanitizer sees a read outside it.
    const std::string copy(text, 0, offset + size);
    const Bytes data = as_bytes(copy).subspan(offset);
    ASSERT_EQ(GetParam().crc32(start32, data), portable.crc32(start32, data)) << offset << ' ' << size;
    ASSERT_EQ(GetParam().crc32c(start32, data), portable.crc32c(start32, data)) << offset << ' ' << size;
    ASSERT_EQ(GetParam().crc64nvme(start, data), portable.crc64nvme(start, data)) << offset << ' ' << size;
  }
}

TEST_P(CrcKernelTest, AgreesWithThePortableOneOnLargeData) {
  const CrcKernel portable = available_crc_kernels().front();
  const std::string text = random_text((std::size_t{4} << 20) + 77, 4);
  for (const std::size_t size : {std::size_t{1} << 16, (std::size_t{1} << 20) - 1, std::size_t{3} << 20, text.size()}) {
    const Bytes data = as_bytes(text).first(size);
    EXPECT_EQ(GetParam().crc32(0, data), portable.crc32(0, data)) << size;
    EXPECT_EQ(GetParam().crc32c(0, data), portable.crc32c(0, data)) << size;
    EXPECT_EQ(GetParam().crc64nvme(0, data), portable.crc64nvme(0, data)) << size;
  }
}

TEST_P(CrcKernelTest, ContinuesWhereAnEarlierCallEnded) {
  const std::string text = random_text(3000, 5);
  const Bytes all = as_bytes(text);
  for (std::size_t cut = 0; cut <= all.size(); cut += 37) {
    const Bytes a = all.first(cut), b = all.subspan(cut);
    ASSERT_EQ(GetParam().crc32(GetParam().crc32(0, a), b), GetParam().crc32(0, all)) << cut;
    ASSERT_EQ(GetParam().crc32c(GetParam().crc32c(0, a), b), GetParam().crc32c(0, all)) << cut;
    ASSERT_EQ(GetParam().crc64nvme(GetParam().crc64nvme(0, a), b), GetParam().crc64nvme(0, all)) << cut;
  }
}

TEST(CrcTest, UsesTheFastestKernelForTheSameValues) {
  const Bytes digits = as_bytes("123456789");
  EXPECT_EQ(crc32(0, digits), 0xcbf43926u);
  EXPECT_EQ(crc32c(0, digits), 0xe3069283u);
  EXPECT_EQ(crc64nvme(0, digits), 0xae8b14860a799888u);
}

TEST(CrcTest, OffersThePortableKernelFirst) { EXPECT_EQ(available_crc_kernels().front().name, "portable"); }

TEST(CrcCombineTest, AgreesWithTheDirectValueForAnySplit) {
  const std::string text = random_text(70'000, 6);
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    const Bytes all = as_bytes(text).first(random() % (text.size() + 1));
    const std::size_t cut = round == 0 ? 0 : round == 1 ? all.size() : random() % (all.size() + 1);
    const Bytes a = all.first(cut), b = all.subspan(cut);
    ASSERT_EQ(combine_crc32(crc32(0, a), crc32(0, b), b.size()), crc32(0, all)) << cut << '/' << all.size();
    ASSERT_EQ(combine_crc32c(crc32c(0, a), crc32c(0, b), b.size()), crc32c(0, all)) << cut << '/' << all.size();
    ASSERT_EQ(combine_crc64nvme(crc64nvme(0, a), crc64nvme(0, b), b.size()), crc64nvme(0, all))
        << cut << '/' << all.size();
  }
}

TEST(CrcCombineTest, KeepsEitherSideIfTheOtherIsEmpty) {
  EXPECT_EQ(combine_crc32(0x12345678, 0, 0), 0x12345678u);
  EXPECT_EQ(combine_crc32(0, 0x12345678, 5), 0x12345678u);
  EXPECT_EQ(combine_crc64nvme(0x123456789abcdef0, 0, 0), 0x123456789abcdef0u);
  EXPECT_EQ(combine_crc64nvme(0, 0x123456789abcdef0, 1ull << 40), 0x123456789abcdef0u);
}

TEST(CrcCombineTest, DoublesABlockOfZerosUpToFiveTebibytes) {
  // Neither side can be read in a test, but x^(8 * 5 TiB) must equal the product of its five TiB.
  const std::uint64_t tebibyte = 1ull << 40;
  std::uint64_t stepwise = 0xfeedfacecafebeef;
  for (int i = 0; i < 5; ++i) stepwise = combine_crc64nvme(stepwise, 0, tebibyte);
  EXPECT_EQ(combine_crc64nvme(0xfeedfacecafebeef, 0, 5 * tebibyte), stepwise);
}

TEST(CrcCombineTest, IsAssociative) {
  const std::string text = random_text(999, 8);
  const Bytes a = as_bytes(text).first(100), b = as_bytes(text).subspan(100, 300), c = as_bytes(text).subspan(400);
  const auto left = combine_crc32c(combine_crc32c(crc32c(0, a), crc32c(0, b), b.size()), crc32c(0, c), c.size());
  const auto right =
      combine_crc32c(crc32c(0, a), combine_crc32c(crc32c(0, b), crc32c(0, c), c.size()), b.size() + c.size());
  EXPECT_EQ(left, right);
}

TEST(CrcPolynomialTest, PowersOfXObeyTheExponentLaws) {
  constexpr std::uint64_t q = kCrc64NvmePolynomial;
  static_assert(power_of_x<q>(0) == kOne);
  static_assert(power_of_x<q>(64) == q, "x^64 mod Q is Q without its leading term");
  static_assert(multiply<q>(power_of_x<q>(1000), power_of_x<q>(24)) == power_of_x<q>(1024));
  static_assert(multiply<q>(kOne, 12345) == 12345 && multiply<q>(12345, kOne) == 12345);
}

}  // namespace
}  // namespace dray::hash
