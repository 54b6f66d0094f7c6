// The multipart uploads of a Catalog.
#include <algorithm>
#include <mutex>

#include "fiber/loop.h"
#include "server/catalog.h"
#include "server/refusal.h"

namespace dray::server {

Result<void> Catalog::create_upload(UploadRecord upload) {
  DRAY_TRY(bucket(upload.bucket));
  const fiber::Shield shield;
  DRAY_TRY_VOID(store_->save_upload(upload));
  {
    std::unique_lock lock(mutex_);
    const auto found = buckets_.find(upload.bucket);
    if (found != buckets_.end() && !found->second.going) {
      Upload& entry = uploads_[upload.id];
      entry.record = std::make_shared<const UploadRecord>(std::move(upload));
      return {};
    }
  }
  (void)store_->erase_upload(upload);  // if it stays, load() drops it for want of its bucket
  return no_such_bucket();
}

/// Under the lock; the pointer is good as long as it is held.
Result<const Catalog::Upload*> Catalog::find_upload(std::string_view bucket, std::string_view key,
                                                    std::string_view id) const {
  if (buckets_.find(bucket) == buckets_.end()) return no_such_bucket();
  const auto found = uploads_.find(id);
  if (found == uploads_.end() || found->second.record->bucket != bucket || found->second.record->key != key) {
    return no_such_upload();
  }
  return &found->second;
}

Result<std::shared_ptr<const UploadRecord>> Catalog::upload_record(std::string_view bucket, std::string_view key,
                                                                   std::string_view id) const {
  std::shared_lock lock(mutex_);
  const Upload* found = DRAY_TRY(find_upload(bucket, key, id));
  return found->record;
}

Result<UploadView> Catalog::upload(std::string_view bucket, std::string_view key, std::string_view id) const {
  std::shared_lock lock(mutex_);
  const Upload* found = DRAY_TRY(find_upload(bucket, key, id));
  return UploadView{found->record, found->parts};
}

Result<std::vector<std::shared_ptr<const UploadRecord>>> Catalog::uploads(std::string_view bucket) const {
  std::vector<std::shared_ptr<const UploadRecord>> all;
  {
    std::shared_lock lock(mutex_);
    if (buckets_.find(bucket) == buckets_.end()) return no_such_bucket();
    for (const auto& [id, upload] : uploads_) {
      if (upload.record->bucket == bucket) all.push_back(upload.record);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a->key, a->initiated, a->id) < std::tie(b->key, b->initiated, b->id);
  });
  return all;
}

Result<void> Catalog::put_part(const std::string& upload_id, PartRecord part) {
  const fiber::Units held = DRAY_TRY(locks_.lock(upload_id, std::to_string(part.number)));
  const fiber::Shield shield;
  std::shared_ptr<const UploadRecord> record;
  {
    std::shared_lock lock(mutex_);
    const auto found = uploads_.find(upload_id);
    if (found == uploads_.end() || found->second.ending) return no_such_upload();
    record = found->second.record;
  }
  part.modified = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  DRAY_TRY_VOID(store_->save_part(*record, part));
  std::shared_ptr<const PartRecord> replaced;
  {
    std::unique_lock lock(mutex_);
    const auto found = uploads_.find(upload_id);
    if (found == uploads_.end() || found->second.ending) {  // ended while the part was being saved
      part.segment->abandon();
      return no_such_upload();
    }
    const int number = part.number;
    replaced = std::exchange(found->second.parts[number], std::make_shared<const PartRecord>(std::move(part)));
  }
  if (replaced) replaced->segment->abandon();
  return {};
}

/// From here on no part is added or replaced. `made`, if given, must consist of parts that still stand.
Result<std::shared_ptr<const UploadRecord>> Catalog::begin_ending(const std::string& upload_id,
                                                                  const ObjectRecord* made) {
  std::unique_lock lock(mutex_);
  const auto found = uploads_.find(upload_id);
  if (found == uploads_.end() || found->second.ending) return no_such_upload();
  if (made != nullptr) {
    std::vector<const Segment*> standing;
    for (const auto& [number, part] : found->second.parts) standing.push_back(part->segment.get());
    std::sort(standing.begin(), standing.end());
    for (const auto& segment : made->segments) {
      if (!std::binary_search(standing.begin(), standing.end(), segment.get())) {
        return refuse("InvalidPart", "A part was replaced while the upload was being completed.");
      }
    }
  }
  found->second.ending = true;
  return found->second.record;
}

/// Forgets the upload; the segments that `made` does not hold are abandoned.
void Catalog::end_upload(const std::string& upload_id, const ObjectRecord* made) {
  std::map<int, std::shared_ptr<const PartRecord>> parts;
  {
    std::unique_lock lock(mutex_);
    const auto found = uploads_.find(upload_id);
    parts = std::move(found->second.parts);
    uploads_.erase(found);
  }
  std::vector<const Segment*> used;
  if (made != nullptr) {
    for (const auto& segment : made->segments) used.push_back(segment.get());
    std::sort(used.begin(), used.end());
  }
  for (const auto& [number, part] : parts) {
    if (!std::binary_search(used.begin(), used.end(), part->segment.get())) part->segment->abandon();
  }
}

Result<void> Catalog::complete_upload(const std::string& upload_id, ObjectRecord object,
                                      const WriteCondition& condition) {
  const fiber::Shield shield;
  const std::shared_ptr<const UploadRecord> record = DRAY_TRY(begin_ending(upload_id, &object));
  const ObjectRecord kept = object;
  Result<void> done = put_object(record->bucket, std::move(object), condition);
  if (!done) {
    std::unique_lock lock(mutex_);
    const auto found = uploads_.find(upload_id);
    if (found != uploads_.end()) found->second.ending = false;
    return done;
  }
  end_upload(upload_id, &kept);
  // The object stands: a record that could not be erased is found superfluous when the store is loaded.
  (void)store_->erase_upload(*record);
  return {};
}

Result<void> Catalog::abort_upload(const std::string& upload_id) {
  const fiber::Shield shield;
  const std::shared_ptr<const UploadRecord> record = DRAY_TRY(begin_ending(upload_id, nullptr));
  Result<void> erased = store_->erase_upload(*record);
  if (!erased) {
    std::unique_lock lock(mutex_);
    uploads_.find(upload_id)->second.ending = false;
    return erased;
  }
  end_upload(upload_id, nullptr);
  return {};
}

}  // namespace dray::server
