// Sources that change while they are read: a named error, and nothing in the store.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include "transfer/upload_fixture.h"

namespace dray::transfer {
namespace {

enum class Change { grown, shrunk, modified, replaced, removed };

struct ChangeCase {
  Change change;
  std::string_view says;
};
constexpr ChangeCase kChanges[] = {{Change::grown, "grew from"},
                                   {Change::shrunk, "shrank from"},
                                   {Change::modified, "was modified"},
                                   {Change::replaced, "was replaced by another file"},
                                   {Change::removed, "was removed"}};

std::string name_of_change(const testing::TestParamInfo<ChangeCase>& change) {
  constexpr std::string_view kNames[] = {"Grown", "Shrunk", "Modified", "Replaced", "Removed"};
  return std::string(kNames[static_cast<int>(change.param.change)]);
}

class UploadChangesTest : public UploadTest, public testing::WithParamInterface<ChangeCase> {
 protected:
  void SetUp() override { start({.concurrency = 2}); }

  /// On the peer's thread, in the middle of the upload.
  void change_it() {
    const std::string path = folder_.path("source");
    const std::uint64_t size = std::filesystem::file_size(path);
    switch (GetParam().change) {
      case Change::grown:
      case Change::modified: {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        const bool grows = GetParam().change == Change::grown;
        const ssize_t put = ::pwrite(fd, "!", 1, static_cast<off_t>(grows ? size : size - 1));
        timespec times[2] = {{0, UTIME_OMIT}, {12345, 678}};  // beyond doubt: not within one tick of the clock
        EXPECT_TRUE(put == 1 && ::futimens(fd, times) == 0);
        ::close(fd);
        return;
      }
      case Change::shrunk:
        EXPECT_EQ(::truncate(path.c_str(), static_cast<off_t>(size / 2)), 0);
        return;
      case Change::replaced:
        std::filesystem::rename(folder_.write("other", test::content_of(size, 99)), path);
        return;
      case Change::removed:
        std::filesystem::remove(path);
        return;
    }
  }

  void expect_refusal(const Result<UploadSummary>& done) {
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().kind, ErrorKind::source_changed) << done.error().message;
    EXPECT_THAT(done.error().message, testing::HasSubstr(std::string(GetParam().says)));
    EXPECT_THAT(done.error().message, testing::HasSubstr(folder_.path("source")));
    EXPECT_EQ(done.error().left_behind, "");
    expect_nothing();
  }
};

TEST_P(UploadChangesTest, WhilePartsAreSent) {
  peer_.at("UploadPart", 2, Moment::body_taken, [this] { change_it(); });
  expect_refusal(run(request(file(test::content_of(6 * kPart + 17)))));
}

TEST_P(UploadChangesTest, AfterTheLastPart) {
  peer_.at("UploadPart", 3, Moment::before_reply, [this] { change_it(); });
  expect_refusal(run(request(file(test::content_of(3 * kPart)))));
}

TEST_P(UploadChangesTest, WhileTheUploadIsMade) {
  peer_.at("CreateMultipartUpload", 1, Moment::before_reply, [this] { change_it(); });
  expect_refusal(run(request(file(test::content_of(3 * kPart)))));
}

TEST_P(UploadChangesTest, WhileItIsReadByASerialReader) {
  peer_.at("UploadPart", 2, Moment::body_taken, [this] { change_it(); });
  UploadRequest wanted = request(file(test::content_of(6 * kPart + 17)));
  wanted.serial_reader = true;
  expect_refusal(run(std::move(wanted)));
}

TEST_P(UploadChangesTest, WhileItIsReadAroundThePageCache) {
  peer_.at("UploadPart", 2, Moment::body_taken, [this] { change_it(); });
  UploadRequest wanted = request(file(test::content_of(6 * kPart + 17)));
  wanted.direct_io = true;
  expect_refusal(run(std::move(wanted)));
}

TEST_P(UploadChangesTest, WithoutAChecksum) {
  peer_.at("UploadPart", 2, Moment::body_taken, [this] { change_it(); });
  UploadRequest wanted = request(file(test::content_of(6 * kPart + 17)));
  wanted.checksum = ChecksumKind::none;
  expect_refusal(run(std::move(wanted)));
}

/// The peer learns of the request's head only, so the change falls before the last byte, which must never come.
TEST_P(UploadChangesTest, WhileASinglePutIsUnderWay) {
  for (const ChecksumKind kind : {ChecksumKind::crc64nvme, ChecksumKind::none}) {
    const std::size_t request_number = peer_.requests("PutObject") + 1;
    peer_.at("PutObject", request_number, Moment::arrived, [this] { change_it(); });
    UploadRequest wanted = request(file(test::content_of(16 << 20)));  // more than socket buffers hold
    wanted.multipart_threshold = 64 << 20;
    wanted.checksum = kind;
    expect_refusal(run(std::move(wanted)));
  }
}

INSTANTIATE_TEST_SUITE_P(Changes, UploadChangesTest, testing::ValuesIn(kChanges), name_of_change);

/// An upload whose file's descriptor is swapped for one that cannot be read from.
class UploadUnreadableTest : public UploadTest {
 protected:
  void break_it() {
    const std::string path = std::filesystem::canonical(folder_.path("source"));
    const int unreadable = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code ignored;
      const int fd = std::stoi(entry.path().filename());
      if (fd != unreadable && std::filesystem::read_symlink(entry.path(), ignored) == path) swap(unreadable, fd);
    }
    ::close(unreadable);
  }

 private:
  /// Behind the back of ThreadSanitizer, which would see a race between this and the file's owner: that is the point.
  static void swap(int from, int to) { EXPECT_EQ(syscall(SYS_dup3, from, to, O_CLOEXEC), to); }
};

TEST_F(UploadUnreadableTest, APartThatCannotBeReadIsNamed) {
  start({.concurrency = 1});
  peer_.at("UploadPart", 2, Moment::body_taken, [this] { break_it(); });
  const Result<UploadSummary> done = run(request(file(test::content_of(4 * kPart))));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::io) << done.error().message;
  EXPECT_THAT(done.error().message, testing::HasSubstr("part 3"));
  EXPECT_THAT(done.error().message, testing::HasSubstr(folder_.path("source")));
  expect_nothing();
}

TEST_F(UploadUnreadableTest, ASinglePutThatCannotBeReadIsNamed) {
  peer_.at("PutObject", 1, Moment::arrived, [this] { break_it(); });
  UploadRequest wanted = request(file(test::content_of(16 << 20)));
  wanted.multipart_threshold = 64 << 20;
  const Result<UploadSummary> done = run(std::move(wanted));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::io) << done.error().message;
  expect_nothing();
}

/// Damage on the way and an altered source look the same to the store: the source is asked before the part is sent
/// again.
TEST_F(UploadTest, ABadDigestOfAnAlteredFileIsNotTriedAgain) {
  start({.concurrency = 1});
  for (const bool single : {true, false}) {
    const std::string operation = single ? "PutObject" : "UploadPart";
    peer_.plan({.operation = operation, .times = Fault::kAlways, .status = 400, .code = "BadDigest"});
    peer_.at(operation, 1, Moment::body_taken, [this] {
      timespec times[2] = {{0, UTIME_OMIT}, {12345, 678}};
      EXPECT_EQ(::utimensat(AT_FDCWD, folder_.path("source").c_str(), times, 0), 0);
    });
    UploadRequest wanted = request(file(test::content_of(kPart + 1)));
    if (single) wanted.multipart_threshold = 2 * kPart;
    const Result<UploadSummary> done = run(std::move(wanted));
    EXPECT_EQ(kind_of(done), ErrorKind::source_changed) << outcome(done);
    EXPECT_EQ(peer_.requests(operation), 1u);
    expect_nothing();
  }
}

TEST_F(UploadTest, AnEmptyFileThatGrowsIsNotUploadedAsAnEmptyObject) {
  // The size of 0 is proven once more before the request: nothing can be held back from it.
  const std::string path = folder_.write("source", "");
  peer_.plan({.operation = "PutObject", .status = 503, .code = "SlowDown"});
  peer_.at("PutObject", 1, Moment::body_taken, [&] { (void)folder_.write("source", "text"); });
  const Result<UploadSummary> done = run(request(FromFile{path}));
  EXPECT_EQ(kind_of(done), ErrorKind::source_changed) << outcome(done);
  expect_nothing();
}

}  // namespace
}  // namespace dray::transfer
