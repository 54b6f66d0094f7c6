#include "dray/checksum_kind.h"

#include <gtest/gtest.h>

namespace dray {
namespace {

using namespace std::string_view_literals;

struct NameCase {
  ChecksumKind kind;
  std::string_view name;
};

constexpr NameCase kNames[] = {
    {ChecksumKind::none, "none"},           {ChecksumKind::crc32, "crc32"}, {ChecksumKind::crc32c, "crc32c"},
    {ChecksumKind::crc64nvme, "crc64nvme"}, {ChecksumKind::sha1, "sha1"},   {ChecksumKind::sha256, "sha256"},
};

TEST(ChecksumKindTest, NamesAreThoseOfS3) {
  for (const auto& [kind, name] : kNames) {
    EXPECT_EQ(name_of(kind), name);
    EXPECT_EQ(checksum_kind_from(name), kind);
  }
}

TEST(ChecksumKindTest, NamesAreReadInAnyCase) {
  EXPECT_EQ(checksum_kind_from("CRC64NVME"), ChecksumKind::crc64nvme);
  EXPECT_EQ(checksum_kind_from("Sha256"), ChecksumKind::sha256);
}

TEST(ChecksumKindTest, UnknownNamesGiveNothing) {
  for (std::string_view name :
       {""sv, "crc"sv, "crc32 "sv, " crc32"sv, "crc32cc"sv, "crc32\0"sv, "md5"sv, "sha-256"sv}) {
    EXPECT_FALSE(checksum_kind_from(name)) << name;
  }
}

}  // namespace
}  // namespace dray
