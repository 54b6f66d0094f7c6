#include "http/dialer.h"

#include <fmt/format.h>

#include <algorithm>

namespace dray::http {
namespace {

constexpr std::chrono::seconds kRemember{60};
constexpr std::size_t kMaxKnown = 1024;

}  // namespace

Result<std::vector<net::Address>> Dialer::addresses_of(const std::string& host, int port, Deadline deadline) {
  const std::string name = fmt::format("{}:{}", host, port);
  const auto in_turn = [](Known& known) {
    std::vector<net::Address> addresses = known.addresses;
    const auto first = static_cast<std::ptrdiff_t>(known.turn++ % addresses.size());
    std::rotate(addresses.begin(), addresses.begin() + first, addresses.end());
    return addresses;
  };
  {
    std::lock_guard lock(mutex_);
    const auto found = known_.find(name);
    if (found != known_.end() && found->second.expires > std::chrono::steady_clock::now())
      return in_turn(found->second);
  }
  std::vector<net::Address> addresses = DRAY_TRY(resolver_.resolve(host, static_cast<std::uint16_t>(port), deadline));
  std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxKnown) known_.clear();
  Known& known = known_[name];
  known.addresses = std::move(addresses);
  known.expires = std::chrono::steady_clock::now() + kRemember;
  return in_turn(known);
}

Result<std::unique_ptr<net::Stream>> Dialer::dial(const base::Url& url, Deadline deadline) {
  if (url.scheme != "http") {
    return make_error(ErrorKind::unsupported, url.scheme + " is not supported yet").advise("use an http:// endpoint");
  }
  const std::vector<net::Address> addresses = DRAY_TRY(addresses_of(url.host, url.effective_port(), deadline));
  Error last;
  for (const net::Address& address : addresses) {
    Result<std::unique_ptr<net::Stream>> stream =
        net::connect_tcp(address, earlier(deadline, Deadline::after(limits_.connect_timeout)));
    if (stream) {
      (*stream)->set_idle_limit(limits_.idle_timeout);
      return stream;
    }
    last = std::move(stream).error();
    if (last.kind == ErrorKind::cancelled || deadline.passed()) break;
    if (last.kind == ErrorKind::timed_out) last.kind = ErrorKind::connect;
  }
  return std::move(last).advise("check the endpoint URL and that the server is running");
}

}  // namespace dray::http
