// Catalog: the buckets, objects and multipart uploads of the server, by name.
//
// All records live in memory, in sorted maps (about 0.5 KiB an object), so lookups and listings never touch a disk; the
// store below makes changes durable. A change is saved first and shown afterwards: nobody sees what a power cut could
// take back. For fibers of any loop; std::mutex inside, held for a few instructions or one page of a listing.
//
// A commit runs under a fiber::Shield without deadline: if it were left half way, what the disk holds and what the
// catalog says would differ.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/listing.h"
#include "server/name_locks.h"
#include "server/record.h"
#include "server/store.h"

namespace dray::server {

/// What must hold for an object to be replaced.
struct WriteCondition {
  bool must_be_new = false;  ///< If-None-Match: *
  std::string must_match;    ///< If-Match: this ETag (without quotes); empty = any
};

/// A multipart upload and its parts, as they were when asked for.
struct UploadView {
  std::shared_ptr<const UploadRecord> record;
  std::map<int, std::shared_ptr<const PartRecord>> parts;
};

class Catalog {
 public:
  explicit Catalog(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  /// Takes over what the store holds. Once, on a plain thread, before all else.
  Result<void> load();
  Store& store() { return *store_; }

  // Errors carry S3's codes (NoSuchBucket, NoSuchKey, NoSuchUpload, ...), or are the store's (no_space, io).

  std::vector<BucketRecord> buckets() const;  ///< by name
  Result<BucketRecord> bucket(std::string_view name) const;
  Result<void> create_bucket(const std::string& name);
  /// BucketNotEmpty while it holds objects. Its unfinished uploads go with it.
  Result<void> remove_bucket(const std::string& name);

  Result<std::shared_ptr<const ObjectRecord>> object(std::string_view bucket, std::string_view key) const;
  Result<void> put_object(const std::string& bucket, ObjectRecord object, const WriteCondition& condition);
  /// Success if there is no such key.
  Result<void> remove_object(const std::string& bucket, const std::string& key);
  Result<ListPage> list(std::string_view bucket, const ListQuery& query) const;

  Result<void> create_upload(UploadRecord upload);
  /// NoSuchUpload also if it is of another key.
  Result<std::shared_ptr<const UploadRecord>> upload_record(std::string_view bucket, std::string_view key,
                                                            std::string_view id) const;
  Result<UploadView> upload(std::string_view bucket, std::string_view key, std::string_view id) const;
  /// All of a bucket, by key, then by time of their start.
  Result<std::vector<std::shared_ptr<const UploadRecord>>> uploads(std::string_view bucket) const;
  Result<void> put_part(const std::string& upload_id, PartRecord part);
  /// Makes `object` out of the upload, which is then gone; so are those of its parts that `object` does not use.
  Result<void> complete_upload(const std::string& upload_id, ObjectRecord object, const WriteCondition& condition);
  Result<void> abort_upload(const std::string& upload_id);

 private:
  struct Bucket {
    BucketRecord record;
    ObjectMap objects;
    std::size_t commits = 0;  // puts between their check and their appearance: the bucket must not go meanwhile
    bool going = false;
  };
  struct Upload {
    std::shared_ptr<const UploadRecord> record;
    std::map<int, std::shared_ptr<const PartRecord>> parts;
    bool ending = false;  // being completed or aborted: takes no more parts
  };
  using BucketMap = std::map<std::string, Bucket, std::less<>>;
  using UploadMap = std::map<std::string, Upload, std::less<>>;

  Result<const Upload*> find_upload(std::string_view bucket, std::string_view key, std::string_view id) const;
  Result<void> begin_commit(const std::string& bucket, const std::string& key, const WriteCondition& condition);
  void end_commit(const std::string& bucket, std::shared_ptr<const ObjectRecord> object);
  Result<std::shared_ptr<const UploadRecord>> begin_ending(const std::string& upload_id, const ObjectRecord* made);
  void end_upload(const std::string& upload_id, const ObjectRecord* made);

  std::unique_ptr<Store> store_;
  NameLocks locks_;
  mutable std::shared_mutex mutex_;  // guards what follows; never held across a wait
  BucketMap buckets_;
  UploadMap uploads_;
};

}  // namespace dray::server
