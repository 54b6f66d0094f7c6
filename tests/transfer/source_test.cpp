// How many parts are read at once, and what the sources say of a range that is not there.
#include "transfer/source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/bytes.h"
#include "fiber/runtime.h"
#include "support/content.h"
#include "support/watchdog.h"

namespace dray::transfer {
namespace {

using base::kMiB;

TEST(ReadGateTest, IsAsDeepAsThereAreCoresAtFirst) {
  EXPECT_EQ(ReadGate(3).depth(), 3u);
  EXPECT_EQ(ReadGate(0).depth(), 1u);
}

TEST(ReadGateTest, IsDeeperForADisk) {
  ReadGate gate(2);
  gate.finished(8 * kMiB, 8 * kMiB);
  EXPECT_EQ(gate.depth(), 16u);
}

TEST(ReadGateTest, IsForCoresAgainAfterManyWarmParts) {
  ReadGate gate(2);
  gate.finished(8 * kMiB, 8 * kMiB);
  for (int part = 0; part < 7; ++part) gate.finished(8 * kMiB, 0);
  EXPECT_EQ(gate.depth(), 16u);
  gate.finished(8 * kMiB, 0);
  EXPECT_EQ(gate.depth(), 2u);
}

TEST(ReadGateTest, OneColdPartAmongWarmOnesCountsThemAnew) {
  ReadGate gate(2);
  gate.finished(8 * kMiB, 8 * kMiB);
  for (int part = 0; part < 7; ++part) gate.finished(8 * kMiB, 0);
  gate.finished(8 * kMiB, 8 * kMiB);
  for (int part = 0; part < 7; ++part) gate.finished(8 * kMiB, 0);
  EXPECT_EQ(gate.depth(), 16u);
}

class SourceTest : public testing::Test {
 protected:
  template <class Body>
  void on_a_fiber(Body body) {
    runtime_->call(runtime_->loop(0), std::move(body));
  }

  std::unique_ptr<Source> source_of(const std::string& path, int flags, ReadMode mode) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    auto opened = std::make_shared<const file::File>(file::File::owning(fd));
    const file::Identity identity = opened->status()->identity;
    return file_source(tools_, {.file = std::move(opened), .path = path, .identity = identity}, mode, false);
  }

  test::Watchdog watchdog_;
  test::TemporaryFolder folder_;
  std::unique_ptr<fiber::Runtime> runtime_ = fiber::Runtime::start({.loops = 1, .offload = {.threads = 2}}).value();
  Budget budget_{64 * kMiB};
  ReadGate gate_{2};
  Pacing pacing_{0};
  fiber::Semaphore serial_reader_{1};
  SourceTools tools_{runtime_->offload(), budget_, gate_, pacing_, serial_reader_};
  std::atomic<std::uint64_t> sent_{0};
};

TEST_F(SourceTest, ARangeThatCannotBeReadIsAnErrorByTheFilesName) {
  const std::string path = folder_.write("source", test::content_of(2 * kMiB));
  for (const ReadMode mode : {ReadMode::cached, ReadMode::serial}) {
    for (const ByteRange range : {ByteRange{0, 100}, ByteRange{100, kMiB}}) {
      const std::unique_ptr<Source> source = source_of(path, O_WRONLY, mode);
      on_a_fiber([&] {
        const Result<Part> part = source->prepare(range, ChecksumKind::crc64nvme, sent_);
        ASSERT_FALSE(part.ok());
        EXPECT_EQ(part.error().kind, ErrorKind::io) << part.error().message;
        EXPECT_THAT(part.error().message, testing::HasSubstr("Bad file descriptor"));
      });
    }
  }
}

TEST_F(SourceTest, ARangeBeyondTheEndIsASourceThatChanged) {
  const std::string path = folder_.write("source", test::content_of(2 * kMiB));
  for (const ReadMode mode : {ReadMode::cached, ReadMode::serial}) {
    const std::unique_ptr<Source> source = source_of(path, O_RDONLY, mode);
    EXPECT_TRUE(source->check_unchanged().ok());
    on_a_fiber([&] {
      const Result<Part> part = source->prepare({kMiB, 2 * kMiB}, ChecksumKind::crc64nvme, sent_);
      ASSERT_FALSE(part.ok());
      EXPECT_EQ(part.error().kind, ErrorKind::source_changed) << part.error().message;
      EXPECT_THAT(part.error().message, testing::HasSubstr(path));
    });
  }
}

TEST_F(SourceTest, EveryModeGivesTheSameChecksumAndLength) {
  const std::string text = test::content_of(3 * kMiB + 17);
  const std::string path = folder_.write("source", text);
  const std::unique_ptr<Source> cached = source_of(path, O_RDONLY, ReadMode::cached);
  const std::unique_ptr<Source> serial = source_of(path, O_RDONLY, ReadMode::serial);
  const std::unique_ptr<Source> memory = memory_source(tools_, as_bytes(text));
  for (const ByteRange range :
       {ByteRange{0, 1}, ByteRange{0, text.size()}, ByteRange{kMiB, 2 * kMiB + 17}, ByteRange{4095, 4098}}) {
    const hash::Checksum wanted =
        hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(text).subspan(range.offset, range.length));
    for (Source* source : {cached.get(), serial.get(), memory.get()}) {
      on_a_fiber([&] {
        const Result<Part> part = source->prepare(range, ChecksumKind::crc64nvme, sent_);
        ASSERT_TRUE(part.ok()) << part.error().message;
        EXPECT_EQ(part->checksum, wanted) << range.offset << "+" << range.length;
        EXPECT_EQ(part->body->length(), range.length);
      });
    }
  }
}

TEST_F(SourceTest, ABufferGoesBackWithItsPart) {
  const std::string path = folder_.write("source", test::content_of(2 * kMiB));
  const std::unique_ptr<Source> serial = source_of(path, O_RDONLY, ReadMode::serial);
  on_a_fiber([&] {
    for (int round = 0; round < 100; ++round) {  // far more than the budget in all
      ASSERT_TRUE(serial->prepare({0, 2 * kMiB}, ChecksumKind::crc32, sent_).ok());
    }
    EXPECT_TRUE(budget_.take(64 * kMiB, Deadline::after(std::chrono::milliseconds(20))).ok());
  });
}

}  // namespace
}  // namespace dray::transfer
