// check_unchanged(): each way in which a file may change under a reader, by name.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

#include "file/file.h"
#include "file/temp_folder.h"

namespace dray::file {
namespace {

class ChangeTest : public TempFolder {
 protected:
  /// What check_unchanged() says of "source" (12345) after `change`; "" = unchanged.
  std::string after(const std::function<void()>& change) {
    source_ = write("source", "12345");
    return after(source_, change);
  }
  std::string after(const std::string& name, const std::function<void()>& change) {
    const File file = File::open(name).value();
    const Identity first = file.status()->identity;
    change();
    const Result<void> same = check_unchanged(file, name, first);
    if (same) return "";
    EXPECT_EQ(same.error().kind, ErrorKind::source_changed);
    EXPECT_FALSE(same.error().advice.empty());
    EXPECT_TRUE(same.error().message.starts_with('"' + name + '"')) << same.error().message;
    return same.error().message;
  }
  /// Writes over the file in place; the time moves on whatever the clock's tick.
  void overwrite(std::string_view content) {
    const int fd = ::open(source_.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(pwrite(fd, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
    const timespec later[2] = {{0, UTIME_OMIT}, {4'000'000'000, 1}};
    EXPECT_EQ(futimens(fd, later), 0);
    ::close(fd);
  }

  std::string source_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(ChangeTest, NothingIsNoChange) {
  EXPECT_EQ(after([] {}), "");
}

TEST_F(ChangeTest, ReadingIsNoChange) {
  EXPECT_EQ(after([&] {
              std::string text(5, '?');
              EXPECT_EQ(File::open(source_)->read_at(0, room(text)).value(), 5u);
            }),
            "");
}

TEST_F(ChangeTest, AnotherNameOrModeIsNoChange) {
  EXPECT_EQ(after([&] {
              EXPECT_EQ(link(source_.c_str(), path("other").c_str()), 0);
              EXPECT_EQ(chmod(source_.c_str(), 0600), 0);
            }),
            "");
}

TEST_F(ChangeTest, Grown) {
  EXPECT_SAYS(after([&] { overwrite("1234567"); }), "grew from 5 to 7 bytes");
}

TEST_F(ChangeTest, Shrunk) {
  EXPECT_SAYS(after([&] { EXPECT_EQ(truncate(source_.c_str(), 3), 0); }), "shrank from 5 to 3 bytes");
}

TEST_F(ChangeTest, Emptied) {
  EXPECT_SAYS(after([&] { EXPECT_EQ(truncate(source_.c_str(), 0), 0); }), "shrank from 5 to 0 bytes");
}

TEST_F(ChangeTest, ModifiedInPlace) {
  EXPECT_SAYS(after([&] { overwrite("54321"); }), "was modified");
}

TEST_F(ChangeTest, ModifiedWithinTheSameSecond) {
  EXPECT_SAYS(after([&] {
                const std::int64_t ns = status_of(source_)->identity.mtime_ns + 1;
                const timespec later[2] = {{0, UTIME_OMIT}, {ns / 1'000'000'000, ns % 1'000'000'000}};
                EXPECT_EQ(utimensat(AT_FDCWD, source_.c_str(), later, 0), 0);
              }),
              "was modified");
}

TEST_F(ChangeTest, ReplacedByRename) {
  EXPECT_SAYS(after([&] { EXPECT_EQ(rename(write("new", "12345").c_str(), source_.c_str()), 0); }),
              "was replaced by another file");
}

TEST_F(ChangeTest, ReplacedByACopyWithTheSameTimes) {
  EXPECT_SAYS(after([&] {
                struct stat s {};
                ASSERT_EQ(stat(source_.c_str(), &s), 0);
                const std::string copy = write("new", "12345");
                const timespec times[2] = {s.st_atim, s.st_mtim};
                ASSERT_EQ(utimensat(AT_FDCWD, copy.c_str(), times, 0), 0);
                ASSERT_EQ(rename(copy.c_str(), source_.c_str()), 0);
              }),
              "was replaced by another file");
}

TEST_F(ChangeTest, ReplacedByAFolder) {
  EXPECT_SAYS(after([&] {
                EXPECT_EQ(unlink(source_.c_str()), 0);
                EXPECT_EQ(mkdir(source_.c_str(), 0700), 0);
              }),
              "was replaced by another file");
}

TEST_F(ChangeTest, Removed) {
  EXPECT_SAYS(after([&] { EXPECT_EQ(unlink(source_.c_str()), 0); }), "was removed");
}

TEST_F(ChangeTest, RemovedWithItsFolder) {
  ASSERT_EQ(mkdir(path("sub").c_str(), 0700), 0);
  const std::string name = write("sub/source", "12345");
  EXPECT_SAYS(after(name, [&] { EXPECT_GT(std::filesystem::remove_all(path("sub")), 0u); }), "was removed");
}

TEST_F(ChangeTest, FolderReplacedByAFile) {
  ASSERT_EQ(mkdir(path("sub").c_str(), 0700), 0);
  const std::string name = write("sub/source", "12345");
  EXPECT_SAYS(after(name,
                    [&] {
                      EXPECT_GT(std::filesystem::remove_all(path("sub")), 0u);
                      write("sub", "");
                    }),
              "was removed");
}

TEST_F(ChangeTest, RenamedAway) {
  EXPECT_SAYS(after([&] { EXPECT_EQ(rename(source_.c_str(), path("moved").c_str()), 0); }), "was removed");
}

TEST_F(ChangeTest, LinkPointsElsewhere) {
  source_ = write("source", "12345");
  ASSERT_EQ(symlink(source_.c_str(), path("link").c_str()), 0);
  EXPECT_EQ(after(path("link"), [] {}), "");
  EXPECT_SAYS(after(path("link"),
                    [&] {
                      const std::string other = write("other", "12345");
                      ASSERT_EQ(unlink(path("link").c_str()), 0);
                      ASSERT_EQ(symlink(other.c_str(), path("link").c_str()), 0);
                    }),
              "was replaced by another file");
}

TEST_F(ChangeTest, LinkDangles) {
  source_ = write("source", "12345");
  ASSERT_EQ(symlink(source_.c_str(), path("link").c_str()), 0);
  EXPECT_SAYS(after(path("link"), [&] { ASSERT_EQ(unlink(source_.c_str()), 0); }), "was removed");
}

TEST_F(ChangeTest, NameIsShownSafely) {
  const std::string name = write("a\nb", "12345");
  const File file = File::open(name).value();
  ASSERT_EQ(unlink(name.c_str()), 0);
  const Result<void> same = check_unchanged(file, name, file.status()->identity);
  ASSERT_FALSE(same.ok());
  EXPECT_EQ(same.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace dray::file
