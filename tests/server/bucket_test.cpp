#include <gtest/gtest.h>

#include "fixture.h"

namespace dray::server {
namespace {

class BucketTest : public ServerTest {};

TEST_F(BucketTest, IsMadeListedAndRemoved) {
  make_bucket("b-two");
  make_bucket("b-one");
  Answer list = send({});
  EXPECT_EQ(list.status, 200);
  std::vector<std::string> names;
  for (const s3::XmlElement* bucket : list.xml().child("Buckets")->children_named("Bucket")) {
    names.emplace_back(bucket->child_text("Name"));
    EXPECT_TRUE(base::from_iso8601(bucket->child_text("CreationDate")).ok());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"b-one", "b-two"}));
  EXPECT_EQ(send({.method = "DELETE", .bucket = "b-one"}).status, 204);
  EXPECT_EQ(send({.method = "HEAD", .bucket = "b-one"}).status, 404);
}

TEST_F(BucketTest, HeadTellsTheRegion) {
  make_bucket();
  const Answer answer = send({.method = "HEAD", .bucket = "bucket"});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("x-amz-bucket-region"), "us-east-1");
}

TEST_F(BucketTest, LocationIsEmptyInUsEast1) {
  make_bucket();
  const s3::XmlElement xml = send({.bucket = "bucket", .query = {{"location", ""}}}).xml();
  EXPECT_EQ(xml.name, "LocationConstraint");
  EXPECT_EQ(xml.text, "");
}

TEST_F(BucketTest, LocationIsTheRegionElsewhere) {
  stop();
  start({.region = "eu-west-1"});
  const std::string configuration =
      "<CreateBucketConfiguration><LocationConstraint>eu-west-1</LocationConstraint></CreateBucketConfiguration>";
  EXPECT_EQ(send({.method = "PUT", .bucket = "bucket", .body = configuration}).status, 200);
  EXPECT_EQ(send({.bucket = "bucket", .query = {{"location", ""}}}).xml().text, "eu-west-1");
}

TEST_F(BucketTest, RefusesAnotherLocationAndBadXml) {
  const std::string elsewhere =
      "<CreateBucketConfiguration><LocationConstraint>mars-1</LocationConstraint></CreateBucketConfiguration>";
  expect_refused(send({.method = "PUT", .bucket = "bucket", .body = elsewhere}), 400,
                 "IllegalLocationConstraintException");
  expect_refused(send({.method = "PUT", .bucket = "bucket", .body = "<oops"}), 400, "MalformedXML");
}

TEST_F(BucketTest, IsMadeOnce) {
  make_bucket();
  expect_refused(send({.method = "PUT", .bucket = "bucket"}), 409, "BucketAlreadyOwnedByYou");
}

TEST_F(BucketTest, RefusesNamesThatS3Refuses) {
  for (const std::string name : {"ab", "Upper", "under_score", "-lead", "trail-", "a..b", "192.168.1.1", ".dray", "..",
                                 "a%2fb", "white space"}) {
    expect_refused(send({.method = "PUT", .bucket = name}), 400, "InvalidBucketName", name);
  }
  expect_refused(send({.method = "PUT", .bucket = std::string(64, 'a')}), 400, "InvalidBucketName");
}

TEST_F(BucketTest, IsRemovedOnlyWhenEmpty) {
  make_bucket();
  put("key", "x");
  expect_refused(send({.method = "DELETE", .bucket = "bucket"}), 409, "BucketNotEmpty");
  remove("key");
  EXPECT_EQ(send({.method = "DELETE", .bucket = "bucket"}).status, 204);
}

TEST_F(BucketTest, TakesItsUnfinishedUploadsAlong) {
  make_bucket();
  const Answer created = send({.method = "POST", .bucket = "bucket", .key = "k", .query = {{"uploads", ""}}});
  const std::string id(created.xml().child_text("UploadId"));
  EXPECT_EQ(send({.method = "DELETE", .bucket = "bucket"}).status, 204);
  make_bucket();
  expect_refused(send({.bucket = "bucket", .key = "k", .query = {{"uploadId", id}}}), 404, "NoSuchUpload");
}

TEST_F(BucketTest, MissingOnesAreRefusedByEveryOperation) {
  struct Row {
    std::string method, key;
    base::Query query;
  };
  const std::vector<Row> rows = {
      {"DELETE", "", {}},
      {"GET", "", {}},
      {"GET", "", {{"list-type", "2"}}},
      {"GET", "", {{"location", ""}}},
      {"GET", "", {{"uploads", ""}}},
      {"POST", "", {{"delete", ""}}},
      {"GET", "k", {}},
      {"PUT", "k", {}},
      {"DELETE", "k", {}},
      {"POST", "k", {{"uploads", ""}}},
      {"PUT", "k", {{"partNumber", "1"}, {"uploadId", "u"}}},
      {"GET", "k", {{"uploadId", "u"}}},
      {"POST", "k", {{"uploadId", "u"}}},
      {"DELETE", "k", {{"uploadId", "u"}}},
  };
  for (const Row& row : rows) {
    expect_refused(send({.method = row.method, .bucket = "nowhere", .key = row.key, .query = row.query}), 404,
                   "NoSuchBucket", row.method + " " + row.key);
  }
}

}  // namespace
}  // namespace dray::server
