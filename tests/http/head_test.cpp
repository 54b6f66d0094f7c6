#include "http/head.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dray::http {
namespace {

/// A head that one of the two parsers must refuse, and a word of the reason.
struct Hostile {
  const char* name;
  std::string text;
  const char* reason;
};

void PrintTo(const Hostile& row, std::ostream* to) { *to << row.name; }
std::string name_of_row(const testing::TestParamInfo<Hostile>& info) { return info.param.name; }

std::string many_fields(std::size_t count) {
  std::string fields;
  for (std::size_t i = 0; i < count; ++i) fields += "f" + std::to_string(i) + ": v\r\n";
  return fields;
}

std::string with_nul(std::string_view before, std::string_view after) {
  return std::string(before) + '\0' + std::string(after);
}

const std::string kGet = "GET / HTTP/1.1\r\n";
const std::string kOk = "HTTP/1.1 200 OK\r\n";

/// What is wrong with fields is wrong in requests and replies alike.
const std::vector<Hostile>& hostile_fields() {
  static const std::vector<Hostile> rows = {
      {"BareLfEndsField", "a: b\nc: d\r\n\r\n", "lone line break"},
      {"BareLfEndsHead", "a: b\r\n\n", "no end of line"},
      {"BareCrInValue", "a: b\rc\r\n\r\n", "lone line break"},
      {"CrBeforeCrLf", "a: b\r\r\n\r\n", "lone line break"},
      {"ObsFoldWithSpace", "a: b\r\n c\r\n\r\n", ""},
      {"ObsFoldWithTab", "a: b\r\n\tc: d\r\n\r\n", "forbidden characters"},
      {"SpaceBeforeColon", "a : b\r\n\r\n", "forbidden characters"},
      {"TabBeforeColon", "a\t: b\r\n\r\n", "forbidden characters"},
      {"SpaceBeforeName", " a: b\r\n\r\n", "forbidden characters"},
      {"NoColon", "abc\r\n\r\n", "without colon"},
      {"NoName", ": b\r\n\r\n", "forbidden characters"},
      {"NulInName", with_nul("a", "b: c\r\n\r\n"), "forbidden characters"},
      {"NulInValue", with_nul("a: b", "c\r\n\r\n"), "control characters"},
      {"ControlInValue", "a: b\x01\r\n\r\n", "control characters"},
      {"DelInValue", "a: b\x7f\r\n\r\n", "control characters"},
      {"Utf8InName", "\xc3\xa4: b\r\n\r\n", "forbidden characters"},
      {"QuoteInName", "\"a\": b\r\n\r\n", "forbidden characters"},
      {"NoEmptyLine", "a: b\r\n", "no end of line"},
      {"NoEndOfLastLine", "a: b", "no end of line"},
      {"TextAfterTheEmptyLine", "a: b\r\n\r\nc: d\r\n\r\n", "after the empty line"},
      {"TooManyFields", many_fields(kMaxFields + 1) + "\r\n", "too many fields"},
  };
  return rows;
}

class HostileFieldsTest : public testing::TestWithParam<Hostile> {};
INSTANTIATE_TEST_SUITE_P(Head, HostileFieldsTest, testing::ValuesIn(hostile_fields()), name_of_row);

TEST_P(HostileFieldsTest, AreRefusedInARequest) {
  const Result<RequestHead> head = parse_request_head(kGet + GetParam().text);
  ASSERT_FALSE(head.ok());
  EXPECT_EQ(head.error().kind, ErrorKind::protocol);
  EXPECT_NE(head.error().message.find(GetParam().reason), std::string::npos) << head.error().message;
}

TEST_P(HostileFieldsTest, AreRefusedInAReply) {
  const Result<ResponseHead> head = parse_response_head(kOk + GetParam().text);
  ASSERT_FALSE(head.ok());
  EXPECT_EQ(head.error().kind, ErrorKind::protocol);
  EXPECT_NE(head.error().message.find(GetParam().reason), std::string::npos) << head.error().message;
}

class HostileRequestLineTest : public testing::TestWithParam<Hostile> {};
INSTANTIATE_TEST_SUITE_P(Head, HostileRequestLineTest,
                         testing::ValuesIn(std::vector<Hostile>{
                             {"Empty", "", "three parts"},
                             {"OneWord", "GET", "three parts"},
                             {"NoVersion", "GET /", "three parts"},
                             {"Http09Style", "GET / ", "not HTTP/1.1"},
                             {"Http2", "GET / HTTP/2.0", "not HTTP/1.1"},
                             {"Http12", "GET / HTTP/1.2", "not HTTP/1.1"},
                             {"LowerCaseVersion", "GET / http/1.1", "not HTTP/1.1"},
                             {"SpaceAfterVersion", "GET / HTTP/1.1 ", "not HTTP/1.1"},
                             {"SpaceInTarget", "GET /a b HTTP/1.1", "forbidden characters"},
                             {"TwoSpacesAfterMethod", "GET  / HTTP/1.1", "no path"},
                             {"TabsBetween", "GET\t/\tHTTP/1.1", "three parts"},
                             {"NoMethod", " / HTTP/1.1", "method"},
                             {"MethodWithColon", "GE:T / HTTP/1.1", "method"},
                             {"MethodWithNul", with_nul("GE", "T / HTTP/1.1"), "method"},
                             {"TargetWithNul", with_nul("GET /a", "b HTTP/1.1"), "forbidden characters"},
                             {"TargetWithTab", "GET /a\tb HTTP/1.1", "forbidden characters"},
                             {"TargetWithDel", "GET /\x7f HTTP/1.1", "forbidden characters"},
                             {"TargetWithBareLf", "GET /a\nb HTTP/1.1", "lone line break"},
                             {"TargetWithBareCr", "GET /a\rb HTTP/1.1", "lone line break"},
                             {"AbsoluteTarget", "GET http://h/a HTTP/1.1", "no path"},
                             {"AuthorityTarget", "CONNECT h:443 HTTP/1.1", "no path"},
                             {"RelativeTarget", "GET a HTTP/1.1", "no path"},
                         }),
                         name_of_row);

TEST_P(HostileRequestLineTest, IsRefused) {
  const Result<RequestHead> head = parse_request_head(GetParam().text + "\r\n\r\n");
  ASSERT_FALSE(head.ok());
  EXPECT_EQ(head.error().kind, ErrorKind::protocol);
  EXPECT_NE(head.error().message.find(GetParam().reason), std::string::npos) << head.error().message;
}

class HostileStatusLineTest : public testing::TestWithParam<Hostile> {};
INSTANTIATE_TEST_SUITE_P(Head, HostileStatusLineTest,
                         testing::ValuesIn(std::vector<Hostile>{
                             {"Empty", "", "no status"},
                             {"VersionOnly", "HTTP/1.1", "no status"},
                             {"VersionAndSpace", "HTTP/1.1 ", "three-digit"},
                             {"TwoDigits", "HTTP/1.1 20", "three-digit"},
                             {"TwoDigitsAndReason", "HTTP/1.1 20 OK", "three-digit"},
                             {"FourDigits", "HTTP/1.1 2000 OK", "three-digit"},
                             {"ZeroFirst", "HTTP/1.1 099 Low", "three-digit"},
                             {"Letters", "HTTP/1.1 2x0 OK", "three-digit"},
                             {"Signed", "HTTP/1.1 +20 OK", "three-digit"},
                             {"TwoSpaces", "HTTP/1.1  200 OK", "three-digit"},
                             {"TabAfterStatus", "HTTP/1.1 200\tOK", "three-digit"},
                             {"Icy", "ICY 200 OK", "not HTTP/1.1"},
                             {"Html", "<html> <body>", "not HTTP/1.1"},
                             {"Http2", "HTTP/2 200", "not HTTP/1.1"},
                             {"ReasonWithNul", with_nul("HTTP/1.1 200 O", "K"), "control characters"},
                             {"ReasonWithEscape", "HTTP/1.1 200 \x1b[31m", "control characters"},
                             {"ReasonWithBareLf", "HTTP/1.1 200 O\nK", "lone line break"},
                         }),
                         name_of_row);

TEST_P(HostileStatusLineTest, IsRefused) {
  const Result<ResponseHead> head = parse_response_head(GetParam().text + "\r\n\r\n");
  ASSERT_FALSE(head.ok());
  EXPECT_EQ(head.error().kind, ErrorKind::protocol);
  EXPECT_NE(head.error().message.find(GetParam().reason), std::string::npos) << head.error().message;
}

TEST(RequestHeadTest, HoldsWhatWasSent) {
  const RequestHead head =
      parse_request_head("PUT /b/k%20x?a=1&b=?2 HTTP/1.1\r\nHost: h:1\r\nX-Amz-Meta-A:  spaced \t\r\nEmpty:\r\n\r\n")
          .value();
  EXPECT_EQ(head.method, "PUT");
  EXPECT_EQ(head.target, "/b/k%20x?a=1&b=?2");
  EXPECT_EQ(head.path(), "/b/k%20x");
  EXPECT_EQ(head.query(), "a=1&b=?2");
  EXPECT_FALSE(head.http10);
  ASSERT_EQ(head.headers.size(), 3u);
  EXPECT_EQ(head.headers.at(0).name, "host");
  EXPECT_EQ(head.headers.get("x-amz-meta-a"), "spaced");
  EXPECT_EQ(head.headers.find("empty"), std::optional<std::string_view>(""));
  EXPECT_EQ(head.headers.find("absent"), std::nullopt);
}

TEST(RequestHeadTest, TakesAnAsteriskAndAnOldVersion) {
  const RequestHead head = parse_request_head("OPTIONS * HTTP/1.0\r\n\r\n").value();
  EXPECT_EQ(head.target, "*");
  EXPECT_TRUE(head.http10);
  EXPECT_EQ(head.query(), "");
}

TEST(RequestHeadTest, TakesAsManyFieldsAsTheBound) {
  const RequestHead head = parse_request_head(kGet + many_fields(kMaxFields) + "\r\n").value();
  EXPECT_EQ(head.headers.size(), kMaxFields);
  EXPECT_EQ(head.headers.get("f255"), "v");
}

TEST(RequestHeadTest, KeepsBytesBeyondAsciiInTargetAndValues) {
  const RequestHead head = parse_request_head("GET /\xc3\xa4 HTTP/1.1\r\na: \xff\r\n\r\n").value();
  EXPECT_EQ(head.target, "/\xc3\xa4");
  EXPECT_EQ(head.headers.get("a"), "\xff");
}

TEST(ResponseHeadTest, HoldsWhatWasSent) {
  const ResponseHead head = parse_response_head("HTTP/1.0 404 Not  here\r\nETag: \"x\"\r\n\r\n").value();
  EXPECT_EQ(head.status, 404);
  EXPECT_EQ(head.reason, "Not  here");
  EXPECT_TRUE(head.http10);
  EXPECT_EQ(head.headers.get("etag"), "\"x\"");
}

TEST(ResponseHeadTest, NeedsNoReason) {
  EXPECT_EQ(parse_response_head("HTTP/1.1 200\r\n\r\n").value().reason, "");
  EXPECT_EQ(parse_response_head("HTTP/1.1 999 \r\n\r\n").value().status, 999);
}

TEST(HeadTest, WritesWhatItWouldRead) {
  RequestHead request{.method = "PUT", .target = "/b/k?x=1"};
  request.headers.add("Host", "h");
  request.headers.add("x-a", "");
  std::string text;
  append_head(text, request);
  EXPECT_EQ(text, "PUT /b/k?x=1 HTTP/1.1\r\nhost: h\r\nx-a: \r\n\r\n");

  ResponseHead reply{.status = 403};
  reply.headers.add("content-length", "0");
  text.clear();
  append_head(text, reply);
  EXPECT_EQ(text, "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
  EXPECT_EQ(parse_response_head(text).value().reason, "Forbidden");
}

TEST(HeadersTest, SetReplacesAllOfAName) {
  Headers headers;
  headers.add("A", "1");
  headers.add("b", "2");
  headers.add("a", "3");
  EXPECT_EQ(headers.count("a"), 2u);
  headers.set("A", "4");
  EXPECT_EQ(headers.count("a"), 1u);
  EXPECT_EQ(headers.get("a"), "4");
  EXPECT_EQ(headers.get("b"), "2");
  headers.remove("B");
  EXPECT_EQ(headers.size(), 1u);
  headers.clear();
  EXPECT_EQ(headers.find("a"), std::nullopt);
}

}  // namespace
}  // namespace dray::http
