#include <gtest/gtest.h>

#include "fixture.h"
#include "hash/checksum.h"

namespace dray::server {
namespace {

class ObjectTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    make_bucket();
  }
};

TEST_F(ObjectTest, ComesBackAsItWasPut) {
  for (const std::size_t size : {0, 1, 5, 262143, 262144, 262145, 3000000}) {
    const std::string bytes = some_bytes(size);
    const Answer answer = put("k", bytes);
    ASSERT_EQ(answer.status, 200) << answer.body << answer.error;
    const std::string md5 = hash::digest(hash::DigestKind::md5, as_bytes(bytes));
    const std::string etag = "\"" + base::to_hex(as_bytes(md5)) + "\"";
    EXPECT_EQ(answer.headers.get("etag"), etag);
    const Answer back = get("k");
    EXPECT_EQ(back.status, 200);
    EXPECT_EQ(back.headers.get("etag"), etag);
    EXPECT_EQ(back.headers.get("content-length"), std::to_string(size));
    EXPECT_TRUE(back.body == bytes) << size;
    const Answer described = head("k");
    EXPECT_EQ(described.status, 200);
    EXPECT_EQ(described.headers.get("content-length"), std::to_string(size));
    EXPECT_EQ(described.body, "");
  }
}

TEST_F(ObjectTest, KeepsItsHeaders) {
  const Fields headers = {{"cache-control", "no-store"},      {"content-disposition", "attachment"},
                          {"content-encoding", "gzip"},       {"content-language", "de"},
                          {"content-type", "text/x-test"},    {"expires", "Mon, 30 Nov 2026 10:28:32 GMT"},
                          {"x-amz-meta-colour", "deep blue"}, {"x-amz-meta-mtime", "1796046875.5"}};
  put("k", "x", headers);
  for (const Answer& answer : {get("k"), head("k")}) {
    for (const auto& [name, value] : headers) EXPECT_EQ(answer.headers.get(name), value) << name;
    EXPECT_EQ(answer.headers.get("accept-ranges"), "bytes");
    EXPECT_TRUE(base::from_http_date(answer.headers.get("last-modified")).ok());
    EXPECT_TRUE(base::from_http_date(answer.headers.get("date")).ok());
    EXPECT_FALSE(answer.headers.get("x-amz-request-id").empty());
  }
}

TEST_F(ObjectTest, HasS3sContentTypeWithoutOne) {
  put("k", "x");
  EXPECT_EQ(get("k").headers.get("content-type"), "binary/octet-stream");
}

TEST_F(ObjectTest, GetOverridesHeadersOnRequest) {
  put("k", "x", {{"content-type", "text/plain"}});
  const Answer answer = send(
      {.bucket = "bucket", .key = "k", .query = {{"response-content-type", "text/html"}, {"response-expires", "0"}}});
  EXPECT_EQ(answer.headers.get("content-type"), "text/html");
  EXPECT_EQ(answer.headers.count("content-type"), 1u);
  EXPECT_EQ(answer.headers.get("expires"), "0");
}

TEST_F(ObjectTest, RefusesTooMuchMetadata) {
  expect_refused(put("k", "x", {{"x-amz-meta-a", std::string(2048, 'v')}}), 400, "MetadataTooLarge");
}

TEST_F(ObjectTest, RefusesHeadersWhoseMeaningWouldBeLost) {
  expect_refused(put("k", "x", {{"x-amz-tagging", "a=b"}}), 501, "NotImplemented");
  expect_refused(put("k", "x", {{"x-amz-server-side-encryption-customer-algorithm", "AES256"}}), 501, "NotImplemented");
}

TEST_F(ObjectTest, OddKeysAreStoredExactly) {
  const std::vector<std::string> odd = {"..",
                                        ".",
                                        "../../etc/passwd",
                                        "/lead",
                                        "//",
                                        "a",
                                        "a/",
                                        "a/b",
                                        "a//b",
                                        "a/./b",
                                        "a/../b",
                                        "%2e%2e",
                                        "a%2Fb",
                                        "a b",
                                        "a+b",
                                        "a&b=c",
                                        "a?b",
                                        "a#b",
                                        "\"'<>&",
                                        "back\\slash",
                                        "tab\tnewline\n",
                                        "\x01\x1f\x7f",
                                        "\xc2\xa0",
                                        "\xe2\x80\xa8",
                                        "e\xcc\x81",
                                        "\xc3\xa9",
                                        "\xf0\x9f\x98\x80",
                                        "A",
                                        "*?[1]{a}",
                                        "s3://x/y",
                                        ".dray/tmp/x",
                                        std::string("nul\0byte", 8),
                                        std::string(1024, 'k')};
  for (std::size_t i = 0; i < odd.size(); ++i) {
    ASSERT_EQ(put(odd[i], "body " + std::to_string(i)).status, 200) << base::in_quotes(odd[i]);
  }
  for (std::size_t i = 0; i < odd.size(); ++i) {
    EXPECT_EQ(get(odd[i]).body, "body " + std::to_string(i)) << base::in_quotes(odd[i]);
  }
  std::vector<std::string> sorted = odd;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(keys(), sorted);
  for (const std::string& key : odd) EXPECT_EQ(remove(key).status, 204);
  EXPECT_EQ(keys(), std::vector<std::string>{});
}

TEST_F(ObjectTest, RefusesKeysThatAreTooLongOrNotUtf8) {
  expect_refused(put(std::string(1025, 'k'), "x"), 400, "KeyTooLongError");
  expect_refused(put("\xff", "x"), 400, "InvalidURI");
  expect_refused(put("cut \xc3", "x"), 400, "InvalidURI");
}

TEST_F(ObjectTest, ServesRanges) {
  const std::string bytes = some_bytes(600000);
  put("k", bytes);
  struct Row {
    std::string range;
    std::size_t first, length;
  };
  for (const Row& row : std::vector<Row>{{"bytes=0-0", 0, 1},
                                         {"bytes=262143-262144", 262143, 2},
                                         {"bytes=5-", 5, 599995},
                                         {"bytes=-7", 599993, 7},
                                         {"bytes=599999-700000", 599999, 1}}) {
    const Answer answer = get("k", {{"range", row.range}});
    EXPECT_EQ(answer.status, 206) << row.range;
    EXPECT_TRUE(answer.body == bytes.substr(row.first, row.length)) << row.range;
    EXPECT_EQ(answer.headers.get("content-range"),
              "bytes " + std::to_string(row.first) + "-" + std::to_string(row.first + row.length - 1) + "/600000");
    const Answer described = head("k", {{"range", row.range}});
    EXPECT_EQ(described.status, 206);
    EXPECT_EQ(described.headers.get("content-length"), std::to_string(row.length));
  }
  const Answer beyond = get("k", {{"range", "bytes=600000-"}});
  expect_refused(beyond, 416, "InvalidRange");
  EXPECT_EQ(beyond.headers.get("content-range"), "bytes */600000");
  EXPECT_EQ(get("k", {{"range", "bytes=0-1,4-5"}}).status, 200);
}

TEST_F(ObjectTest, EmptyOnesHaveNoRange) {
  put("k", "");
  expect_refused(get("k", {{"range", "bytes=0-"}}), 416, "InvalidRange");
}

TEST_F(ObjectTest, ReadsObeyConditions) {
  put("k", "x");
  const std::string etag(head("k").headers.get("etag"));
  EXPECT_EQ(get("k", {{"if-match", etag}}).status, 200);
  expect_refused(get("k", {{"if-match", "\"other\""}}), 412, "PreconditionFailed");
  const Answer same = get("k", {{"if-none-match", etag}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.headers.get("etag"), etag);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(get("k", {{"if-modified-since", std::string(same.headers.get("last-modified"))}}).status, 304);
  EXPECT_EQ(head("k", {{"if-match", "\"other\""}}).status, 412);
}

TEST_F(ObjectTest, WritesObeyConditions) {
  EXPECT_EQ(put("k", "one", {{"if-none-match", "*"}}).status, 200);
  expect_refused(put("k", "two", {{"if-none-match", "*"}}), 412, "PreconditionFailed");
  EXPECT_EQ(get("k").body, "one");
  const std::string etag(head("k").headers.get("etag"));
  EXPECT_EQ(put("k", "three", {{"if-match", etag}}).status, 200);
  expect_refused(put("k", "four", {{"if-match", etag}}), 412, "PreconditionFailed");
  expect_refused(put("new", "x", {{"if-match", etag}}), 404, "NoSuchKey");
  expect_refused(put("k", "x", {{"if-none-match", etag}}), 501, "NotImplemented");
}

TEST_F(ObjectTest, MissingOnesAreRefusedAndDeletedInPeace) {
  expect_refused(get("k"), 404, "NoSuchKey");
  EXPECT_EQ(head("k").status, 404);
  EXPECT_EQ(remove("k").status, 204);
}

TEST_F(ObjectTest, OtherVersionsDoNotExist) {
  put("k", "x");
  EXPECT_EQ(send({.bucket = "bucket", .key = "k", .query = {{"versionId", "null"}}}).status, 200);
  expect_refused(send({.bucket = "bucket", .key = "k", .query = {{"versionId", "v1"}}}), 404, "NoSuchVersion");
  expect_refused(send({.method = "DELETE", .bucket = "bucket", .key = "k", .query = {{"versionId", "v1"}}}), 404,
                 "NoSuchVersion");
  EXPECT_EQ(keys(), std::vector<std::string>{"k"});
}

TEST_F(ObjectTest, ManyAreDeletedAtOnce) {
  for (const std::string key : {"a", "b&c", "d"}) put(key, "x");
  const std::string body =
      "<Delete><Object><Key>a</Key></Object><Object><Key>b&amp;c</Key></Object><Object><Key>gone</Key></Object>"
      "<Object><Key>d</Key><VersionId>v1</VersionId></Object></Delete>";
  const std::string md5 = base::to_base64(as_bytes(hash::digest(hash::DigestKind::md5, as_bytes(body))));
  const Call call{
      .method = "POST", .bucket = "bucket", .query = {{"delete", ""}}, .headers = {{"content-md5", md5}}, .body = body};
  const s3::XmlElement xml = send(call).xml();
  EXPECT_EQ(xml.name, "DeleteResult");
  EXPECT_EQ(xml.children_named("Deleted").size(), 3u);
  ASSERT_EQ(xml.children_named("Error").size(), 1u);
  EXPECT_EQ(xml.child("Error")->child_text("Code"), "NoSuchVersion");
  EXPECT_EQ(keys(), std::vector<std::string>{"d"});
}

TEST_F(ObjectTest, DeletesQuietly) {
  put("a", "x");
  const s3::XmlElement xml = send({.method = "POST",
                                   .bucket = "bucket",
                                   .query = {{"delete", ""}},
                                   .body = "<Delete><Quiet>true</Quiet><Object><Key>a</Key></Object></Delete>"})
                                 .xml();
  EXPECT_EQ(xml.name, "DeleteResult");
  EXPECT_TRUE(xml.children.empty());
  EXPECT_EQ(keys(), std::vector<std::string>{});
}

TEST_F(ObjectTest, RefusesDeletesThatArriveDamaged) {
  put("a", "x");
  const std::string body = "<Delete><Object><Key>a</Key></Object></Delete>";
  const auto attempt = [&](Fields headers, const std::string& text) {
    return send(
        {.method = "POST", .bucket = "bucket", .query = {{"delete", ""}}, .headers = std::move(headers), .body = text});
  };
  const std::string wrong_md5 = base::to_base64(as_bytes(hash::digest(hash::DigestKind::md5, as_bytes("other"))));
  expect_refused(attempt({{"content-md5", wrong_md5}}, body), 400, "BadDigest");
  const std::string wrong_crc = hash::checksum_of(ChecksumKind::crc32, as_bytes("other")).text();
  expect_refused(attempt({{"x-amz-checksum-crc32", wrong_crc}}, body), 400, "BadDigest");
  expect_refused(attempt({}, "<Delete></Delete>"), 400, "MalformedXML");
  expect_refused(attempt({}, "<Delete><Object/></Delete>"), 400, "MalformedXML");
  expect_refused(attempt({}, "<Nothing/>"), 400, "MalformedXML");
  expect_refused(attempt({}, "not XML"), 400, "MalformedXML");
  std::string many = "<Delete>";
  for (int i = 0; i < 1001; ++i) many += "<Object><Key>a</Key></Object>";
  expect_refused(attempt({}, many + "</Delete>"), 400, "MalformedXML");
  EXPECT_EQ(keys(), std::vector<std::string>{"a"});
}

TEST_F(ObjectTest, CopyIsRefusedRatherThanMisunderstood) {
  expect_refused(put("k", "", {{"x-amz-copy-source", "/bucket/other"}}), 501, "NotImplemented");
  EXPECT_EQ(keys(), std::vector<std::string>{});
}

TEST_F(ObjectTest, AReaderFinishesThoughTheObjectIsReplaced) {
  const std::string bytes = some_bytes(8 << 20);
  put("k", bytes);
  const Wire wire = sign({.bucket = "bucket", .key = "k"});
  runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    http::ClientConnection connection(std::move(stream));
    const http::ResponseHead head = connection.exchange("GET", wire.head + "\r\n", nullptr, patience()).value();
    EXPECT_EQ(head.status, 200);
    // Half a megabyte is read, the rest waits in the server, while the object goes.
    std::string got = std::string(512 << 10, '\0');
    std::size_t have = 0;
    while (have < got.size()) {
      have +=
          connection.input()
              .read_body(MutableBytes(reinterpret_cast<std::byte*>(got.data()) + have, got.size() - have), patience())
              .value();
    }
    std::unique_ptr<net::Stream> other_stream = net::connect_tcp(address(), patience()).value();
    http::ClientConnection other(std::move(other_stream));
    Wire removal = sign({.method = "DELETE", .bucket = "bucket", .key = "k"});
    removal.head += "\r\n";
    EXPECT_EQ(exchange_on(other, removal).status, 204);
    got += connection.input().read_body_text(16 << 20, patience()).value();
    EXPECT_TRUE(got == bytes);
  });
}

TEST_F(ObjectTest, CountsWhatItDid) {
  put("k", "12345");
  get("k");
  get("missing");
  const Counters counters = server_->counters();
  EXPECT_EQ(counters.requests_of(Operation::put_object), 1u);
  EXPECT_EQ(counters.requests_of(Operation::get_object), 2u);
  EXPECT_EQ(counters.requests_of(Operation::create_bucket), 1u);
  EXPECT_EQ(counters.refused, 1u);
  EXPECT_EQ(counters.bytes_in, 5u);
  EXPECT_EQ(counters.bytes_out, 5u);
  EXPECT_GE(counters.peak_connections, 1u);
}

}  // namespace
}  // namespace dray::server
