// Uploads of what comes through a pipe: parts in memory, parts in spool files, and pipes that end badly.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transfer/upload_fixture.h"

namespace dray::transfer {
namespace {

using UploadStreamTest = UploadTest;

TEST_F(UploadStreamTest, PartsThatDoNotFitIntoTheMemoryAreSpooled) {
  start({.concurrency = 3, .memory_limit = 1});  // leaves 16 MiB: a part of 9 MiB would not fit twice
  constexpr std::uint64_t kLarge = 9 << 20;
  for (const std::uint64_t size : {std::uint64_t{100}, kLarge, kLarge + 1, 3 * kLarge - 1, 5 * kLarge}) {
    const std::string text = test::content_of(size, size);
    test::Feeder feeder(text);
    UploadRequest wanted = request(FromStream{feeder.descriptor()});
    wanted.part_size = kLarge;
    ASSERT_EQ(outcome(run(std::move(wanted))), "ok") << size;
    expect_object(text);
  }
}

TEST_F(UploadStreamTest, ASpooledPartIsSentAgainAfterAReset) {
  start({.concurrency = 1, .memory_limit = 1});
  peer_.plan({.operation = "UploadPart", .misdeed = Misdeed::cut_body, .first = 2, .bytes = 3 << 20});
  const std::string text = test::content_of(20 << 20);
  test::Feeder feeder(text);
  UploadRequest wanted = request(FromStream{feeder.descriptor()});
  wanted.part_size = 9 << 20;
  ASSERT_EQ(outcome(run(std::move(wanted))), "ok");
  expect_object(text);
}

TEST_F(UploadStreamTest, ABufferedPartIsSentAgainAfterAReset) {
  peer_.plan({.operation = "UploadPart", .misdeed = Misdeed::cut_body, .first = 2, .bytes = 3 << 20});
  const std::string text = test::content_of(3 * kPart + 5);
  test::Feeder feeder(text);
  ASSERT_EQ(outcome(run(request(FromStream{feeder.descriptor()}))), "ok");
  expect_object(text);
}

TEST_F(UploadStreamTest, MoreStreamsThanBuffersAllEnd) {
  start({.concurrency = 2, .memory_limit = 1});  // two buffers of 5 MiB
  std::vector<std::string> texts;
  std::vector<std::unique_ptr<test::Feeder>> feeders;
  std::vector<std::shared_ptr<Upload>> uploads;
  for (std::uint64_t i = 0; i < 6; ++i) {
    texts.push_back(test::content_of(2 * kPart + i, i + 1));
    feeders.push_back(std::make_unique<test::Feeder>(texts.back()));
    uploads.push_back(begin(request(FromStream{feeders.back()->descriptor()}, std::to_string(i))));
  }
  for (std::size_t i = 0; i < uploads.size(); ++i) {
    ASSERT_EQ(outcome(uploads[i]->wait()), "ok") << i;
    expect_object(texts[i], std::to_string(i));
  }
}

TEST_F(UploadStreamTest, FilesReadIntoBuffersAndStreamsDoNotWaitForEachOther) {
  start({.concurrency = 2, .memory_limit = 48 << 20});  // four buffers of 5 MiB
  const std::string text = test::content_of(6 * kPart);
  UploadRequest older = request(file(text), "file");
  older.serial_reader = true;
  std::vector<std::shared_ptr<Upload>> uploads{begin(std::move(older))};
  std::vector<std::unique_ptr<test::Feeder>> feeders;
  for (int i = 0; i < 3; ++i) {
    feeders.push_back(std::make_unique<test::Feeder>(text));
    uploads.push_back(begin(request(FromStream{feeders.back()->descriptor()}, "stream" + std::to_string(i))));
  }
  for (const auto& upload : uploads) {
    ASSERT_TRUE(upload->wait_for(seconds(test::kSanitized ? 60 : 15))) << "they wait for each other";
    ASSERT_EQ(outcome(upload->wait()), "ok");
  }
  expect_object(text, "file");
}

TEST_F(UploadStreamTest, AStreamThatWaitsForABufferCanBeCancelled) {
  start({.concurrency = 2, .memory_limit = 1});
  int silent[4][2];
  std::vector<std::shared_ptr<Upload>> uploads;
  for (auto& ends : silent) {
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    uploads.push_back(begin(request(FromStream{ends[0]}, std::to_string(uploads.size()))));
  }
  // All buffers are with pipes that say nothing; the last one has none.
  uploads.back()->cancel();
  EXPECT_TRUE(uploads.back()->wait_for(seconds(10))) << "cancel() waits for other streams";
  for (const auto& ends : silent) {
    ::close(ends[1]);
  }
  for (const auto& upload : uploads) (void)upload->wait();
  for (const auto& ends : silent) ::close(ends[0]);
}

TEST_F(UploadStreamTest, AnUnreadableDescriptorIsNamed) {
  const int fd = ::open(folder_.write("source", "text").c_str(), O_WRONLY | O_CLOEXEC);
  const Result<UploadSummary> done = run(request(FromStream{fd}));
  ::close(fd);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::io) << done.error().message;
  EXPECT_THAT(done.error().message, testing::HasSubstr("read the input"));
  expect_nothing();
}

TEST_F(UploadStreamTest, ADescriptorThatFailsMidwayLeavesNothingBehind) {
  const std::string text = test::content_of(kPart);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const std::shared_ptr<Upload> upload = begin(request(FromStream{ends[0]}));
  ASSERT_TRUE(test::write_all(ends[1], text));
  ASSERT_TRUE(peer_.wait_for_requests("CreateMultipartUpload", 1));
  const int unreadable = ::open(folder_.write("source", "text").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(::dup2(unreadable, ends[0]), 0);
  const Result<UploadSummary> done = upload->wait();
  for (int fd : {ends[0], ends[1], unreadable}) ::close(fd);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::io) << done.error().message;
  expect_nothing();
}

TEST_F(UploadStreamTest, AStreamWithoutASizeSaysSo) {
  test::Feeder feeder(test::content_of(kPart + 1));
  const std::shared_ptr<Upload> upload = begin(request(FromStream{feeder.descriptor()}));
  ASSERT_EQ(outcome(upload->wait()), "ok");
  EXPECT_FALSE(upload->progress().total_known);
  EXPECT_EQ(upload->progress().parts_total, 2u);
  EXPECT_EQ(upload->progress().bytes_done, kPart + 1);
}

TEST_F(UploadStreamTest, ASlowWriterIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const std::shared_ptr<Upload> upload = begin(request(FromStream{ends[0]}));
  ASSERT_TRUE(test::write_all(ends[1], "one "));
  EXPECT_FALSE(upload->wait_for(milliseconds(250)));
  ASSERT_TRUE(test::write_all(ends[1], "two"));
  ::close(ends[1]);
  ASSERT_EQ(outcome(upload->wait()), "ok");
  ::close(ends[0]);
  expect_object("one two");
}

}  // namespace
}  // namespace dray::transfer
