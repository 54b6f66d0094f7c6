#include "server/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fixture.h"

namespace dray::server {
namespace {

TEST_F(ServerTest, SaysThatThePortIsTaken) {
  const Result<std::unique_ptr<Server>> second = Server::start(*runtime_, {.port = server_->port()});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find(host()), std::string::npos) << second.error().message;
  EXPECT_FALSE(second.error().advice.empty());
}

TEST_F(ServerTest, TakesThePortOfAServerThatWasInUseJustBefore) {
  make_bucket();
  const std::uint16_t port = server_->port();
  server_->stop();
  server_.reset();
  server_ = Server::start(*runtime_, {.port = port, .access_key = "AKID", .secret_key = "secret-of-akid"}).value();
  EXPECT_EQ(server_->port(), port);
  make_bucket();
}

TEST_F(ServerTest, MakesAKeyPairWhenItIsGivenNone) {
  const auto one = Server::start(*runtime_, {}).value(), two = Server::start(*runtime_, {}).value();
  EXPECT_EQ(one->access_key().size(), 20u);
  EXPECT_EQ(one->secret_key().size(), 40u);
  EXPECT_NE(one->access_key(), two->access_key());
  EXPECT_NE(one->secret_key(), two->secret_key());
}

TEST_F(ServerTest, RefusesHalfAKeyPairAndBadAddresses) {
  EXPECT_EQ(Server::start(*runtime_, {.access_key = "AKID"}).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(Server::start(*runtime_, {.address = "localhost"}).error().kind, ErrorKind::invalid_argument);
}

TEST_F(ServerTest, TellsItsUrl) {
  EXPECT_EQ(server_->url(), "http://" + host());
  const auto v6 = Server::start(*runtime_, {.address = "::1"});
  if (v6) {  // where there is IPv6
    EXPECT_EQ((*v6)->url(), "http://[::1]:" + std::to_string((*v6)->port()));
  }
}

TEST_F(ServerTest, StopEndsConnectionsThatIdleOrWaitForABody) {
  make_bucket();
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k"});
  wire.head += "content-length: 1000\r\n\r\nhalf";
  std::unique_ptr<net::Stream> idle, waiting;
  runtime_->call(runtime_->loop(0), [&] {
    idle = net::connect_tcp(address(), patience()).value();
    waiting = net::connect_tcp(address(), patience()).value();
    ASSERT_TRUE(waiting->write(as_bytes(wire.head), net::More::no, patience()).ok());
    while (server_->counters().connections < 2) ASSERT_TRUE(fiber::sleep_for(std::chrono::milliseconds(1)).ok());
  });
  server_->stop();
  server_->stop();  // does nothing more
  EXPECT_EQ(server_->counters().connections, 0u);
  runtime_->call(runtime_->loop(0), [&] {
    std::byte byte;
    EXPECT_EQ(idle->read({&byte, 1}, patience()).value(), 0u);
    EXPECT_FALSE(net::connect_tcp(address(), patience()).ok());
    idle.reset();
    waiting.reset();
  });
}

TEST_F(ServerTest, AnswersWhatIsNotHttpAndCloses) {
  const std::string reply = runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(address(), patience()).value();
    EXPECT_TRUE(stream->write(as_bytes("GET / HTTP/1.1\r\nbad header\r\n\r\n"), net::More::no, patience()).ok());
    std::string all;
    std::vector<std::byte> room(4096);
    for (;;) {
      const std::size_t got = stream->read(room, patience()).value();
      if (got == 0) return all;
      all += as_text(Bytes(room).first(got));
    }
  });
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 400 Bad Request\r\n")) << reply;
  EXPECT_NE(reply.find("connection: close"), std::string::npos) << reply;
}

TEST_F(ServerTest, DealsConnectionsToAllLoops) {
  make_bucket();
  put("k", "hello");
  // Many at once, each with its own connection, from both of the client's loops.
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      for (int n = 0; n < 25; ++n) good += get("k").body == "hello" ? 1 : 0;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 100);
}

TEST_F(ServerTest, ConcurrentWritersOfOneKeyLeaveOneWholeObject) {
  make_bucket();
  std::atomic<int> created{0};
  std::vector<std::thread> clients;
  for (unsigned i = 0; i < 4; ++i) {
    clients.emplace_back([&, i] {
      for (int n = 0; n < 10; ++n) put("k", some_bytes(300000, i));
      created += put("new", "x", {{"if-none-match", "*"}}).status == 200 ? 1 : 0;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(created, 1);
  const std::string body = get("k").body;
  EXPECT_TRUE(body == some_bytes(300000, 0) || body == some_bytes(300000, 1) || body == some_bytes(300000, 2) ||
              body == some_bytes(300000, 3));
}

}  // namespace
}  // namespace dray::server
