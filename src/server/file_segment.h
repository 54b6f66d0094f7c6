// FileSegment: a segment that is a file of a directory store.
//
// It begins under .dray/tmp and moves to .dray/data when a record that names it is about to be written. Unless that
// record was saved, the file goes with the last holder of the segment.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "fiber/offload.h"
#include "file/file.h"
#include "server/record_text.h"
#include "server/segment.h"

namespace dray::server {

/// The folders of a directory store, and who works on them. Shared by all its segments and jobs.
struct StoreFolders {
  std::string root;     ///< buckets
  std::string tmp;      ///< what is being written; emptied at start
  std::string data;     ///< segments
  std::string uploads;  ///< a folder for each multipart upload
  fiber::Offload& offload;
};

class FileSegment final : public Segment, public std::enable_shared_from_this<FileSegment> {
 public:
  /// Makes an empty one, for writing. Blocks.
  static Result<std::shared_ptr<FileSegment>> create(std::shared_ptr<const StoreFolders> folders, std::string id);
  /// One that a saved record names. Does not look at the disk.
  FileSegment(std::shared_ptr<const StoreFolders> folders, StoredSegment stored);
  /// Removes the file, on the offload pool, if no saved record needs it.
  ~FileSegment() override;

  std::uint64_t size() const override { return stored_.size; }
  Result<void> send(net::Stream& stream, std::uint64_t offset, std::uint64_t length, Deadline deadline) const override;
  void abandon() const override { needed_ = false; }

  const StoredSegment& stored() const { return stored_; }
  /// Adds to the end. Blocks; one call at a time, before move_into_place().
  Result<void> write(Bytes data);
  /// Makes content and name durable under .dray/data; once is enough. Blocks.
  Result<void> move_into_place() const;
  /// A record that names it was saved.
  void keep() const { needed_ = true; }

 private:
  enum class Place { tmp, data };
  std::string path() const;
  Result<file::File> open(Deadline deadline) const;

  std::shared_ptr<const StoreFolders> folders_;
  StoredSegment stored_;
  mutable file::File file_;  // while it is in tmp
  mutable std::atomic<Place> place_;
  mutable std::atomic<bool> needed_;
};

}  // namespace dray::server
