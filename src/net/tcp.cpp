#include "net/tcp.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fiber/loop.h"

namespace dray::net {
namespace {

/// A sender that never meets a full socket buffer lets others run after this many bytes.
constexpr std::uint64_t kTurnBytes = 4 << 20;

class TcpStream final : public Stream {
 public:
  TcpStream(fiber::Descriptor descriptor, std::string peer)
      : descriptor_(std::move(descriptor)), peer_(std::move(peer)) {}

  Result<std::size_t> read(MutableBytes out, Deadline deadline) override;
  Result<void> write(Bytes data, More more, Deadline deadline) override;
  Result<Sent> write_watching(Bytes data, More more, Deadline deadline) override;
  Result<Sent> send_file(int fd, std::uint64_t offset, std::uint64_t length, More more, Deadline deadline) override;
  Result<std::uint64_t> discard(std::uint64_t at_most, Deadline deadline) override;
  bool has_input() override;
  void set_idle_limit(Duration limit) override { idle_limit_ = limit; }
  std::string peer() const override { return peer_; }
  void close() override { descriptor_.close(); }

 private:
  enum class Watch { no, yes };
  template <class Try>
  Result<Sent> send_loop(std::uint64_t length, Watch watch, Deadline deadline, Try attempt);
  template <class Try>
  Result<std::size_t> receive_loop(Deadline deadline, Try attempt);
  Error failed(int error, const char* what) const { return os_error(error, fmt::format("{} {}", what, peer_)); }
  Error closed() const { return make_error(ErrorKind::cancelled, "the connection to " + peer_ + " was closed"); }
  /// Ends a turn if this stream alone has kept the loop busy for long.
  void take_turns(std::uint64_t bytes) {
    turn_ += bytes;
    if (turn_ < kTurnBytes) return;
    turn_ = 0;
    fiber::yield();
  }

  Error waited_in_vain(Error error, const char* what, Deadline deadline) const {
    const bool idle = error.kind == ErrorKind::timed_out && !deadline.passed();
    if (!idle) return std::move(error).within(fmt::format("{} {}", what, peer_));
    const double seconds = std::chrono::duration<double>(idle_limit_).count();
    return make_error(ErrorKind::timed_out,
                      fmt::format("{} {}: timed out, nothing moved for {:g} s", what, peer_, seconds))
        .advise("check that the server is up and the network works, or allow it more time");
  }
  Deadline patience(Deadline deadline) const { return earlier(deadline, Deadline::after(idle_limit_)); }

  fiber::Descriptor descriptor_;
  std::string peer_;
  std::uint64_t turn_ = 0;
  int broken_ = 0;  // the error that has_input() met: the kernel tells it once, the next reader wants it too
  Duration idle_limit_ = Duration::max();
};

template <class Try>
Result<std::size_t> TcpStream::receive_loop(Deadline deadline, Try attempt) {
  for (;;) {
    if (!descriptor_.open()) return closed();
    if (broken_ != 0) return failed(broken_, "receive from");
    const ssize_t got = attempt();
    if (got >= 0) {
      take_turns(static_cast<std::uint64_t>(got));
      return static_cast<std::size_t>(got);
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error != EAGAIN) return failed(error, "receive from");
    turn_ = 0;
    descriptor_.blocked_reading();
    Result<void> ready = descriptor_.wait_readable(patience(deadline));
    if (!ready) return waited_in_vain(std::move(ready).error(), "receive from", deadline);
  }
}

Result<std::size_t> TcpStream::read(MutableBytes out, Deadline deadline) {
  return receive_loop(deadline, [&] { return recv(descriptor_.fd(), out.data(), out.size(), 0); });
}

Result<std::uint64_t> TcpStream::discard(std::uint64_t at_most, Deadline deadline) {
  const std::size_t length = std::min<std::uint64_t>(at_most, 1 << 30);
  // MSG_TRUNC on TCP: the kernel drops the bytes without copying them (tcp(7)).
  Result<std::size_t> got = receive_loop(deadline, [&] { return recv(descriptor_.fd(), nullptr, length, MSG_TRUNC); });
  if (!got) return std::move(got).error();
  return std::uint64_t{*got};
}

template <class Try>
Result<Sent> TcpStream::send_loop(std::uint64_t length, Watch watch, Deadline deadline, Try attempt) {
  Sent sent;
  while (sent.bytes < length) {
    if (!descriptor_.open()) return closed();
    if (watch == Watch::yes && descriptor_.input_seen() && has_input()) {
      sent.end = SendEnd::peer_spoke;
      return sent;
    }
    const ssize_t put = attempt(sent.bytes);
    if (put > 0) {
      sent.bytes += static_cast<std::uint64_t>(put);
      take_turns(static_cast<std::uint64_t>(put));
      continue;
    }
    if (put == 0) {
      sent.end = SendEnd::source_end;
      return sent;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EAGAIN) {
      turn_ = 0;
      descriptor_.blocked_writing();
      Result<void> ready = watch == Watch::yes ? descriptor_.wait_either(patience(deadline))
                                               : descriptor_.wait_writable(patience(deadline));
      if (!ready) return waited_in_vain(std::move(ready).error(), "send to", deadline);
      continue;
    }
    // A peer that refuses early answers and then resets: its answer may still lie in our receive buffer.
    if ((error == EPIPE || error == ECONNRESET) && watch == Watch::yes && has_input()) {
      sent.end = SendEnd::peer_spoke;
      return sent;
    }
    return failed(error, "send to");
  }
  return sent;
}

Result<void> TcpStream::write(Bytes data, More more, Deadline deadline) {
  const int flags = MSG_NOSIGNAL | (more == More::yes ? MSG_MORE : 0);
  Result<Sent> sent = send_loop(data.size(), Watch::no, deadline, [&](std::uint64_t done) {
    return send(descriptor_.fd(), data.data() + done, data.size() - done, flags);
  });
  if (!sent) return std::move(sent).error();
  return {};
}

Result<Sent> TcpStream::write_watching(Bytes data, More more, Deadline deadline) {
  const int flags = MSG_NOSIGNAL | (more == More::yes ? MSG_MORE : 0);
  return send_loop(data.size(), Watch::yes, deadline, [&](std::uint64_t done) {
    return send(descriptor_.fd(), data.data() + done, data.size() - done, flags);
  });
}

Result<Sent> TcpStream::send_file(int fd, std::uint64_t offset, std::uint64_t length, More, Deadline deadline) {
  // sendfile has no flag for More; the kernel corks within one call, which is what matters.
  return send_loop(length, Watch::yes, deadline, [&](std::uint64_t done) {
    off_t from = static_cast<off_t>(offset + done);
    return sendfile(descriptor_.fd(), fd, &from, std::min<std::uint64_t>(length - done, 1 << 30));
  });
}

bool TcpStream::has_input() {
  if (!descriptor_.open()) return true;
  char byte;
  const ssize_t got = recv(descriptor_.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    descriptor_.blocked_reading();
    return false;
  }
  if (got < 0) broken_ = errno;
  return true;  // bytes, an end, or an error: all of them are news
}

Result<std::unique_ptr<Stream>> make_stream(int socket, std::string peer) {
  const int one = 1;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fiber::Descriptor descriptor = DRAY_TRY(fiber::Descriptor::adopt(socket));
  return std::unique_ptr<Stream>(std::make_unique<TcpStream>(std::move(descriptor), std::move(peer)));
}

}  // namespace

static_assert(sizeof(sockaddr_in6) <= 28);

Result<Address> Address::parse(const std::string& host, std::uint16_t port) {
  Address address;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(address.storage_, &v4, sizeof v4);
    address.length_ = sizeof v4;
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(address.storage_, &v6, sizeof v6);
    address.length_ = sizeof v6;
  } else {
    return make_error(ErrorKind::invalid_argument, "\"" + host + "\" is not an IP address");
  }
  return address;
}

std::uint16_t Address::port() const {
  sockaddr_in v4;
  std::memcpy(&v4, storage_, sizeof v4);  // the port stands at the same place in both families
  return ntohs(v4.sin_port);
}

std::string Address::text() const {
  char host[NI_MAXHOST] = "?";
  if (getnameinfo(reinterpret_cast<const sockaddr*>(storage_), length_, host, sizeof host, nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return "?";
  }
  return length_ == sizeof(sockaddr_in6) ? fmt::format("[{}]:{}", host, port()) : fmt::format("{}:{}", host, port());
}

Result<std::vector<Address>> Resolver::resolve(const std::string& host, std::uint16_t port, Deadline deadline) {
  if (Result<Address> literal = Address::parse(host, port)) return std::vector<Address>{*literal};
  return offload_.run(
      [host, port]() -> Result<std::vector<Address>> {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        hints.ai_flags = AI_ADDRCONFIG;
        addrinfo* list = nullptr;
        const int code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
        const int system_error = errno;
        std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
        std::vector<Address> addresses;
        for (addrinfo* entry = list; code == 0 && entry != nullptr; entry = entry->ai_next) {
          if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
          char text[NI_MAXHOST];
          if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0)
            continue;
          if (Result<Address> address = Address::parse(text, port)) addresses.push_back(*address);
        }
        if (!addresses.empty()) return addresses;
        const char* why = code == 0            ? "no usable address"
                          : code == EAI_SYSTEM ? std::strerror(system_error)
                                               : gai_strerror(code);
        return make_error(ErrorKind::resolve, fmt::format("look up host \"{}\": {}", host, why))
            .advise("check the host name in the endpoint URL and the DNS settings");
      },
      deadline);
}

Result<std::unique_ptr<Stream>> connect_tcp(const Address& address, Deadline deadline) {
  const auto* target = reinterpret_cast<const sockaddr*>(address.storage_);
  const std::string peer = address.text();
  const int socket = ::socket(target->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return os_error(errno, "make a socket");
  const int one = 1;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fiber::Descriptor descriptor = DRAY_TRY(fiber::Descriptor::adopt(socket));
  int error = connect(socket, target, address.length_) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) {
    descriptor.blocked_writing();
    Result<void> ready = descriptor.wait_writable(deadline);
    if (!ready) return std::move(ready).error().within("connect to " + peer);
    socklen_t size = sizeof error;
    if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  }
  if (error != 0) {
    Error failure = os_error(error, "connect to " + peer);
    // A firewall's EPERM, no free port, no route: whatever the system calls it, no connection could be made.
    if (failure.kind != ErrorKind::timed_out) failure.kind = ErrorKind::connect;
    return failure;
  }
  return std::unique_ptr<Stream>(std::make_unique<TcpStream>(std::move(descriptor), peer));
}

Result<Listener> Listener::listen(const Address& address, Port port) {
  const auto* local = reinterpret_cast<const sockaddr*>(address.storage_);
  const int socket = ::socket(local->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return os_error(errno, "make a socket");
  const int one = 1;
  (void)setsockopt(socket, SOL_SOCKET, port == Port::shared ? SO_REUSEPORT : SO_REUSEADDR, &one, sizeof one);
  if (::bind(socket, local, address.length_) != 0 || ::listen(socket, 4096) != 0) {
    const int error = errno;
    ::close(socket);
    return os_error(error, "listen on " + address.text());
  }
  Listener listener;
  socklen_t length = sizeof listener.address_.storage_;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(listener.address_.storage_), &length) != 0) {
    const int error = errno;
    ::close(socket);
    return os_error(error, "ask for the port of " + address.text());
  }
  listener.address_.length_ = length;
  listener.descriptor_ = DRAY_TRY(fiber::Descriptor::adopt(socket));
  return listener;
}

Result<int> Listener::accept(Deadline deadline) {
  for (;;) {
    if (!descriptor_.open()) return make_error(ErrorKind::cancelled, "accept a connection: the listener was closed");
    const int socket = accept4(descriptor_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) return socket;
    const int error = errno;
    if (error == EINTR || error == ECONNABORTED || error == EPROTO) continue;
    if (error != EAGAIN) return os_error(error, "accept a connection");
    descriptor_.blocked_reading();
    DRAY_TRY_VOID(descriptor_.wait_readable(deadline));
  }
}

Result<std::unique_ptr<Stream>> wrap_tcp(int socket) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  char host[NI_MAXHOST] = "?", service[NI_MAXSERV] = "?";
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &length) == 0) {
    (void)getnameinfo(reinterpret_cast<sockaddr*>(&peer), length, host, sizeof host, service, sizeof service,
                      NI_NUMERICHOST | NI_NUMERICSERV);
  }
  const bool v6 = peer.ss_family == AF_INET6;
  return make_stream(socket, v6 ? fmt::format("[{}]:{}", host, service) : fmt::format("{}:{}", host, service));
}

}  // namespace dray::net
