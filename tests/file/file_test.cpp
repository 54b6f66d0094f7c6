#include "file/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "file/temp_folder.h"
#include "support/with_loop.h"

namespace dray::file {
namespace {

using test::outcome;

class FileTest : public TempFolder {};

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string name = write("a", "0123456789");
  const File file = File::open(name).value();
  struct {
    std::uint64_t offset;
    std::size_t size;
    const char* expected;
  } const rows[] = {{0, 10, "0123456789"}, {0, 100, "0123456789"}, {3, 4, "3456"}, {9, 5, "9"},
                    {10, 5, ""},           {1000, 5, ""},          {0, 0, ""}};
  for (const auto& row : rows) {
    std::string text(row.size, '?');
    text.resize(file.read_at(row.offset, room(text)).value());
    EXPECT_EQ(text, row.expected) << row.offset << ", " << row.size;
  }
}

TEST_F(FileTest, NeverReadsShortBeforeTheEnd) {
  const std::string content = pattern(3'000'001);
  const File file = File::open(write("a", content)).value();
  std::string text(content.size() + 1, '?');
  EXPECT_EQ(file.read_at(0, room(text)).value(), content.size());
  text.resize(content.size());
  EXPECT_TRUE(text == content);
}

TEST_F(FileTest, FailsByKind) {
  write("file", "x");
  ASSERT_EQ(mkdir(path("folder").c_str(), 0700), 0);
  ASSERT_EQ(symlink(path("loop").c_str(), path("loop").c_str()), 0);
  ASSERT_EQ(symlink(path("nowhere").c_str(), path("dangling").c_str()), 0);
  const struct {
    std::string path;
    const char* kind;
  } rows[] = {
      {path("absent"), "not_found"},
      {path("dangling"), "not_found"},
      {path("file/below"), "not_found"},
      {path("absent/below"), "not_found"},
      {path("loop"), "invalid_argument"},
      {path(std::string(300, 'x')), "invalid_argument"},
      {"", "not_found"},
      {path("folder"), "ok"},  // status() tells what it is
  };
  for (const auto& row : rows) {
    const Result<File> file = File::open(row.path);
    EXPECT_EQ(outcome(file), row.kind) << row.path;
    EXPECT_EQ(outcome(status_of(row.path)), row.kind) << row.path;
    if (!file) {
      EXPECT_NE(file.error().os_error, 0);
      EXPECT_NE(file.error().message.find('"' + row.path + '"'), std::string::npos) << file.error().message;
    }
  }
}

TEST_F(FileTest, IsRefusedWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string name = write("a", "x");
  ASSERT_EQ(chmod(name.c_str(), 0), 0);
  EXPECT_EQ(outcome(File::open(name)), "access_denied");
}

TEST_F(FileTest, ReadingAFolderIsAnError) {
  const File file = File::open(folder()).value();
  EXPECT_EQ(file.status()->type, FileType::directory);
  std::string text(10, '?');
  EXPECT_EQ(outcome(file.read_at(0, room(text))), "io");
}

TEST_F(FileTest, SaysInMessagesWhatCouldForgeALine) {
  const Result<File> file = File::open(path("a\nb"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message.find('\n'), std::string::npos);
  EXPECT_NE(file.error().message.find("a\\nb"), std::string::npos) << file.error().message;
}

TEST_F(FileTest, TellsTheStatus) {
  const std::string name = write("a", "12345");
  ASSERT_EQ(chmod(name.c_str(), 0640), 0);
  const FileStatus opened = File::open(name)->status().value();
  struct stat expected {};
  ASSERT_EQ(stat(name.c_str(), &expected), 0);
  EXPECT_EQ(opened.type, FileType::regular);
  EXPECT_EQ(opened.mode, 0640u);
  EXPECT_GT(opened.block_size, 0u);
  EXPECT_EQ(opened.identity.size, 5u);
  EXPECT_EQ(opened.identity.inode, expected.st_ino);
  EXPECT_EQ(opened.identity.device, expected.st_dev);
  EXPECT_EQ(opened.identity.mtime_ns, expected.st_mtim.tv_sec * 1'000'000'000 + expected.st_mtim.tv_nsec);
  EXPECT_EQ(status_of(name)->identity, opened.identity);
}

TEST_F(FileTest, TellsTheType) {
  write("file", "");
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  ASSERT_EQ(symlink(path("file").c_str(), path("link").c_str()), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(path("s").size(), sizeof name.sun_path);
  path("s").copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ::close(socket);
  EXPECT_EQ(status_of(path("file"))->type, FileType::regular);
  EXPECT_EQ(status_of(path("link"))->type, FileType::regular);
  EXPECT_EQ(status_of(folder())->type, FileType::directory);
  EXPECT_EQ(status_of(path("fifo"))->type, FileType::fifo);
  EXPECT_EQ(status_of(path("s"))->type, FileType::socket);
  EXPECT_EQ(status_of("/dev/null")->type, FileType::character_device);
}

TEST_F(FileTest, HasAnOldTimeBeforeTheEpochRight) {
  const std::string name = write("a", "x");
  const timespec times[2] = {{-2, 500'000'000}, {-2, 500'000'000}};
  ASSERT_EQ(utimensat(AT_FDCWD, name.c_str(), times, 0), 0);
  EXPECT_EQ(status_of(name)->identity.mtime_ns, -1'500'000'000);
}

TEST_F(FileTest, CreateNeverReplaces) {
  const std::string name = write("a", "x");
  EXPECT_EQ(outcome(File::create(name)), "already_exists");
  ASSERT_EQ(symlink(path("elsewhere").c_str(), path("link").c_str()), 0);
  EXPECT_EQ(outcome(File::create(path("link"))), "already_exists");  // nor writes through a link
  EXPECT_EQ(outcome(File::create(path("absent/a"))), "not_found");
}

TEST_F(FileTest, CreateObeysTheMode) {
  const mode_t before = umask(022);
  EXPECT_EQ(File::create(path("a"), 0600)->status()->mode, 0600u);
  EXPECT_EQ(File::create(path("b"))->status()->mode, 0644u);
  umask(before);
}

TEST_F(FileTest, WritingToAReadOnlyFileIsAnError) {
  const File file = File::open(write("a", "x")).value();
  EXPECT_EQ(outcome(file.write_at(0, as_bytes("y"))), "io");
}

TEST_F(FileTest, WritingBeyondTheLimitOfFileSizesIsNoSpace) {
  File file = File::create(path("a")).value();
  const rlimit small{.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &small) != 0) GTEST_SKIP() << "the limit of file sizes cannot be set here";
  const std::string written = outcome(file.write_at(0, as_bytes(std::string(8192, 'x'))));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(written, "no_space");
  EXPECT_EQ(file.status()->identity.size, 4096u);
}

TEST_F(FileTest, WritesIntoAHole) {
  File file = File::create(path("a")).value();
  EXPECT_TRUE(file.write_at(5, as_bytes("x")).ok());
  EXPECT_TRUE(file.sync().ok());
  EXPECT_TRUE(file.sync_data().ok());
  std::string text(6, '?');
  EXPECT_EQ(file.read_at(0, room(text)).value(), 6u);
  EXPECT_EQ(text, std::string("\0\0\0\0\0x", 6));
}

TEST_F(FileTest, TemporaryHasNoName) {
  File file = File::temporary(folder()).value();
  EXPECT_TRUE(file.write_at(0, as_bytes("spilled")).ok());
  std::string text(7, '?');
  EXPECT_EQ(file.read_at(0, room(text)).value(), 7u);
  EXPECT_EQ(text, "spilled");
  EXPECT_EQ(file.status()->mode, 0600u);
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST_F(FileTest, TemporaryFailsByKind) {
  write("file", "");
  EXPECT_EQ(outcome(File::temporary(path("absent"))), "not_found");
  EXPECT_EQ(outcome(File::temporary(path("file"))), "not_found");  // no folder of that name
}

TEST_F(FileTest, IsClosedInChildren) {
  const File opened = File::open(write("a", "x")).value(), created = File::create(path("b")).value(),
             temporary = File::temporary(folder()).value();
  for (const File* file : {&opened, &created, &temporary}) EXPECT_NE(fcntl(file->fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(FileTest, ClosesOnce) {
  File file = File::open(write("a", "x")).value();
  const int fd = file.fd();
  EXPECT_TRUE(file.close().ok());
  EXPECT_FALSE(file.is_open());
  EXPECT_LT(fcntl(fd, F_GETFD), 0);
  EXPECT_TRUE(file.close().ok());  // nothing left to close
  EXPECT_EQ(outcome(file.status()), "io");
}

TEST_F(FileTest, TellsOfAFailedClose) {
  File file = File::open(write("a", "x")).value();
  ::close(file.fd());  // as if the system had lost it
  EXPECT_EQ(outcome(file.close()), "io");
}

TEST_F(FileTest, MovesWithItsDescriptor) {
  File first = File::open(write("a", "x")).value();
  File second = File::open(write("b", "y")).value();
  const int a = first.fd(), b = second.fd();
  second = std::move(first);
  EXPECT_EQ(second.fd(), a);
  EXPECT_LT(fcntl(b, F_GETFD), 0);
  File& same = second;
  second = std::move(same);
  EXPECT_TRUE(second.is_open());
  second.reset();
  EXPECT_FALSE(second.is_open());
}

TEST_F(FileTest, CachedLookupOpensWhatWasJustUsed) {
  const std::string name = write("a", "x");
  EXPECT_TRUE(File::open(name).ok());
  const Result<File> file = File::open(name, Access::cached, Lookup::cached_only);
  if (!file) GTEST_SKIP() << "this kernel does not open from the cache: " << file.error().message;
  EXPECT_EQ(file->status()->identity.size, 1u);
  EXPECT_NE(fcntl(file->fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(FileTest, CachedLookupOfNothingIsNotFoundOrUnknown) {
  const std::string kind = outcome(File::open(path("absent"), Access::cached, Lookup::cached_only));
  EXPECT_TRUE(kind == "not_found" || kind == "exhausted") << kind;
}

// ---- the page cache ----

TEST_F(FileTest, ReadCachedGivesWhatWasJustWritten) {
  const std::string content = pattern(100'000);
  const File file = File::open(write("a", content)).value();
  std::string text(content.size() + 10, '?');
  const std::size_t got = file.read_cached(0, room(text));
  if (got == 0) GTEST_SKIP() << "this file system has no reads without waiting";
  EXPECT_LE(got, content.size());
  EXPECT_TRUE(text.substr(0, got) == content.substr(0, got));
  EXPECT_EQ(file.read_cached(content.size(), room(text)), 0u);
  EXPECT_EQ(file.read_cached(99'999, room(text)), 1u);
}

TEST_F(FileTest, DropCacheMakesAFileCold) {
  const std::string content = pattern(1 << 20);
  File file = File::create(path("a")).value();
  EXPECT_TRUE(file.write_at(0, as_bytes(content)).ok());
  std::string text(4096, '?');
  if (file.read_cached(0, room(text)) == 0) GTEST_SKIP() << "this file system has no reads without waiting";
  EXPECT_TRUE(file.sync().ok());
  file.drop_cache();
  if (file.read_cached(512 * 1024, room(text)) != 0) GTEST_SKIP() << "this file system keeps its files in memory";
  EXPECT_EQ(file.read_at(512 * 1024, room(text)).value(), text.size());
  EXPECT_TRUE(text == content.substr(512 * 1024, text.size()));  // what was dropped is not lost
  EXPECT_EQ(file.read_cached(512 * 1024, room(text)), text.size());
  file.will_need(0, content.size());  // a hint: only that it harms nothing can be told
}

}  // namespace
}  // namespace dray::file
