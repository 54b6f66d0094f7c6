// CannedServer: an HTTP peer on a loopback port that gives prepared replies, in order, whatever it is asked, and keeps
// what it was asked. For the loop it was made on.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/task_group.h"
#include "http/input.h"
#include "net/tcp.h"

namespace dray::test {

/// A reply as it goes out, byte for byte.
struct Canned {
  std::string bytes;
  enum class Then { keep, close } then = Then::keep;
};

/// A reply with a length. `fields` are whole lines: "etag: \"x\"\r\n".
inline Canned reply(int status, std::string_view fields = "", std::string_view body = "") {
  return {"HTTP/1.1 " + std::to_string(status) + " Canned\r\n" + std::string(fields) +
          "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body)};
}

/// A request as it came.
struct Asked {
  http::RequestHead head;
  std::string text;  ///< of the head
  std::string body;
  int connection = 0;  ///< 1 for those of the first connection, and so on
};

class CannedServer {
 public:
  explicit CannedServer(std::vector<Canned> replies) : replies_(std::move(replies)) {
    spawn([this] { accept(); });
  }
  ~CannedServer() { listener_.close(); }

  std::uint16_t port() const { return listener_.address().port(); }
  const std::vector<Asked>& asked() const { return asked_; }
  const Asked& last() const { return asked_.back(); }
  int connections() const { return connections_; }

 private:
  void spawn(std::function<void()> body) { EXPECT_TRUE(group_.spawn("canned", std::move(body)).ok()); }

  void accept() {
    for (;;) {
      const Result<int> socket = listener_.accept(Deadline::never());
      if (!socket) return;
      spawn([this, socket = *socket, number = ++connections_] { serve(net::wrap_tcp(socket).value(), number); });
    }
  }

  void serve(std::unique_ptr<net::Stream> stream, int number) {
    http::Input input(*stream);
    for (;;) {
      const Result<std::string_view> text = input.read_head(Deadline::never());
      if (!text || text->empty()) return;
      Asked asked{.text = std::string(*text), .connection = number};
      asked.head = http::parse_request_head(asked.text).value();
      input.begin_body(http::framing_of(asked.head).value());
      Result<std::string> body = input.read_body_text(64 << 20, Deadline::never());
      if (!body) return;  // the client went away in the middle of it
      asked.body = *std::move(body);
      asked_.push_back(std::move(asked));
      if (next_ == replies_.size()) return;  // asked more often than foreseen: hang up
      const Canned& canned = replies_[next_++];
      if (!stream->write(as_bytes(canned.bytes), net::More::no, Deadline::never())) return;
      if (canned.then == Canned::Then::close) return;
    }
  }

  std::vector<Canned> replies_;
  std::size_t next_ = 0;
  std::vector<Asked> asked_;
  int connections_ = 0;
  net::Listener listener_ = net::Listener::listen(net::Address::parse("127.0.0.1", 0).value()).value();
  fiber::TaskGroup group_;  // last: its fibers use all of the above, and end first
};

}  // namespace dray::test
