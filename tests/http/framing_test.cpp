#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

#include "http/head.h"

namespace dray::http {

void PrintTo(const Framing& framing, std::ostream* to) {
  *to << "kind " << static_cast<int>(framing.kind) << " length " << framing.length;
}

namespace {

using Kind = Framing::Kind;

/// Fields, and how the body behind them ends; nothing = refused.
struct Row {
  const char* name;
  const char* fields;
  std::optional<Framing> request;
  std::optional<Framing> reply;
  const char* version = "HTTP/1.1";
};

void PrintTo(const Row& row, std::ostream* to) { *to << row.name; }
std::string name_of_row(const testing::TestParamInfo<Row>& info) { return info.param.name; }

class FramingTest : public testing::TestWithParam<Row> {};

constexpr Framing kNone{.kind = Kind::none}, kChunked{.kind = Kind::chunked}, kClose{.kind = Kind::until_close};
constexpr Framing length(std::uint64_t bytes) { return {.kind = Kind::length, .length = bytes}; }

INSTANTIATE_TEST_SUITE_P(
    Rows, FramingTest,
    testing::Values(
        Row{"Nothing", "", kNone, kClose}, Row{"Length", "Content-Length: 5\r\n", length(5), length(5)},
        Row{"LengthZero", "Content-Length: 0\r\n", kNone, kNone},
        Row{"LengthWithLeadingZeros", "Content-Length: 005\r\n", length(5), length(5)},
        Row{"LengthTwiceTheSame", "Content-Length: 5\r\nContent-Length: 5\r\n", length(5), length(5)},
        Row{"LengthTwiceDifferent", "Content-Length: 5\r\nContent-Length: 6\r\n", {}, {}},
        Row{"LengthZeroAndAnother", "Content-Length: 0\r\nContent-Length: 6\r\n", {}, {}},
        Row{"LengthList", "Content-Length: 5, 5\r\n", {}, {}}, Row{"LengthEmpty", "Content-Length:\r\n", {}, {}},
        Row{"LengthSigned", "Content-Length: +5\r\n", {}, {}}, Row{"LengthNegative", "Content-Length: -5\r\n", {}, {}},
        Row{"LengthHex", "Content-Length: 0x5\r\n", {}, {}}, Row{"LengthText", "Content-Length: five\r\n", {}, {}},
        Row{"LengthFraction", "Content-Length: 5.0\r\n", {}, {}},
        Row{"LengthBeyond64Bits", "Content-Length: 18446744073709551621\r\n", {}, {}},
        Row{"LengthBeyond62Bits", "Content-Length: 4611686018427387905\r\n", {}, {}},
        Row{"Chunked", "Transfer-Encoding: chunked\r\n", kChunked, kChunked},
        Row{"ChunkedInCapitals", "TRANSFER-ENCODING: Chunked\r\n", kChunked, kChunked},
        Row{"ChunkedTwice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", {}, {}},
        Row{"ChunkedWithLength", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", {}, {}},
        Row{"ChunkedWithLengthZero", "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", {}, {}},
        Row{"ChunkedInHttp10", "Transfer-Encoding: chunked\r\n", {}, {}, "HTTP/1.0"},
        Row{"NothingInHttp10", "", kNone, kClose, "HTTP/1.0"}, Row{"Gzip", "Transfer-Encoding: gzip\r\n", {}, {}},
        Row{"GzipThenChunked", "Transfer-Encoding: gzip, chunked\r\n", {}, {}},
        Row{"Identity", "Transfer-Encoding: identity\r\n", {}, {}},
        Row{"ChunkedWithParameter", "Transfer-Encoding: chunked;q=1\r\n", {}, {}},
        Row{"ChunkedQuoted", "Transfer-Encoding: \"chunked\"\r\n", {}, {}},
        Row{"CodingEmpty", "Transfer-Encoding:\r\n", {}, {}}),
    name_of_row);

TEST_P(FramingTest, OfARequest) {
  const RequestHead head =
      parse_request_head(std::string("PUT / ") + GetParam().version + "\r\n" + GetParam().fields + "\r\n").value();
  const Result<Framing> framing = framing_of(head);
  ASSERT_EQ(framing.ok(), GetParam().request.has_value());
  if (framing) {
    EXPECT_EQ(*framing, *GetParam().request);
  } else {
    EXPECT_EQ(framing.error().kind, ErrorKind::protocol);
  }
}

TEST_P(FramingTest, OfAReply) {
  const ResponseHead head =
      parse_response_head(std::string(GetParam().version) + " 200 OK\r\n" + GetParam().fields + "\r\n").value();
  const Result<Framing> framing = framing_of(head, "GET");
  ASSERT_EQ(framing.ok(), GetParam().reply.has_value());
  if (framing) {
    EXPECT_EQ(*framing, *GetParam().reply);
  } else {
    EXPECT_EQ(framing.error().kind, ErrorKind::protocol);
  }
}

TEST_P(FramingTest, IsNoneForRepliesThatHaveNoBody) {
  ResponseHead head = parse_response_head(std::string("HTTP/1.1 200 OK\r\n") + GetParam().fields + "\r\n").value();
  EXPECT_EQ(framing_of(head, "HEAD").value(), Framing{});
  for (int status : {100, 101, 199, 204, 304}) {
    head.status = status;
    EXPECT_EQ(framing_of(head, "GET").value(), Framing{}) << status;
  }
}

TEST(KeepsAliveTest, FollowsVersionAndOptions) {
  struct {
    const char* fields;
    bool http11, http10;
  } const rows[] = {
      {"", true, false},
      {"Connection: close\r\n", false, false},
      {"Connection: Close\r\n", false, false},
      {"Connection: keep-alive\r\n", true, true},
      {"Connection: Keep-Alive\r\n", true, true},
      {"Connection: TE, close\r\n", false, false},
      {"Connection: close,TE\r\n", false, false},
      {"Connection: TE\r\nConnection: close\r\n", false, false},
      {"Connection: TE , keep-alive\r\n", true, true},
      {"Connection: keep-alive, close\r\n", false, false},
      {"Connection: closed\r\n", true, false},
      {"Connection: ,,\r\n", true, false},
      {"Connection:\r\n", true, false},
  };
  for (const auto& row : rows) {
    const RequestHead head = parse_request_head(std::string("GET / HTTP/1.1\r\n") + row.fields + "\r\n").value();
    EXPECT_EQ(keeps_alive(head.headers, false), row.http11) << row.fields;
    EXPECT_EQ(keeps_alive(head.headers, true), row.http10) << row.fields;
  }
}

}  // namespace
}  // namespace dray::http
