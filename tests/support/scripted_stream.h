// ScriptedStream: a net::Stream whose peer follows a script. No socket, no loop, no time: calls never wait.
//
// What the peer says comes in pieces, at most one for each read; then it closes, resets, or says nothing for ever
// (every read then ends as timed_out). What was sent to it stands in `sent`.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/stream.h"

namespace dray::test {

enum class Ending { close, reset, silence };

/// What the peer says, cut into pieces in the ways that a protocol must not notice.
using Pieces = std::vector<std::string>;
inline Pieces whole(std::string_view text) { return {std::string(text)}; }
inline Pieces byte_by_byte(std::string_view text) {
  Pieces pieces;
  for (char c : text) pieces.emplace_back(1, c);
  return pieces;
}
inline Pieces cut_in_two(std::string_view text, std::size_t at) {
  return {std::string(text.substr(0, at)), std::string(text.substr(at))};
}

class ScriptedStream final : public net::Stream {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  explicit ScriptedStream(Pieces pieces, Ending ending = Ending::close) : pieces_(std::move(pieces)), ending_(ending) {}

  std::string sent;
  std::uint64_t speaks_after = kNever;  ///< a watching sender notices the peer once so much was sent
  std::uint64_t breaks_after = kNever;  ///< sending fails once so much was sent
  bool closed = false;

  Result<std::size_t> read(MutableBytes out, Deadline) override {
    while (next_ < pieces_.size() && pieces_[next_].empty()) ++next_;
    if (next_ == pieces_.size()) return end();
    std::string& piece = pieces_[next_];
    const std::size_t take = std::min(out.size(), piece.size());
    std::memcpy(out.data(), piece.data(), take);
    piece.erase(0, take);
    return take;
  }
  Result<std::uint64_t> discard(std::uint64_t at_most, Deadline deadline) override {
    std::string scrap(std::min<std::uint64_t>(at_most, 1 << 16), '\0');
    const std::size_t got = DRAY_TRY(read({reinterpret_cast<std::byte*>(scrap.data()), scrap.size()}, deadline));
    return std::uint64_t{got};
  }
  Result<void> write(Bytes data, net::More, Deadline) override {
    if (sent.size() + data.size() > breaks_after) return os_error(EPIPE, "send to " + peer());
    sent += as_text(data);
    return {};
  }
  Result<net::Sent> write_watching(Bytes data, net::More more, Deadline deadline) override {
    const std::uint64_t room = speaks_after - std::min<std::uint64_t>(speaks_after, sent.size());
    const Bytes taken = data.first(std::min<std::uint64_t>(room, data.size()));
    DRAY_TRY_VOID(write(taken, more, deadline));
    return net::Sent{taken.size(), taken.size() < data.size() ? net::SendEnd::peer_spoke : net::SendEnd::done};
  }
  Result<net::Sent> send_file(int fd, std::uint64_t offset, std::uint64_t length, net::More more,
                              Deadline deadline) override {
    std::string data(length, '\0');
    const ssize_t got = pread(fd, data.data(), length, static_cast<off_t>(offset));
    if (got < 0) return os_error(errno, "read");
    net::Sent done = DRAY_TRY(write_watching(as_bytes(data).first(static_cast<std::size_t>(got)), more, deadline));
    if (done.end == net::SendEnd::done && done.bytes < length) done.end = net::SendEnd::source_end;
    return done;
  }
  bool has_input() override { return sent.size() >= speaks_after; }
  void set_idle_limit(Duration) override {}
  std::string peer() const override { return "peer:1"; }
  void close() override { closed = true; }

 private:
  Result<std::size_t> end() const {
    if (ending_ == Ending::close) return std::size_t{0};
    if (ending_ == Ending::reset) return os_error(ECONNRESET, "receive from " + peer());
    return make_error(ErrorKind::timed_out, "receive from " + peer());
  }

  Pieces pieces_;
  std::size_t next_ = 0;
  Ending ending_;
};

}  // namespace dray::test
