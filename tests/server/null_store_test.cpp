#include "server/null_store.h"

#include <gtest/gtest.h>

#include "fixture.h"
#include "hash/checksum.h"

namespace dray::server {
namespace {

TEST(NullStoreSizeTest, IsReadFromTheEndOfTheName) {
  EXPECT_EQ(size_in_name("a.sz0"), 0u);
  EXPECT_EQ(size_in_name("dir/a.b.sz1048576"), 1048576u);
  EXPECT_EQ(size_in_name("a.sz1.sz2"), 2u);
  for (const std::string_view other : {"a", "a.sz", "a.sz5x", "a.sz-5", "a.sz 5", "a.sz18446744073709551615", "sz5"}) {
    EXPECT_EQ(size_in_name(other), std::nullopt) << other;
  }
}

class NullStoreTest : public ServerTest {
 protected:
  void SetUp() override {
    start({.store = ServerOptions::Store::null});
    make_bucket();
  }
};

TEST_F(NullStoreTest, KeepsNamesAndSizesOnly) {
  const Answer answer = put("k", some_bytes(100000), {{"x-amz-checksum-crc32", "AAAAAA=="}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("x-amz-checksum-crc32"), "AAAAAA==") << "what was claimed, unverified";
  EXPECT_EQ(head("k").headers.get("content-length"), "100000");
  EXPECT_EQ(get("k").body.size(), 100000u);
  EXPECT_EQ(keys(), std::vector<std::string>{"k"});
  EXPECT_EQ(server_->counters().bytes_in, 100000u);
}

TEST_F(NullStoreTest, ServesGeneratedObjectsWithTheirChecksum) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{8} << 20, (std::size_t{24} << 20) + 12345}) {
    const Answer answer = get("any.sz" + std::to_string(size), {{"x-amz-checksum-mode", "ENABLED"}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body.size(), size);
    EXPECT_EQ(answer.headers.get("x-amz-checksum-crc64nvme"),
              hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(answer.body)).text());
  }
}

TEST_F(NullStoreTest, RangesOfGeneratedObjectsFitTogether) {
  const std::string key = "any.sz" + std::to_string((16 << 20) + 5);
  const std::string whole = get(key).body;
  const Answer middle = get(key, {{"range", "bytes=8388600-8388615"}});
  EXPECT_EQ(middle.status, 206);
  EXPECT_TRUE(middle.body == whole.substr(8388600, 16));
  EXPECT_TRUE(get(key, {{"range", "bytes=-5"}}).body == whole.substr(16 << 20));
}

TEST_F(NullStoreTest, CompletesMultipartUploadsWithTheClaimedChecksum) {
  const s3::XmlElement created = send({.method = "POST",
                                       .bucket = "bucket",
                                       .key = "k",
                                       .query = {{"uploads", ""}},
                                       .headers = {{"x-amz-checksum-algorithm", "CRC64NVME"}}})
                                     .xml();
  const std::string id(created.child_text("UploadId"));
  std::string list = "<CompleteMultipartUpload>";
  for (int number = 1; number <= 2; ++number) {
    const Answer part = send({.method = "PUT",
                              .bucket = "bucket",
                              .key = "k",
                              .query = {{"partNumber", std::to_string(number)}, {"uploadId", id}},
                              .body = some_bytes(5 << 20)});
    EXPECT_EQ(part.status, 200) << part.body;
    list += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" +
            std::string(part.headers.get("etag")) + "</ETag></Part>";
  }
  const Answer done = send({.method = "POST",
                            .bucket = "bucket",
                            .key = "k",
                            .query = {{"uploadId", id}},
                            .headers = {{"x-amz-checksum-crc64nvme", "AAAAAAAAAAA="}},
                            .body = list + "</CompleteMultipartUpload>"});
  ASSERT_EQ(done.status, 200) << done.body;
  const Answer described = head("k", {{"x-amz-checksum-mode", "ENABLED"}});
  EXPECT_EQ(described.headers.get("content-length"), "10485760");
  EXPECT_EQ(described.headers.get("x-amz-checksum-crc64nvme"), "AAAAAAAAAAA=");
}

TEST_F(NullStoreTest, ServesAClientThatSpeaksBeforeItsReplyHasEnded) {
  Wire first = sign({.bucket = "bucket", .key = "any.sz20000000"});
  Wire second = sign({.bucket = "bucket", .key = "any.sz5"});
  const std::string wanted = get("any.sz5").body;
  runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    const std::string both = first.head + "\r\n" + second.head + "connection: close\r\n\r\n";
    ASSERT_TRUE(stream->write(as_bytes(both), net::More::no, patience()).ok());
    std::string all;
    std::vector<std::byte> room(1 << 20);
    for (;;) {
      const std::size_t got = stream->read(room, patience()).value();
      if (got == 0) break;
      all += as_text(Bytes(room).first(got));
    }
    EXPECT_GT(all.size(), 20000000u);
    EXPECT_TRUE(all.ends_with("\r\n\r\n" + wanted));
  });
}

}  // namespace
}  // namespace dray::server
