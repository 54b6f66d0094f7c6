// Connections as a transfer sees them: both directions at once, and peers that vanish.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <vector>

#include "fiber/on_loop.h"
#include "fiber/sockets.h"

namespace dray::fiber {
namespace {

constexpr std::size_t kPattern = 251;  // a prime: no block size hides a shift

std::vector<char> pattern(std::size_t size) {
  std::vector<char> bytes(size + kPattern);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % kPattern);
  return bytes;
}

TEST(ConnectionTest, FullDuplexWithTinyBuffersNeitherStallsNorLosesAByte) {
  constexpr std::size_t kBlock = 64 << 10;
  const std::size_t total = static_cast<std::size_t>(scaled(256)) << 20;
  on_loop([&] {
    Pair pair = socket_pair(4096);
    const std::vector<char> bytes = pattern(kBlock);
    const auto send_all = [&](Descriptor& to) {
      for (std::size_t done = 0; done < total;) {
        const std::size_t size = std::min(kBlock - done % 1000, total - done);
        ASSERT_TRUE(write_all(to, bytes.data() + done % kPattern, size, far()).ok());
        done += size;
      }
    };
    const auto receive_all = [&](Descriptor& from) {
      std::vector<char> block(kBlock);
      for (std::size_t done = 0; done < total;) {
        const Result<std::size_t> got = read_some(from, block.data(), std::min(kBlock, total - done), far());
        ASSERT_TRUE(got.ok()) << got.error().message;
        ASSERT_GT(*got, 0u);
        ASSERT_EQ(std::memcmp(block.data(), bytes.data() + done % kPattern, *got), 0) << "near byte " << done;
        done += *got;
      }
    };
    TaskGroup group;
    spawn(group, [&] { send_all(pair.a); });
    spawn(group, [&] { send_all(pair.b); });
    spawn(group, [&] { receive_all(pair.a); });
    spawn(group, [&] { receive_all(pair.b); });
    EXPECT_TRUE(group.join().ok());
  });
}

/// A TCP connection over loopback.
Pair tcp_pair() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(bind(listener, generic, length), 0);
  EXPECT_EQ(listen(listener, 1), 0);
  EXPECT_EQ(getsockname(listener, generic, &length), 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(connect(client, generic, length), 0);
  const int server = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  EXPECT_GE(server, 0);
  ::close(listener);
  return {Descriptor::adopt(client).value(), Descriptor::adopt(server).value()};
}

/// Closes with a reset instead of an ordinary end.
void reset(Descriptor& connection) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  EXPECT_EQ(setsockopt(connection.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  connection.close();
}

/// The loop does nothing but wait for a while: its CPU time must stay near nothing.
void expect_idle_loop() {
  const auto began = steady_clock::now();
  const Duration before = thread_cpu();
  EXPECT_TRUE(sleep_for(milliseconds(100)).ok());
  EXPECT_LT(thread_cpu() - before, (steady_clock::now() - began) / 4);
}

TEST(ConnectionTest, ResetWithNobodyWaitingCostsNoCpuAndBothSidesSeeItLater) {
  on_loop([] {
    Pair pair = tcp_pair();
    fill(pair.a);
    pair.a.blocked_reading();
    reset(pair.b);
    expect_idle_loop();
    std::string reader, writer;
    TaskGroup group;
    spawn(group, [&] {
      char byte = 0;
      const Result<std::size_t> got = read_some(pair.a, &byte, 1, far());
      reader = got.ok() ? "ok" : std::string(name_of(got.error().kind));
    });
    spawn(group, [&] { writer = outcome(pair.a.wait_writable(far())); });
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(reader, "network");
    EXPECT_EQ(writer, "ok");
    EXPECT_EQ(outcome(write_all(pair.a, "x", 1, far())), "network");
  });
}

TEST(ConnectionTest, ResetWakesReaderAndWriterThatWait) {
  on_loop([] {
    Pair pair = tcp_pair();
    fill(pair.a);
    std::string reader, writer;
    TaskGroup group;
    spawn(group, [&] {
      pair.a.blocked_reading();
      reader = outcome(pair.a.wait_readable(far()));
    });
    spawn(group, [&] { writer = outcome(pair.a.wait_writable(far())); });
    yield();
    reset(pair.b);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(reader, "ok");
    EXPECT_EQ(writer, "ok");
  });
}

TEST(ConnectionTest, HalfCloseWithNobodyWaitingCostsNoCpuAndIsSeenLater) {
  on_loop([] {
    Pair pair = tcp_pair();
    pair.a.blocked_reading();
    EXPECT_EQ(shutdown(pair.b.fd(), SHUT_WR), 0);
    expect_idle_loop();
    char byte = 0;
    EXPECT_EQ(read_some(pair.a, &byte, 1, far()).value(), 0u);
    EXPECT_TRUE(write_all(pair.a, "x", 1, far()).ok());  // the other direction goes on
    EXPECT_EQ(read_some(pair.b, &byte, 1, far()).value(), 1u);
  });
}

TEST(ConnectionTest, UnreadInputWithNobodyWaitingCostsNoCpu) {
  on_loop([] {
    Pair pair = tcp_pair();
    fill(pair.b);
    expect_idle_loop();
    char byte = 1;
    EXPECT_EQ(read_some(pair.a, &byte, 1, far()).value(), 1u);
  });
}

TEST(ConnectionTest, ClosedPipeWakesItsWriter) {
  on_loop([] {
    std::array<int, 2> fds{};
    ASSERT_EQ(pipe2(fds.data(), O_CLOEXEC | O_NONBLOCK), 0);
    Descriptor writer = Descriptor::adopt(fds[1]).value();
    const std::array<char, 4096> block{};
    while (write(writer.fd(), block.data(), block.size()) > 0) {
    }
    writer.blocked_writing();
    std::string ended;
    TaskGroup group;
    spawn(group, [&] { ended = outcome(writer.wait_writable(far())); });
    yield();
    ::close(fds[0]);
    EXPECT_TRUE(group.join().ok());
    EXPECT_EQ(ended, "ok");
  });
}

}  // namespace
}  // namespace dray::fiber
