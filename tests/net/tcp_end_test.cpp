// How waits on a connection end: the peer speaks first, resets, or says nothing; somebody closes or cancels.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>

#include "net/loopback.h"
#include "net/tcp.h"
#include "support/with_loop.h"

namespace dray::net {
namespace {

using test::far;
using test::outcome;
using test::past;
using test::with_loop;

/// More than any two socket buffers hold: a sender of it meets a full one.
constexpr std::size_t kMuch = 64 << 20;

TEST(TcpEndTest, ReadEndsAtItsDeadline) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    std::byte room[10];
    const Result<std::size_t> got = pair.client->read(room, Deadline::after(std::chrono::milliseconds(1)));
    EXPECT_EQ(outcome(got), "timed_out");
    EXPECT_NE(test::message_of(got).find(pair.address.text()), std::string::npos);
    EXPECT_EQ(outcome(pair.client->read(room, past())), "timed_out");
  });
}

TEST(TcpEndTest, ReadTakesWhatIsThereEvenAfterItsDeadline) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_TRUE(pair.server->write(as_bytes("x"), More::no, far()).ok());
    std::byte room[10];
    EXPECT_EQ(pair.client->read(room, past()).value(), 1u);
  });
}

TEST(TcpEndTest, IdleLimitEndsAStalledRead) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    pair.client->set_idle_limit(std::chrono::milliseconds(20));
    std::byte room[10];
    EXPECT_EQ(outcome(pair.client->read(room, Deadline::never())), "timed_out");
    EXPECT_EQ(outcome(pair.client->discard(10, Deadline::never())), "timed_out");
  });
}

TEST(TcpEndTest, IdleLimitEndsAStalledSend) {
  with_loop([](fiber::Offload&) {
    const std::string much(kMuch, 'x');
    {
      Loopback pair = loopback();
      pair.client->set_idle_limit(std::chrono::milliseconds(20));
      EXPECT_EQ(outcome(pair.client->write(as_bytes(much), More::no, Deadline::never())), "timed_out");
    }
    {
      Loopback pair = loopback();
      pair.client->set_idle_limit(std::chrono::milliseconds(20));
      EXPECT_EQ(outcome(pair.client->write_watching(as_bytes(much), More::no, Deadline::never())), "timed_out");
    }
    Loopback pair = loopback();
    MemoryFile file(kMuch);
    pair.client->set_idle_limit(std::chrono::milliseconds(20));
    EXPECT_EQ(outcome(pair.client->send_file(file.fd, 0, kMuch, More::no, Deadline::never())), "timed_out");
  });
}

TEST(TcpEndTest, IdleLimitCountsFromTheLastProgress) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    constexpr auto kLimit = std::chrono::milliseconds(500);
    pair.client->set_idle_limit(kLimit);
    fiber::TaskGroup group;
    const auto start = std::chrono::steady_clock::now();
    test::spawn(group, [&] {
      // Drips for longer than the limit, never with a gap near it.
      while (std::chrono::steady_clock::now() - start < kLimit * 3 / 2) {
        EXPECT_TRUE(pair.server->write(as_bytes("."), More::no, far()).ok());
        EXPECT_TRUE(fiber::sleep_for(kLimit / 20).ok());
      }
      pair.server->close();
    });
    std::byte room[16];
    Result<std::size_t> got = pair.client->read(room, Deadline::never());
    while (got && *got > 0) got = pair.client->read(room, Deadline::never());
    EXPECT_EQ(outcome(got), "ok");
    EXPECT_GE(std::chrono::steady_clock::now() - start, kLimit);
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(TcpEndTest, WriteWatchingStopsWhenThePeerSpeaks) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_TRUE(pair.server->write(as_bytes("503"), More::no, far()).ok());
    const std::string much(kMuch, 'x');
    const Sent sent = pair.client->write_watching(as_bytes(much), More::no, far()).value();
    EXPECT_EQ(sent.end, SendEnd::peer_spoke);
    EXPECT_LT(sent.bytes, kMuch);
    std::byte room[10];
    EXPECT_EQ(as_text(Bytes(room, pair.client->read(room, far()).value())), "503");
  });
}

TEST(TcpEndTest, SendFileStopsWhenThePeerSpeaks) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    MemoryFile file(kMuch);
    EXPECT_TRUE(pair.server->write(as_bytes("503"), More::no, far()).ok());
    const Sent sent = pair.client->send_file(file.fd, 0, kMuch, More::no, far()).value();
    EXPECT_EQ(sent.end, SendEnd::peer_spoke);
    EXPECT_LT(sent.bytes, kMuch);
    std::byte room[10];
    EXPECT_EQ(as_text(Bytes(room, pair.client->read(room, far()).value())), "503");
  });
}

TEST(TcpEndTest, WriteGoesOnWhateverThePeerSays) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    EXPECT_TRUE(pair.server->write(as_bytes("pipelined"), More::no, far()).ok());
    const std::string much(8 << 20, 'x');
    fiber::TaskGroup group;
    test::spawn(group, [&] { EXPECT_TRUE(pair.client->write(as_bytes(much), More::no, far()).ok()); });
    std::uint64_t total = 0;
    while (total < much.size()) total += pair.server->discard(1 << 20, far()).value();
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(TcpEndTest, ReadsTheAnswerOfAPeerThatThenReset) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    const std::string much(kMuch, 'x');
    fiber::TaskGroup group;
    test::spawn(group, [&] {
      // Takes something, so that input is left unread; then the close is a reset.
      std::byte room[100];
      EXPECT_TRUE(pair.server->read(room, far()).ok());
      EXPECT_TRUE(pair.server->write(as_bytes("403"), More::no, far()).ok());
      pair.server->close();
    });
    Result<Sent> sent = pair.client->write_watching(as_bytes(much), More::no, far());
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    EXPECT_EQ(sent->end, SendEnd::peer_spoke);
    std::byte room[10];
    EXPECT_EQ(as_text(Bytes(room, pair.client->read(room, far()).value())), "403");
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(TcpEndTest, ResetWhileSendingIsNetwork) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    const std::string much(kMuch, 'x');
    fiber::TaskGroup group;
    test::spawn(group, [&] {
      std::byte room[100];
      EXPECT_TRUE(pair.server->read(room, far()).ok());
      reset(pair);
    });
    EXPECT_EQ(outcome(pair.client->write(as_bytes(much), More::no, far())), "network");
    EXPECT_TRUE(group.join().ok());
  });
}

/// A watching sender may learn of a reset by sending or by watching; either way it is told to the one who reads next.
template <class Send>
void expect_reset_is_told(Send send) {
  Loopback pair = loopback();
  fiber::TaskGroup group;
  test::spawn(group, [&] {
    std::byte room[100];
    EXPECT_TRUE(pair.server->read(room, far()).ok());
    reset(pair);
  });
  const Result<Sent> sent = send(*pair.client);
  if (sent) {
    EXPECT_EQ(sent->end, SendEnd::peer_spoke);
    std::byte room[10];
    const Result<std::size_t> got = pair.client->read(room, far());
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().kind, ErrorKind::network);
    EXPECT_EQ(got.error().os_error, ECONNRESET);
  } else {
    EXPECT_EQ(outcome(sent), "network");
  }
  EXPECT_TRUE(group.join().ok());
}

TEST(TcpEndTest, ResetWhileWatchingIsToldToTheReader) {
  with_loop([](fiber::Offload&) {
    const std::string much(kMuch, 'x');
    expect_reset_is_told([&](Stream& client) { return client.write_watching(as_bytes(much), More::no, far()); });
  });
}

TEST(TcpEndTest, ResetWhileSendingAFileIsToldToTheReader) {
  with_loop([](fiber::Offload&) {
    MemoryFile file(kMuch);
    expect_reset_is_told([&](Stream& client) { return client.send_file(file.fd, 0, kMuch, More::no, far()); });
  });
}

TEST(TcpEndTest, HasInputAfterAReset) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    reset(pair);
    EXPECT_TRUE(pair.client->has_input());
    EXPECT_TRUE(pair.client->has_input());  // asking takes nothing away
  });
}

TEST(TcpEndTest, CloseWakesAReader) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    fiber::TaskGroup group;
    test::spawn(group, [&] {
      std::byte room[10];
      EXPECT_EQ(outcome(pair.client->read(room, Deadline::never())), "cancelled");
    });
    fiber::yield();
    pair.client->close();
    EXPECT_TRUE(group.join().ok());
    std::byte room[10];
    EXPECT_EQ(outcome(pair.client->read(room, far())), "cancelled");
    EXPECT_EQ(outcome(pair.client->write(as_bytes("x"), More::no, far())), "cancelled");
    EXPECT_EQ(pair.server->read(room, far()).value(), 0u);
  });
}

TEST(TcpEndTest, CloseWakesAWriter) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    const std::string much(kMuch, 'x');
    fiber::TaskGroup group;
    test::spawn(group, [&] {
      EXPECT_EQ(outcome(pair.client->write_watching(as_bytes(much), More::no, Deadline::never())), "cancelled");
    });
    fiber::yield();
    pair.client->close();
    EXPECT_TRUE(group.join().ok());
  });
}

TEST(TcpEndTest, CancelWakesAReader) {
  with_loop([](fiber::Offload&) {
    Loopback pair = loopback();
    fiber::TaskGroup group;
    test::spawn(group, [&] {
      std::byte room[10];
      EXPECT_EQ(outcome(pair.client->read(room, Deadline::never())), "cancelled");
    });
    fiber::yield();
    group.cancel();
    EXPECT_TRUE(group.join().ok());
  });
}

}  // namespace
}  // namespace dray::net
