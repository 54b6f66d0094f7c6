// Dialer: makes connections to hosts, spreading them over all addresses of a name.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uri.h"
#include "dray/result.h"
#include "fiber/offload.h"
#include "net/stream.h"
#include "net/tcp.h"

namespace dray::http {

struct DialerLimits {
  Duration connect_timeout = std::chrono::seconds(5);  ///< for one address
  Duration idle_timeout = std::chrono::seconds(30);    ///< see Stream::set_idle_limit
};

/// For fibers of any loop; a connection belongs to the loop that asked for it. Addresses are remembered for a minute;
/// each call starts with the next one in turn and goes on to the others if it does not answer.
class Dialer {
 public:
  Dialer(fiber::Offload& offload, DialerLimits limits) : resolver_(offload), limits_(limits) {}
  Result<std::unique_ptr<net::Stream>> dial(const base::Url& url, Deadline deadline);

 private:
  struct Known {
    std::vector<net::Address> addresses;
    SteadyTime expires{};
    std::size_t turn = 0;
  };
  Result<std::vector<net::Address>> addresses_of(const std::string& host, int port, Deadline deadline);

  net::Resolver resolver_;
  DialerLimits limits_;
  std::mutex mutex_;  // guards known_
  std::map<std::string, Known> known_;
};

}  // namespace dray::http
