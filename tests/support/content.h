// What tests upload: bytes that no other stretch of them repeats, files of them, and pipes that they come through.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace dray::test {

/// `size` bytes, the same for the same seed.
inline std::string content_of(std::size_t size, std::uint64_t seed = 1) {
  std::string text(size, '\0');
  std::uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (std::size_t at = 0; at < size; at += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(text.data() + at, &state, std::min(sizeof state, size - at));
  }
  return text;
}

/// Writes all of it; false if the other side has gone.
inline bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// A folder for one test, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "dray-test-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no folder " << pattern;
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Makes or replaces a file; its path.
  std::string write(const std::string& name, std::string_view text) const {
    const int fd = ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || !write_all(fd, text) || ::close(fd) != 0) ADD_FAILURE() << "cannot write " << path(name);
    return path(name);
  }

 private:
  std::string path_;
};

/// A pipe that a thread writes `text` into and then closes.
class Feeder {
 public:
  explicit Feeder(std::string text) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) ADD_FAILURE() << "no pipe";
    read_ = ends[0];
    thread_ = std::thread([write = ends[1], text = std::move(text)] {
      sigset_t broken_pipe;  // a reader that leaves early must not end the program
      sigemptyset(&broken_pipe);
      sigaddset(&broken_pipe, SIGPIPE);
      (void)pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
      (void)write_all(write, text);
      (void)::close(write);
    });
  }
  ~Feeder() {
    (void)::close(read_);  // ends a writer that still has something
    thread_.join();
  }
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;
  int descriptor() const { return read_; }

 private:
  int read_ = -1;
  std::thread thread_;
};

}  // namespace dray::test
