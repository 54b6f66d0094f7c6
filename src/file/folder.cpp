#include "file/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace dray::file {
namespace {

std::string quoted(const std::string& path) { return '"' + base::printable(path) + '"'; }

FileType type_of(unsigned char type) {
  switch (type) {
    case DT_REG:
      return FileType::regular;
    case DT_DIR:
      return FileType::directory;
    case DT_FIFO:
      return FileType::fifo;
    case DT_CHR:
      return FileType::character_device;
    case DT_BLK:
      return FileType::block_device;
    case DT_SOCK:
      return FileType::socket;
    default:
      return FileType::other;
  }
}

}  // namespace

Result<void> make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) return {};
  const int error = errno;
  struct stat status;
  if (error == EEXIST && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
  return os_error(error, "make folder " + quoted(path));
}

Result<std::vector<FolderEntry>> list_folder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) return os_error(errno, "open folder " + quoted(path));
  std::vector<FolderEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), type_of(entry->d_type)});
  }
  if (errno != 0) return os_error(errno, "read folder " + quoted(path));
  return entries;
}

Result<void> sync_folder(const std::string& path) {
  const File folder = File::owning(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return os_error(errno, "open folder " + quoted(path));
  if (fsync(folder.fd()) != 0) return os_error(errno, "fsync folder " + quoted(path));
  return {};
}

Result<void> rename_file(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) return os_error(errno, "rename to " + quoted(to));
  return {};
}

Result<void> remove_file(const std::string& path) {
  if (unlink(path.c_str()) != 0) return os_error(errno, "remove " + quoted(path));
  return {};
}

Result<void> remove_folder(const std::string& path) {
  if (rmdir(path.c_str()) != 0) return os_error(errno, "remove folder " + quoted(path));
  return {};
}

Result<File> lock_file(const std::string& path) {
  File file = File::owning(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) return os_error(errno, "open " + quoted(path));
  if (flock(file.fd(), LOCK_EX | LOCK_NB) == 0) return file;
  const int error = errno;
  if (error == EWOULDBLOCK)
    return make_error(ErrorKind::already_exists, quoted(path) + " is locked by another process");
  return os_error(error, "lock " + quoted(path));
}

Result<File> memory_file(const char* name) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) return os_error(errno, "make a file in memory");
  return File::owning(fd);
}

}  // namespace dray::file
