#include "base/uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"

namespace dray::base {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

struct EncodeCase {
  std::string_view text, keep, encode;
};

constexpr EncodeCase kEncodings[] = {
    {"", "", ""},
    {"AZaz09-._~", "AZaz09-._~", "AZaz09-._~"},
    {"a/b", "a/b", "a%2Fb"},
    {"//../.", "//../.", "%2F%2F..%2F."},
    {" +%&=?#", "%20%2B%25%26%3D%3F%23", "%20%2B%25%26%3D%3F%23"},
    {"!*'()", "%21%2A%27%28%29", "%21%2A%27%28%29"},
    {"\0\n\x7f\xff"sv, "%00%0A%7F%FF", "%00%0A%7F%FF"},
    {"\xc3\xa9/x", "%C3%A9/x", "%C3%A9%2Fx"},
    {"100%25", "100%2525", "100%2525"},
};

TEST(UriEncodeTest, EncodesAllButTheUnreserved) {
  for (const auto& [text, keep, encode] : kEncodings) {
    EXPECT_EQ(uri_encode(text, Slash::keep), keep);
    EXPECT_EQ(uri_encode(text, Slash::encode), encode);
  }
}

TEST(UriEncodeTest, AppendsToWhatIsThere) {
  std::string text = "/bucket/";
  append_uri_encoded(text, "a b", Slash::keep);
  append_uri_encoded(text, "", Slash::keep);
  EXPECT_EQ(text, "/bucket/a%20b");
}

TEST(UriEncodeTest, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(uri_decode(uri_encode(bytes, Slash::keep)).value(), bytes);
  EXPECT_EQ(uri_decode(uri_encode(bytes, Slash::encode), true).value(), bytes);
}

TEST(UriDecodeTest, ReadsEscapesOfEitherCase) {
  EXPECT_EQ(uri_decode("%2f%2F%c3%A9").value(), "//\xc3\xa9");
  EXPECT_EQ(uri_decode("a%00b").value(), "a\0b"sv);
  EXPECT_EQ(uri_decode("%2541").value(), "%41");  // once, not twice
  EXPECT_EQ(uri_decode("").value(), "");
}

TEST(UriDecodeTest, PlusIsAPlusUnlessItIsAskedToBeASpace) {
  EXPECT_EQ(uri_decode("a+b%2B").value(), "a+b+");
  EXPECT_EQ(uri_decode("a+b%2B", true).value(), "a b+");
}

TEST(UriDecodeTest, RefusesCutAndBrokenEscapes) {
  for (std::string_view text : {"%"sv, "%4"sv, "a%"sv, "a%4"sv, "%%41"sv, "%g0"sv, "%0g"sv, "%-1"sv, "% 1"sv, "%4\0"sv,
                                "%\0\0"sv, "%u0041"sv, "ok%20%2"sv}) {
    const Result<std::string> decoded = uri_decode(text);
    ASSERT_FALSE(decoded.ok()) << printable(text);
    EXPECT_EQ(decoded.error().kind, ErrorKind::invalid_argument);
  }
}

TEST(UriDecodeTest, DoesNotReadPastAViewThatEndsInsideAnEscape) {
  EXPECT_FALSE(uri_decode(std::string_view("%41").substr(0, 2)).ok());
}

TEST(ParseQueryTest, KeepsOrderRepeatsAndEmptyValues) {
  EXPECT_THAT(parse_query("b=2&a=1&b=1&uploads&c=").value(),
              ElementsAre(Pair("b", "2"), Pair("a", "1"), Pair("b", "1"), Pair("uploads", ""), Pair("c", "")));
}

TEST(ParseQueryTest, DecodesNamesAndValues) {
  EXPECT_THAT(parse_query("a%20b=c%26d%3De&p=x+y%2Bz").value(), ElementsAre(Pair("a b", "c&d=e"), Pair("p", "x y+z")));
}

TEST(ParseQueryTest, SplitsAtTheFirstEqualsOnly) {
  EXPECT_THAT(parse_query("a=b=c&=d").value(), ElementsAre(Pair("a", "b=c"), Pair("", "d")));
}

TEST(ParseQueryTest, SkipsEmptyParameters) {
  EXPECT_THAT(parse_query("").value(), IsEmpty());
  EXPECT_THAT(parse_query("&&").value(), IsEmpty());
  EXPECT_THAT(parse_query("&a=1&&b=2&").value(), ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST(ParseQueryTest, RefusesBrokenEscapesWithoutShowingTheQuery) {
  for (std::string_view text : {"a=%", "%4=a", "X-Amz-Signature=SECRET%zz"}) {
    const Result<Query> query = parse_query(text);
    ASSERT_FALSE(query.ok()) << text;
    EXPECT_THAT(query.error().message, Not(HasSubstr("SECRET")));
  }
}

TEST(CanonicalQueryTest, SortsByEncodedNameThenValue) {
  EXPECT_EQ(canonical_query({{"b", "2"}, {"a", "2"}, {"a", "1"}, {"B", ""}}), "B=&a=1&a=2&b=2");
  EXPECT_EQ(canonical_query({{"uploads", ""}}), "uploads=");
  EXPECT_EQ(canonical_query({}), "");
}

TEST(CanonicalQueryTest, OrderIsThatOfTheEncodedBytes) {
  // "é" is above "z" as bytes but "%C3..." is below it; "~" is not encoded and stays above.
  EXPECT_EQ(canonical_query({{"z", ""}, {"~", ""}, {"\xc3\xa9", ""}}), "%C3%A9=&z=&~=");
  // A name that continues with a byte below "=" still comes after its prefix.
  EXPECT_EQ(canonical_query({{"a-", "1"}, {"a", "2"}}), "a=2&a-=1");
}

TEST(CanonicalQueryTest, EncodesSlashesSpacesAndPluses) {
  EXPECT_EQ(canonical_query({{"prefix", "a/b c+d"}}), "prefix=a%2Fb%20c%2Bd");
}

struct UrlCase {
  std::string_view text;
  Url url;
  std::string_view authority;
  int effective_port;
};

TEST(ParseUrlTest, TakesUrlsApart) {
  const UrlCase cases[] = {
      {"http://host", {"http", "host", 0, ""}, "host", 80},
      {"https://host", {"https", "host", 0, ""}, "host", 443},
      {"HTTPS://S3.Example.COM", {"https", "s3.example.com", 0, ""}, "s3.example.com", 443},
      {"http://host/", {"http", "host", 0, ""}, "host", 80},
      {"http://host:9000/prefix", {"http", "host", 9000, "/prefix"}, "host:9000", 9000},
      {"http://host/a/", {"http", "host", 0, "/a/"}, "host", 80},
      {"http://host//a/../b", {"http", "host", 0, "//a/../b"}, "host", 80},
      {"http://host/a@b:c%20d", {"http", "host", 0, "/a@b:c%20d"}, "host", 80},
      {"http://host:80", {"http", "host", 80, ""}, "host", 80},
      {"https://host:443", {"https", "host", 443, ""}, "host", 443},
      {"https://host:80", {"https", "host", 80, ""}, "host:80", 80},
      {"http://host:443", {"http", "host", 443, ""}, "host:443", 443},
      {"http://host:65535", {"http", "host", 65535, ""}, "host:65535", 65535},
      {"http://host:00080", {"http", "host", 80, ""}, "host", 80},
      {"http://127.0.0.1:9000", {"http", "127.0.0.1", 9000, ""}, "127.0.0.1:9000", 9000},
      {"http://my_minio", {"http", "my_minio", 0, ""}, "my_minio", 80},
      {"http://host.", {"http", "host.", 0, ""}, "host.", 80},
      {"http://[::1]", {"http", "::1", 0, ""}, "[::1]", 80},
      {"http://[::1]:9000/p", {"http", "::1", 9000, "/p"}, "[::1]:9000", 9000},
      {"https://[FD00:EC2::254]/latest", {"https", "fd00:ec2::254", 0, "/latest"}, "[fd00:ec2::254]", 443},
      {"http://[::ffff:10.0.0.1]:1", {"http", "::ffff:10.0.0.1", 1, ""}, "[::ffff:10.0.0.1]:1", 1},
  };
  for (const UrlCase& c : cases) {
    const Result<Url> url = parse_url(c.text);
    ASSERT_TRUE(url.ok()) << c.text << ": " << url.error().message;
    EXPECT_EQ(*url, c.url) << c.text << " gave " << url->scheme << " " << url->host << " " << url->port << url->path;
    EXPECT_EQ(url->authority(), c.authority);
    EXPECT_EQ(url->effective_port(), c.effective_port);
  }
}

TEST(ParseUrlTest, MissingSchemeIsSaidAndAdvised) {
  for (std::string_view text :
       {"", "host", "localhost:9000", "host/path", "//host", "://host", "http:/host", "http:host"}) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_THAT(url.error().message, HasSubstr("no scheme")) << text;
    EXPECT_THAT(url.error().advice, HasSubstr("https://"));
  }
}

TEST(ParseUrlTest, RefusesWhatItCannotKeep) {
  for (std::string_view text : {
           "s3://bucket"sv,
           "ftp://host"sv,
           "ht tp://host"sv,
           " http://host"sv,
           "http\0://host"sv,  // scheme
           "http://"sv,
           "http:///path"sv,
           "http://:80"sv,
           "http://ho st"sv,
           "http://host\0"sv,  // host
           "http://h\r\nX-A: b"sv,
           "http://h\xc3\xb6st"sv,
           "http://h%41"sv,
           "http://.host"sv,  // host
           "http://a..b"sv,
           "http://host\\@evil"sv,
           "http://a,b"sv,
           "http://~"sv,
           "http://*"sv,  // host
           "http://host:"sv,
           "http://host:/"sv,
           "http://host:0"sv,
           "http://host:65536"sv,  // port
           "http://host:-1"sv,
           "http://host:+1"sv,
           "http://host:8o"sv,
           "http://host:80 "sv,  // port
           "http://host:18446744073709551696"sv,
           "http://host:80:80"sv,  // port
           "http://::1"sv,
           "http://[::1"sv,
           "http://::1]"sv,
           "http://[]"sv,
           "http://[1.2.3.4]"sv,  // IPv6
           "http://[::1]9000"sv,
           "http://[::1]:"sv,
           "http://[::1]x"sv,
           "http://[:::1]"sv,  // IPv6
           "http://[::1\0]"sv,
           "http://[fe80::1%25eth0]"sv,
           "http://[[::1]]"sv,
           "http://[host]"sv,  // IPv6
           "http://host/a b"sv,
           "http://host/a\r\nb"sv,
           "http://host/\0"sv,
           "http://host/\x7f"sv,  // path
           "http://host/\xc3\xa9"sv,
           "http://host/%"sv,
           "http://host/%4"sv,
           "http://host/%zz"sv,  // path
           "http://host?a"sv,
           "http://host/?a=b"sv,
           "http://host#f"sv,
           "http://host/p#f"sv,  // the rest
           "http://user@host"sv,
           "http://user:pass@host"sv,
           "http://@host"sv,  // user
       }) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url.ok()) << printable(text);
    EXPECT_EQ(url.error().kind, ErrorKind::invalid_argument);
    EXPECT_EQ(url.error().message, printable(url.error().message)) << "a message holds no raw control characters";
  }
}

TEST(ParseUrlTest, RefusesAHostTooLongForDns) {
  EXPECT_TRUE(parse_url("http://" + std::string(253, 'a')).ok());
  const Result<Url> url = parse_url("http://" + std::string(100'000, 'a'));
  ASSERT_FALSE(url.ok());
  EXPECT_LT(url.error().message.size(), 300u);
}

TEST(ParseUrlTest, ErrorsNeverShowPasswordsOrSignatures) {
  for (std::string_view text :
       {"http://user:SECRET@host", "user:SECRET@host", "ftp://user:SECRET@host", "http://user:SECRET/x@host",
        "http://user:SECRET:x@host", "http://user:a:SECRET/@host", "http://host/?X-Amz-Signature=SECRET",
        "host/?X-Amz-Signature=SECRET", "http://host/#SECRET", "http://ho st/?s=SECRET", "http://host:x/?s=SECRET"}) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_THAT(url.error().message + url.error().advice, Not(HasSubstr("SECRET"))) << text;
  }
}

}  // namespace
}  // namespace dray::base
