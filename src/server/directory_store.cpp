#include "server/directory_store.h"

#include <fmt/format.h>

#include <random>

#include "file/folder.h"
#include "server/directory_loader.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

/// Writes a whole small file under `tmp`, makes it durable and gives it its name in `folder`. Blocks.
Result<void> write_record(const StoreFolders& folders, const std::string& id, const std::string& text,
                          const std::string& folder, const std::string& name) {
  const std::string draft = folders.tmp + "/" + id;
  file::File file = DRAY_TRY(file::File::create(draft));
  Result<void> done = file.write_at(0, as_bytes(text));
  if (done) done = file.sync_data();
  if (done) done = file.close();
  if (done) done = file::rename_file(draft, folder + "/" + name);
  if (!done) (void)file::remove_file(draft);
  return done;
}

using FileSegments = std::vector<std::shared_ptr<const FileSegment>>;

FileSegments file_segments_of(const ObjectRecord& object) {
  FileSegments segments;
  for (const auto& segment : object.segments) {
    segments.push_back(std::static_pointer_cast<const FileSegment>(segment));  // made by this store, as all it is given
  }
  return segments;
}

/// Saves a record that names segments: bytes first, then the record, then its name. Blocks.
Result<void> commit(const StoreFolders& folders, const FileSegments& segments, const std::string& id,
                    const std::string& text, const std::string& folder, const std::string& name) {
  for (const auto& segment : segments) DRAY_TRY_VOID(segment->move_into_place());
  DRAY_TRY_VOID(write_record(folders, id, text, folder, name));
  // From the rename on the record may be what a restart finds, so the bytes stay even if the sync fails.
  for (const auto& segment : segments) segment->keep();
  return file::sync_folder(folder);
}

class FileDraft final : public Draft {
 public:
  FileDraft(std::shared_ptr<FileSegment> segment, fiber::Offload& offload)
      : segment_(std::move(segment)), offload_(offload) {}

  Result<void> append(Piece piece, Deadline deadline) override {
    auto owned = std::make_shared<Piece>(std::move(piece));
    return offload_.run([segment = segment_, owned] { return segment->write(owned->bytes()); }, deadline);
  }
  Result<std::shared_ptr<const Segment>> finish(Deadline) override {
    return std::shared_ptr<const Segment>(std::move(segment_));
  }

 private:
  std::shared_ptr<FileSegment> segment_;
  fiber::Offload& offload_;
};

}  // namespace

DirectoryStore::DirectoryStore(std::shared_ptr<const StoreFolders> folders, file::File lock, Log log)
    : folders_(std::move(folders)), lock_(std::move(lock)), log_(std::move(log)) {
  std::random_device random;
  id_prefix_ = fmt::format("{:08x}{:08x}", random(), random());
}

Result<std::unique_ptr<DirectoryStore>> DirectoryStore::open(const std::string& directory, fiber::Offload& offload,
                                                             Log log) {
  if (directory.empty()) return make_error(ErrorKind::invalid_argument, "no directory to serve");
  const std::string own = directory + "/.dray";
  auto folders = std::make_shared<const StoreFolders>(StoreFolders{
      .root = directory, .tmp = own + "/tmp", .data = own + "/data", .uploads = own + "/uploads", .offload = offload});
  for (const std::string& folder : {directory, own, folders->tmp, folders->data, folders->uploads}) {
    DRAY_TRY_VOID(file::make_folder(folder));
  }
  Result<file::File> lock = file::lock_file(own + "/lock");
  if (!lock && lock.error().kind == ErrorKind::already_exists) {
    return make_error(ErrorKind::already_exists, "\"" + base::printable(directory) + "\" is served by another process")
        .advise("stop it, or serve another directory");
  }
  if (!lock) return std::move(lock).error();
  return std::unique_ptr<DirectoryStore>(new DirectoryStore(std::move(folders), *std::move(lock), std::move(log)));
}

Result<StoreContent> DirectoryStore::load() { return load_directory(folders_, log_); }

std::string DirectoryStore::new_id() {
  return fmt::format("{}{:016x}", id_prefix_, ids_.fetch_add(1, std::memory_order_relaxed));
}

/// Runs a job and waits for it however long it takes: see catalog.h on commits.
template <class Job>
Result<void> DirectoryStore::on_disk(Job job) {
  Result<void> done = folders_->offload.run(std::move(job), Deadline::never());
  if (!done) log_.warning(done.error().message);
  return done;
}

Result<std::unique_ptr<Draft>> DirectoryStore::begin_body(std::uint64_t) {
  std::shared_ptr<FileSegment> segment = DRAY_TRY(folders_->offload.run(
      [folders = folders_, id = new_id()] { return FileSegment::create(folders, id); }, Deadline::never()));
  return std::unique_ptr<Draft>(std::make_unique<FileDraft>(std::move(segment), folders_->offload));
}

Result<void> DirectoryStore::save_bucket(const BucketRecord& bucket) {
  return on_disk([folders = folders_, bucket, id = new_id(), record_id = new_id()]() -> Result<void> {
    const std::string draft = folders->tmp + "/" + id;
    DRAY_TRY_VOID(file::make_folder(draft));
    DRAY_TRY_VOID(write_record(*folders, record_id, to_text(bucket), draft, std::string(kBucketRecordName)));
    DRAY_TRY_VOID(file::sync_folder(draft));
    DRAY_TRY_VOID(file::rename_file(draft, folders->root + "/" + bucket.name));
    return file::sync_folder(folders->root);
  });
}

Result<void> DirectoryStore::erase_bucket(const std::string& name) {
  return on_disk([folders = folders_, folder = folders_->root + "/" + name]() -> Result<void> {
    // What the catalog does not know (a damaged record, a file that somebody put there) is not ours to remove.
    const std::vector<file::FolderEntry> entries = DRAY_TRY(file::list_folder(folder));
    if (entries.size() != 1) return refuse("BucketNotEmpty", "The bucket's folder holds files that are no objects.");
    DRAY_TRY_VOID(file::remove_file(folder + "/" + std::string(kBucketRecordName)));
    DRAY_TRY_VOID(file::sync_folder(folder));
    (void)file::remove_folder(folder);  // without its record it is no bucket
    return file::sync_folder(folders->root);
  });
}

Result<void> DirectoryStore::save_object(const std::string& bucket, const ObjectRecord& object) {
  FileSegments segments = file_segments_of(object);
  std::vector<StoredSegment> stored;
  for (const auto& segment : segments) stored.push_back(segment->stored());
  return on_disk([folders = folders_, segments = std::move(segments), text = to_text(object, stored), id = new_id(),
                  folder = folders_->root + "/" + bucket,
                  name = record_name_of(object.key)] { return commit(*folders, segments, id, text, folder, name); });
}

Result<void> DirectoryStore::erase_object(const std::string& bucket, const std::string& key) {
  return on_disk([folder = folders_->root + "/" + bucket, name = record_name_of(key)]() -> Result<void> {
    DRAY_TRY_VOID(file::remove_file(folder + "/" + name));
    return file::sync_folder(folder);
  });
}

Result<void> DirectoryStore::save_upload(const UploadRecord& upload) {
  return on_disk([folders = folders_, text = to_text(upload), id = new_id(),
                  folder = folders_->uploads + "/" + upload.id]() -> Result<void> {
    DRAY_TRY_VOID(file::make_folder(folder));
    Result<void> written = write_record(*folders, id, text, folder, std::string(kUploadRecordName));
    if (!written) {
      (void)file::remove_folder(folder);
      return written;
    }
    DRAY_TRY_VOID(file::sync_folder(folder));
    return file::sync_folder(folders->uploads);
  });
}

Result<void> DirectoryStore::save_part(const UploadRecord& upload, const PartRecord& part) {
  const auto segment = std::static_pointer_cast<const FileSegment>(part.segment);
  return on_disk([folders = folders_, segment, text = to_text(part, segment->stored()), id = new_id(),
                  folder = folders_->uploads + "/" + upload.id,
                  name = std::to_string(part.number)] { return commit(*folders, {segment}, id, text, folder, name); });
}

Result<void> DirectoryStore::erase_upload(const UploadRecord& upload) {
  return on_disk([folders = folders_, folder = folders_->uploads + "/" + upload.id]() -> Result<void> {
    // Without this record the rest is no upload any more.
    Result<void> removed = file::remove_file(folder + "/" + std::string(kUploadRecordName));
    if (!removed && removed.error().kind != ErrorKind::not_found) return removed;
    DRAY_TRY_VOID(file::sync_folder(folder));
    remove_tree(folder);
    return {};
  });
}

}  // namespace dray::server
