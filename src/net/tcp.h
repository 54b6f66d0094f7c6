// TCP: connect and listen. Sockets are non-blocking, TCP_NODELAY is set.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "dray/result.h"
#include "fiber/descriptor.h"
#include "fiber/offload.h"
#include "net/stream.h"

namespace dray::net {

/// An IPv4 or IPv6 socket address. A value.
class Address {
 public:
  /// "127.0.0.1", "::1": numbers only, nothing is looked up.
  static Result<Address> parse(const std::string& host, std::uint16_t port);
  std::string text() const;  ///< "127.0.0.1:9000", "[::1]:9000"
  std::uint16_t port() const;

 private:
  friend class Listener;
  friend class Resolver;
  friend Result<std::unique_ptr<Stream>> connect_tcp(const Address&, Deadline);
  alignas(8) unsigned char storage_[28] = {};
  unsigned length_ = 0;
};

/// Looks names up with the system's resolver, on the offload pool.
class Resolver {
 public:
  explicit Resolver(fiber::Offload& offload) : offload_(offload) {}
  /// All addresses in the system's order; ErrorKind::resolve if there is none.
  Result<std::vector<Address>> resolve(const std::string& host, std::uint16_t port, Deadline deadline);

 private:
  fiber::Offload& offload_;
};

/// ErrorKind::connect (refused, unreachable) or timed_out.
Result<std::unique_ptr<Stream>> connect_tcp(const Address& address, Deadline deadline);

/// Takes connections. For the loop it was made on.
class Listener {
 public:
  /// Port 0 takes a free one. `shared` lets several listeners (one a loop) have the same port.
  enum class Port { exclusive, shared };
  static Result<Listener> listen(const Address& address, Port port = Port::exclusive);
  /// A connected socket, to be given to wrap_tcp() on the loop that will serve it.
  Result<int> accept(Deadline deadline);
  const Address& address() const { return address_; }
  void close() { descriptor_.close(); }

 private:
  fiber::Descriptor descriptor_;
  Address address_;
};

/// Takes ownership of a connected socket, on the calling fiber's loop.
Result<std::unique_ptr<Stream>> wrap_tcp(int socket);

}  // namespace dray::net
