// The public face of libdray: a Client moves objects, blocking calls return Results, uploads run in the background.
//
//   dray::Client client = dray::Client::open(dray::Config::from_environment().value()).value();
//   dray::Transfer up = client.upload("big.bin", dray::ObjectUrl::parse("s3://bucket/key").value());
//   while (!up.wait_for(std::chrono::seconds(1))) show(up.progress());
//   dray::Result<dray::Summary> done = up.wait();
//
// A Client and its Transfers may be used from any threads. It starts a few threads of its own (one event loop for each
// core, and a pool for disk reads), blocks all signals in them, and never touches the process's signal dispositions.
// After fork() the child gets ErrorKind::unsupported from every call: open a Client after forking.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/checksum_kind.h"
#include "dray/object_url.h"
#include "dray/result.h"

namespace dray {

/// How to reach the store, and what the whole client may use. Plain values; zero and empty mean "decide yourself".
struct Config {
  std::string endpoint_url;  ///< "http://127.0.0.1:9000"; empty = AWS, by region
  std::string region;        ///< empty = from environment and profile, else us-east-1
  std::string profile;       ///< of the shared AWS files; an explicit one goes before the environment's keys
  std::string addressing;    ///< "auto", "path" or "virtual"
  std::string access_key;    ///< with secret_key: these and nothing else
  std::string secret_key;
  std::string session_token;
  bool sign_requests = true;  ///< false = anonymous

  /// Connections at once, exactly; 0 = found out while running. More than the store likes costs SlowDown replies.
  std::size_t concurrency = 0;
  /// Peak resident memory of the process, bytes; 0 = 256 MiB or a quarter of the cgroup's or machine's memory,
  /// whichever is less. Buffers get this less 24 MiB. Lower limits cost speed with --direct-io, pipes and TLS only.
  std::uint64_t memory_limit = 0;
  std::uint64_t bandwidth_limit = 0;  ///< bytes a second over all connections; 0 = none
  int retries = 5;                    ///< tries after the first, for each request
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds idle_timeout{30'000};  ///< without a byte moving on a connection that should move
  /// Where notices go; null = nowhere. Called on any thread; must not block. Levels: "debug", "info", "warning".
  std::function<void(std::string_view level, std::string_view text)> log;

  /// What AWS_* variables and the shared files say about endpoint and region (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
  /// S3_ENDPOINT_URL, AWS_REGION, ...). Keys are looked up later, by the Client.
  static Result<Config> from_environment(std::string_view profile = {});
};

/// How the parts of a file are read.
enum class Readers {
  parallel,  ///< each part by whoever is about to send it, as many at once as the disk likes
  serial,    ///< one after the other by a single reader: the classic way, for comparison
};

struct UploadOptions {
  ChecksumKind checksum = ChecksumKind::crc64nvme;
  std::uint64_t part_size = 0;            ///< bytes; 0 = 8 MiB, grown so that 10,000 parts suffice
  std::uint64_t multipart_threshold = 0;  ///< files up to this are one PUT; 0 = one part's size
  std::uint64_t expected_size = 0;        ///< of a stream, a hint in bytes; 0 = unknown
  bool direct_io = false;                 ///< O_DIRECT: spares the page cache; falls back with a notice
  bool if_none_match = false;             ///< fail with already_exists rather than replace an object
  Readers readers = Readers::parallel;
  std::string content_type;                                   ///< empty = binary/octet-stream
  std::vector<std::pair<std::string, std::string>> metadata;  ///< x-amz-meta-NAME: VALUE
};

/// A look at a running transfer.
struct Progress {
  std::uint64_t bytes_done = 0;                ///< acknowledged by the store
  std::uint64_t bytes_sent = 0;                ///< handed to the network, retries included
  std::optional<std::uint64_t> bytes_total{};  ///< unknown for a stream
  std::uint32_t parts_done = 0;
  std::uint32_t parts_total = 0;  ///< 1 for a single PUT; grows for a stream
  std::uint32_t retries = 0;
};

/// What a finished transfer made.
struct Summary {
  std::uint64_t size = 0;   ///< bytes
  std::uint32_t parts = 0;  ///< 0 = a single PUT
  std::string etag;         ///< without quotes
  ChecksumKind checksum_kind = ChecksumKind::none;
  std::string checksum;    ///< base64; empty for none
  std::string version_id;  ///< empty = bucket without versions
  std::uint32_t retries = 0;
  double seconds = 0;
};

struct ObjectInfo {
  std::uint64_t size = 0;
  std::string etag;  ///< without quotes
  std::string content_type;
  std::string last_modified;  ///< as the store wrote it
  std::string storage_class;
  std::string version_id;
  ChecksumKind checksum_kind = ChecksumKind::none;
  std::string checksum;       ///< base64, "-N" if composite
  std::string checksum_type;  ///< "FULL_OBJECT", "COMPOSITE" or empty
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// A transfer under way. Dropping the last Transfer does not stop it; cancel() does. May outlive its Client. One that
/// was default-constructed or moved from stands for no transfer: wait() says so.
class Transfer {
 public:
  Transfer();
  ~Transfer();
  Transfer(const Transfer&);
  Transfer& operator=(const Transfer&);
  Transfer(Transfer&&) noexcept;
  Transfer& operator=(Transfer&&) noexcept;

  /// Waits until it has ended; the same answer each time. The Error says what was tried, what the store said, and what
  /// is left behind (normally nothing: failed multipart uploads are aborted).
  Result<Summary> wait() const;
  /// True once it has ended, or if wait() would not wait: no transfer, or the child of a fork.
  bool wait_for(std::chrono::nanoseconds duration) const;
  Progress progress() const;
  /// Asks it to end: the multipart upload is aborted, wait() returns ErrorKind::cancelled.
  void cancel() const;

  struct State;

 private:
  friend class Client;
  explicit Transfer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

class Client {
 public:
  /// Starts the threads. Credentials are looked up at the first request that needs them.
  static Result<Client> open(Config config);
  ~Client();  ///< cancels what still runs and waits for it (bounded)
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// Uploads a file. Never fails here: what is wrong comes from Transfer::wait(). Blocks while very many (10,000)
  /// uploads wait to start.
  Transfer upload(std::string path, ObjectUrl target, UploadOptions options = {});
  /// Uploads what can be read from a descriptor (pipe, FIFO, terminal, socket) until its end. Borrows the descriptor
  /// until the transfer has ended.
  Transfer upload_stream(int descriptor, ObjectUrl target, UploadOptions options = {});
  /// Uploads bytes in memory. Borrows them until the transfer has ended.
  Transfer upload_bytes(std::span<const std::byte> bytes, ObjectUrl target, UploadOptions options = {});

  /// ErrorKind::already_exists if somebody has the bucket.
  Result<void> make_bucket(const std::string& bucket);
  /// Success if the bucket exists and may be accessed.
  Result<void> head_bucket(const std::string& bucket);
  Result<ObjectInfo> head_object(const ObjectUrl& object);

  /// Connections open at this moment.
  std::size_t connections() const;
  /// The most that were open at once.
  std::size_t peak_connections() const;
  /// Asks every transfer to end.
  void cancel_all();

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  template <class From>
  Transfer begin(From from, ObjectUrl target, UploadOptions options);
  std::unique_ptr<State> state_;
};

}  // namespace dray
