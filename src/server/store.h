// Store: where the bytes and the records of the server live: in memory, in a directory, or nowhere.
//
// The Catalog keeps all records in memory and answers every question from there; a Store makes them last. Calls come
// from fibers of any loop; the Catalog sees to it that calls for one name (object, part, upload) come one at a time.
// When a save or erase returns success the change is durable; when it fails, the old state still stands.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dray/result.h"
#include "server/record.h"

namespace dray::server {

/// Everything that a store held when the server started.
struct StoreContent {
  struct Upload {
    UploadRecord record;
    std::vector<PartRecord> parts;
  };
  struct Bucket {
    BucketRecord record;
    std::vector<ObjectRecord> objects;
  };
  std::vector<Bucket> buckets;
  std::vector<Upload> uploads;
};

class Store {
 public:
  virtual ~Store() = default;

  /// Once, before all else; on a plain thread.
  virtual Result<StoreContent> load() { return StoreContent{}; }

  /// `expected` is the size if it is known, else 0.
  virtual Result<std::unique_ptr<Draft>> begin_body(std::uint64_t expected) = 0;
  /// Whether bodies need not be read: then stand_in() makes segments, and neither ETags nor checksums are real.
  virtual bool discards() const { return false; }
  virtual std::shared_ptr<const Segment> stand_in(std::uint64_t) { return nullptr; }
  /// An object that exists without having been put.
  virtual std::shared_ptr<const ObjectRecord> generated(std::string_view) { return nullptr; }

  virtual Result<void> save_bucket(const BucketRecord&) { return {}; }
  virtual Result<void> erase_bucket(const std::string&) { return {}; }
  virtual Result<void> save_object(const std::string& /*bucket*/, const ObjectRecord&) { return {}; }
  virtual Result<void> erase_object(const std::string& /*bucket*/, const std::string& /*key*/) { return {}; }
  virtual Result<void> save_upload(const UploadRecord&) { return {}; }
  virtual Result<void> save_part(const UploadRecord&, const PartRecord&) { return {}; }
  virtual Result<void> erase_upload(const UploadRecord&) { return {}; }
};

}  // namespace dray::server
