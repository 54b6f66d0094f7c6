#include "hash/checksum.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "hash/crc.h"

namespace dray::hash {
namespace {

const ChecksumKind kKinds[] = {ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::crc64nvme, ChecksumKind::sha1,
                               ChecksumKind::sha256};
const ChecksumKind kCrcs[] = {ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::crc64nvme};

std::string raw_from(std::string_view hex) { return base::from_hex(hex).value(); }

TEST(ChecksumTest, IsWrittenBigEndianInBase64) {
  // "123456789": the check values of the CRC catalogue, as S3 sends them.
  const Bytes digits = as_bytes("123456789");
  EXPECT_EQ(checksum_of(ChecksumKind::crc32, digits).text(), "y/Q5Jg==");
  EXPECT_EQ(checksum_of(ChecksumKind::crc32c, digits).text(), "4waSgw==");
  EXPECT_EQ(checksum_of(ChecksumKind::crc64nvme, digits).text(), "rosUhgp5mIg=");
  EXPECT_EQ(checksum_of(ChecksumKind::sha1, digits).text(), "98O8HYCOBHMq32eZZczDTKeuNEE=");
  EXPECT_EQ(checksum_of(ChecksumKind::sha256, digits).text(), "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=");
}

TEST(ChecksumTest, OfNothingIsThatOfTheEmptyObject) {
  EXPECT_EQ(checksum_of(ChecksumKind::crc32, {}).text(), "AAAAAA==");
  EXPECT_EQ(checksum_of(ChecksumKind::crc64nvme, {}).text(), "AAAAAAAAAAA=");
  EXPECT_EQ(checksum_of(ChecksumKind::sha256, {}).text(), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST(ChecksumTest, IsReadBackAsItWasWritten) {
  for (const ChecksumKind kind : kKinds) {
    const Checksum written = checksum_of(kind, as_bytes("hello"));
    const auto read = Checksum::parse(kind, written.text());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, written);
  }
}

TEST(ChecksumTest, ReadsACompositeValueWithItsNumberOfParts) {
  const auto read = Checksum::parse(ChecksumKind::crc32, "y/Q5Jg==-17");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->type, ChecksumType::composite);
  EXPECT_EQ(read->parts, 17u);
  EXPECT_EQ(read->raw, raw_from("cbf43926"));
  EXPECT_EQ(read->text(), "y/Q5Jg==-17");
}

TEST(ChecksumTest, RefusesWhatIsNotAChecksumOfItsKind) {
  struct {
    ChecksumKind kind;
    std::string_view text, why;
  } const cases[] = {
      {ChecksumKind::crc32, "", "0 bytes instead of 4"},
      {ChecksumKind::crc32, "rosUhgp5mIg=", "8 bytes instead of 4"},
      {ChecksumKind::crc64nvme, "y/Q5Jg==", "4 bytes instead of 8"},
      {ChecksumKind::sha256, "98O8HYCOBHMq32eZZczDTKeuNEE=", "20 bytes instead of 32"},
      {ChecksumKind::none, "y/Q5Jg==", "4 bytes instead of 0"},
      {ChecksumKind::crc32, "cbf43926!", "not base64"},
      {ChecksumKind::crc32, "y/Q5Jg==-", "no number of parts"},
      {ChecksumKind::crc32, "y/Q5Jg==-0", "no number of parts"},
      {ChecksumKind::crc32, "y/Q5Jg==-x", "no number of parts"},
      {ChecksumKind::crc32, "y/Q5Jg==-1-2", "no number of parts"},
      {ChecksumKind::crc32, "y/Q5Jg==-4294967296", "no number of parts"},
      {ChecksumKind::crc32, "-2", "0 bytes instead of 4"},
  };
  for (const auto& c : cases) {
    const auto read = Checksum::parse(c.kind, c.text);
    ASSERT_FALSE(read.ok()) << c.text;
    EXPECT_EQ(read.error().kind, ErrorKind::invalid_argument);
    EXPECT_NE(read.error().message.find(c.why), std::string::npos) << read.error().message;
  }
}

TEST(ChecksumTest, IsEqualOnlyWithTheSameKindTypeAndValue) {
  const Checksum full = Checksum::parse(ChecksumKind::crc32, "y/Q5Jg==").value();
  EXPECT_NE(full, Checksum::parse(ChecksumKind::crc32c, "y/Q5Jg==").value());
  EXPECT_NE(full, Checksum::parse(ChecksumKind::crc32, "y/Q5Jg==-1").value());
  EXPECT_NE(full, Checksum::parse(ChecksumKind::crc32, "y/Q5Jw==").value());
}

TEST(ChecksumTest, NamesAreThoseOfS3) {
  EXPECT_EQ(header_of(ChecksumKind::crc64nvme), "x-amz-checksum-crc64nvme");
  EXPECT_EQ(algorithm_of(ChecksumKind::crc64nvme), "CRC64NVME");
  EXPECT_EQ(element_of(ChecksumKind::crc64nvme), "ChecksumCRC64NVME");
  EXPECT_EQ(name_of(ChecksumType::full_object), "FULL_OBJECT");
  EXPECT_EQ(name_of(ChecksumType::composite), "COMPOSITE");
  for (const ChecksumKind kind : kKinds) {
    EXPECT_EQ(header_of(kind), "x-amz-checksum-" + base::to_lower(algorithm_of(kind)));
    EXPECT_EQ(element_of(kind), "Checksum" + std::string(algorithm_of(kind)));
  }
  EXPECT_EQ(header_of(ChecksumKind::none), "");
  EXPECT_EQ(algorithm_of(ChecksumKind::none), "");
  EXPECT_EQ(element_of(ChecksumKind::none), "");
}

TEST(RunningChecksumTest, GivesTheSameInPieces) {
  const std::string text(1000, 'x');
  for (const ChecksumKind kind : kKinds) {
    RunningChecksum running(kind);
    for (std::size_t at = 0; at < text.size(); at += 77) running.update(as_bytes(text.substr(at, 77)));
    EXPECT_EQ(running.finish(), checksum_of(kind, as_bytes(text))) << name_of(kind);
  }
}

TEST(RunningChecksumTest, StartsAnewAfterFinish) {
  for (const ChecksumKind kind : kKinds) {
    RunningChecksum running(kind);
    running.update(as_bytes("the first object"));
    running.finish();
    running.update(as_bytes("the second"));
    EXPECT_EQ(running.finish(), checksum_of(kind, as_bytes("the second"))) << name_of(kind);
  }
}

TEST(RunningChecksumTest, OfNoneIsEmpty) {
  RunningChecksum running(ChecksumKind::none);
  running.update(as_bytes("bytes"));
  EXPECT_EQ(running.finish(), Checksum{});
  EXPECT_EQ(Checksum{}.text(), "");
}

TEST(CombinedChecksumTest, MakesTheWholeObjectsCrcFromItsParts) {
  std::mt19937 random(11);
  std::string object(100'000, '\0');
  for (char& c : object) c = static_cast<char>(random());
  for (const ChecksumKind kind : kCrcs) {
    for (const std::size_t part_size : {1'000u, 33'333u, 99'999u, 100'000u, 200'000u}) {
      CombinedChecksum combined(kind, ChecksumType::full_object);
      for (std::size_t at = 0; at < object.size(); at += part_size) {
        const std::string part = object.substr(at, part_size);
        combined.add(checksum_of(kind, as_bytes(part)), part.size());
      }
      EXPECT_EQ(combined.finish(), checksum_of(kind, as_bytes(object))) << name_of(kind) << ' ' << part_size;
    }
  }
}

TEST(CombinedChecksumTest, TakesEmptyPartsAndNoParts) {
  for (const ChecksumKind kind : kCrcs) {
    CombinedChecksum combined(kind, ChecksumType::full_object);
    EXPECT_EQ(combined.finish(), checksum_of(kind, {}));
    combined.add(checksum_of(kind, {}), 0);
    combined.add(checksum_of(kind, as_bytes("abc")), 3);
    combined.add(checksum_of(kind, {}), 0);
    EXPECT_EQ(combined.finish(), checksum_of(kind, as_bytes("abc")));
  }
}

TEST(CombinedChecksumTest, DependsOnTheOrderOfTheParts) {
  const Checksum a = checksum_of(ChecksumKind::crc64nvme, as_bytes("aaa"));
  const Checksum b = checksum_of(ChecksumKind::crc64nvme, as_bytes("b"));
  CombinedChecksum ab(ChecksumKind::crc64nvme, ChecksumType::full_object), ba = ab;
  ab.add(a, 3), ab.add(b, 1);
  ba.add(b, 1), ba.add(a, 3);
  EXPECT_NE(ab.finish(), ba.finish());
}

TEST(CombinedChecksumTest, HashesTheRawShaValuesOfTheParts) {
  CombinedChecksum combined(ChecksumKind::sha256, ChecksumType::composite);
  combined.add(checksum_of(ChecksumKind::sha256, as_bytes("abc")), 3);
  combined.add(checksum_of(ChecksumKind::sha256, {}), 0);
  // SHA-256("abc") and SHA-256(""), one after the other, from FIPS 180-4.
  const std::string raws = raw_from(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const Checksum whole = combined.finish();
  EXPECT_EQ(whole.type, ChecksumType::composite);
  EXPECT_EQ(whole.parts, 2u);
  EXPECT_EQ(whole.raw, digest(DigestKind::sha256, as_bytes(raws)));
  EXPECT_EQ(whole.text(), "bxKQiW7oGgNJF00Z9Ec9JnoQKJxASAhh1cQq//+9efk=-2");
}

TEST(CombinedChecksumTest, MakesACompositeOfCrcsFromTheirRawValues) {
  CombinedChecksum combined(ChecksumKind::crc32, ChecksumType::composite);
  combined.add(checksum_of(ChecksumKind::crc32, as_bytes("123456789")), 9);
  combined.add(checksum_of(ChecksumKind::crc32, as_bytes("123456789")), 9);
  EXPECT_EQ(combined.finish().raw, checksum_of(ChecksumKind::crc32, as_bytes(raw_from("cbf43926cbf43926"))).raw);
  EXPECT_EQ(combined.finish().text(), "cCOsTw==-2");
}

TEST(CombinedChecksumTest, IsAlwaysCompositeForSha) {
  for (const ChecksumKind kind : {ChecksumKind::sha1, ChecksumKind::sha256}) {
    EXPECT_EQ(multipart_type_of(kind), ChecksumType::composite);
    CombinedChecksum combined(kind, ChecksumType::full_object);
    combined.add(checksum_of(kind, as_bytes("a")), 1);
    EXPECT_EQ(combined.finish().type, ChecksumType::composite) << name_of(kind);
  }
  for (const ChecksumKind kind : kCrcs) EXPECT_EQ(multipart_type_of(kind), ChecksumType::full_object);
}

TEST(CombinedChecksumTest, OfNoneIsEmpty) {
  CombinedChecksum combined(ChecksumKind::none, ChecksumType::full_object);
  combined.add({}, 5);
  EXPECT_EQ(combined.finish(), Checksum{});
}

TEST(CombinedChecksumDeathTest, EndsTheProgramOnAPartOfAnotherKind) {
  CombinedChecksum combined(ChecksumKind::crc32, ChecksumType::full_object);
  EXPECT_DEATH(combined.add(checksum_of(ChecksumKind::crc32c, as_bytes("a")), 1), "another kind");
  EXPECT_DEATH(combined.add(Checksum::parse(ChecksumKind::crc32, "y/Q5Jg==-2").value(), 1), "another kind");
}

}  // namespace
}  // namespace dray::hash
