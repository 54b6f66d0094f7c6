#include "base/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::base {
namespace {

using namespace std::string_view_literals;
using testing::HasSubstr;
using testing::Not;

std::string every_byte() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(HexTest, WritesTwoLowerCaseDigitsPerByte) {
  EXPECT_EQ(to_hex({}), "");
  EXPECT_EQ(to_hex(as_bytes("\x00\x0f\xa0\xff"sv)), "000fa0ff");
}

TEST(HexTest, ReadsBackEveryByteInEitherCase) {
  std::string hex = to_hex(as_bytes(every_byte()));
  EXPECT_EQ(from_hex(hex).value(), every_byte());
  for (char& c : hex) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  EXPECT_EQ(from_hex(hex).value(), every_byte());
  EXPECT_EQ(from_hex("").value(), "");
}

TEST(HexTest, RefusesWhatIsNotWholeBytesOfHexDigits) {
  for (std::string_view text : {"0"sv, "abc"sv, "0g"sv, "g0"sv, " 0"sv, "0x"sv, "-1"sv, "a\0"sv, "\0\0"sv, "\xc3\xa9"sv,
                                "@@"sv, "``"sv, "//"sv, "::"sv}) {
    const Result<std::string> bytes = from_hex(text);
    ASSERT_FALSE(bytes.ok()) << printable(text);
    EXPECT_EQ(bytes.error().kind, ErrorKind::invalid_argument);
  }
}

TEST(HexTest, ErrorTellsThePlaceButNotTheText) {
  const Error error = from_hex("c0ffeeSECRET").error();
  EXPECT_THAT(error.message, HasSubstr("character 7"));
  EXPECT_THAT(error.message, Not(HasSubstr("SECRET")));
}

struct Base64Case {
  std::string_view bytes, text;
};

// The vectors of RFC 4648 section 10, and both special digits.
constexpr Base64Case kBase64Cases[] = {{"", ""},
                                       {"f", "Zg=="},
                                       {"fo", "Zm8="},
                                       {"foo", "Zm9v"},
                                       {"foob", "Zm9vYg=="},
                                       {"fooba", "Zm9vYmE="},
                                       {"foobar", "Zm9vYmFy"},
                                       {"\xfb\xff\xfe"sv, "+//+"},
                                       {"\0"sv, "AA=="},
                                       {"\0\0\0"sv, "AAAA"}};

TEST(Base64Test, WritesTheVectorsOfTheRfc) {
  for (const auto& [bytes, text] : kBase64Cases) EXPECT_EQ(to_base64(as_bytes(bytes)), text);
}

TEST(Base64Test, ReadsTheVectorsOfTheRfc) {
  for (const auto& [bytes, text] : kBase64Cases) EXPECT_EQ(from_base64(text).value(), bytes) << text;
}

TEST(Base64Test, ReadsBackEveryPrefixOfEveryByte) {
  const std::string bytes = every_byte();
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::string_view prefix = std::string_view(bytes).substr(0, size);
    ASSERT_EQ(from_base64(to_base64(as_bytes(prefix))).value(), prefix);
  }
}

TEST(Base64Test, RefusesOtherSpellings) {
  for (std::string_view text : {
           "Z"sv, "Zg"sv, "Zg="sv, "Zm9vYg="sv,         // cut or without padding
           "===="sv, "Z==="sv, "=Zg="sv, "Zg==Zg=="sv,  // padding in the wrong place
           "Zm9v\n"sv, "Zm9 "sv, " m9v"sv, "Zm\09"sv,   // white space, NUL
           "-__-"sv, "Zm9\xff"sv,                       // the URL alphabet, no ASCII
           "Zh=="sv, "Zm9="sv,                          // left-over bits
       }) {
    const Result<std::string> bytes = from_base64(text);
    ASSERT_FALSE(bytes.ok()) << printable(text);
    EXPECT_EQ(bytes.error().kind, ErrorKind::invalid_argument);
  }
}

TEST(Base64Test, ErrorDoesNotShowTheText) {
  EXPECT_THAT(from_base64("SECRET!!").error().message, Not(HasSubstr("SECRET")));
}

TEST(CaseTest, ChangesAsciiLettersOnly) {
  EXPECT_EQ(to_lower("AZaz09@[`{\xc3\x84\0Q"sv), "azaz09@[`{\xc3\x84\0q"sv);
  EXPECT_EQ(to_lower('Q'), 'q');
}

TEST(CaseTest, ComparesWithoutCase) {
  EXPECT_TRUE(equals_ignoring_case("", ""));
  EXPECT_TRUE(equals_ignoring_case("Content-MD5", "content-md5"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("ab", "a"));
  EXPECT_FALSE(equals_ignoring_case("a\0b"sv, "a\0c"sv));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));  // 0x20 apart, but no letters
}

TEST(TrimTest, RemovesSpacesAndTabsAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\t "), "a b");
  EXPECT_EQ(trim("ab"), "ab");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" \na\n "), "\na\n");
}

TEST(ParseU64Test, ReadsTheWholeRange) {
  EXPECT_EQ(parse_u64("0").value(), 0u);
  EXPECT_EQ(parse_u64("007").value(), 7u);
  EXPECT_EQ(parse_u64("18446744073709551615").value(), UINT64_MAX);
}

TEST(ParseU64Test, RefusesWhatIsNotPlainDigits) {
  for (std::string_view text : {""sv, " "sv, "-1"sv, "+1"sv, " 1"sv, "1 "sv, "1.0"sv, "0x10"sv, "1e3"sv, "1\0"sv,
                                "\0"sv, "1_000"sv, "\xd9\xa1"sv}) {
    const Result<std::uint64_t> number = parse_u64(text);
    ASSERT_FALSE(number.ok()) << printable(text);
    EXPECT_THAT(number.error().message, HasSubstr("not a whole number"));
  }
}

TEST(ParseU64Test, RefusesOverflowAndSaysSo) {
  EXPECT_THAT(parse_u64("18446744073709551616").error().message, HasSubstr("too large"));
  EXPECT_THAT(parse_u64(std::string(100'000, '9')).error().message, HasSubstr("too large"));
}

struct Utf8Case {
  std::string_view text;
  bool valid;
};

constexpr Utf8Case kUtf8Cases[] = {
    {"", true},
    {"a\0b"sv, true},
    {"\x7f", true},
    {"\xc2\x80", true},
    {"\xdf\xbf", true},
    {"\xe0\xa0\x80", true},
    {"\xed\x9f\xbf", true},
    {"\xee\x80\x80", true},
    {"\xf0\x90\x80\x80", true},
    {"\xf4\x8f\xbf\xbf", true},   // U+10FFFF
    {"\xf4\x90\x80\x80", false},  // past it
    {"\xf5\x80\x80\x80", false},
    {"\xc0\x80", false},          // over-long NUL
    {"\xc1\xbf", false},          // over-long DEL
    {"\xe0\x9f\xbf", false},      // over-long
    {"\xf0\x8f\xbf\xbf", false},  // over-long
    {"\xed\xa0\x80", false},      // surrogate
    {"\xed\xbf\xbf", false},      // surrogate
    {"\x80", false},              // continuation without a lead
    {"\xff", false},
    {"\xc3", false},                 // cut
    {"\xe2\x82", false},             // cut
    {"\xf0\x9f\x98", false},         // cut
    {"\xc3(", false},                // lead without continuation
    {"ok\xe2\x82\xac\xe2(", false},  // bad after good
};

TEST(Utf8Test, AcceptsWhatRfc3629Allows) {
  for (const auto& [text, valid] : kUtf8Cases) EXPECT_EQ(is_utf8(text), valid) << to_hex(as_bytes(text));
}

struct PrintableCase {
  std::string_view text, shown;
};

constexpr PrintableCase kPrintableCases[] = {
    {"", ""},
    {"plain ~ text", "plain ~ text"},
    {"back\\slash", "back\\slash"},
    {"a\nb\rc\td", "a\\nb\\rc\\td"},
    {"\0"sv, "\\x00"},
    {"\x1b[31mred", "\\x1b[31mred"},
    {"\x7f", "\\x7f"},
    {"\xc2\x85", "\\u0085"},  // next line, a C1 control
    {"\xc2\x9b"
     "31m",
     "\\u009b31m"},            // control sequence introducer
    {"\xc2\xa0", "\xc2\xa0"},  // no-break space is no control
    {"na\xc3\xafve \xf0\x9f\x98\x80", "na\xc3\xafve \xf0\x9f\x98\x80"},
    {"\xff\xfe", "\\xff\\xfe"},
    {"\xc3(", "\\xc3("},
    {"\xe2\x82", "\\xe2\\x82"},           // cut
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // surrogate
    {"\xe2\x80\xa8", "\\u2028"},
    {"\xe2\x80\xa9", "\\u2029"},
    {"\xd8\x9c", "\\u061c"},
    {"\xe2\x80\x8e\xe2\x80\x8f", "\\u200e\\u200f"},
    {"\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad\xe2\x80\xae", "\\u202a\\u202b\\u202c\\u202d\\u202e"},
    {"\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9", "\\u2066\\u2067\\u2068\\u2069"},
    {"\xe2\x80\xaf\xe2\x81\xa5", "\xe2\x80\xaf\xe2\x81\xa5"},  // their neighbours stay
};

TEST(PrintableTest, EscapesWhatCouldForgeALineAndNothingElse) {
  for (const auto& [text, shown] : kPrintableCases) EXPECT_EQ(printable(text), shown) << to_hex(as_bytes(text));
}

TEST(PrintableTest, EveryByteAloneGivesVisibleUtf8) {
  for (char c : every_byte()) {
    const std::string shown = printable({&c, 1});
    EXPECT_TRUE(is_utf8(shown));
    for (char s : shown) EXPECT_TRUE(s >= ' ' && s < 0x7f) << int(s);
  }
}

TEST(InQuotesTest, CutsLongTextsAndTellsTheirLength) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\nb'");
  EXPECT_EQ(in_quotes(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(1'000'000, 'x')), "'" + std::string(80, 'x') + "...' (1000000 bytes)");
}

}  // namespace
}  // namespace dray::base
