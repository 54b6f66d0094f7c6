#include "server/record_text.h"

#include <gtest/gtest.h>

namespace dray::server {
namespace {

ObjectRecord odd_object() {
  ObjectRecord object{.key = "a b/../\n%\xc3\xa9", .size = 30, .etag = "abc-2"};
  object.modified = WallTime(std::chrono::seconds(1796046875));
  object.headers = {{"content-type", "text/plain; charset=utf-8"}, {"x-amz-meta-empty", ""}, {"x-amz-meta-a", "b\tc"}};
  object.checksum =
      hash::Checksum{.kind = ChecksumKind::crc32c, .type = hash::ChecksumType::composite, .raw = "abcd", .parts = 2};
  object.upload_id = "u1";
  return object;
}
const std::vector<StoredSegment> kSegments = {{"s1", 10}, {"s2", 20}};

TEST(RecordTextTest, GivesObjectsBackAsTheyWere) {
  const ObjectRecord object = odd_object();
  const Result<StoredObject> back = object_from_text(to_text(object, kSegments));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->record.key, object.key);
  EXPECT_EQ(back->record.size, object.size);
  EXPECT_EQ(back->record.etag, object.etag);
  EXPECT_EQ(back->record.modified, object.modified);
  EXPECT_EQ(back->record.headers, object.headers);
  EXPECT_EQ(back->record.checksum, object.checksum);
  EXPECT_EQ(back->record.upload_id, object.upload_id);
  EXPECT_EQ(back->segments, kSegments);
}

TEST(RecordTextTest, GivesUploadsAndPartsAndBucketsBackAsTheyWere) {
  const WallTime time(std::chrono::seconds(1796046875));
  UploadRecord upload{.id = "u", .bucket = "b", .key = "k k", .initiated = time, .headers = {{"expires", "never"}}};
  upload.checksum_kind = ChecksumKind::sha256;
  upload.checksum_type = hash::ChecksumType::composite;
  const UploadRecord upload_back = upload_from_text(to_text(upload)).value();
  EXPECT_EQ(upload_back.key, "k k");
  EXPECT_EQ(upload_back.initiated, time);
  EXPECT_EQ(upload_back.headers, upload.headers);
  EXPECT_EQ(upload_back.checksum_kind, ChecksumKind::sha256);
  EXPECT_EQ(upload_back.checksum_type, hash::ChecksumType::composite);

  const PartRecord part{.number = 7,
                        .size = 5,
                        .etag = "e",
                        .modified = time,
                        .checksum = hash::checksum_of(ChecksumKind::crc64nvme, as_bytes("hello"))};
  const StoredPart part_back = part_from_text(to_text(part, {"s", 5})).value();
  EXPECT_EQ(part_back.record.number, 7);
  EXPECT_EQ(part_back.record.checksum, part.checksum);
  EXPECT_EQ(part_back.segment, (StoredSegment{"s", 5}));

  const BucketRecord bucket_back = bucket_from_text(to_text(BucketRecord{.name = "b", .created = time})).value();
  EXPECT_EQ(bucket_back.name, "b");
  EXPECT_EQ(bucket_back.created, time);
}

TEST(RecordTextTest, NoticesEveryCutAndEveryChangedByte) {
  const std::string text = to_text(odd_object(), kSegments);
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(object_from_text(text.substr(0, i)).ok()) << "cut at " << i;
    std::string changed = text;
    changed[i] ^= 1;
    EXPECT_FALSE(object_from_text(changed).ok()) << "changed at " << i;
  }
}

TEST(RecordTextTest, RefusesARecordOfAnotherKind) {
  EXPECT_FALSE(object_from_text(to_text(BucketRecord{.name = "b", .created = {}})).ok());
}

TEST(RecordTextTest, RefusesSegmentsThatDoNotAddUp) {
  EXPECT_FALSE(object_from_text(to_text(odd_object(), {{"s1", 10}})).ok());
}

}  // namespace
}  // namespace dray::server
