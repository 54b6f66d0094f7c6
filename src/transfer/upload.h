// Upload: one object on its way to the store, from the first look at its source to the committed object.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fiber/sync.h"
#include "s3/complete_multipart_upload.h"
#include "s3/object_attributes.h"
#include "s3/put_object.h"
#include "transfer/engine.h"
#include "transfer/plan.h"
#include "transfer/source.h"
#include "transfer/stream_reading.h"

namespace dray::transfer {

struct FromFile {
  std::string path;
};
struct FromStream {
  int descriptor = 0;  ///< borrowed
};
struct FromMemory {
  Bytes bytes;  ///< borrowed
};

struct UploadRequest {
  std::variant<FromFile, FromStream, FromMemory> from;
  std::string bucket, key;
  s3::ObjectAttributes attributes{};
  ChecksumKind checksum = ChecksumKind::crc64nvme;
  std::uint64_t part_size = 0;
  std::uint64_t multipart_threshold = 0;
  std::uint64_t expected_size = 0;
  bool direct_io = false;
  bool serial_reader = false;
  bool if_none_match = false;
  bool equal_parts = false;  ///< the store wants all parts but the last of one size, streams included (R2)
};

struct UploadSummary {
  std::uint64_t size = 0;
  std::uint32_t parts = 0;
  std::string etag, version_id;
  hash::Checksum checksum{};
  std::uint32_t retries = 0;
  double seconds = 0;
};

/// Figures of a running upload; read from any thread.
struct UploadProgress {
  std::atomic<std::uint64_t> bytes_done{0};
  std::atomic<std::uint64_t> bytes_sent{0};
  std::atomic<std::uint64_t> bytes_total{0};
  std::atomic<bool> total_known{false};
  std::atomic<std::uint32_t> parts_done{0};
  std::atomic<std::uint32_t> parts_total{0};
  std::atomic<std::uint32_t> retries{0};
};

/// Shared by its starter, its tasks and its coordinator; the engine keeps it until it has ended. Thread-safe outside.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  Upload(Engine& engine, UploadRequest request);

  /// From a plain thread.
  Result<UploadSummary> wait();
  bool wait_for(std::chrono::nanoseconds duration);
  const UploadProgress& progress() const { return progress_; }
  /// From any thread.
  void cancel();

  // For the engine.
  std::uint64_t sequence() const { return sequence_; }
  void begin(Worker& worker);
  /// The engine is gone; whoever waits is told.
  void abandon();

 private:
  class Stoppable;

  // The steps, in the order in which they happen.
  Result<void> open();
  Result<void> open_file(const std::string& path);
  void put_whole(Worker& worker, int tries);
  Result<s3::PutResult> put_once(s3::Session& session, int tries);
  Result<s3::PutResult> put_settled(s3::Session& session, Part& part, std::uint64_t size, int tries);
  Result<UploadSummary> in_parts();
  Result<UploadSummary> from_stream();
  Result<UploadSummary> put_stream(std::shared_ptr<StreamReading> reading);
  Result<void> create(std::function<void()> meanwhile);
  void queue_part(s3::PartNumber number, std::function<Result<Part>()> prepare);
  void run_part(Worker& worker, s3::PartNumber number, const std::function<Result<Part>()>& prepare, int tries);
  Result<s3::UploadedPart> send_part(s3::Session& session, s3::PartNumber number,
                                     const std::function<Result<Part>()>& prepare);
  void part_ended();
  void wait_for_parts();
  Result<UploadSummary> commit();
  Result<s3::CompletedUpload> complete(const hash::Checksum& checksum);
  Result<s3::CompletedUpload> made_object(s3::Session& session, const hash::Checksum& checksum,
                                          std::span<const s3::UploadedPart> parts, std::uint64_t size) const;

  // What happens when it does not go that way.
  template <class R>
  Result<R> on_a_worker(std::function<Result<R>(s3::Session&)> request);
  Result<bool> abort();
  Error clean_up(Error error);
  Error unless_source_changed(Error error) const;
  void note_retry(const Error& error);
  void stop(Error error);
  void drop_queued();
  bool stopped() const;
  Error stop_error() const;

  void finish(Result<UploadSummary> result);
  std::string target() const;
  std::string name_of_part(s3::PartNumber number) const;
  std::uint64_t stream_part_bytes(s3::PartNumber number) const;

  Engine& engine_;
  const UploadRequest request_;
  const std::uint64_t sequence_;
  const std::chrono::steady_clock::time_point started_;
  UploadProgress progress_;

  // Written by begin() before anyone else looks at them.
  std::unique_ptr<Source> source_;
  PartPlan plan_;
  std::optional<int> stream_;                      // a descriptor, in place of source_
  std::shared_ptr<const file::File> stream_file_;  // its owner, if it is ours
  hash::Checksum whole_checksum_;                  // of a single PUT
  std::atomic<bool> coordinated_{false};           // a fiber of its own runs in_parts() or from_stream()

  std::string upload_id_;    // set before id_known_ opens
  fiber::Gate id_known_;     // or it was stopped
  fiber::Gate parts_ended_;  // all were queued and none is queued or running
  fiber::Semaphore spool_room_{4};

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  std::optional<Result<UploadSummary>> result_;
  std::optional<Error> stop_error_;
  std::vector<fiber::CancelScope::Token> interruptible_;
  std::vector<s3::UploadedPart> parts_;  // by number - 1
  std::uint32_t parts_open_ = 0;         // queued or running
  bool all_queued_ = false;
};

}  // namespace dray::transfer
