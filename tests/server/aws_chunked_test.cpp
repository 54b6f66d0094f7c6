#include "server/aws_chunked.h"

#include <gtest/gtest.h>

#include <vector>

namespace dray::server {
namespace {

struct Decoded {
  std::string data;
  bool ended = false;
  std::string code;  ///< of the error, if there was one
  http::Headers trailers;
};

/// Feeds the pieces and takes all there is.
Decoded decode(const std::vector<std::string_view>& pieces, const aws::Verified* seed) {
  AwsChunkedDecoder decoder(seed);
  Decoded decoded;
  for (std::string_view piece : pieces) {
    while (!piece.empty()) {
      const Result<AwsChunkedDecoder::Step> step = decoder.next(as_bytes(piece));
      if (!step) {
        decoded.code = step.error().code;
        return decoded;
      }
      EXPECT_GT(step->taken, 0u);
      decoded.data += as_text(step->data);
      piece.remove_prefix(step->taken);
    }
  }
  decoded.ended = decoder.ended();
  decoded.trailers = decoder.trailers();
  return decoded;
}
Decoded decode(std::string_view text, const aws::Verified* seed) { return decode(std::vector{text}, seed); }

aws::Verified seed() {
  aws::Verified verified;
  verified.amz_date = "20261130T102832Z";
  verified.scope = "20261130/us-east-1/s3/aws4_request";
  verified.signature = std::string(64, 'a');
  verified.key = aws::derive_signing_key("secret", "20261130", "us-east-1", "s3");
  return verified;
}

/// A signed body as a client makes it.
std::string signed_body(const std::vector<std::string>& chunks, const std::string& trailer = "") {
  const aws::Verified from = seed();
  std::string body, previous = from.signature;
  std::vector<std::string> all = chunks;
  all.emplace_back();
  for (const std::string& chunk : all) {
    previous = aws::chunk_signature(from, previous, as_bytes(chunk));
    char size[20];
    std::snprintf(size, sizeof size, "%zx", chunk.size());
    body += std::string(size) + ";chunk-signature=" + previous + "\r\n" + chunk;
    if (!chunk.empty()) body += "\r\n";
  }
  if (!trailer.empty()) {
    body += trailer + "\r\nx-amz-trailer-signature:" + aws::trailer_signature(from, previous, trailer + "\n") + "\r\n";
  }
  return body + "\r\n";
}

TEST(AwsChunkedTest, DecodesUnsignedChunksWithATrailer) {
  const Decoded decoded = decode("5\r\nhello\r\nA\r\n0123456789\r\n0\r\nx-amz-checksum-crc32: AAAA\r\n\r\n", nullptr);
  EXPECT_EQ(decoded.data, "hello0123456789");
  EXPECT_TRUE(decoded.ended);
  EXPECT_EQ(decoded.trailers.get("x-amz-checksum-crc32"), "AAAA");
}

TEST(AwsChunkedTest, GivesTheSameWhereverTheInputIsCut) {
  const aws::Verified from = seed();
  struct Row {
    std::string body;
    const aws::Verified* seed;
  };
  const std::vector<Row> rows = {
      {"5\r\nhello\r\n3\r\n\r\n0\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n", nullptr},
      {"0\r\n\r\n", nullptr},
      {signed_body({"hello", "\r\n0;"}), &from},
      {signed_body({"hello"}, "x-amz-checksum-crc32:AAAA"), &from},
  };
  for (const Row& row : rows) {
    const Decoded whole = decode(row.body, row.seed);
    ASSERT_TRUE(whole.ended) << row.body << whole.code;
    std::vector<std::string_view> bytes;
    for (std::size_t cut = 0; cut < row.body.size(); ++cut) {
      const std::string_view text = row.body;
      const Decoded halves = decode({text.substr(0, cut), text.substr(cut)}, row.seed);
      EXPECT_TRUE(halves.ended) << cut;
      EXPECT_EQ(halves.data, whole.data) << cut;
      EXPECT_EQ(halves.trailers.get("x-amz-checksum-crc32"), whole.trailers.get("x-amz-checksum-crc32")) << cut;
      bytes.push_back(text.substr(cut, 1));
      // What is cut off is never taken for whole.
      EXPECT_FALSE(decode(text.substr(0, cut), row.seed).ended) << cut;
    }
    EXPECT_EQ(decode(bytes, row.seed).data, whole.data) << "byte by byte";
  }
}

TEST(AwsChunkedTest, ChecksEverySignature) {
  const aws::Verified from = seed();
  const std::string good = signed_body({"first", "second"}, "x-amz-checksum-crc32:AAAA");
  ASSERT_TRUE(decode(good, &from).ended);
  for (const std::string_view part : {"first", "second", "AAAA"}) {
    std::string bad = good;
    bad[bad.find(part)] ^= 1;
    EXPECT_EQ(decode(bad, &from).code, "SignatureDoesNotMatch") << part;
  }
  std::size_t at = 0, signatures = 0;
  while ((at = good.find("signature", at)) != std::string::npos) {
    at += 10;
    std::string bad = good;
    bad[at] = bad[at] == '0' ? '1' : '0';
    EXPECT_EQ(decode(bad, &from).code, "SignatureDoesNotMatch") << at;
    ++signatures;
  }
  EXPECT_EQ(signatures, 4u);
}

TEST(AwsChunkedTest, RefusesTheChunksOfAnotherRequest) {
  aws::Verified other = seed();
  other.signature = std::string(64, 'b');
  EXPECT_EQ(decode(signed_body({"hello"}), &other).code, "SignatureDoesNotMatch");
}

TEST(AwsChunkedTest, RefusesChunksThatWereSwapped) {
  const aws::Verified from = seed();
  const std::string good = signed_body({"aaaaa", "bbbbb"});
  const std::size_t one = good.find("\r\n", good.find("aaaaa")) + 2;
  const std::string swapped = good.substr(one, one) + good.substr(0, one) + good.substr(2 * one);
  EXPECT_EQ(decode(swapped, &from).code, "SignatureDoesNotMatch");
}

TEST(AwsChunkedTest, ToleratesAnEmptyLineBeforeTheTrailerSignature) {
  const aws::Verified from = seed();
  std::string body = signed_body({"hello"}, "x-amz-checksum-crc32:AAAA");
  body.replace(body.find("AAAA\r\n"), 6, "AAAA\n\r\n");
  EXPECT_TRUE(decode(body, &from).ended);
}

TEST(AwsChunkedTest, DoesNotEndBeforeTheTrailerSignature) {
  const aws::Verified from = seed();
  std::string body = signed_body({"hello"}, "x-amz-checksum-crc32:AAAA");
  body.resize(body.find("x-amz-trailer-signature"));
  EXPECT_FALSE(decode(body + "\r\n", &from).ended);
  EXPECT_FALSE(decode(body + "\r\n\r\n", &from).ended);
}

TEST(AwsChunkedTest, RefusesWhatIsMalformed) {
  const aws::Verified from = seed();
  struct Row {
    std::string_view why;
    std::string body;
    const aws::Verified* seed;
  };
  const std::vector<Row> rows = {
      {"no size", "\r\nhello", nullptr},
      {"bad size", "5g\r\nhello", nullptr},
      {"negative size", "-5\r\nhello", nullptr},
      {"huge size", "1000000000000000\r\nhello", nullptr},
      {"too much data", "5\r\nhello!\r\n", nullptr},
      {"a trailer without a colon", "0\r\nx-amz-checksum-crc32\r\n\r\n", nullptr},
      {"a signature that nothing asked for", "0\r\nx-amz-trailer-signature:00\r\n\r\n", nullptr},
      {"data after the end", "0\r\n\r\nx", nullptr},
      {"no signature", "5\r\nhello\r\n", &from},
      {"another extension", "5;name=value\r\nhello\r\n", &from},
      {"a line without end", std::string(5000, '0'), nullptr},
  };
  for (const Row& row : rows) EXPECT_EQ(decode(row.body, row.seed).code, "InvalidRequest") << row.why;
}

}  // namespace
}  // namespace dray::server
