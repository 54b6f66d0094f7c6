// What Input makes of a message must not depend on how the network cut it: each row runs whole, byte by byte, in two
// pieces at every position, and ended at every position.
#include "http/input.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "support/scripted_stream.h"
#include "support/with_loop.h"

namespace dray::http {
namespace {

using test::Ending;
using test::Pieces;
using test::ScriptedStream;

/// What came out of one message: its body and trailers ("name=value;"), or the kind of the error.
struct Got {
  std::string body;
  std::string trailers;
  std::string outcome = "ok";
  friend bool operator==(const Got&, const Got&) = default;
};

void PrintTo(const Got& got, std::ostream* to) {
  *to << got.outcome << " \"" << got.body << "\" trailers \"" << got.trailers << '"';
}

Got read_message(Input& input, std::size_t room = 7) {
  Got got;
  const Result<std::string_view> text = input.read_head(Deadline::never());
  if (!text) return {.outcome = test::outcome(text)};
  if (text->empty()) return {.outcome = "closed"};
  const Result<ResponseHead> head = parse_response_head(*text);
  if (!head) return {.outcome = test::outcome(head)};
  const Result<Framing> framing = framing_of(*head, "GET");
  if (!framing) return {.outcome = test::outcome(framing)};
  input.begin_body(*framing);
  std::string piece(room, '\0');
  while (true) {
    const Result<std::size_t> size =
        input.read_body({reinterpret_cast<std::byte*>(piece.data()), piece.size()}, Deadline::never());
    if (!size) {
      got.outcome = test::outcome(size);
      return got;
    }
    if (*size == 0) break;
    got.body.append(piece, 0, *size);
  }
  EXPECT_TRUE(input.body_ended());
  for (std::size_t i = 0; i < input.trailers().size(); ++i) {
    const Headers::Field field = input.trailers().at(i);
    got.trailers.append(field.name).append("=").append(field.value).append(";");
  }
  return got;
}

Got read_pieces(Pieces pieces, Ending ending = Ending::close) {
  ScriptedStream stream(std::move(pieces), ending);
  Input input(stream);
  return read_message(input);
}

struct Row {
  const char* name;
  std::string text;
  Got expected;
};

void PrintTo(const Row& row, std::ostream* to) { *to << row.name; }
std::string name_of_row(const testing::TestParamInfo<Row>& info) { return info.param.name; }

const std::string kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

class MessageTest : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(
    Input, MessageTest,
    testing::Values(
        Row{"LengthZero", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {}},
        Row{"Length", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello\r\nwide", {"hello\r\nwide", ""}},
        Row{"NoContent", "HTTP/1.1 204 No Content\r\n\r\n", {}}, Row{"ChunkedEmpty", kChunked + "0\r\n\r\n", {}},
        Row{"ChunkedOne", kChunked + "5\r\nhello\r\n0\r\n\r\n", {"hello", ""}},
        Row{"ChunkedSeveral",
            kChunked + "1\r\na\r\n10\r\n0123456789abcdef\r\n2\r\n\r\n\r\n0\r\n\r\n",
            {"a0123456789abcdef\r\n", ""}},
        Row{"ChunkedHexInBothCases",
            kChunked + "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n",
            {"01234567890123456789a", ""}},
        Row{"ChunkedLeadingZeros", kChunked + "0005\r\nhello\r\n000\r\n\r\n", {"hello", ""}},
        Row{"ChunkedBlanksRoundSize", kChunked + "5 \t\r\nhello\r\n0 \r\n\r\n", {"hello", ""}},
        Row{"ChunkedExtensions", kChunked + "5;a=b\r\nhello\r\n0 ; x=\"y;z\"\r\n\r\n", {"hello", ""}},
        Row{"ChunkedTrailers", kChunked + "5\r\nhello\r\n0\r\nX-A: 1 \r\nx-b:\r\n\r\n", {"hello", "x-a=1;x-b=;"}}),
    name_of_row);

TEST_P(MessageTest, IsReadWhole) { EXPECT_EQ(read_pieces(test::whole(GetParam().text)), GetParam().expected); }

TEST_P(MessageTest, IsReadByteByByte) {
  EXPECT_EQ(read_pieces(test::byte_by_byte(GetParam().text)), GetParam().expected);
}

TEST_P(MessageTest, IsReadInTwoPieces) {
  for (std::size_t at = 1; at < GetParam().text.size(); ++at) {
    EXPECT_EQ(read_pieces(test::cut_in_two(GetParam().text, at)), GetParam().expected) << "in two at " << at;
  }
}

TEST_P(MessageTest, IsAnErrorWhenTheConnectionEndsAtAnyPosition) {
  for (std::size_t at = 1; at < GetParam().text.size(); ++at) {
    const std::string begun = GetParam().text.substr(0, at);
    EXPECT_EQ(read_pieces(test::whole(begun)).outcome, "network") << "closed at " << at;
    EXPECT_EQ(read_pieces(test::byte_by_byte(begun), Ending::reset).outcome, "network") << "reset at " << at;
    EXPECT_EQ(read_pieces(test::whole(begun), Ending::silence).outcome, "timed_out") << "silent at " << at;
  }
}

TEST_P(MessageTest, LeavesTheNextMessageAlone) {
  const std::string both = GetParam().text + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend";
  for (const Pieces& pieces : {test::whole(both), test::byte_by_byte(both)}) {
    ScriptedStream stream(pieces);
    Input input(stream);
    EXPECT_EQ(read_message(input), GetParam().expected);
    EXPECT_EQ(read_message(input), (Got{"end", ""}));
    EXPECT_EQ(read_message(input).outcome, "closed");
  }
}

TEST_P(MessageTest, IsThrownAwayWithoutATrace) {
  const std::string both = GetParam().text + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend";
  for (const Pieces& pieces : {test::whole(both), test::byte_by_byte(both)}) {
    ScriptedStream stream(pieces);
    Input input(stream);
    const ResponseHead head = parse_response_head(input.read_head(Deadline::never()).value()).value();
    input.begin_body(framing_of(head, "GET").value());
    EXPECT_EQ(input.discard_body(1 << 20, Deadline::never()).value(), GetParam().expected.body.size());
    EXPECT_TRUE(input.body_ended());
    EXPECT_EQ(read_message(input), (Got{"end", ""}));
  }
}

/// Chunked bodies that are refused, in whatever pieces they come.
struct Hostile {
  const char* name;
  std::string chunks;
};
void PrintTo(const Hostile& row, std::ostream* to) { *to << row.name; }
std::string name_of_hostile(const testing::TestParamInfo<Hostile>& info) { return info.param.name; }

class HostileChunksTest : public testing::TestWithParam<Hostile> {};
INSTANTIATE_TEST_SUITE_P(
    Input, HostileChunksTest,
    testing::Values(
        Hostile{"SizeEmpty", "\r\nhello\r\n0\r\n\r\n"}, Hostile{"SizeNegative", "-5\r\nhello\r\n0\r\n\r\n"},
        Hostile{"SizeSigned", "+5\r\nhello\r\n0\r\n\r\n"}, Hostile{"SizeWithPrefix", "0x5\r\nhello\r\n0\r\n\r\n"},
        Hostile{"SizeNoHex", "g\r\nhello\r\n0\r\n\r\n"}, Hostile{"SizeInTwoWords", "5 5\r\nhello\r\n0\r\n\r\n"},
        Hostile{"SizeOverflows", "10000000000000005\r\nhello\r\n0\r\n\r\n"},
        Hostile{"SizeOnlyExtension", ";a=b\r\nhello\r\n0\r\n\r\n"}, Hostile{"BareLfAfterSize", "5\nhello\r\n0\r\n\r\n"},
        Hostile{"BareLfInExtension", "5;a\nb\r\nhello\r\n0\r\n\r\n"},
        Hostile{"BareCrInExtension", "5;a\rb\r\nhello\r\n0\r\n\r\n"},
        Hostile{"NulInExtension", std::string("5;a\0b\r\nhello\r\n0\r\n\r\n", 19)},
        Hostile{"DataLongerThanItsSize", "4\r\nhello\r\n0\r\n\r\n"},
        Hostile{"DataShorterThanItsSize", "6\r\nhello\r\n0\r\n\r\n"},
        Hostile{"NoLineBreakAfterData", "5\r\nhello0\r\n\r\n"}, Hostile{"TrailerWithoutColon", "0\r\nabc\r\n\r\n"},
        Hostile{"TrailerWithSpaceBeforeColon", "0\r\na : b\r\n\r\n"},
        Hostile{"TrailerFolded", "0\r\na: b\r\n c: d\r\n\r\n"}, Hostile{"TrailerWithBareLf", "0\r\na: b\nc: d\r\n\r\n"},
        Hostile{"TrailerWithoutName", "0\r\n: b\r\n\r\n"}),
    name_of_hostile);

TEST_P(HostileChunksTest, AreRefusedHoweverTheyCome) {
  const std::string text = kChunked + GetParam().chunks;
  EXPECT_EQ(read_pieces(test::whole(text)).outcome, "protocol");
  EXPECT_EQ(read_pieces(test::byte_by_byte(text)).outcome, "protocol");
  for (std::size_t at = 1; at < text.size(); ++at) {
    EXPECT_EQ(read_pieces(test::cut_in_two(text, at)).outcome, "protocol") << "in two at " << at;
  }
}

TEST(ChunkedTest, BoundsALineAlikeHoweverItComes) {
  for (const auto& [extension, outcome] : {std::pair(8000, "ok"), std::pair(8300, "protocol"),
                                           std::pair(12000, "protocol"), std::pair(40000, "protocol")}) {
    const std::string text =
        kChunked + "5;" + std::string(static_cast<std::size_t>(extension), 'x') + "\r\nhello\r\n0\r\n\r\n";
    EXPECT_EQ(read_pieces(test::whole(text)).outcome, outcome) << extension;
    EXPECT_EQ(read_pieces(test::byte_by_byte(text)).outcome, outcome) << extension;
  }
}

TEST(ChunkedTest, BoundsTheTrailers) {
  std::string text = kChunked + "0\r\n";
  for (int i = 0; i < 64; ++i) text += "t: v\r\n";
  EXPECT_EQ(read_pieces(test::whole(text + "\r\n")).outcome, "ok");
  EXPECT_EQ(read_pieces(test::whole(text + "t: v\r\n\r\n")).outcome, "protocol");
}

TEST(ChunkedTest, ForgetsTheTrailersOfTheLastBody) {
  ScriptedStream stream({kChunked + "0\r\na: b\r\n\r\n" + kChunked + "0\r\n\r\n"});
  Input input(stream);
  EXPECT_EQ(read_message(input).trailers, "a=b;");
  EXPECT_EQ(read_message(input).trailers, "");
}

TEST(UntilCloseTest, EndsWithTheConnection) {
  const std::string text = "HTTP/1.1 200 OK\r\n\r\nhello";
  for (std::size_t at = 1; at < text.size(); ++at) {
    EXPECT_EQ(read_pieces(test::cut_in_two(text, at)), (Got{"hello", ""})) << at;
  }
  EXPECT_EQ(read_pieces(test::byte_by_byte(text)), (Got{"hello", ""}));
  EXPECT_EQ(read_pieces(test::whole("HTTP/1.1 200 OK\r\n\r\n")), (Got{}));
}

TEST(UntilCloseTest, IsAnErrorWhenTheConnectionBreaks) {
  EXPECT_EQ(read_pieces({"HTTP/1.1 200 OK\r\n\r\nhello"}, Ending::reset), (Got{"hello", "", "network"}));
  EXPECT_EQ(read_pieces({"HTTP/1.1 200 OK\r\n\r\nhello"}, Ending::silence), (Got{"hello", "", "timed_out"}));
}

TEST(ReadHeadTest, SaysClosedOnlyBeforeTheFirstByte) {
  EXPECT_EQ(read_pieces({}).outcome, "closed");
  EXPECT_EQ(read_pieces({"H"}).outcome, "network");
  EXPECT_EQ(read_pieces({}, Ending::reset).outcome, "network");
  EXPECT_EQ(read_pieces({}, Ending::silence).outcome, "timed_out");
}

std::string head_of_size(std::size_t size) {
  const std::string before = "HTTP/1.1 204 No Content\r\na: ", after = "\r\n\r\n";
  return before + std::string(size - before.size() - after.size(), 'x') + after;
}

TEST(ReadHeadTest, BoundsTheHeadAlikeHoweverItComes) {
  for (const auto& [size, outcome] :
       {std::pair(std::size_t{16 * 1024}, "ok"), std::pair(kMaxHeadBytes - 1, "ok"), std::pair(kMaxHeadBytes, "ok"),
        std::pair(kMaxHeadBytes + 1, "protocol"), std::pair(2 * kMaxHeadBytes, "protocol")}) {
    EXPECT_EQ(read_pieces(test::whole(head_of_size(size))).outcome, outcome) << size;
    EXPECT_EQ(read_pieces(test::byte_by_byte(head_of_size(size))).outcome, outcome) << size;
  }
}

TEST(ReadHeadTest, RefusesEndlessTextWithoutALine) {
  EXPECT_EQ(read_pieces({std::string(200'000, 'x')}).outcome, "protocol");
  EXPECT_EQ(read_pieces({std::string(200'000, '\n')}).outcome, "protocol");
}

TEST(ReadHeadTest, TakesALargeHeadBehindAnotherMessage) {
  const std::string both = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" + head_of_size(kMaxHeadBytes);
  for (const Pieces& pieces : {test::whole(both), test::byte_by_byte(both)}) {
    ScriptedStream stream(pieces);
    Input input(stream);
    EXPECT_EQ(read_message(input), (Got{"hello", ""}));
    EXPECT_EQ(read_message(input).outcome, "ok");
  }
}

TEST(ReadBodyTextTest, RefusesMoreThanItsLimit) {
  for (const std::string& text : {std::string("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"),
                                  kChunked + "5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n"}) {
    for (const auto& [limit, outcome] : {std::pair(10, "ok"), std::pair(9, "protocol"), std::pair(0, "protocol")}) {
      ScriptedStream stream({text});
      Input input(stream);
      input.begin_body(
          framing_of(parse_response_head(input.read_head(Deadline::never()).value()).value(), "GET").value());
      const Result<std::string> body = input.read_body_text(static_cast<std::size_t>(limit), Deadline::never());
      EXPECT_EQ(test::outcome(body), outcome) << limit;
      if (body) {
        EXPECT_EQ(*body, "0123456789");
      }
    }
  }
}

TEST(DiscardBodyTest, GivesUpBeyondItsLimit) {
  for (const std::string& text : {std::string("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"),
                                  kChunked + "a\r\n0123456789\r\n0\r\n\r\n"}) {
    ScriptedStream stream({text});
    Input input(stream);
    input.begin_body(
        framing_of(parse_response_head(input.read_head(Deadline::never()).value()).value(), "GET").value());
    EXPECT_EQ(test::outcome(input.discard_body(9, Deadline::never())), "protocol");
  }
}

TEST(DiscardBodyTest, SaysWhenTheBodyIsCut) {
  for (const std::string& text :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n012345678"), kChunked + "a\r\n012345678"}) {
    ScriptedStream stream({text});
    Input input(stream);
    input.begin_body(
        framing_of(parse_response_head(input.read_head(Deadline::never()).value()).value(), "GET").value());
    EXPECT_EQ(test::outcome(input.discard_body(100, Deadline::never())), "network");
    EXPECT_FALSE(input.body_ended());
  }
}

TEST(InputTest, PassesABodyLargerThanItsBufferThrough) {
  std::string body;
  for (int i = 0; body.size() < 100'000; ++i) body += std::to_string(i);
  for (std::size_t room : {1, 100, 16 * 1024, 200'000}) {
    ScriptedStream stream(
        test::whole("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
    Input input(stream);
    EXPECT_EQ(read_message(input, room).body, body) << room;
  }
}

}  // namespace
}  // namespace dray::http
