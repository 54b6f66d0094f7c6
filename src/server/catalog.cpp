#include "server/catalog.h"

#include <mutex>

#include "fiber/loop.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::string_view kBucketScope = "bucket";

void abandon(const ObjectRecord& object) {
  for (const auto& segment : object.segments) segment->abandon();
}

WallTime now_in_seconds() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

}  // namespace

Result<void> Catalog::load() {
  StoreContent content = DRAY_TRY(store_->load());
  for (StoreContent::Bucket& stored : content.buckets) {
    Bucket& bucket = buckets_[stored.record.name];
    bucket.record = std::move(stored.record);
    for (ObjectRecord& object : stored.objects) {
      std::string key = object.key;
      bucket.objects.emplace(std::move(key), std::make_shared<const ObjectRecord>(std::move(object)));
    }
  }
  for (StoreContent::Upload& stored : content.uploads) {
    Upload& upload = uploads_[stored.record.id];
    upload.record = std::make_shared<const UploadRecord>(std::move(stored.record));
    for (PartRecord& part : stored.parts) {
      const int number = part.number;
      upload.parts.emplace(number, std::make_shared<const PartRecord>(std::move(part)));
    }
  }
  return {};
}

std::vector<BucketRecord> Catalog::buckets() const {
  std::shared_lock lock(mutex_);
  std::vector<BucketRecord> all;
  for (const auto& [name, bucket] : buckets_) all.push_back(bucket.record);
  return all;
}

Result<BucketRecord> Catalog::bucket(std::string_view name) const {
  std::shared_lock lock(mutex_);
  const auto found = buckets_.find(name);
  if (found == buckets_.end()) return no_such_bucket();
  return found->second.record;
}

Result<void> Catalog::create_bucket(const std::string& name) {
  const fiber::Units held = DRAY_TRY(locks_.lock(kBucketScope, name));
  {
    std::shared_lock lock(mutex_);
    if (buckets_.contains(name)) {
      return refuse("BucketAlreadyOwnedByYou",
                    "Your previous request to create the named bucket succeeded and you already own it.");
    }
  }
  const fiber::Shield shield;
  Bucket bucket{.record = {.name = name, .created = now_in_seconds()}, .objects = {}};
  DRAY_TRY_VOID(store_->save_bucket(bucket.record));
  std::unique_lock lock(mutex_);
  buckets_.emplace(name, std::move(bucket));
  return {};
}

Result<void> Catalog::remove_bucket(const std::string& name) {
  const fiber::Units held = DRAY_TRY(locks_.lock(kBucketScope, name));
  const fiber::Shield shield;
  std::vector<std::string> unfinished;
  {
    std::unique_lock lock(mutex_);
    const auto found = buckets_.find(name);
    if (found == buckets_.end()) return no_such_bucket();
    if (!found->second.objects.empty() || found->second.commits > 0) {
      return refuse("BucketNotEmpty", "The bucket you tried to delete is not empty");
    }
    found->second.going = true;
    for (const auto& [id, upload] : uploads_) {
      if (upload.record->bucket == name) unfinished.push_back(id);
    }
  }
  for (const std::string& id : unfinished) (void)abort_upload(id);  // one that has ended meanwhile is as good
  Result<void> erased = store_->erase_bucket(name);
  std::unique_lock lock(mutex_);
  if (erased) {
    buckets_.erase(name);
  } else {
    buckets_.find(name)->second.going = false;
  }
  return erased;
}

Result<std::shared_ptr<const ObjectRecord>> Catalog::object(std::string_view bucket, std::string_view key) const {
  {
    std::shared_lock lock(mutex_);
    const auto found = buckets_.find(bucket);
    if (found == buckets_.end()) return no_such_bucket();
    const auto object = found->second.objects.find(key);
    if (object != found->second.objects.end()) return object->second;
  }
  if (std::shared_ptr<const ObjectRecord> generated = store_->generated(key)) return generated;
  return no_such_key();
}

Result<void> Catalog::begin_commit(const std::string& bucket, const std::string& key, const WriteCondition& condition) {
  std::unique_lock lock(mutex_);
  const auto found = buckets_.find(bucket);
  if (found == buckets_.end() || found->second.going) return no_such_bucket();
  const auto object = found->second.objects.find(key);
  const bool exists = object != found->second.objects.end();
  if (condition.must_be_new && exists) return precondition_failed();
  if (!condition.must_match.empty()) {
    if (!exists) return no_such_key();
    if (object->second->etag != condition.must_match) return precondition_failed();
  }
  ++found->second.commits;
  return {};
}

/// `object` null = the commit failed.
void Catalog::end_commit(const std::string& name, std::shared_ptr<const ObjectRecord> object) {
  std::shared_ptr<const ObjectRecord> replaced;
  {
    std::unique_lock lock(mutex_);
    Bucket& bucket = buckets_.find(name)->second;
    --bucket.commits;
    if (object == nullptr) return;
    auto& place = bucket.objects[object->key];
    replaced = std::exchange(place, std::move(object));
  }
  if (replaced) abandon(*replaced);  // its memory or files go outside the lock
}

Result<void> Catalog::put_object(const std::string& bucket, ObjectRecord object, const WriteCondition& condition) {
  const fiber::Units held = DRAY_TRY(locks_.lock(bucket, object.key));
  const fiber::Shield shield;
  DRAY_TRY_VOID(begin_commit(bucket, object.key, condition));
  object.modified = now_in_seconds();
  Result<void> saved = store_->save_object(bucket, object);
  end_commit(bucket, saved ? std::make_shared<const ObjectRecord>(std::move(object)) : nullptr);
  return saved;
}

Result<void> Catalog::remove_object(const std::string& bucket, const std::string& key) {
  const fiber::Units held = DRAY_TRY(locks_.lock(bucket, key));
  const fiber::Shield shield;
  {
    std::shared_lock lock(mutex_);
    const auto found = buckets_.find(bucket);
    if (found == buckets_.end()) return no_such_bucket();
    if (!found->second.objects.contains(key)) return {};
  }
  DRAY_TRY_VOID(store_->erase_object(bucket, key));
  std::shared_ptr<const ObjectRecord> removed;
  {
    std::unique_lock lock(mutex_);
    ObjectMap& objects = buckets_.find(bucket)->second.objects;
    const auto object = objects.find(key);
    removed = std::move(object->second);
    objects.erase(object);
  }
  abandon(*removed);
  return {};
}

Result<ListPage> Catalog::list(std::string_view bucket, const ListQuery& query) const {
  std::shared_lock lock(mutex_);
  const auto found = buckets_.find(bucket);
  if (found == buckets_.end()) return no_such_bucket();
  return list_page(found->second.objects, query);
}

}  // namespace dray::server
