// A pair of connected TCP streams over loopback, and a file in memory to send: what the tests of this room share.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "net/tcp.h"

namespace dray::net {

struct Loopback {
  Address address;  ///< where the client connected to
  std::unique_ptr<Stream> client;
  std::unique_ptr<Stream> server;
  int server_socket = -1;  ///< the server's, to be meddled with; `server` owns it
};

/// From a fiber.
inline Loopback loopback() {
  const Deadline deadline = Deadline::after(std::chrono::seconds(60));
  Listener listener = Listener::listen(Address::parse("127.0.0.1", 0).value()).value();
  Loopback pair{.address = listener.address()};
  pair.client = connect_tcp(pair.address, deadline).value();
  pair.server_socket = listener.accept(deadline).value();
  pair.server = wrap_tcp(pair.server_socket).value();
  return pair;
}

/// The server closes in a way that throws away all that it sent and got, and says so (RST).
inline void reset(Loopback& pair) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  EXPECT_EQ(setsockopt(pair.server_socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  pair.server->close();
}

/// A port that answers no handshake: nobody accepts, and its queue is full. From a fiber.
class DeafPort {
 public:
  DeafPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    EXPECT_EQ(::listen(socket_, 0), 0);  // takes a free port
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&name), &length), 0);
    address = Address::parse("127.0.0.1", ntohs(name.sin_port)).value();
    while (Result<std::unique_ptr<Stream>> one = connect_tcp(address, Deadline::after(std::chrono::milliseconds(50)))) {
      waiting_.push_back(std::move(*one));
    }
  }
  ~DeafPort() { ::close(socket_); }
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;

  Address address;

 private:
  int socket_;
  std::vector<std::unique_ptr<Stream>> waiting_;
};

/// A file of `size` zeroes that is in memory only.
struct MemoryFile {
  explicit MemoryFile(std::size_t size) : fd(memfd_create("test", MFD_CLOEXEC)) {
    EXPECT_GE(fd, 0);
    EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
  }
  ~MemoryFile() { ::close(fd); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const int fd;
};

}  // namespace dray::net
