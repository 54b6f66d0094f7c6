#include "dray/object_url.h"

#include <gtest/gtest.h>

#include <string>

#include "support/with_loop.h"

namespace dray {
namespace {

TEST(ObjectUrlTest, TakesAKeyByteForByte) {
  for (const std::string& key : {std::string("k"),
                                 std::string("a/b"),
                                 std::string("a/"),
                                 std::string("/lead"),
                                 std::string("p//x"),
                                 std::string("p/./x"),
                                 std::string("p/../../x"),
                                 std::string(".."),
                                 std::string("."),
                                 std::string("/"),
                                 std::string("*"),
                                 std::string("[1]"),
                                 std::string("{a}"),
                                 std::string(" "),
                                 std::string("a b"),
                                 std::string("+"),
                                 std::string("%"),
                                 std::string("%20"),
                                 std::string("%zz"),
                                 std::string("#"),
                                 std::string("?"),
                                 std::string("a?versionId=1"),
                                 std::string("&=;"),
                                 std::string("\"'`"),
                                 std::string("\\"),
                                 std::string("\t\n\r"),
                                 std::string("\x01\x7f"),
                                 std::string("a\0b", 3),
                                 std::string("s3://b/k"),
                                 std::string("\xc2\xa0"),
                                 std::string("\xe2\x80\xa8"),
                                 std::string("\xc3\xa4"),
                                 std::string("a\xcc\x88"),
                                 std::string("\xf0\x9f\x9a\x9a"),
                                 std::string(1024, 'k')}) {
    const Result<ObjectUrl> url = ObjectUrl::parse("s3://bucket/" + key);
    ASSERT_TRUE(url.ok()) << test::message_of(url);
    EXPECT_EQ(url->bucket, "bucket");
    EXPECT_EQ(url->key, key);
    EXPECT_EQ(ObjectUrl::parse(url->text()).value(), *url);
  }
}

TEST(ObjectUrlTest, HasAnEmptyKeyForTheBucketItself) {
  EXPECT_EQ(ObjectUrl::parse("s3://bucket").value(), (ObjectUrl{"bucket", ""}));
  EXPECT_EQ(ObjectUrl::parse("s3://bucket/").value(), (ObjectUrl{"bucket", ""}));
}

TEST(ObjectUrlTest, SaysWhatIsWrong) {
  struct {
    std::string text;
    const char* says;
  } const rows[] = {
      {"", "begins with s3://"},
      {"bucket/key", "begins with s3://"},
      {"s3:/bucket/key", "begins with s3://"},
      {"S3://bucket/key", "begins with s3://"},
      {" s3://bucket/key", "begins with s3://"},
      {"https://bucket.s3.amazonaws.com/key", "begins with s3://"},
      {"s3://", "no bucket"},
      {"s3:///key", "no bucket"},
      {"s3://buck et/key", "such characters"},
      {"s3://bucket\n/key", "such characters"},
      {std::string("s3://buc\0ket/key", 16), "such characters"},
      {"s3://b\xc3\xa4r/key", "such characters"},
      {"s3://bucket?x/key", "such characters"},
      {"s3://bucket#x", "such characters"},
      {"s3://bucket/" + std::string(1025, 'k'), "at most 1024 bytes"},
      {"s3://bucket/\xff", "UTF-8"},
      {"s3://bucket/\xed\xa0\x80", "UTF-8"},
      {"s3://bucket/\xc0\xaf", "UTF-8"},
      {"s3://bucket/a\xe2\x80", "UTF-8"},
  };
  for (const auto& row : rows) {
    const Result<ObjectUrl> url = ObjectUrl::parse(row.text);
    ASSERT_FALSE(url.ok()) << row.text;
    EXPECT_EQ(url.error().kind, ErrorKind::invalid_argument) << row.text;
    EXPECT_NE(url.error().message.find(row.says), std::string::npos) << url.error().message;
    EXPECT_EQ(url.error().message.find('\n'), std::string::npos) << url.error().message;
    EXPECT_LT(url.error().message.size(), 300u);
    EXPECT_FALSE(url.error().advice.empty());
  }
}

TEST(ObjectUrlTest, LooksLikeS3OnlyWithItsScheme) {
  EXPECT_TRUE(ObjectUrl::looks_like("s3://"));
  EXPECT_TRUE(ObjectUrl::looks_like("s3:///x"));
  for (const char* text : {"", "s3", "s3:/", "./s3://b/k", "S3://b/k", "-"}) EXPECT_FALSE(ObjectUrl::looks_like(text));
}

}  // namespace
}  // namespace dray
