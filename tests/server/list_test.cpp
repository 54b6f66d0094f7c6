#include <gtest/gtest.h>

#include "fixture.h"

namespace dray::server {
namespace {

class ListTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    make_bucket();
  }
  s3::XmlElement list(base::Query query) {
    const Answer answer = send({.bucket = "bucket", .query = std::move(query)});
    EXPECT_EQ(answer.status, 200) << answer.body << answer.error;
    return answer.xml();
  }
  s3::XmlElement list2(base::Query query) {
    query.emplace_back("list-type", "2");
    return list(std::move(query));
  }
};

std::vector<std::string> names(const s3::XmlElement& xml) {
  std::vector<std::string> found;
  for (const s3::XmlElement& child : xml.children) {
    if (child.name == "Contents") found.emplace_back(child.child_text("Key"));
    if (child.name == "CommonPrefixes") found.push_back("[" + std::string(child.child_text("Prefix")) + "]");
  }
  return found;
}
using Names = std::vector<std::string>;

TEST_F(ListTest, TellsWhatS3Tells) {
  put("a b", "hello", {{"x-amz-checksum-crc32", "NhCmhg=="}});
  const s3::XmlElement xml = list2({{"prefix", "a"}, {"fetch-owner", "true"}});
  EXPECT_EQ(xml.name, "ListBucketResult");
  EXPECT_EQ(xml.child_text("Name"), "bucket");
  EXPECT_EQ(xml.child_text("Prefix"), "a");
  EXPECT_EQ(xml.child_text("KeyCount"), "1");
  EXPECT_EQ(xml.child_text("MaxKeys"), "1000");
  EXPECT_EQ(xml.child_text("IsTruncated"), "false");
  const s3::XmlElement* object = xml.child("Contents");
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->child_text("Key"), "a b");
  EXPECT_EQ(object->child_text("Size"), "5");
  EXPECT_EQ(object->child_text("ETag"), "\"5d41402abc4b2a76b9719d911017c592\"");
  EXPECT_EQ(object->child_text("StorageClass"), "STANDARD");
  EXPECT_EQ(object->child_text("ChecksumAlgorithm"), "CRC32");
  EXPECT_TRUE(base::from_iso8601(object->child_text("LastModified")).ok());
  EXPECT_EQ(object->child("Owner")->child_text("ID"), "AKID");
  EXPECT_EQ(list2({}).child("Contents")->child("Owner"), nullptr);
}

TEST_F(ListTest, PagesByContinuationToken) {
  for (const std::string key : {"a", "b/1", "b/2", "c", "d/1", "e"}) put(key, "x");
  Names all;
  base::Query query = {{"delimiter", "/"}, {"max-keys", "2"}};
  for (int pages = 0; pages < 5; ++pages) {
    const s3::XmlElement xml = list2(query);
    for (const std::string& name : names(xml)) all.push_back(name);
    if (xml.child_text("IsTruncated") == "false") break;
    query = {{"delimiter", "/"},
             {"max-keys", "2"},
             {"continuation-token", std::string(xml.child_text("NextContinuationToken"))}};
  }
  EXPECT_EQ(all, (Names{"a", "[b/]", "c", "[d/]", "e"}));
}

TEST_F(ListTest, StartsAfterAKey) {
  for (const std::string key : {"a", "b", "c"}) put(key, "x");
  const s3::XmlElement xml = list2({{"start-after", "a"}});
  EXPECT_EQ(names(xml), (Names{"b", "c"}));
  EXPECT_EQ(xml.child_text("StartAfter"), "a");
}

TEST_F(ListTest, EncodesNamesOnRequest) {
  put("a b/\x01&\xc3\xa9", "x");
  put("a b/c/d", "x");
  const s3::XmlElement xml = list2({{"encoding-type", "url"}, {"prefix", "a b/"}, {"delimiter", "/"}});
  EXPECT_EQ(xml.child_text("EncodingType"), "url");
  EXPECT_EQ(xml.child_text("Prefix"), "a%20b/");
  EXPECT_EQ(xml.child_text("Delimiter"), "/");
  EXPECT_EQ(names(xml), (Names{"a%20b/%01%26%C3%A9", "[a%20b/c/]"}));
}

TEST_F(ListTest, Version1PagesByMarker) {
  for (const std::string key : {"a", "b/1", "b/2", "c"}) put(key, "x");
  const s3::XmlElement first = list({{"delimiter", "/"}, {"max-keys", "2"}});
  EXPECT_EQ(names(first), (Names{"a", "[b/]"}));
  EXPECT_EQ(first.child_text("NextMarker"), "b/");
  EXPECT_EQ(first.child("Contents")->child("Owner")->child_text("ID"), "AKID");
  const s3::XmlElement second = list({{"delimiter", "/"}, {"max-keys", "2"}, {"marker", "b/"}});
  EXPECT_EQ(names(second), (Names{"c"}));
  EXPECT_EQ(names(list({{"marker", "b/1"}})), (Names{"b/2", "c"}));
}

TEST_F(ListTest, ShowsAtMostAThousand) {
  runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    http::ClientConnection connection(std::move(stream));
    for (int i = 0; i < 1001; ++i) {
      Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k" + std::to_string(10000 + i)});
      wire.head += "content-length: 0\r\n\r\n";
      ASSERT_EQ(exchange_on(connection, wire).status, 200);
      ASSERT_TRUE(connection.reusable());
    }
  });
  const s3::XmlElement xml = list2({{"max-keys", "5000"}});
  EXPECT_EQ(xml.child_text("MaxKeys"), "1000");
  EXPECT_EQ(xml.child_text("KeyCount"), "1000");
  EXPECT_EQ(xml.child_text("IsTruncated"), "true");
}

TEST_F(ListTest, RefusesBadParameters) {
  const auto attempt = [&](base::Query query) { return send({.bucket = "bucket", .query = std::move(query)}); };
  expect_refused(attempt({{"max-keys", "x"}}), 400, "InvalidArgument");
  expect_refused(attempt({{"max-keys", "-1"}}), 400, "InvalidArgument");
  expect_refused(attempt({{"list-type", "3"}}), 400, "InvalidArgument");
  expect_refused(attempt({{"encoding-type", "base64"}}), 400, "InvalidArgument");
  expect_refused(attempt({{"list-type", "2"}, {"continuation-token", "?"}}), 400, "InvalidArgument");
  expect_refused(attempt({{"list-type", "2"}, {"continuation-token", ""}}), 400, "InvalidArgument");
}

TEST_F(ListTest, AnEmptyPageIsNotTruncated) {
  put("a", "x");
  const s3::XmlElement xml = list2({{"max-keys", "0"}});
  EXPECT_EQ(xml.child_text("KeyCount"), "0");
  EXPECT_EQ(xml.child_text("IsTruncated"), "false");
}

}  // namespace
}  // namespace dray::server
