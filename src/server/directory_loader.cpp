#include "server/directory_loader.h"

#include <unordered_map>
#include <unordered_set>

#include "base/bytes.h"
#include "file/folder.h"
#include "hash/digest.h"

namespace dray::server {
namespace {

/// Larger than any record: 10,000 segments and 2 KiB of metadata, every byte encoded.
constexpr std::size_t kMaxRecordBytes = 4 << 20;

Result<std::string> read_text(const std::string& path) {
  const file::File file = DRAY_TRY(file::File::open(path));
  const file::FileStatus status = DRAY_TRY(file.status());
  if (status.identity.size > kMaxRecordBytes) return make_error(ErrorKind::protocol, "a record is too large");
  std::string text(status.identity.size, '\0');
  const std::size_t got = DRAY_TRY(file.read_at(0, {reinterpret_cast<std::byte*>(text.data()), text.size()}));
  text.resize(got);
  return text;
}

class Loader {
 public:
  Loader(const std::shared_ptr<const StoreFolders>& folders, const Log& log) : folders_(folders), log_(log) {}

  Result<StoreContent> load() {
    DRAY_TRY_VOID(empty_tmp());
    const std::vector<file::FolderEntry> data = DRAY_TRY(file::list_folder(folders_->data));
    for (const file::FolderEntry& entry : data) on_disk_.insert(entry.name);
    DRAY_TRY_VOID(load_buckets());
    DRAY_TRY_VOID(load_uploads());
    remove_unnamed();
    return std::move(content_);
  }

 private:
  Result<void> empty_tmp() {
    const std::vector<file::FolderEntry> entries = DRAY_TRY(file::list_folder(folders_->tmp));
    for (const file::FolderEntry& entry : entries) {
      const std::string path = folders_->tmp + "/" + entry.name;
      if (!file::remove_file(path)) remove_tree(path);
    }
    return {};
  }

  /// Reports a file that is left as it is. Segments that it may name must stay too.
  void skip(const std::string& path, const Error& error) {
    skipped_ = true;
    log_.warning("skipped \"" + base::printable(path) + "\": " + error.message);
  }

  /// The segment of a record; null if its bytes are not there.
  std::shared_ptr<const Segment> segment_of(const StoredSegment& stored) {
    if (!on_disk_.contains(stored.id)) return nullptr;
    auto& known = segments_[stored.id];
    if (!known) known = std::make_shared<FileSegment>(folders_, stored);
    return known;
  }

  Result<void> load_buckets() {
    const std::vector<file::FolderEntry> entries = DRAY_TRY(file::list_folder(folders_->root));
    for (const file::FolderEntry& entry : entries) {
      const std::string folder = folders_->root + "/" + entry.name;
      Result<std::string> text = read_text(folder + "/" + std::string(kBucketRecordName));
      if (!text && text.error().kind == ErrorKind::not_found) continue;  // something else that lies there
      Result<BucketRecord> record = text ? bucket_from_text(*text) : std::move(text).error();
      if (record && record->name != entry.name) record = make_error(ErrorKind::protocol, "the folder was renamed");
      if (!record) {
        skip(folder, record.error());
        continue;
      }
      StoreContent::Bucket& bucket = content_.buckets.emplace_back();
      bucket.record = *std::move(record);
      bucket_names_.insert(bucket.record.name);
      DRAY_TRY_VOID(load_objects(folder, bucket));
    }
    return {};
  }

  Result<void> load_objects(const std::string& folder, StoreContent::Bucket& bucket) {
    const std::vector<file::FolderEntry> entries = DRAY_TRY(file::list_folder(folder));
    for (const file::FolderEntry& entry : entries) {
      if (entry.name == kBucketRecordName) continue;
      const std::string path = folder + "/" + entry.name;
      Result<std::string> text = read_text(path);
      Result<StoredObject> stored = text ? object_from_text(*text) : std::move(text).error();
      if (!stored) {
        skip(path, stored.error());
        continue;
      }
      for (const StoredSegment& segment : stored->segments) {
        stored->record.segments.push_back(segment_of(segment));
        if (stored->record.segments.back() == nullptr) {
          stored = make_error(ErrorKind::not_found, "its bytes are missing");
          break;
        }
      }
      if (!stored) {
        skip(path, stored.error());
        continue;
      }
      if (!stored->record.upload_id.empty()) completed_.insert(stored->record.upload_id);
      bucket.objects.push_back(std::move(stored->record));
    }
    return {};
  }

  Result<void> load_uploads() {
    const std::vector<file::FolderEntry> entries = DRAY_TRY(file::list_folder(folders_->uploads));
    for (const file::FolderEntry& entry : entries) {
      const std::string folder = folders_->uploads + "/" + entry.name;
      Result<std::string> text = read_text(folder + "/" + std::string(kUploadRecordName));
      if (!text && text.error().kind == ErrorKind::not_found) {  // cut while it was made or removed
        remove_tree(folder);
        continue;
      }
      Result<UploadRecord> record = text ? upload_from_text(*text) : std::move(text).error();
      if (!record) {
        skip(folder, record.error());
        continue;
      }
      // Completed or orphaned, with the end of the server between two steps.
      if (completed_.contains(record->id) || !bucket_names_.contains(record->bucket)) {
        remove_tree(folder);
        continue;
      }
      StoreContent::Upload& upload = content_.uploads.emplace_back();
      upload.record = *std::move(record);
      DRAY_TRY_VOID(load_parts(folder, upload));
    }
    return {};
  }

  Result<void> load_parts(const std::string& folder, StoreContent::Upload& upload) {
    const std::vector<file::FolderEntry> entries = DRAY_TRY(file::list_folder(folder));
    for (const file::FolderEntry& entry : entries) {
      if (entry.name == kUploadRecordName) continue;
      const std::string path = folder + "/" + entry.name;
      Result<std::string> text = read_text(path);
      Result<StoredPart> stored = text ? part_from_text(*text) : std::move(text).error();
      if (stored) stored->record.segment = segment_of(stored->segment);
      if (stored && stored->record.segment == nullptr) {
        stored = make_error(ErrorKind::not_found, "its bytes are missing");
      }
      if (!stored) {
        skip(path, stored.error());
        continue;
      }
      upload.parts.push_back(std::move(stored->record));
    }
    return {};
  }

  void remove_unnamed() {
    if (skipped_) return;
    for (const std::string& name : on_disk_) {
      if (!segments_.contains(name)) (void)file::remove_file(folders_->data + "/" + name);
    }
  }

  const std::shared_ptr<const StoreFolders>& folders_;
  const Log& log_;
  StoreContent content_;
  std::unordered_set<std::string> on_disk_, bucket_names_, completed_;
  std::unordered_map<std::string, std::shared_ptr<const Segment>> segments_;
  bool skipped_ = false;
};

}  // namespace

std::string record_name_of(std::string_view key) { return base::to_hex(hash::sha256(as_bytes(key))); }

void remove_tree(const std::string& folder) {
  const Result<std::vector<file::FolderEntry>> entries = file::list_folder(folder);
  if (entries) {
    for (const file::FolderEntry& entry : *entries) {
      const std::string path = folder + "/" + entry.name;
      if (!file::remove_file(path)) remove_tree(path);
    }
  }
  (void)file::remove_folder(folder);
}

Result<StoreContent> load_directory(const std::shared_ptr<const StoreFolders>& folders, const Log& log) {
  return Loader(folders, log).load();
}

}  // namespace dray::server
