#include "server/server.h"

#include <future>
#include <optional>
#include <random>
#include <vector>

#include "fiber/sync.h"
#include "fiber/task_group.h"
#include "net/tcp.h"
#include "server/connection.h"
#include "server/directory_store.h"
#include "server/exchange.h"
#include "server/memory_store.h"
#include "server/null_store.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxConnections = 4096;
constexpr std::chrono::milliseconds kAcceptPause{100};

std::string random_text(std::size_t length, std::string_view alphabet) {
  std::random_device random;
  std::uniform_int_distribution<std::size_t> pick(0, alphabet.size() - 1);
  std::string text;
  while (text.size() < length) text += alphabet[pick(random)];
  return text;
}

constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

Result<std::unique_ptr<Store>> open_store(const ServerOptions& options, fiber::Offload& offload) {
  if (options.store == ServerOptions::Store::directory) {
    std::unique_ptr<Store> store = DRAY_TRY(DirectoryStore::open(options.directory, offload, options.log));
    return store;
  }
  if (options.store == ServerOptions::Store::null) {
    std::unique_ptr<Store> store = DRAY_TRY(NullStore::create());
    return store;
  }
  return std::unique_ptr<Store>(std::make_unique<MemoryStore>());
}

/// A connected socket and its place among kMaxConnections.
struct Guest {
  int socket = -1;
  fiber::Units place;
};

/// Closes a socket that nobody will serve.
void turn_away(int socket) { (void)net::wrap_tcp(socket); }

}  // namespace

struct Server::State {
  explicit State(std::unique_ptr<Store> store) : service(std::move(store)) {}

  /// What one loop has of the server: the sockets that wait to be served there.
  struct Lane {
    fiber::Channel<Guest> guests{16};
  };

  void accept_all(net::Listener& listener);
  void run_listener();
  void run_lane(Lane& lane);
  /// Starts `body` as the top fiber of the server on a loop; stop() waits for its end.
  void run_on(fiber::Loop& loop, std::string name, std::function<void()> body);

  Service service;
  std::optional<net::Listener> listener;  // made and used on the first loop
  std::string authority;
  std::uint16_t port = 0;
  fiber::Semaphore places{kMaxConnections};
  std::vector<std::unique_ptr<Lane>> lanes;
  fiber::Gate stopping;
  std::vector<std::future<void>> ends;
};

void Server::State::accept_all(net::Listener& from) {
  for (std::size_t turn = 0;; ++turn) {
    Result<fiber::Units> place = fiber::Units::acquire(places, 1, Deadline::never());
    if (!place) return;
    Result<int> socket = from.accept(Deadline::never());
    if (socket) {
      if (!lanes[turn % lanes.size()]->guests.push({*socket, *std::move(place)}, Deadline::never())) {
        return turn_away(*socket);
      }
    } else if (socket.error().kind == ErrorKind::cancelled) {
      return;
    } else {  // out of descriptors, most likely: those that are open will end some time
      service.log.warning(socket.error().message);
      if (!fiber::sleep_for(kAcceptPause)) return;
    }
  }
}

void Server::State::run_listener() {
  net::Listener mine = *std::exchange(listener, std::nullopt);
  fiber::TaskGroup group;
  Result<void> started = group.spawn("s3 accept", [&] { accept_all(mine); });
  if (started) (void)stopping.wait(Deadline::never());  // or the loop is stopping: the same
  mine.close();
  group.cancel();
  (void)group.join();
}

void Server::State::run_lane(Lane& lane) {
  fiber::TaskGroup connections;
  const auto serve = [this](Guest guest) {
    Result<std::unique_ptr<net::Stream>> stream = net::wrap_tcp(guest.socket);
    if (!stream) return;
    service.counters.connected();
    serve_connection(service, *std::move(stream));
    service.counters.disconnected();
  };
  for (;;) {
    Result<std::optional<Guest>> guest = lane.guests.pop(Deadline::never());
    if (!guest || !*guest) break;
    auto shared = std::make_shared<Guest>(std::move(**guest));  // std::function wants what can be copied
    if (!connections.spawn("s3 connection", [serve, shared] { serve(std::move(*shared)); })) turn_away(shared->socket);
  }
  connections.cancel();
  (void)connections.join();
  const fiber::Shield shield;
  lane.guests.close();
  for (;;) {
    Result<std::optional<Guest>> guest = lane.guests.pop(Deadline::never());
    if (!guest || !*guest) break;
    turn_away((*guest)->socket);
  }
}

void Server::State::run_on(fiber::Loop& loop, std::string name, std::function<void()> body) {
  auto end = std::make_shared<std::promise<void>>();
  ends.push_back(end->get_future());
  // If the loop refuses the fiber, the promise is broken, which ends the wait for it as well.
  loop.spawn_root(std::move(name), [body = std::move(body), end = std::move(end)] {
    body();
    end->set_value();
  });
}

Result<std::unique_ptr<Server>> Server::start(fiber::Runtime& runtime, ServerOptions options) {
  if (options.access_key.empty() != options.secret_key.empty()) {
    return make_error(ErrorKind::invalid_argument, "the server needs both an access key and a secret key, or neither");
  }
  const net::Address address = DRAY_TRY(net::Address::parse(options.address, options.port));
  std::unique_ptr<Store> store = DRAY_TRY(open_store(options, runtime.offload()));
  auto state = std::make_unique<State>(std::move(store));
  DRAY_TRY_VOID(state->service.catalog.load());
  if (options.access_key.empty()) {
    options.access_key = "DRAY" + random_text(16, kCapitals);
    options.secret_key = random_text(40, kLetters);
  }
  state->service.access_key = std::move(options.access_key);
  state->service.secret_key = std::move(options.secret_key);
  state->service.region = std::move(options.region);
  state->service.log = std::move(options.log);

  const auto listen = [&]() -> Result<void> {
    Result<net::Listener> made = net::Listener::listen(address);
    if (!made) return std::move(made).error().advise("choose another port or address, or stop what uses this one");
    state->listener = *std::move(made);
    return {};
  };
  DRAY_TRY_VOID(runtime.call(runtime.loop(0), listen));
  state->authority = state->listener->address().text();
  state->port = state->listener->address().port();
  State& s = *state;
  for (std::size_t i = 0; i < runtime.size(); ++i) {
    State::Lane& lane = *s.lanes.emplace_back(std::make_unique<State::Lane>());
    s.run_on(runtime.loop(i), "s3 connections", [&s, &lane] { s.run_lane(lane); });
  }
  s.run_on(runtime.loop(0), "s3 listener", [&s] { s.run_listener(); });
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() { stop(); }

void Server::stop() {
  state_->stopping.open();
  for (auto& lane : state_->lanes) lane->guests.close();
  for (std::future<void>& end : state_->ends) end.wait();
}

std::uint16_t Server::port() const { return state_->port; }
std::string Server::url() const { return "http://" + state_->authority; }
const std::string& Server::access_key() const { return state_->service.access_key; }
const std::string& Server::secret_key() const { return state_->service.secret_key; }
const std::string& Server::region() const { return state_->service.region; }
Counters Server::counters() const { return state_->service.counters.read(); }

}  // namespace dray::server
