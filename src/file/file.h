// File: a local file opened for reading or writing. Every system call on files is made in this room.
//
// These calls block on a disk unless their comment says otherwise: run them on the offload pool, never on a loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/time.h"
#include "dray/result.h"

namespace dray::file {

/// What makes a file the same file with the same content, as far as the system tells (design: "identity").
struct Identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;  ///< since 1970
  friend bool operator==(const Identity&, const Identity&) = default;
};

enum class FileType { regular, directory, fifo, character_device, block_device, socket, other };

struct FileStatus {
  Identity identity;
  FileType type = FileType::other;
  std::uint32_t mode = 0;        ///< permission bits
  std::uint32_t block_size = 0;  ///< of the file system, bytes
};

/// How reads reach the disk.
enum class Access { cached, direct };
/// Where open() may wait: `cached_only` fails with ErrorKind::exhausted instead of touching a disk.
enum class Lookup { may_block, cached_only };

class File {
 public:
  File() = default;
  ~File();
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept;

  /// For reading. Never waits for the writer of a FIFO. Access::direct (O_DIRECT) fails with ErrorKind::unsupported
  /// where the file system refuses it.
  static Result<File> open(const std::string& path, Access access = Access::cached, Lookup lookup = Lookup::may_block);
  /// A new file for writing; ErrorKind::already_exists if the name is taken.
  static Result<File> create(const std::string& path, std::uint32_t mode = 0666);
  /// An unnamed file for reading and writing in `folder`, gone when closed.
  static Result<File> temporary(const std::string& folder);
  static File owning(int fd);

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }

  Result<FileStatus> status() const;
  /// Up to out.size() bytes at `offset`; 0 = end of file. Never short before the end.
  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes out) const;
  /// What the page cache has at once, without waiting: 0 bytes if it has nothing there. May be short.
  std::size_t read_cached(std::uint64_t offset, MutableBytes out) const;
  Result<void> write_at(std::uint64_t offset, Bytes data) const;
  /// Tells the kernel to start reading the range.
  void will_need(std::uint64_t offset, std::uint64_t length) const;
  /// Drops the file's clean pages from the page cache (after sync()); needs no privilege.
  void drop_cache() const;
  Result<void> sync() const;
  Result<void> sync_data() const;
  /// A failed close of a written file is lost data: check it.
  Result<void> close();
  /// Closes without looking.
  void reset();

 private:
  int fd_ = -1;
};

/// The next bytes of a stream (pipe, FIFO, terminal, socket), whose descriptor is only borrowed; 0 = its end, nothing =
/// nothing came for `patience`. A FIFO that nobody has opened for writing yet has not ended. Blocks.
Result<std::optional<std::size_t>> read_stream(int fd, MutableBytes out, std::chrono::milliseconds patience);

/// By path, following links. Does block.
Result<FileStatus> status_of(const std::string& path);
/// The descriptor's and the path's identity against `first`. ErrorKind::source_changed names what happened: "grew from
/// 5 to 7 bytes", "shrank ...", "was modified", "was replaced by another file", "was removed". Does not touch a disk
/// for a file that was opened before, in practice; a loop may call it.
Result<void> check_unchanged(const File& file, const std::string& path, const Identity& first);

}  // namespace dray::file
