// read_stream(): pipes and FIFOs, which may be silent, end, or not have begun.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "file/file.h"
#include "file/temp_folder.h"
#include "support/with_loop.h"

namespace dray::file {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kAtOnce{0}, kLong{60'000};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    out = File::owning(ends[0]);
    in = File::owning(ends[1]);
  }
  File out, in;
};

void put(const File& file, std::string_view text) {
  EXPECT_EQ(::write(file.fd(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

/// The bytes read, "end", "nothing", or the kind of an error.
std::string read_once(int fd, milliseconds patience, std::size_t size = 100) {
  std::string text(size, '?');
  const Result<std::optional<std::size_t>> got = read_stream(fd, room(text), patience);
  if (!got) return test::outcome(got);
  if (!*got) return "nothing";
  if (**got == 0) return "end";
  return text.substr(0, **got);
}

TEST(ReadStreamTest, GivesWhatIsThereThenNothingThenTheEnd) {
  Pipe pipe;
  EXPECT_EQ(read_once(pipe.out.fd(), kAtOnce), "nothing");
  put(pipe.in, "hello");
  EXPECT_EQ(read_once(pipe.out.fd(), kAtOnce, 3), "hel");
  EXPECT_EQ(read_once(pipe.out.fd(), kAtOnce), "lo");
  EXPECT_EQ(read_once(pipe.out.fd(), milliseconds(1)), "nothing");
  put(pipe.in, "rest");
  pipe.in.reset();
  EXPECT_EQ(read_once(pipe.out.fd(), kLong), "rest");
  EXPECT_EQ(read_once(pipe.out.fd(), kLong), "end");
  EXPECT_EQ(read_once(pipe.out.fd(), kLong), "end");
}

TEST(ReadStreamTest, WaitsForAWriter) {
  Pipe pipe;
  std::thread writer([&] { put(pipe.in, "late"); });
  EXPECT_EQ(read_once(pipe.out.fd(), kLong), "late");
  writer.join();
}

TEST(ReadStreamTest, LeavesTheModeOfTheDescriptorAlone) {
  Pipe pipe;
  put(pipe.in, "x");
  EXPECT_EQ(read_once(pipe.out.fd(), kLong), "x");
  EXPECT_EQ(fcntl(pipe.out.fd(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(ReadStreamTest, FailsForWhatCannotBeRead) {
  Pipe pipe;
  EXPECT_EQ(read_once(pipe.in.fd(), kAtOnce), "nothing");  // the writing end
  const File folder = File::open("/").value();
  EXPECT_EQ(read_once(folder.fd(), kLong), "io");
  const int closed = pipe.out.fd();
  pipe.out.reset();
  EXPECT_EQ(read_once(closed, kLong), "io");
}

TEST(ReadStreamTest, ReadsDevicesAndFiles) {
  EXPECT_EQ(read_once(File::open("/dev/null")->fd(), kLong), "end");
  EXPECT_EQ(read_once(File::open("/dev/zero")->fd(), kLong, 2), std::string(2, '\0'));
}

class FifoTest : public TempFolder {
 protected:
  void SetUp() override { ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0); }
  File writer() {
    const int fd = ::open(path("fifo").c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    EXPECT_GE(fd, 0);
    return File::owning(fd);
  }
};

TEST_F(FifoTest, OpensWithoutAWriter) {
  const File file = File::open(path("fifo")).value();
  EXPECT_EQ(file.status()->type, FileType::fifo);
}

TEST_F(FifoTest, HasNotEndedBeforeItsFirstWriter) {
  const File file = File::open(path("fifo")).value();
  EXPECT_EQ(read_once(file.fd(), kAtOnce), "nothing");
  EXPECT_EQ(read_once(file.fd(), milliseconds(1)), "nothing");
  File first = writer();
  EXPECT_EQ(read_once(file.fd(), kAtOnce), "nothing");
  put(first, "hello");
  EXPECT_EQ(read_once(file.fd(), kLong), "hello");
  first.reset();
  EXPECT_EQ(read_once(file.fd(), kLong), "end");
}

TEST_F(FifoTest, KeepsWhatAWriterLeftBehind) {
  const File file = File::open(path("fifo")).value();
  {
    File first = writer();
    put(first, "hello");
  }
  EXPECT_EQ(read_once(file.fd(), kLong), "hello");
  EXPECT_EQ(read_once(file.fd(), kLong), "end");
}

TEST_F(FifoTest, EndsOnlyWhenTheLastWriterLeaves) {
  const File file = File::open(path("fifo")).value();
  File first = writer(), second = writer();
  first.reset();
  EXPECT_EQ(read_once(file.fd(), kAtOnce), "nothing");
  second.reset();
  EXPECT_EQ(read_once(file.fd(), kLong), "end");
}

}  // namespace
}  // namespace dray::file
