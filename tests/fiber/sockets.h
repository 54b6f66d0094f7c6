// Pairs of connected descriptors, and the read and write loops that a user of Descriptor writes.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "fiber/descriptor.h"

namespace dray::fiber {

struct Pair {
  Descriptor a;
  Descriptor b;
};

/// A local stream socket pair with send buffers of about `send_buffer` bytes (0 = the system's choice).
inline Pair socket_pair(int send_buffer = 0) {
  std::array<int, 2> fds{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()), 0);
  for (const int fd : fds) {
    if (send_buffer > 0) {
      EXPECT_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer), 0);
    }
  }
  return {Descriptor::adopt(fds[0]).value(), Descriptor::adopt(fds[1]).value()};
}

/// 0 = the end of the stream.
inline Result<std::size_t> read_some(Descriptor& from, void* out, std::size_t size, Deadline deadline) {
  for (;;) {
    const ssize_t got = recv(from.fd(), out, size, 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EAGAIN) return os_error(errno, "receive");
    from.blocked_reading();
    DRAY_TRY_VOID(from.wait_readable(deadline));
  }
}

inline Result<void> write_all(Descriptor& to, const void* data, std::size_t size, Deadline deadline) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(to.fd(), next, size, MSG_NOSIGNAL);
    if (sent > 0) {
      next += sent;
      size -= static_cast<std::size_t>(sent);
      continue;
    }
    if (sent < 0 && errno != EAGAIN) return os_error(errno, "send");
    to.blocked_writing();
    DRAY_TRY_VOID(to.wait_writable(deadline));
  }
  return {};
}

/// Writes without waiting until the socket takes no more.
inline void fill(Descriptor& to) {
  const std::array<char, 4096> block{};
  while (send(to.fd(), block.data(), block.size(), MSG_NOSIGNAL) > 0) {
  }
  EXPECT_EQ(errno, EAGAIN);
  to.blocked_writing();
}

/// Reads without waiting until nothing is left.
inline void drain(Descriptor& from) {
  std::array<char, 4096> block{};
  while (recv(from.fd(), block.data(), block.size(), 0) > 0) {
  }
  from.blocked_reading();
}

inline bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

}  // namespace dray::fiber
