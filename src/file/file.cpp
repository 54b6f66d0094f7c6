#include "file/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace dray::file {
namespace {

FileType type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileType::regular;
  if (S_ISDIR(mode)) return FileType::directory;
  if (S_ISFIFO(mode)) return FileType::fifo;
  if (S_ISCHR(mode)) return FileType::character_device;
  if (S_ISBLK(mode)) return FileType::block_device;
  if (S_ISSOCK(mode)) return FileType::socket;
  return FileType::other;
}

FileStatus status_from(const struct stat& s) {
  FileStatus status;
  status.identity = {.device = s.st_dev,
                     .inode = s.st_ino,
                     .size = static_cast<std::uint64_t>(s.st_size),
                     .mtime_ns = std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec};
  status.type = type_of(s.st_mode);
  status.mode = s.st_mode & 07777;
  status.block_size = static_cast<std::uint32_t>(s.st_blksize);
  return status;
}

int open_retrying(const char* path, int flags, mode_t mode = 0) {
  int fd;
  do {
    fd = ::open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

/// Opens only if no disk has to be touched. Fails with EAGAIN otherwise, or with what an old kernel says.
int open_cached(const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_CACHED;
  return static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

std::string quoted(const std::string& path) { return '"' + base::printable(path) + '"'; }

}  // namespace

File::~File() { reset(); }

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

File File::owning(int fd) {
  File file;
  file.fd_ = fd;
  return file;
}

Result<File> File::open(const std::string& path, Access access, Lookup lookup) {
  // O_NONBLOCK: opening a FIFO nobody writes to must not hang; it changes nothing for regular files.
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (access == Access::direct ? O_DIRECT : 0);
  const int fd = lookup == Lookup::cached_only ? open_cached(path.c_str(), flags) : open_retrying(path.c_str(), flags);
  if (fd >= 0) return owning(fd);
  const int error = errno;
  if (lookup == Lookup::cached_only && (error == EAGAIN || error == ENOSYS || error == EINVAL || error == EPERM)) {
    return make_error(ErrorKind::exhausted, "open " + quoted(path) + ": not in cache");
  }
  if (access == Access::direct && error == EINVAL) {
    return make_error(ErrorKind::unsupported, "open " + quoted(path) + ": the file system refuses O_DIRECT");
  }
  return os_error(error, "open " + quoted(path));
}

Result<File> File::create(const std::string& path, std::uint32_t mode) {
  const int fd = open_retrying(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOCTTY, mode);
  if (fd < 0) return os_error(errno, "create " + quoted(path));
  return owning(fd);
}

Result<File> File::temporary(const std::string& folder) {
  int fd = open_retrying(folder.c_str(), O_RDWR | O_TMPFILE, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder + "/.dray-XXXXXX";
    fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) unlink(name.c_str());
  }
  if (fd < 0) return os_error(errno, "make a temporary file in " + quoted(folder));
  return owning(fd);
}

Result<FileStatus> File::status() const {
  struct stat s;
  if (fstat(fd_, &s) != 0) return os_error(errno, "stat an open file");
  return status_from(s);
}

Result<std::size_t> File::read_at(std::uint64_t offset, MutableBytes out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    // With O_DIRECT a read ends short at the end of the file, and the next offset is then not aligned.
    if (got < 0 && errno == EINVAL && done > 0) break;
    if (got < 0) return os_error(errno, fmt::format("read at offset {}", offset + done));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t File::read_cached(std::uint64_t offset, MutableBytes out) const {
  iovec piece{out.data(), out.size()};
  const ssize_t got = preadv2(fd_, &piece, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

Result<void> File::write_at(std::uint64_t offset, Bytes data) const {
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t put = pwrite(fd_, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return os_error(errno, fmt::format("write at offset {}", offset + done));
    done += static_cast<std::size_t>(put);
  }
  return {};
}

void File::will_need(std::uint64_t offset, std::uint64_t length) const {
  (void)posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(length), POSIX_FADV_WILLNEED);
}

void File::drop_cache() const { (void)posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED); }

Result<void> File::sync() const {
  if (fsync(fd_) != 0) return os_error(errno, "fsync");
  return {};
}

Result<void> File::sync_data() const {
  if (fdatasync(fd_) != 0) return os_error(errno, "fdatasync");
  return {};
}

Result<void> File::close() {
  const int fd = std::exchange(fd_, -1);
  // EINTR: Linux has closed the descriptor all the same.
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR) return os_error(errno, "close");
  return {};
}

void File::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<std::optional<std::size_t>> read_stream(int fd, MutableBytes out, std::chrono::milliseconds patience) {
  // Polled rather than read at once: the descriptor may be shared with a shell and must stay in its mode.
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  const int ready = poll(&wanted, 1, static_cast<int>(patience.count()));
  if (ready < 0 && errno != EINTR) return os_error(errno, "wait for input");
  if (ready <= 0) return std::optional<std::size_t>{};
  const ssize_t got = ::read(fd, out.data(), out.size());
  if (got >= 0) return std::optional<std::size_t>(static_cast<std::size_t>(got));
  if (errno == EAGAIN || errno == EINTR) return std::optional<std::size_t>{};
  return os_error(errno, "read the input");
}

Result<FileStatus> status_of(const std::string& path) {
  struct stat s;
  if (stat(path.c_str(), &s) != 0) return os_error(errno, "stat " + quoted(path));
  return status_from(s);
}

Result<void> check_unchanged(const File& file, const std::string& path, const Identity& first) {
  const auto changed = [&](std::string what) -> Error {
    return make_error(ErrorKind::source_changed, quoted(path) + " " + what + " while it was being uploaded")
        .advise("upload it again when nobody writes to it");
  };
  const Identity now = DRAY_TRY(file.status()).identity;
  if (now.size != first.size) {
    return changed(
        fmt::format("{} from {} to {} bytes", now.size > first.size ? "grew" : "shrank", first.size, now.size));
  }
  if (now != first) return changed("was modified");
  Result<FileStatus> named = status_of(path);
  if (!named && named.error().kind == ErrorKind::not_found) return changed("was removed");
  if (!named) return std::move(named).error();
  if (named->identity.device != first.device || named->identity.inode != first.inode) {
    return changed("was replaced by another file");
  }
  return {};
}

}  // namespace dray::file
