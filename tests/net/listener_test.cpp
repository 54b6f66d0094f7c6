#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>

#include "net/tcp.h"
#include "support/with_loop.h"

namespace dray::net {
namespace {

using test::far;
using test::outcome;
using test::with_loop;

Address local(std::uint16_t port = 0) { return Address::parse("127.0.0.1", port).value(); }

TEST(AddressTest, ReadsNumbersOnly) {
  struct {
    const char* host;
    const char* text;  // "" = refused
  } const rows[] = {
      {"127.0.0.1", "127.0.0.1:80"},
      {"::1", "[::1]:80"},
      {"fe80::1", "[fe80::1]:80"},
      {"::ffff:1.2.3.4", "[::ffff:1.2.3.4]:80"},
      {"localhost", ""},
      {"127.1", ""},
      {"127.0.0.1 ", ""},
      {"127.0.0.256", ""},
      {"[::1]", ""},
      {"::1%lo", ""},
      {"", ""},
      {"0x7f.0.0.1", ""},
  };
  for (const auto& row : rows) {
    const Result<Address> address = Address::parse(row.host, 80);
    ASSERT_EQ(address.ok(), *row.text != '\0') << row.host;
    if (address) {
      EXPECT_EQ(address->text(), row.text);
      EXPECT_EQ(address->port(), 80);
    } else {
      EXPECT_EQ(address.error().kind, ErrorKind::invalid_argument) << row.host;
    }
  }
}

TEST(ListenerTest, TakesAFreePort) {
  with_loop([](fiber::Offload&) {
    Listener a = Listener::listen(local()).value();
    Listener b = Listener::listen(local()).value();
    EXPECT_NE(a.address().port(), 0);
    EXPECT_NE(a.address().port(), b.address().port());
  });
}

TEST(ListenerTest, RefusesAPortThatIsTaken) {
  with_loop([](fiber::Offload&) {
    Listener first = Listener::listen(local()).value();
    const Result<Listener> second = Listener::listen(first.address());
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().os_error, EADDRINUSE);
    EXPECT_NE(second.error().message.find(first.address().text()), std::string::npos) << second.error().message;
  });
}

TEST(ListenerTest, SharesAPortWithOthersThatShareIt) {
  with_loop([](fiber::Offload&) {
    Listener first = Listener::listen(local(), Listener::Port::shared).value();
    Listener second = Listener::listen(first.address(), Listener::Port::shared).value();
    EXPECT_EQ(first.address().port(), second.address().port());
    EXPECT_EQ(outcome(Listener::listen(first.address())), "io");  // but not with one that does not

    // The kernel spreads connections by their ports: one of the two gets each.
    constexpr int kConnections = 32;
    std::atomic<int> accepted{0};
    fiber::TaskGroup group;
    for (Listener* listener : {&first, &second}) {
      test::spawn(group, [&accepted, listener] {
        for (;;) {
          const Result<int> socket = listener->accept(far());
          if (!socket) break;
          ::close(*socket);
          ++accepted;
        }
      });
    }
    for (int i = 0; i < kConnections; ++i) {
      const std::unique_ptr<Stream> stream = connect_tcp(first.address(), far()).value();
      std::byte room[1];
      EXPECT_EQ(stream->read(room, far()).value(), 0u);  // closed by whoever took it
    }
    EXPECT_EQ(accepted, kConnections);
    first.close();
    second.close();
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(ListenerTest, CloseWakesWhoeverAccepts) {
  with_loop([](fiber::Offload&) {
    Listener listener = Listener::listen(local()).value();
    fiber::TaskGroup group;
    test::spawn(group, [&] { EXPECT_EQ(outcome(listener.accept(Deadline::never())), "cancelled"); });
    fiber::yield();
    listener.close();
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(outcome(listener.accept(Deadline::never())), "cancelled");
  });
}

TEST(ListenerTest, AcceptEndsAtItsDeadline) {
  with_loop([](fiber::Offload&) {
    Listener listener = Listener::listen(local()).value();
    EXPECT_EQ(outcome(listener.accept(Deadline::after(std::chrono::milliseconds(1)))), "timed_out");
  });
}

TEST(ListenerTest, ServesIpv6) {
  with_loop([](fiber::Offload&) {
    Result<Listener> listener = Listener::listen(Address::parse("::1", 0).value());
    if (!listener) GTEST_SKIP() << "no IPv6 here: " << listener.error().message;
    const std::unique_ptr<Stream> client = connect_tcp(listener->address(), far()).value();
    const std::unique_ptr<Stream> server = wrap_tcp(listener->accept(far()).value()).value();
    EXPECT_EQ(client->peer(), listener->address().text());
    EXPECT_TRUE(client->peer().starts_with("[::1]:"));
    EXPECT_TRUE(server->peer().starts_with("[::1]:")) << server->peer();
    EXPECT_TRUE(client->write(as_bytes("x"), More::no, far()).ok());
    std::byte room[1];
    EXPECT_EQ(server->read(room, far()).value(), 1u);
  });
}

TEST(ResolverTest, TakesAnAddressAsItIs) {
  with_loop([](fiber::Offload& offload) {
    Resolver resolver(offload);
    // Not even a passed deadline matters: nothing is looked up.
    EXPECT_EQ(resolver.resolve("127.0.0.1", 9000, test::past()).value().at(0).text(), "127.0.0.1:9000");
    EXPECT_EQ(resolver.resolve("::1", 9000, test::past()).value().at(0).text(), "[::1]:9000");
    EXPECT_EQ(offload.threads(), 0u);
  });
}

TEST(ResolverTest, KnowsThisMachine) {
  with_loop([](fiber::Offload& offload) {
    Resolver resolver(offload);
    const Result<std::vector<Address>> found = resolver.resolve("localhost", 9000, far());
    ASSERT_TRUE(found.ok()) << found.error().message;
    std::set<std::string> texts;
    for (const Address& address : *found) texts.insert(address.text());
    EXPECT_TRUE(texts.contains("127.0.0.1:9000") || texts.contains("[::1]:9000"));
  });
}

TEST(ResolverTest, FailsForANameThatCannotBe) {
  with_loop([](fiber::Offload& offload) {
    Resolver resolver(offload);
    const std::string host = std::string(64, 'x') + ".example";  // a label has at most 63 characters
    const Result<std::vector<Address>> found = resolver.resolve(host, 80, far());
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().kind, ErrorKind::resolve);
    EXPECT_NE(found.error().message.find(host), std::string::npos) << found.error().message;
    EXPECT_FALSE(found.error().advice.empty());
  });
}

TEST(ResolverTest, EndsAtItsDeadline) {
  with_loop([](fiber::Offload& offload) {
    Resolver resolver(offload);
    EXPECT_EQ(outcome(resolver.resolve("localhost", 80, test::past())), "timed_out");
  });
}

}  // namespace
}  // namespace dray::net
