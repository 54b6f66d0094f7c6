#include "transfer/settle.h"

#include <gtest/gtest.h>

namespace dray::transfer {
namespace {

constexpr std::string_view kMd5OfA = "0cc175b9c0f1b6a831c399e269772661";
constexpr std::string_view kMd5OfB = "92eb5ffee6ae2fec3ad71c777531578f";
// MD5 over the raw MD5s of "a" and "b", and over that of "a" alone; by Python's hashlib.
constexpr std::string_view kEtagOfAandB = "96e024ba2074fe77e8e965ba43a704be-2";
constexpr std::string_view kEtagOfA = "b6ff9a06b7e20bcb2858c5b8ff744aea-1";

std::vector<s3::UploadedPart> parts_with(std::initializer_list<std::string_view> etags) {
  std::vector<s3::UploadedPart> parts;
  for (std::string_view etag : etags) {
    parts.push_back({.number = static_cast<s3::PartNumber>(parts.size() + 1), .size = 1, .etag = std::string(etag)});
  }
  return parts;
}

hash::Checksum crc(std::string_view text) { return hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(text)); }

TEST(MultipartEtagTest, IsTheMd5OfTheMd5s) {
  EXPECT_EQ(multipart_etag(parts_with({kMd5OfA, kMd5OfB})), kEtagOfAandB);
  EXPECT_EQ(multipart_etag(parts_with({kMd5OfA})), kEtagOfA);
}

TEST(MultipartEtagTest, DependsOnTheOrder) {
  EXPECT_NE(multipart_etag(parts_with({kMd5OfB, kMd5OfA})), multipart_etag(parts_with({kMd5OfA, kMd5OfB})));
}

TEST(MultipartEtagTest, IsUnknownWithoutMd5s) {
  EXPECT_EQ(multipart_etag({}), std::nullopt);
  EXPECT_EQ(multipart_etag(parts_with({kMd5OfA, "not an MD5"})), std::nullopt);
  EXPECT_EQ(multipart_etag(parts_with({kMd5OfA, "zzz175b9c0f1b6a831c399e269772661"})), std::nullopt);
  EXPECT_EQ(multipart_etag(parts_with({kMd5OfA, "92eb5ffee6ae2fec3ad71c777531578f-2"})), std::nullopt);
}

struct SameRow {
  std::string_view what;
  s3::ObjectHead head;
  hash::Checksum checksum;
  std::vector<s3::UploadedPart> parts;
  bool same;
};

TEST(SettleTest, BelievesOnlyAChecksumOrAnEtagOfTheParts) {
  const std::vector<s3::UploadedPart> parts = parts_with({kMd5OfA, kMd5OfB});
  const std::string etag(kEtagOfAandB);
  hash::Checksum composite = crc("ab");
  composite.type = hash::ChecksumType::composite;
  composite.parts = 2;
  const std::vector<SameRow> rows = {
      {"equal checksums", {.size = 2, .checksum = crc("ab")}, crc("ab"), parts, true},
      {"equal checksums of one PUT", {.size = 2, .checksum = crc("ab")}, crc("ab"), {}, true},
      {"unequal checksums", {.size = 2, .checksum = crc("xx")}, crc("ab"), parts, false},
      {"unequal checksums, equal ETags", {.size = 2, .etag = etag, .checksum = crc("xx")}, crc("ab"), parts, false},
      {"another size", {.size = 3, .etag = etag, .checksum = crc("ab")}, crc("ab"), parts, false},
      {"only the size", {.size = 2}, crc("ab"), parts, false},
      {"only the size, nothing sent", {.size = 2}, {}, parts, false},
      {"no stored checksum, equal ETags", {.size = 2, .etag = etag}, crc("ab"), parts, true},
      {"no stored checksum, unequal ETags", {.size = 2, .etag = std::string(kEtagOfA)}, crc("ab"), parts, false},
      {"none sent, equal ETags", {.size = 2, .etag = etag, .checksum = crc("xx")}, {}, parts, true},
      {"none sent, one PUT", {.size = 2, .etag = std::string(kMd5OfA)}, {}, {}, false},
      {"another type, equal ETags", {.size = 2, .etag = etag, .checksum = composite}, crc("ab"), parts, true},
      {"another type, unequal ETags", {.size = 2, .etag = "x", .checksum = composite}, crc("ab"), parts, false},
      {"ETags that are no MD5s", {.size = 2, .etag = "x"}, {}, parts_with({"x", "y"}), false},
  };
  for (const SameRow& row : rows) {
    EXPECT_EQ(proves_same_object(row.head, row.checksum, row.parts, 2), row.same) << row.what;
  }
}

Error failure(ErrorKind kind, int status = 0, std::string code = {}) {
  Error error = make_error(kind, "it failed");
  error.http_status = status;
  error.code = std::move(code);
  return error;
}

TEST(SettleTest, ARefusalMayComeFromOurOwnSuccess) {
  const Error gone = failure(ErrorKind::not_found, 404, "NoSuchUpload");
  const Error exists = failure(ErrorKind::already_exists, 412, "PreconditionFailed");
  const Error refused = failure(ErrorKind::access_denied, 403, "AccessDenied");
  EXPECT_TRUE(may_refuse_repetition(gone, false));
  EXPECT_TRUE(may_refuse_repetition(gone, true));
  EXPECT_FALSE(may_refuse_repetition(exists, false)) << "nobody but others can have made it";
  EXPECT_TRUE(may_refuse_repetition(exists, true));
  EXPECT_FALSE(may_refuse_repetition(refused, true));
}

TEST(SettleTest, KnowsWhichErrorsLeaveTheOutcomeOpen) {
  EXPECT_TRUE(leaves_outcome_open(failure(ErrorKind::network)));
  EXPECT_TRUE(leaves_outcome_open(failure(ErrorKind::timed_out)));
  EXPECT_TRUE(leaves_outcome_open(failure(ErrorKind::protocol)));
  EXPECT_FALSE(leaves_outcome_open(failure(ErrorKind::server, 500, "InternalError")));
  EXPECT_FALSE(leaves_outcome_open(failure(ErrorKind::not_found, 404, "NoSuchUpload")));
  EXPECT_FALSE(leaves_outcome_open(failure(ErrorKind::not_found, 404, "NoSuchBucket")));
  EXPECT_FALSE(leaves_outcome_open(failure(ErrorKind::access_denied, 403, "AccessDenied")));
  EXPECT_FALSE(leaves_outcome_open(failure(ErrorKind::server, 400, "InvalidPart")));
  EXPECT_FALSE(leaves_outcome_open(failure(ErrorKind::connect)));
  EXPECT_FALSE(leaves_outcome_open(failure(ErrorKind::resolve)));
}

}  // namespace
}  // namespace dray::transfer
