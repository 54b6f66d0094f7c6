// FakeS3: an S3 store in memory on a loopback port, which misbehaves on request. For tests of clients.
//
// It shares the HTTP, XML and checksum rooms with the client and nothing else: not the embedded server. It does what
// the S3 API reference says of PUT, HEAD and multipart uploads, checks every checksum that it is sent against the bytes
// that came, and counts what a client may leave behind. One fiber a connection, all of them on a loop thread of its
// own; every member may be called from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "hash/checksum.h"

namespace dray::test {

enum class Misdeed {
  none,
  refuse,            ///< takes the body, answers `status` and `code`
  refuse_early,      ///< answers `status` and `code` while the body is still coming
  reset_at_once,     ///< resets the connection after the request's head
  cut_body,          ///< resets it after `bytes` of the body
  lose_reply,        ///< carries the request out and resets instead of answering
  close_unanswered,  ///< carries the request out and closes in an orderly way instead of answering
  hold,              ///< does nothing until release(), then goes on as if nothing had been
  error_in_success,  ///< 200 with an <Error> of `code`; nothing is carried out
  empty_success,     ///< 200 without headers or body; nothing is carried out
  no_etag,           ///< carries the request out, and answers without an ETag
  wrong_checksum,    ///< carries the request out, and reports another checksum
};

/// What is to go wrong, and when.
struct Fault {
  static constexpr std::size_t kAlways = std::numeric_limits<std::size_t>::max();
  std::string operation;  ///< "UploadPart"; "" = any
  Misdeed misdeed = Misdeed::refuse;
  std::size_t first = 1;  ///< the first request of that operation that it befalls, from 1
  std::size_t times = 1;  ///< how many in a row
  int status = 500;
  std::string code = "InternalError";
  std::string retry_after{};  ///< seconds
  std::uint64_t bytes = 0;
};

/// A point in a request's life, for FakeS3::at().
enum class Moment { arrived, body_taken, before_reply };

struct StoredObject {
  std::string content;
  std::string etag;
  hash::Checksum checksum{};
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> metadata{};
  std::uint32_t parts = 0;  ///< 0 = made by one PUT
};

class FakeS3 {
 public:
  FakeS3();
  /// Ends all connections.
  ~FakeS3();
  FakeS3(const FakeS3&) = delete;
  FakeS3& operator=(const FakeS3&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const;  ///< "http://127.0.0.1:PORT"

  void plan(Fault fault);
  /// Calls `call` on the peer's loop at that moment of the n-th request of an operation. It must not block for long.
  void at(std::string operation, std::size_t nth, Moment moment, std::function<void()> call);
  /// Lets all held requests go on, those to come included.
  void release();

  std::optional<StoredObject> object(const std::string& bucket, const std::string& key) const;
  void put(const std::string& bucket, const std::string& key, StoredObject object);
  std::size_t objects() const;
  std::size_t open_uploads() const;
  std::size_t requests(const std::string& operation) const;  ///< that arrived
  std::size_t signed_requests() const;
  std::size_t connections() const;  ///< open now
  std::size_t accepted() const;     ///< since the start
  std::size_t peak_connections() const;
  std::uint64_t body_bytes() const;  ///< taken from request bodies
  /// What a client did that S3 would refuse or a careful client would not do; empty = nothing.
  std::vector<std::string> complaints() const;
  /// Waits until `n` requests of an operation have arrived; false = not within 20 s.
  bool wait_for_requests(const std::string& operation, std::size_t n) const;
  /// Waits until no connection is open; false = not within 20 s.
  bool wait_for_no_connections() const;

 private:
  class Conversation;
  struct Part {
    std::string content, etag;
    hash::Checksum checksum{};
  };
  struct OpenUpload {
    std::string bucket, key;
    ChecksumKind kind = ChecksumKind::none;
    std::string content_type;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::map<std::uint32_t, Part> parts;
  };
  struct Hook {
    std::string operation;
    std::size_t nth;
    Moment moment;
    std::function<void()> call;
  };
  void serve(int socket);
  void run_hooks(const std::string& operation, std::size_t nth, Moment moment);
  void complain(std::string what);

  mutable std::mutex mutex_;  // guards what follows, up to `released_`
  mutable std::condition_variable changed_;
  std::map<std::pair<std::string, std::string>, StoredObject> objects_;
  std::map<std::string, OpenUpload> uploads_;
  std::map<std::string, std::size_t> requests_;
  std::vector<std::string> complaints_;
  std::vector<Fault> faults_;
  std::vector<Hook> hooks_;
  std::size_t next_upload_ = 1, signed_ = 0, connections_ = 0, accepted_ = 0, peak_ = 0;
  std::uint64_t body_bytes_ = 0;

  fiber::Gate released_;
  std::uint16_t port_ = 0;
  std::unique_ptr<fiber::Runtime> runtime_;
};

}  // namespace dray::test
