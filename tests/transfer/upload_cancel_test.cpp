// cancel(): at any moment, from any thread, the upload ends soon and leaves no open upload behind.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "transfer/upload_fixture.h"

namespace dray::transfer {
namespace {

class UploadCancelTest : public UploadTest {
 protected:
  /// Either it was too late, and the object is there; or it was cancelled.
  void expect_an_end(const Result<UploadSummary>& done, std::string_view text, const std::string& key) {
    if (done.ok()) {
      const std::optional<test::StoredObject> object = peer_.object(kBucket, key);
      EXPECT_TRUE(object.has_value() && object->content == text) << key;
    } else {
      EXPECT_EQ(done.error().kind, ErrorKind::cancelled) << done.error().message;
      EXPECT_EQ(done.error().left_behind, "");
    }
  }
  static void expect_soon(const std::shared_ptr<Upload>& upload, std::string_view what) {
    EXPECT_TRUE(upload->wait_for(seconds(test::kSanitized ? 20 : 5))) << what << ": cancel() is not heard";
  }
};

TEST_F(UploadCancelTest, AtRandomMoments) {
  const std::string text = test::content_of(2 * kPart + 11);
  const std::string path = folder_.write("source", text);
  std::mt19937_64 random(5);
  std::size_t cancelled = 0;
  for (int run = 0; run < 100; ++run) {
    SCOPED_TRACE(run);
    if (run % 25 == 0) start({.concurrency = std::size_t{1} << (run / 25 * 2)});
    std::optional<test::Feeder> feeder;
    UploadRequest wanted = request(FromFile{path}, std::to_string(run));
    switch (run % 5) {
      case 0:
        wanted.from = memory(text);
        break;
      case 1:
        wanted.from = FromStream{feeder.emplace(text).descriptor()};
        break;
      case 2:
        wanted.serial_reader = true;
        break;
      case 3:
        wanted.multipart_threshold = text.size();
        break;
      default:
        break;
    }
    const std::shared_ptr<Upload> upload = begin(std::move(wanted));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    upload->cancel();
    const Result<UploadSummary> done = upload->wait();
    expect_an_end(done, text, std::to_string(run));
    ASSERT_EQ(peer_.open_uploads(), 0u);
    if (!done) ++cancelled;
  }
  EXPECT_GT(cancelled, 10u);
}

struct Phase {
  std::string_view operation;
  std::size_t nth;
  Moment moment;
};

TEST_F(UploadCancelTest, InEachPhase) {
  const std::string text = test::content_of(3 * kPart);
  for (const std::size_t concurrency : {1, 3}) {
    start({.concurrency = concurrency});
    for (const Phase& phase :
         {Phase{"CreateMultipartUpload", 1, Moment::arrived}, Phase{"CreateMultipartUpload", 1, Moment::before_reply},
          Phase{"UploadPart", 1, Moment::arrived}, Phase{"UploadPart", 1, Moment::before_reply},
          Phase{"UploadPart", 3, Moment::arrived}, Phase{"UploadPart", 3, Moment::before_reply},
          Phase{"CompleteMultipartUpload", 1, Moment::arrived},
          Phase{"CompleteMultipartUpload", 1, Moment::before_reply}}) {
      SCOPED_TRACE(std::string(phase.operation) + " " + std::to_string(phase.nth));
      const std::string operation(phase.operation);
      auto upload = std::make_shared<Upload>(*engine_, request(memory(text)));
      peer_.at(operation, peer_.requests(operation) + phase.nth, phase.moment, [upload] { upload->cancel(); });
      engine_->start(upload);
      expect_soon(upload, operation);
      expect_an_end(upload->wait(), text, kKey);
      EXPECT_EQ(peer_.open_uploads(), 0u);
    }
  }
}

TEST_F(UploadCancelTest, BeforeItHasBegun) {
  start({.concurrency = 1});
  peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold});
  const std::shared_ptr<Upload> first = begin(request(memory("one"), "first"));
  const std::shared_ptr<Upload> second = begin(request(memory("two"), "second"));
  ASSERT_TRUE(peer_.wait_for_requests("PutObject", 1));
  second->cancel();
  expect_soon(second, "an upload that waits for its turn");
  EXPECT_EQ(kind_of(second->wait()), ErrorKind::cancelled);
  peer_.release();
  EXPECT_EQ(outcome(first->wait()), "ok");
  EXPECT_EQ(peer_.requests("PutObject"), 1u);
}

TEST_F(UploadCancelTest, WhileTheStoreDoesNotAnswer) {
  for (const std::string_view operation : {"PutObject", "UploadPart"}) {
    peer_.plan({.operation = std::string(operation), .misdeed = Misdeed::hold, .times = Fault::kAlways});
    const std::string text = test::content_of(operation == "PutObject" ? 10 : 2 * kPart);
    const std::shared_ptr<Upload> upload = begin(request(memory(text)));
    ASSERT_TRUE(peer_.wait_for_requests(std::string(operation), 1));
    upload->cancel();
    expect_soon(upload, operation);
    EXPECT_EQ(kind_of(upload->wait()), ErrorKind::cancelled);
    expect_nothing();
  }
}

/// Each kind of request fails, and its next try is an hour away.
TEST_F(UploadCancelTest, WhileARetryIsWaiting) {
  for (const std::string_view operation :
       {"PutObject", "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"}) {
    SCOPED_TRACE(operation);
    start({.concurrency = 2, .first_wait = std::chrono::hours(1), .longest_wait = std::chrono::hours(1)});
    peer_.plan({.operation = std::string(operation),
                .first = peer_.requests(std::string(operation)) + 1,
                .status = 503,
                .code = "SlowDown",
                .retry_after = "3600"});
    const std::string text = test::content_of(operation == "PutObject" ? 10 : 2 * kPart);
    retries_announced_ = 0;
    const std::shared_ptr<Upload> upload = begin(request(memory(text)));
    while (retries_announced_ == 0) std::this_thread::yield();
    upload->cancel();
    expect_soon(upload, operation);
    ASSERT_TRUE(upload->wait_for(milliseconds(1)));
    EXPECT_EQ(kind_of(upload->wait()), ErrorKind::cancelled) << outcome(upload->wait());
    expect_nothing();
  }
}

TEST_F(UploadCancelTest, WhileAPipeIsSilent) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const std::shared_ptr<Upload> upload = begin(request(FromStream{ends[0]}));
  ASSERT_TRUE(test::write_all(ends[1], "a beginning"));
  upload->cancel();
  expect_soon(upload, "a silent pipe");
  EXPECT_EQ(kind_of(upload->wait()), ErrorKind::cancelled);
  for (int end : ends) ::close(end);
  expect_nothing();
}

TEST_F(UploadCancelTest, WhileAFifoHasNoWriter) {
  const std::string path = folder_.path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::shared_ptr<Upload> upload = begin(request(FromFile{path}));
  EXPECT_FALSE(upload->wait_for(milliseconds(150)))
      << outcome(upload->wait());  // it has not ended: nobody has come yet
  upload->cancel();
  expect_soon(upload, "a FIFO without a writer");
  EXPECT_EQ(kind_of(upload->wait()), ErrorKind::cancelled);
  expect_nothing();
}

TEST_F(UploadCancelTest, WhileBytesWaitForTheBandwidthLimit) {
  start({.concurrency = 2, .bandwidth_limit = 64 << 10});
  const std::string text = test::content_of(2 * kPart);
  const std::shared_ptr<Upload> upload = begin(request(memory(text)));
  ASSERT_TRUE(peer_.wait_for_requests("UploadPart", 1));
  upload->cancel();
  expect_soon(upload, "the bandwidth limit");
  EXPECT_EQ(kind_of(upload->wait()), ErrorKind::cancelled);
  expect_nothing();
}

TEST_F(UploadCancelTest, TwiceAndAfterTheEnd) {
  const std::shared_ptr<Upload> upload = begin(request(memory("text")));
  ASSERT_EQ(outcome(upload->wait()), "ok");
  upload->cancel();
  upload->cancel();
  EXPECT_EQ(outcome(upload->wait()), "ok");
}

TEST_F(UploadCancelTest, ManyAtOnce) {
  const std::string text = test::content_of(kPart + 1);
  std::vector<std::shared_ptr<Upload>> uploads;
  for (int i = 0; i < 40; ++i) uploads.push_back(begin(request(memory(text), std::to_string(i))));
  ASSERT_TRUE(peer_.wait_for_requests("UploadPart", 3));
  engine_->cancel_all();
  for (std::size_t i = 0; i < uploads.size(); ++i) expect_an_end(uploads[i]->wait(), text, std::to_string(i));
  EXPECT_EQ(peer_.open_uploads(), 0u);
}

}  // namespace
}  // namespace dray::transfer
