#include "server/file_segment.h"

#include <algorithm>
#include <vector>

#include "file/folder.h"
#include "server/file_sender.h"

namespace dray::server {
namespace {

/// What sendfile is given at a time: this much is made resident first.
constexpr std::uint64_t kSliceBytes = 1 << 20;
constexpr std::size_t kReadBytes = 256 * 1024;

/// Reads a stretch, to have it in the page cache. Blocks.
Result<void> touch(const file::File& file, std::uint64_t offset, std::uint64_t length) {
  std::vector<std::byte> scrap(kReadBytes);
  for (const std::uint64_t end = offset + length; offset < end;) {
    const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(end - offset, scrap.size()));
    const std::size_t got = DRAY_TRY(file.read_at(offset, MutableBytes(scrap).first(want)));
    if (got == 0) break;  // the sender will find it short
    offset += got;
  }
  return {};
}

bool is_resident(const file::File& file, std::uint64_t offset, std::uint64_t length) {
  std::byte byte;
  return file.read_cached(offset, {&byte, 1}) == 1 && file.read_cached(offset + length - 1, {&byte, 1}) == 1;
}

}  // namespace

Result<std::shared_ptr<FileSegment>> FileSegment::create(std::shared_ptr<const StoreFolders> folders, std::string id) {
  auto segment = std::make_shared<FileSegment>(std::move(folders), StoredSegment{.id = std::move(id)});
  segment->place_ = Place::tmp;
  segment->needed_ = false;
  segment->file_ = DRAY_TRY(file::File::create(segment->path()));
  return segment;
}

FileSegment::FileSegment(std::shared_ptr<const StoreFolders> folders, StoredSegment stored)
    : folders_(std::move(folders)), stored_(std::move(stored)), place_(Place::data), needed_(true) {}

FileSegment::~FileSegment() {
  if (needed_) return;
  // If the pool takes no more work, the file stays until the next start, which removes what no record names.
  (void)folders_->offload.submit([path = path(), folders = folders_] { (void)file::remove_file(path); });
}

std::string FileSegment::path() const {
  return (place_ == Place::tmp ? folders_->tmp : folders_->data) + "/" + stored_.id;
}

Result<void> FileSegment::write(Bytes data) {
  DRAY_TRY_VOID(file_.write_at(stored_.size, data));
  stored_.size += data.size();
  return {};
}

Result<void> FileSegment::move_into_place() const {
  if (place_ == Place::data) return {};
  DRAY_TRY_VOID(file_.sync_data());
  DRAY_TRY_VOID(file_.close());
  DRAY_TRY_VOID(file::rename_file(folders_->tmp + "/" + stored_.id, folders_->data + "/" + stored_.id));
  place_ = Place::data;
  return file::sync_folder(folders_->data);
}

Result<file::File> FileSegment::open(Deadline deadline) const {
  Result<file::File> file = file::File::open(path(), file::Access::cached, file::Lookup::cached_only);
  if (file || file.error().kind != ErrorKind::exhausted) return file;
  return folders_->offload.run([path = path()] { return file::File::open(path); }, deadline);
}

Result<void> FileSegment::send(net::Stream& stream, std::uint64_t offset, std::uint64_t length,
                               Deadline deadline) const {
  file::File opened = DRAY_TRY(open(deadline));
  const auto file = std::make_shared<const file::File>(std::move(opened));
  while (length > 0) {
    const std::uint64_t take = std::min(length, kSliceBytes);
    if (!is_resident(*file, offset, take)) {
      file->will_need(offset, std::min(length, 4 * kSliceBytes));
      DRAY_TRY_VOID(folders_->offload.run([file, offset, take] { return touch(*file, offset, take); }, deadline));
    }
    DRAY_TRY_VOID(send_from_file(stream, *file, offset, take, deadline));
    offset += take;
    length -= take;
  }
  return {};
}

}  // namespace dray::server
