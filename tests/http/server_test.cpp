#include "http/server.h"

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

const std::string kGet = "GET /a HTTP/1.1\r\n\r\n";
const std::string kPut = "PUT /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789";
const std::string kExpecting = "PUT /a HTTP/1.1\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n";
const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
const std::string kReply = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const std::string kLastReply = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";

/// A connection from a scripted client; `stream` is the connection's own.
struct Accepted {
  explicit Accepted(Pieces pieces, Ending ending = Ending::close) {
    auto made = std::make_unique<ScriptedStream>(std::move(pieces), ending);
    stream = made.get();
    connection.emplace(std::move(made));
  }
  Result<std::optional<RequestHead>> next() { return connection->next(Deadline::never()); }
  Result<std::string> body() {
    DRAY_TRY_VOID(connection->wants_body(Deadline::never()));
    return connection->input().read_body_text(1 << 20, Deadline::never());
  }
  Result<void> respond(int status = 200, std::string_view text = "ok") {
    return connection->respond({.status = status}, text, Deadline::never());
  }

  ScriptedStream* stream;
  std::optional<ServerConnection> connection;
};

/// As a store sends objects: it writes whatever the client says.
class ObjectBody final : public BodySource {
 public:
  explicit ObjectBody(std::string_view text, bool fails = false) : text_(text), fails_(fails) {}
  std::uint64_t length() const override { return text_.size(); }
  Result<net::SendEnd> send(net::Stream& stream, Deadline deadline) override {
    ++sent;
    if (fails_) return make_error(ErrorKind::io, "the disk failed");
    DRAY_TRY_VOID(stream.write(as_bytes(text_), net::More::no, deadline));
    return net::SendEnd::done;
  }
  int sent = 0;

 private:
  std::string_view text_;
  bool fails_;
};

TEST(ServerConnectionTest, ServesOneRequestAfterAnother) {
  const std::string requests = kGet + kPut + kGet;
  for (const Pieces& pieces : {test::whole(requests), test::byte_by_byte(requests)}) {
    Accepted from(pieces);
    EXPECT_EQ(from.next().value()->method, "GET");
    EXPECT_TRUE(from.respond().ok());
    EXPECT_TRUE(from.connection->keeps());
    EXPECT_EQ(from.next().value()->method, "PUT");
    EXPECT_EQ(from.body().value(), "0123456789");
    EXPECT_TRUE(from.respond().ok());
    EXPECT_EQ(from.next().value()->method, "GET");
    EXPECT_TRUE(from.respond().ok());
    EXPECT_FALSE(from.next().value().has_value());
    EXPECT_EQ(from.stream->sent, kReply + kReply + kReply);
  }
}

TEST(ServerConnectionTest, FailsForARequestCutAnywhere) {
  for (std::size_t at = 1; at < kPut.size(); ++at) {
    for (const Ending ending : {Ending::close, Ending::reset}) {
      Accepted from({kPut.substr(0, at)}, ending);
      const Result<std::optional<RequestHead>> head = from.next();
      const Result<std::string> body = head ? from.body() : head.error();
      EXPECT_EQ(test::outcome(body), "network") << at;
      if (!head) {
        EXPECT_FALSE(from.connection->keeps()) << at;
      }
    }
  }
}

TEST(ServerConnectionTest, SaysContinueOnceAndOnlyWhenTheBodyIsWanted) {
  Accepted from({kExpecting, "0123456789"});
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_EQ(from.stream->sent, "");
  EXPECT_TRUE(from.connection->wants_body(Deadline::never()).ok());
  EXPECT_EQ(from.stream->sent, kContinue);
  EXPECT_EQ(from.body().value(), "0123456789");
  EXPECT_TRUE(from.respond().ok());
  EXPECT_EQ(from.stream->sent, kContinue + kReply);
  EXPECT_TRUE(from.connection->keeps());
}

TEST(ServerConnectionTest, SaysNothingToAClientThatDoesNotWait) {
  for (const std::string& request :
       {kPut, std::string("PUT /a HTTP/1.1\r\nExpect: 100-continue\r\n\r\n"),
        std::string("PUT /a HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\nx")}) {
    Accepted from({request});
    EXPECT_TRUE(from.next().value().has_value());
    EXPECT_TRUE(from.body().ok());
    EXPECT_EQ(from.stream->sent, "") << request;
  }
}

TEST(ServerConnectionTest, RefusesAWaitingClientWithoutAskingForItsBody) {
  Accepted from({kExpecting}, Ending::silence);
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_TRUE(from.respond(403, "no").ok());
  EXPECT_EQ(from.stream->sent, "HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno");
  EXPECT_FALSE(from.connection->keeps());
}

TEST(ServerConnectionTest, ThrowsTheUnreadBodyAwayAfterARefusal) {
  const std::string chunked = "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  for (const std::string& request : {kPut, chunked}) {
    for (const Pieces& pieces : {test::whole(request + kGet), test::byte_by_byte(request + kGet)}) {
      Accepted from(pieces);
      EXPECT_TRUE(from.next().value().has_value());
      EXPECT_TRUE(from.respond(403, "no").ok());
      EXPECT_TRUE(from.connection->keeps());
      EXPECT_EQ(from.next().value()->method, "GET");
    }
  }
}

TEST(ServerConnectionTest, DoesNotKeepAConnectionWhoseUnreadBodyIsTooLong) {
  Accepted from({"PUT /a HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n", std::string(17 << 20, 'x')}, Ending::silence);
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_TRUE(from.respond(403, "no").ok());
  EXPECT_FALSE(from.connection->keeps());
}

TEST(ServerConnectionTest, DoesNotKeepAConnectionWhoseUnreadBodyIsCut) {
  for (const Ending ending : {Ending::close, Ending::reset, Ending::silence}) {
    Accepted from({kPut.substr(0, kPut.size() - 1)}, ending);
    EXPECT_TRUE(from.next().value().has_value());
    EXPECT_TRUE(from.respond(403, "no").ok());  // the reply itself has gone out
    EXPECT_FALSE(from.connection->keeps());
  }
}

TEST(ServerConnectionTest, SaysCloseWhenTheClientDoes) {
  for (const char* request : {"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
                              "GET / HTTP/1.1\r\nConnection: TE, close\r\n\r\n"}) {
    Accepted from({request});
    EXPECT_TRUE(from.next().value().has_value());
    EXPECT_TRUE(from.respond().ok());
    EXPECT_EQ(from.stream->sent, kLastReply) << request;
    EXPECT_FALSE(from.connection->keeps()) << request;
  }
}

TEST(ServerConnectionTest, AnnouncesTheLengthToHeadButSendsNoBody) {
  Accepted from({"HEAD /a HTTP/1.1\r\n\r\nHEAD /b HTTP/1.1\r\n\r\n"});
  ObjectBody body("content");
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_TRUE(from.connection->respond({.status = 200}, &body, Deadline::never()).ok());
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_TRUE(from.respond(200, "content").ok());
  EXPECT_EQ(body.sent, 0);
  const std::string head = "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n";
  EXPECT_EQ(from.stream->sent, head + head);
}

TEST(ServerConnectionTest, SendsABodySource) {
  Accepted from({kGet});
  ObjectBody body("content");
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_TRUE(from.connection->respond({.status = 200}, &body, Deadline::never()).ok());
  EXPECT_EQ(from.stream->sent, "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ncontent");
  EXPECT_TRUE(from.connection->keeps());
}

TEST(ServerConnectionTest, DoesNotKeepAConnectionWhoseReplyWasCut) {
  Accepted from({kGet});
  ObjectBody body("content", true);
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_EQ(test::outcome(from.connection->respond({.status = 200}, &body, Deadline::never())), "io");
  EXPECT_FALSE(from.connection->keeps());
}

TEST(ServerConnectionTest, DoesNotWaitForTheBodyOfAClientThatHasGone) {
  Accepted from({kPut + kGet});
  from.stream->breaks_after = 0;
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_EQ(test::outcome(from.respond()), "network");
  EXPECT_FALSE(from.connection->keeps());
  EXPECT_FALSE(from.connection->input().body_ended());
}

TEST(ServerConnectionTest, LeavesTheLengthOutWhereThereIsNone) {
  for (const auto& [status, reply] :
       {std::pair(204, "HTTP/1.1 204 No Content\r\n\r\n"), std::pair(304, "HTTP/1.1 304 Not Modified\r\n\r\n")}) {
    Accepted from({kGet});
    EXPECT_TRUE(from.next().value().has_value());
    EXPECT_TRUE(from.respond(status, "").ok());
    EXPECT_EQ(from.stream->sent, reply);
  }
}

TEST(ServerConnectionTest, AnswersAMalformedRequestAndIsThenDone) {
  for (const char* request : {"GET /a b HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\na : b\r\n\r\n",
                              "PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                              "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    Accepted from({request});
    EXPECT_EQ(test::outcome(from.next()), "protocol") << request;
    EXPECT_FALSE(from.connection->keeps()) << request;
    EXPECT_TRUE(from.respond(400, "bad").ok());
    EXPECT_EQ(from.stream->sent, "HTTP/1.1 400 Bad Request\r\ncontent-length: 3\r\nconnection: close\r\n\r\nbad");
  }
}

TEST(ServerConnectionTest, IsDoneAfterAHeadThatIsTooLong) {
  Accepted from({kGet, std::string(70'000, 'x')});
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_TRUE(from.respond().ok());
  EXPECT_EQ(test::outcome(from.next()), "protocol");
  EXPECT_FALSE(from.connection->keeps());
}

TEST(ServerConnectionTest, AnswersAMalformedRequestAfterAHeadWithItsWholeBody) {
  Accepted from({"HEAD /a HTTP/1.1\r\n\r\n", "rubbish\r\n\r\n"});
  EXPECT_TRUE(from.next().value().has_value());
  EXPECT_TRUE(from.respond().ok());
  from.stream->sent.clear();
  EXPECT_EQ(test::outcome(from.next()), "protocol");
  EXPECT_TRUE(from.respond(400, "bad").ok());
  EXPECT_TRUE(from.stream->sent.ends_with("\r\n\r\nbad")) << from.stream->sent;
}

}  // namespace
}  // namespace dray::http
