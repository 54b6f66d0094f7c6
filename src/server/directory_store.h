// The store that keeps everything in a directory, durably.
//
//   DIR/BUCKET/.bucket               the bucket's record
//   DIR/BUCKET/SHA256-OF-KEY         an object's record: key, headers, checksum, and the names of its segments
//   DIR/.dray/data/ID                the bytes of objects and parts; never changed
//   DIR/.dray/uploads/UPLOAD/upload  a multipart upload's record
//   DIR/.dray/uploads/UPLOAD/N       the record of its part N
//   DIR/.dray/tmp/                   what is being written; emptied at start
//   DIR/.dray/lock                   held while a server uses the directory
//
// Every commit is one rename of a small record whose bytes are already durable, so a kill or a power cut leaves the old
// state or the new one. Keys never become file names, so none can point out of DIR. Completing a multipart upload
// writes one record; no bytes move.
//
// All disk work runs on the offload pool. At start all records are read (they are the catalog's memory from then on),
// and segments that no record names are removed, unless a record could not be read.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/log.h"
#include "fiber/offload.h"
#include "file/file.h"
#include "server/file_segment.h"
#include "server/store.h"

namespace dray::server {

class DirectoryStore final : public Store {
 public:
  /// Makes the folders and takes the lock. On a plain thread. ErrorKind::already_exists if another server has it.
  static Result<std::unique_ptr<DirectoryStore>> open(const std::string& directory, fiber::Offload& offload, Log log);

  Result<StoreContent> load() override;
  Result<std::unique_ptr<Draft>> begin_body(std::uint64_t expected) override;
  Result<void> save_bucket(const BucketRecord& bucket) override;
  Result<void> erase_bucket(const std::string& name) override;
  Result<void> save_object(const std::string& bucket, const ObjectRecord& object) override;
  Result<void> erase_object(const std::string& bucket, const std::string& key) override;
  Result<void> save_upload(const UploadRecord& upload) override;
  Result<void> save_part(const UploadRecord& upload, const PartRecord& part) override;
  Result<void> erase_upload(const UploadRecord& upload) override;

 private:
  DirectoryStore(std::shared_ptr<const StoreFolders> folders, file::File lock, Log log);
  std::string new_id();
  template <class Job>
  Result<void> on_disk(Job job);

  std::shared_ptr<const StoreFolders> folders_;
  file::File lock_;
  Log log_;
  std::string id_prefix_;
  std::atomic<std::uint64_t> ids_{0};
};

}  // namespace dray::server
