// Over real loopback sockets: what the kernel does is what is tested here.
#include "net/tcp.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>

#include "net/loopback.h"
#include "support/with_loop.h"

namespace dray::net {
namespace {

using test::far;
using test::outcome;
using test::with_loop;

/// What is read until the end or the first error.
Result<std::string> read_all(Stream& stream) {
  std::string all;
  std::byte piece[4096];
  for (;;) {
    const std::size_t got = DRAY_TRY(stream.read(piece, far()));
    if (got == 0) return all;
    all += as_text(Bytes(piece, got));
  }
}

TEST(TcpTest, CarriesBytesBothWays) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_TRUE(pair.client->write(as_bytes("hello"), More::no, far()).ok());
    EXPECT_TRUE(pair.client->write({}, More::no, far()).ok());
    std::byte room[100];
    EXPECT_EQ(as_text(Bytes(room, pair.server->read(room, far()).value())), "hello");
    EXPECT_TRUE(pair.server->write(as_bytes("goodbye"), More::yes, far()).ok());
    pair.server->close();
    EXPECT_EQ(read_all(*pair.client).value(), "goodbye");
  });
}

TEST(TcpTest, CarriesMoreThanTheBuffersHold) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    std::string data;
    for (int i = 0; data.size() < (8u << 20); ++i) data += std::to_string(i);
    fiber::TaskGroup group;
    test::spawn(group, [&] {
      EXPECT_TRUE(pair.client->write(as_bytes(data), More::no, far()).ok());
      pair.client->close();
    });
    EXPECT_TRUE(read_all(*pair.server).value() == data);
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(TcpTest, NamesItsPeer) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_EQ(pair.client->peer(), pair.address.text());
    EXPECT_TRUE(pair.server->peer().starts_with("127.0.0.1:"));
  });
}

TEST(TcpTest, RefusedConnectionIsConnect) {
  with_loop([](fiber::Offload&) {
    Listener listener = Listener::listen(Address::parse("127.0.0.1", 0).value()).value();
    const Address address = listener.address();
    listener.close();
    const Result<std::unique_ptr<Stream>> stream = connect_tcp(address, far());
    ASSERT_FALSE(stream.ok());
    EXPECT_EQ(stream.error().kind, ErrorKind::connect);
    EXPECT_EQ(stream.error().os_error, ECONNREFUSED);
    EXPECT_NE(stream.error().message.find(address.text()), std::string::npos) << stream.error().message;
  });
}

TEST(TcpTest, ConnectionThatTheSystemForbidsIsConnect) {
  with_loop([](fiber::Offload&) {
    // Both are refused by the system itself, each for a reason of its own: no route, and no interface named (EINVAL).
    EXPECT_EQ(outcome(connect_tcp(Address::parse("255.255.255.255", 9).value(), far())), "connect");
    const Result<std::unique_ptr<Stream>> local = connect_tcp(Address::parse("fe80::1", 9).value(), far());
    if (!local && local.error().os_error == EAFNOSUPPORT) GTEST_SKIP() << "no IPv6 here";
    EXPECT_EQ(outcome(local), "connect") << test::message_of(local);
  });
}

TEST(TcpTest, ConnectEndsAtItsDeadline) {
  with_loop([](fiber::Offload&) {
    const DeafPort port;
    const Result<std::unique_ptr<Stream>> stream =
        connect_tcp(port.address, Deadline::after(std::chrono::milliseconds(20)));
    EXPECT_EQ(outcome(stream), "timed_out");
    EXPECT_NE(test::message_of(stream).find(port.address.text()), std::string::npos);
  });
}

TEST(TcpTest, SendFileSendsExactlyItsRange) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    MemoryFile file(0);
    ASSERT_EQ(pwrite(file.fd, "0123456789", 10, 0), 10);
    EXPECT_EQ(pair.client->send_file(file.fd, 3, 4, More::no, far()).value().bytes, 4u);
    EXPECT_EQ(pair.client->send_file(file.fd, 0, 0, More::no, far()).value().end, SendEnd::done);
    pair.client->close();
    EXPECT_EQ(read_all(*pair.server).value(), "3456");
  });
}

TEST(TcpTest, SendFileOfATruncatedFileSaysSourceEnd) {
  with_loop([](fiber::Offload&) {
    for (const std::uint64_t offset : {0, 6, 10, 1000}) {
      Loopback pair = loopback();
      MemoryFile file(10);
      const Sent sent = pair.client->send_file(file.fd, offset, 100, More::no, far()).value();
      EXPECT_EQ(sent.end, SendEnd::source_end) << offset;
      EXPECT_EQ(sent.bytes, offset < 10 ? 10 - offset : 0) << offset;
    }
  });
}

TEST(TcpTest, SendFileOfNoFileIsAnError) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_EQ(outcome(pair.client->send_file(-1, 0, 10, More::no, far())), "io");
  });
}

TEST(TcpTest, DiscardCountsWhatItThrowsAway) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_TRUE(pair.server->write(as_bytes("0123456789rest"), More::no, far()).ok());
    pair.server->close();
    std::uint64_t total = 0;
    while (total < 10) total += pair.client->discard(10 - total, far()).value();
    EXPECT_EQ(read_all(*pair.client).value(), "rest");
    EXPECT_EQ(pair.client->discard(10, far()).value(), 0u);
  });
}

TEST(TcpTest, HasInputOnlyWhenThePeerSpokeOrHungUp) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_FALSE(pair.client->has_input());
    EXPECT_TRUE(pair.server->write(as_bytes("x"), More::no, far()).ok());
    EXPECT_TRUE(pair.client->has_input());
    std::byte room[10];
    EXPECT_EQ(pair.client->read(room, far()).value(), 1u);
    EXPECT_FALSE(pair.client->has_input());
    pair.server->close();
    EXPECT_TRUE(pair.client->has_input());
    pair.client->close();
    EXPECT_TRUE(pair.client->has_input());
  });
}

}  // namespace
}  // namespace dray::net
