// What the client says about a body is held against the body.
#include <gtest/gtest.h>

#include "fixture.h"
#include "hash/checksum.h"
#include "server/body_verifier.h"

namespace dray::server {
namespace {

class IntegrityTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    make_bucket();
  }
  void expect_nothing_stored() { EXPECT_EQ(keys(), std::vector<std::string>{}); }

  /// A body in signed chunks, with a trailer if `trailer` is not empty ("name:value").
  static std::string in_signed_chunks(const Wire& wire, const std::vector<std::string>& chunks,
                                      const std::string& trailer = "") {
    std::string body, previous = wire.seed.signature;
    std::vector<std::string> all = chunks;
    all.emplace_back();
    for (const std::string& chunk : all) {
      previous = aws::chunk_signature(wire.seed, previous, as_bytes(chunk));
      body += fmt_hex(chunk.size()) + ";chunk-signature=" + previous + "\r\n" + chunk + (chunk.empty() ? "" : "\r\n");
    }
    if (!trailer.empty()) {
      body += trailer + "\r\nx-amz-trailer-signature:" + aws::trailer_signature(wire.seed, previous, trailer + "\n") +
              "\r\n";
    }
    return body + "\r\n";
  }
  static std::string fmt_hex(std::size_t number) {
    char text[20];
    std::snprintf(text, sizeof text, "%zx", number);
    return text;
  }
  static Call streamed(std::string_view payload_hash, std::size_t size, Fields headers = {}) {
    headers.emplace_back("x-amz-decoded-content-length", std::to_string(size));
    headers.emplace_back("content-encoding", "aws-chunked");
    return {.method = "PUT",
            .bucket = "bucket",
            .key = "k",
            .headers = std::move(headers),
            .payload_hash = std::string(payload_hash)};
  }
};

constexpr std::string_view kSigned = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
constexpr std::string_view kSignedTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
constexpr std::string_view kUnsignedTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

TEST_F(IntegrityTest, EveryKindOfChecksumIsVerifiedStoredAndReturned) {
  for (const ChecksumKind kind : kChecksumKinds) {
    const std::string header(hash::header_of(kind));
    const std::string value = hash::checksum_of(kind, as_bytes("hello")).text();
    expect_refused(put("bad", "hellO", {{header, value}}), 400, "BadDigest", header);

    const Answer answer = put("k", "hello", {{header, value}, {"x-amz-sdk-checksum-algorithm", "ANY"}});
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.headers.get(header), value);
    EXPECT_EQ(get("k").headers.get(header), "") << "nobody asked";
    const Fields mode = {{"x-amz-checksum-mode", "ENABLED"}};
    EXPECT_EQ(get("k", mode).headers.get(header), value);
    EXPECT_EQ(head("k", mode).headers.get(header), value);
    EXPECT_EQ(head("k", mode).headers.get("x-amz-checksum-type"), "FULL_OBJECT");
    const Answer part = get("k", {{"x-amz-checksum-mode", "ENABLED"}, {"range", "bytes=0-1"}});
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.headers.get(header), "") << "it is not of this range";
  }
  EXPECT_EQ(keys(), std::vector<std::string>{"k"});
}

TEST_F(IntegrityTest, ChecksumsThatAreNoneAreRefused) {
  expect_refused(put("k", "hello", {{"x-amz-checksum-crc32", "AAAA"}}), 400, "InvalidRequest");
  expect_refused(put("k", "hello", {{"x-amz-checksum-crc32", "?"}}), 400, "InvalidRequest");
  const std::string crc = hash::checksum_of(ChecksumKind::crc32, as_bytes("hello")).text();
  expect_refused(put("k", "hello", {{"x-amz-checksum-crc32", crc + "-1"}}), 400, "InvalidRequest");
  const std::string sha = hash::checksum_of(ChecksumKind::sha1, as_bytes("hello")).text();
  expect_refused(put("k", "hello", {{"x-amz-checksum-crc32", crc}, {"x-amz-checksum-sha1", sha}}), 400,
                 "InvalidRequest");
  expect_nothing_stored();
}

TEST_F(IntegrityTest, ContentMd5IsVerified) {
  const std::string md5 = base::to_base64(as_bytes(hash::digest(hash::DigestKind::md5, as_bytes("hello"))));
  expect_refused(put("k", "hellO", {{"content-md5", md5}}), 400, "BadDigest");
  expect_refused(put("k", "hello", {{"content-md5", "AAAA"}}), 400, "InvalidDigest");
  expect_nothing_stored();
  EXPECT_EQ(put("k", "hello", {{"content-md5", md5}}).status, 200);
}

TEST_F(IntegrityTest, TheSignedPayloadHashIsVerified) {
  Call call{.method = "PUT", .bucket = "bucket", .key = "k", .body = "hello"};
  call.payload_hash = base::to_hex(hash::sha256(as_bytes("hellO")));
  expect_refused(send(call), 400, "XAmzContentSHA256Mismatch");
  expect_nothing_stored();
  call.payload_hash = base::to_hex(hash::sha256(as_bytes("hello")));
  EXPECT_EQ(send(call).status, 200);
}

TEST_F(IntegrityTest, ABodyNeedsALength) {
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k"});
  wire.head += "\r\n";
  const Answer answer = runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    http::ClientConnection connection(std::move(stream));
    return exchange_on(connection, wire);
  });
  expect_refused(answer, 411, "MissingContentLength");
}

TEST_F(IntegrityTest, AcceptsChunkedTransferEncoding) {
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k"});
  wire.head += "transfer-encoding: chunked\r\n";
  wire.body = "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n";
  EXPECT_EQ(exchange(wire).status, 200);
  EXPECT_EQ(get("k").body, "hello!");
}

TEST_F(IntegrityTest, ABodyThatIsCutIsNotStored) {
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k"});
  wire.head += "content-length: 1000\r\n\r\n";
  runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    ASSERT_TRUE(stream->write(as_bytes(wire.head + std::string(999, 'x')), net::More::no, patience()).ok());
    stream->close();
  });
  expect_nothing_stored();
}

TEST_F(IntegrityTest, AcceptsSignedChunks) {
  const std::string first = some_bytes(100000), second = some_bytes(70000, 2);
  Wire wire = sign(streamed(kSigned, 170000));
  wire.body = in_signed_chunks(wire, {first, second});
  const Answer answer = exchange(wire);
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Answer back = get("k");
  EXPECT_TRUE(back.body == first + second);
  EXPECT_EQ(back.headers.get("content-encoding"), "") << "aws-chunked is not part of the object";
}

TEST_F(IntegrityTest, AcceptsSignedChunksInsideChunkedTransferEncoding) {
  Wire wire = sign(streamed(kSigned, 5));
  const std::string inner = in_signed_chunks(wire, {"hello"});
  wire.head += "transfer-encoding: chunked\r\n";
  wire.body = fmt_hex(10) + "\r\n" + inner.substr(0, 10) + "\r\n" + fmt_hex(inner.size() - 10) + "\r\n" +
              inner.substr(10) + "\r\n0\r\n\r\n";
  EXPECT_EQ(exchange(wire).status, 200);
  EXPECT_EQ(get("k").body, "hello");
}

TEST_F(IntegrityTest, RefusesAWrongChunkSignature) {
  Wire wire = sign(streamed(kSigned, 10));
  wire.body = in_signed_chunks(wire, {"hello", "world"});
  wire.body[wire.body.find("world")] = 'W';
  expect_refused(exchange(wire), 403, "SignatureDoesNotMatch");
  expect_nothing_stored();
}

TEST_F(IntegrityTest, AcceptsTrailersSignedAndUnsigned) {
  const std::string crc = hash::checksum_of(ChecksumKind::crc32c, as_bytes("hello")).text();
  const Fields announced = {{"x-amz-trailer", "x-amz-checksum-crc32c"}};
  Wire wire = sign(streamed(kSignedTrailer, 5, announced));
  wire.body = in_signed_chunks(wire, {"hello"}, "x-amz-checksum-crc32c:" + crc);
  Answer answer = exchange(wire);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.headers.get("x-amz-checksum-crc32c"), crc);

  wire = sign(streamed(kUnsignedTrailer, 5, announced));
  wire.body = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32c:" + crc + "\r\n\r\n";
  answer = exchange(wire);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(head("k", {{"x-amz-checksum-mode", "ENABLED"}}).headers.get("x-amz-checksum-crc32c"), crc);
}

TEST_F(IntegrityTest, RefusesTrailersThatAreWrongMissingOrBadlySigned) {
  const std::string right = "x-amz-checksum-crc32:" + hash::checksum_of(ChecksumKind::crc32, as_bytes("hello")).text();
  const std::string wrong = "x-amz-checksum-crc32:" + hash::checksum_of(ChecksumKind::crc32, as_bytes("other")).text();
  const Fields announced = {{"x-amz-trailer", "x-amz-checksum-crc32"}};
  const auto unsigned_trailer = [&](const std::string& trailer) {
    Wire wire = sign(streamed(kUnsignedTrailer, 5, announced));
    wire.body = "5\r\nhello\r\n0\r\n" + trailer + "\r\n";
    return exchange(wire);
  };
  expect_refused(unsigned_trailer(wrong + "\r\n"), 400, "BadDigest");
  expect_refused(unsigned_trailer(""), 400, "MalformedTrailerError");
  expect_refused(unsigned_trailer("x-amz-checksum-crc32:?\r\n"), 400, "InvalidRequest");

  Wire wire = sign(streamed(kSignedTrailer, 5, announced));
  wire.body = in_signed_chunks(wire, {"hello"}, wrong);
  expect_refused(exchange(wire), 400, "BadDigest");
  wire = sign(streamed(kSignedTrailer, 5, announced));
  wire.body = in_signed_chunks(wire, {"hello"}, wrong);
  wire.body.replace(wire.body.find(wrong), wrong.size(), right);
  expect_refused(exchange(wire), 403, "SignatureDoesNotMatch");

  wire = sign(streamed(kUnsignedTrailer, 5));
  wire.body = "5\r\nhello\r\n0\r\n" + right + "\r\n\r\n";
  expect_refused(exchange(wire), 400, "InvalidRequest", "a trailer that was not announced");
  wire = sign(streamed(kUnsignedTrailer, 5, {{"x-amz-trailer", "x-other"}}));
  wire.body = "5\r\nhello\r\n0\r\nx-other: 1\r\n\r\n";
  expect_refused(exchange(wire), 400, "InvalidRequest", "a trailer that nobody knows");
  expect_nothing_stored();
}

TEST_F(IntegrityTest, RefusesStreamsThatAreCutOrMisannounced) {
  Wire wire = sign(streamed(kUnsignedTrailer, 6, {{"x-amz-trailer", "x-amz-checksum-crc32"}}));
  const std::string trailer =
      "x-amz-checksum-crc32:" + hash::checksum_of(ChecksumKind::crc32, as_bytes("hello")).text() + "\r\n\r\n";
  wire.body = "5\r\nhello\r\n0\r\n" + trailer;
  expect_refused(exchange(wire), 400, "IncompleteBody", "less than announced");

  wire = sign(streamed(kUnsignedTrailer, 4, {{"x-amz-trailer", "x-amz-checksum-crc32"}}));
  wire.body = "5\r\nhello\r\n0\r\n" + trailer;
  expect_refused(exchange(wire), 400, "IncompleteBody", "more than announced");

  wire = sign(streamed(kSigned, 5));
  wire.body = in_signed_chunks(wire, {"hello"});
  wire.body.resize(wire.body.find("0;chunk-signature"));
  expect_refused(exchange(wire), 400, "IncompleteBody", "no last chunk");

  Call call = streamed(kSigned, 5);
  std::erase_if(call.headers, [](const auto& header) { return header.first == "x-amz-decoded-content-length"; });
  wire = sign(call);
  wire.body = in_signed_chunks(wire, {"hello"});
  expect_refused(exchange(wire), 411, "MissingContentLength");
  expect_nothing_stored();
}

TEST_F(IntegrityTest, AConnectionServesOnAfterARefusedBody) {
  runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    http::ClientConnection connection(std::move(stream));
    Wire bad = sign({.method = "PUT",
                     .bucket = "bucket",
                     .key = "k",
                     .headers = {{"x-amz-checksum-crc32", "AAAAAA=="}},
                     .body = some_bytes(100000)});
    bad.head += "content-length: 100000\r\n\r\n";
    expect_refused(exchange_on(connection, bad), 400, "BadDigest");
    ASSERT_TRUE(connection.reusable());
    Wire good = sign({.method = "PUT", .bucket = "bucket", .key = "k", .body = "hello"});
    good.head += "content-length: 5\r\n\r\n";
    EXPECT_EQ(exchange_on(connection, good).status, 200);
  });
}

TEST_F(IntegrityTest, AsksForTheBodyWhenItIsExpectedTo) {
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k"});
  wire.head += "expect: 100-continue\r\ncontent-length: 5\r\n\r\n";
  const std::string replies = runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    EXPECT_TRUE(stream->write(as_bytes(wire.head), net::More::no, patience()).ok());
    std::string text(4096, '\0');
    const MutableBytes room(reinterpret_cast<std::byte*>(text.data()), text.size());
    const std::size_t first = stream->read(room, patience()).value();
    EXPECT_TRUE(stream->write(as_bytes("hello"), net::More::no, patience()).ok());
    text.resize(first + stream->read(room.subspan(first), patience()).value());
    return text;
  });
  EXPECT_TRUE(replies.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")) << replies;
}

}  // namespace
}  // namespace dray::server
