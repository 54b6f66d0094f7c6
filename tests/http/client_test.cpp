#include "http/client.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/scripted_stream.h"
#include "support/with_loop.h"

namespace dray::http {
namespace {

using test::Ending;
using test::Pieces;
using test::ScriptedStream;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\n\r\n";
constexpr std::string_view kPut = "PUT / HTTP/1.1\r\ncontent-length: 10\r\n\r\n";
constexpr std::string_view kBody = "0123456789";
const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A connection to a scripted peer; `stream` is the connection's own.
struct Connected {
  explicit Connected(Pieces pieces, Ending ending = Ending::close) {
    auto made = std::make_unique<ScriptedStream>(std::move(pieces), ending);
    stream = made.get();
    connection.emplace(std::move(made));
  }
  Result<ResponseHead> get() { return connection->exchange("GET", kGet, nullptr, Deadline::never()); }
  Result<ResponseHead> put() {
    BytesBody body(as_bytes(kBody));
    return connection->exchange("PUT", kPut, &body, Deadline::never());
  }
  std::string body() { return connection->input().read_body_text(1 << 20, Deadline::never()).value(); }

  ScriptedStream* stream;
  std::optional<ClientConnection> connection;
};

/// A body whose source fails, or ends, after some bytes.
class FailingBody final : public BodySource {
 public:
  explicit FailingBody(Result<net::SendEnd> result) : result_(std::move(result)) {}
  std::uint64_t length() const override { return kBody.size(); }
  Result<net::SendEnd> send(net::Stream& stream, Deadline deadline) override {
    DRAY_TRY_VOID(stream.write(as_bytes(kBody.substr(0, 4)), net::More::no, deadline));
    return result_;
  }

 private:
  Result<net::SendEnd> result_;
};

TEST(ClientConnectionTest, SendsHeadAndBodyAndReadsTheReply) {
  Connected to({kOk});
  const ResponseHead reply = to.put().value();
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(to.connection->reusable());  // its body is still to come
  EXPECT_EQ(to.body(), "ok");
  EXPECT_TRUE(to.connection->reusable());
  EXPECT_EQ(to.stream->sent, std::string(kPut) + std::string(kBody));
}

TEST(ClientConnectionTest, ReadsRepliesHoweverTheyAreCut) {
  const std::string second = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n";
  for (std::size_t at = 1; at < second.size(); ++at) {
    // The second reply may not lie in the buffer when the first one ends: that would be one nobody asked for.
    Pieces pieces = test::cut_in_two(kOk, std::min(at, kOk.size()));
    for (std::string piece : test::cut_in_two(second, at)) pieces.push_back(std::move(piece));
    Connected to(std::move(pieces));
    EXPECT_EQ(to.get().value().status, 200) << at;
    EXPECT_EQ(to.body(), "ok") << at;
    EXPECT_TRUE(to.connection->reusable()) << at;
    EXPECT_EQ(to.get().value().status, 404) << at;
    EXPECT_EQ(to.body(), "no") << at;
    EXPECT_TRUE(to.connection->reusable()) << at;
  }
}

TEST(ClientConnectionTest, FailsForAReplyCutAnywhere) {
  for (std::size_t at = 1; at < kOk.size(); ++at) {
    for (const Ending ending : {Ending::close, Ending::reset}) {
      Connected to(test::byte_by_byte(kOk.substr(0, at)), ending);
      const Result<ResponseHead> reply = to.get();
      const Result<std::string> body =
          reply ? to.connection->input().read_body_text(100, Deadline::never()) : reply.error();
      EXPECT_EQ(test::outcome(body), "network") << at;
      EXPECT_FALSE(to.connection->reusable()) << at;
      // Something of it has come: the request was seen, whatever became of it.
      EXPECT_FALSE(to.connection->failed_before_reply()) << at;
    }
  }
}

TEST(ClientConnectionTest, FailsWhenClosedWithoutAReply) {
  Connected to({});
  const Result<ResponseHead> reply = to.get();
  EXPECT_EQ(test::outcome(reply), "network");
  EXPECT_NE(test::message_of(reply).find("without a reply"), std::string::npos) << test::message_of(reply);
  EXPECT_TRUE(to.connection->failed_before_reply());
  EXPECT_FALSE(to.connection->reusable());
}

TEST(ClientConnectionTest, FailsWhenResetWithoutAReply) {
  Connected to({}, Ending::reset);
  const Result<ResponseHead> reply = to.get();
  EXPECT_EQ(test::outcome(reply), "network");
  EXPECT_EQ(reply.error().os_error, ECONNRESET);
  EXPECT_TRUE(to.connection->failed_before_reply());
}

TEST(ClientConnectionTest, TimesOutWhenNobodyAnswers) {
  Connected to({}, Ending::silence);
  EXPECT_EQ(test::outcome(to.get()), "timed_out");
  EXPECT_FALSE(to.connection->reusable());
}

TEST(ClientConnectionTest, ReturnsAnEarlyReplyAndIsThenNotReusable) {
  // At every position: within the head, between head and body, within the body.
  for (std::uint64_t at = 1; at < kPut.size() + kBody.size(); ++at) {
    Connected to({"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"});
    to.stream->speaks_after = at;
    EXPECT_EQ(to.put().value().status, 403) << at;
    EXPECT_EQ(to.body(), "no") << at;
    EXPECT_EQ(to.stream->sent.size(), at);
    EXPECT_FALSE(to.connection->reusable()) << at;
  }
}

TEST(ClientConnectionTest, SkipsInterimReplies) {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  for (const Pieces& pieces : {test::whole(interim + kOk), test::byte_by_byte(interim + kOk)}) {
    Connected to(pieces);
    EXPECT_EQ(to.put().value().status, 200);
    EXPECT_EQ(to.body(), "ok");
    EXPECT_TRUE(to.connection->reusable());
  }
}

TEST(ClientConnectionTest, FailsWhenOnlyAnInterimReplyComes) {
  Connected to({"HTTP/1.1 100 Continue\r\n\r\n"});
  EXPECT_EQ(test::outcome(to.put()), "network");
  EXPECT_FALSE(to.connection->failed_before_reply());
}

TEST(ClientConnectionTest, RefusesGarbage) {
  for (const char* garbage : {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "<html>502</html>\r\n\r\n", "\r\n\r\n",
                              "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                              "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    Connected to({garbage});
    EXPECT_EQ(test::outcome(to.get()), "protocol") << garbage;
    EXPECT_FALSE(to.connection->failed_before_reply()) << garbage;
    EXPECT_FALSE(to.connection->reusable()) << garbage;
  }
}

TEST(ClientConnectionTest, IsNotReusableWhenThePeerSaysClose) {
  for (const char* head : {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                           "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 0\r\n\r\n"}) {
    Connected to({head});
    EXPECT_EQ(to.get().value().status, 200);
    EXPECT_FALSE(to.connection->reusable()) << head;
  }
}

TEST(ClientConnectionTest, IsNotReusableAfterABodyThatEndedWithTheConnection) {
  Connected to({"HTTP/1.1 200 OK\r\n\r\nall"});
  EXPECT_EQ(to.get().value().status, 200);
  EXPECT_EQ(to.body(), "all");
  EXPECT_FALSE(to.connection->reusable());
}

TEST(ClientConnectionTest, IsNotReusableWhenMoreCameThanWasAskedFor) {
  Connected to({kOk + kOk});
  EXPECT_EQ(to.get().value().status, 200);
  EXPECT_EQ(to.body(), "ok");
  EXPECT_FALSE(to.connection->reusable());
}

TEST(ClientConnectionTest, DoesNotTakeAnOldReplyForTheAnswerToTheNextRequest) {
  Connected to({kOk, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"});
  EXPECT_EQ(to.get().value().status, 200);
  EXPECT_EQ(to.body(), "ok");
  to.stream->speaks_after = to.stream->sent.size();  // it says its farewell before the next request goes out
  EXPECT_EQ(test::outcome(to.get()), "network");
  EXPECT_TRUE(to.connection->failed_before_reply());
  EXPECT_EQ(to.stream->sent, kGet);  // nothing of the second one
}

TEST(ClientConnectionTest, HearsAServerThatTurnsAFreshConnectionAway) {
  Connected to({"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"});
  to.stream->speaks_after = 0;
  EXPECT_EQ(to.get().value().status, 503);
  EXPECT_FALSE(to.connection->reusable());
}

TEST(ClientConnectionTest, HeadHasNoBodyWhateverItsLengthSays) {
  Connected to({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"});
  const ResponseHead reply =
      to.connection->exchange("HEAD", "HEAD / HTTP/1.1\r\n\r\n", nullptr, Deadline::never()).value();
  EXPECT_EQ(reply.headers.get("content-length"), "100");
  EXPECT_TRUE(to.connection->reusable());
}

TEST(ClientConnectionTest, ReportsWhatTheSourceOfTheBodyFailedOf) {
  Connected to({kOk});
  FailingBody body(make_error(ErrorKind::source_changed, "it shrank"));
  const Result<ResponseHead> reply = to.connection->exchange("PUT", kPut, &body, Deadline::never());
  EXPECT_EQ(test::outcome(reply), "source_changed");
  EXPECT_FALSE(to.connection->failed_before_reply());
  EXPECT_FALSE(to.connection->reusable());
}

TEST(ClientConnectionTest, DoesNotWaitForTheReplyToHalfABody) {
  Connected to({}, Ending::silence);
  FailingBody body(net::SendEnd::source_end);
  EXPECT_EQ(test::outcome(to.connection->exchange("PUT", kPut, &body, Deadline::never())), "source_changed");
  EXPECT_FALSE(to.connection->failed_before_reply());
}

TEST(ClientConnectionTest, FailsBeforeAReplyWhenTheConnectionBreaksWhileSending) {
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{kPut.size()}}) {
    Connected to({}, Ending::reset);
    to.stream->breaks_after = at;
    EXPECT_EQ(test::outcome(to.put()), "network") << at;
    EXPECT_TRUE(to.connection->failed_before_reply()) << at;
    EXPECT_FALSE(to.connection->reusable()) << at;
  }
}

TEST(ClientConnectionTest, CountsItsExchanges) {
  Connected to({kOk});
  EXPECT_EQ(to.connection->exchanges(), 0u);
  EXPECT_TRUE(to.get().ok());
  EXPECT_EQ(to.connection->exchanges(), 1u);
  EXPECT_FALSE(to.connection->went_stale());
  to.stream->speaks_after = 0;
  EXPECT_TRUE(to.connection->went_stale());
  to.connection->close();
  EXPECT_TRUE(to.stream->closed);
}

}  // namespace
}  // namespace dray::http
