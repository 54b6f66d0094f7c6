#include "http/dialer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "net/loopback.h"
#include "support/with_loop.h"

namespace dray::http {
namespace {

using test::far;
using test::outcome;
using test::with_loop;

net::Listener listener() { return net::Listener::listen(net::Address::parse("127.0.0.1", 0).value()).value(); }

TEST(DialerTest, ConnectsByAddressAndByName) {
  with_loop([](fiber::Offload& offload) {
    const net::Listener server = listener();
    Dialer dialer(offload, {});
    // The name may mean ::1 as well, where nobody listens: the next address is tried then. Twice: it is remembered.
    for (const char* host : {"127.0.0.1", "localhost", "localhost"}) {
      const Result<std::unique_ptr<net::Stream>> stream =
          dialer.dial({"http", host, server.address().port(), ""}, far());
      ASSERT_TRUE(stream.ok()) << stream.error().message;
      EXPECT_EQ((*stream)->peer(), server.address().text());
    }
  });
}

TEST(DialerTest, SetsTheIdleLimit) {
  with_loop([](fiber::Offload& offload) {
    const net::Listener server = listener();
    Dialer dialer(offload, {.idle_timeout = std::chrono::milliseconds(5)});
    const auto stream = dialer.dial({"http", "127.0.0.1", server.address().port(), ""}, far()).value();
    std::byte room[1];
    EXPECT_EQ(outcome(stream->read(room, Deadline::never())), "timed_out");
  });
}

TEST(DialerTest, SaysWhereNobodyListens) {
  with_loop([](fiber::Offload& offload) {
    net::Listener server = listener();
    const net::Address gone = server.address();
    server.close();
    Dialer dialer(offload, {});
    for (const char* host : {"127.0.0.1", "localhost"}) {
      const Result<std::unique_ptr<net::Stream>> stream = dialer.dial({"http", host, gone.port(), ""}, far());
      ASSERT_FALSE(stream.ok());
      EXPECT_EQ(stream.error().kind, ErrorKind::connect) << host;
      EXPECT_NE(stream.error().message.find(":" + std::to_string(gone.port())), std::string::npos);
      EXPECT_FALSE(stream.error().advice.empty());
    }
  });
}

TEST(DialerTest, SaysThatAHostIsUnknown) {
  with_loop([](fiber::Offload& offload) {
    Dialer dialer(offload, {});
    EXPECT_EQ(outcome(dialer.dial({"http", std::string(64, 'x'), 80, ""}, far())), "resolve");
  });
}

TEST(DialerTest, DoesNotSpeakTls) {
  with_loop([](fiber::Offload& offload) {
    Dialer dialer(offload, {});
    EXPECT_EQ(outcome(dialer.dial({"https", "127.0.0.1", 443, ""}, far())), "unsupported");
  });
}

TEST(DialerTest, EndsAtItsDeadline) {
  with_loop([](fiber::Offload& offload) {
    const net::DeafPort port;
    Dialer dialer(offload, {});
    EXPECT_EQ(outcome(dialer.dial({"http", "127.0.0.1", port.address.port(), ""}, test::past())), "timed_out");
  });
}

TEST(DialerTest, CannotConnectWhereNobodyAnswers) {
  with_loop([](fiber::Offload& offload) {
    const net::DeafPort port;
    Dialer dialer(offload, {.connect_timeout = std::chrono::milliseconds(5)});
    EXPECT_EQ(outcome(dialer.dial({"http", "127.0.0.1", port.address.port(), ""}, far())), "connect");
  });
}

TEST(DialerTest, EndsWhenItsFiberIsCancelled) {
  with_loop([](fiber::Offload& offload) {
    const net::DeafPort port;
    Dialer dialer(offload, {});
    fiber::TaskGroup group;
    test::spawn(group, [&] {
      EXPECT_EQ(outcome(dialer.dial({"http", "127.0.0.1", port.address.port(), ""}, far())), "cancelled");
    });
    fiber::yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
  });
}

}  // namespace
}  // namespace dray::http
