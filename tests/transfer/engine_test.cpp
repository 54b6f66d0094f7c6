// What uploads of one engine share: connections, bandwidth, descriptors; and its end.
#include "transfer/engine.h"

#include <sys/resource.h>

#include "transfer/upload_fixture.h"

namespace dray::transfer {
namespace {

using EngineTest = UploadTest;

TEST_F(EngineTest, UsesExactlyAsManyConnectionsAsItWasToldWhenThereIsWork) {
  for (const std::size_t concurrency : {1, 7, 64}) {
    test::FakeS3 peer;
    peer.plan({.operation = "PutObject", .misdeed = Misdeed::hold, .times = Fault::kAlways});
    EngineOptions options;
    options.endpoint.url = base::parse_url(peer.url()).value();
    options.credentials = aws::static_credentials({.source = "nobody"});
    options.concurrency = concurrency;
    auto engine = Engine::start(std::move(options)).value();
    std::vector<std::shared_ptr<Upload>> uploads;
    for (std::size_t i = 0; i < 3 * concurrency; ++i) {
      uploads.push_back(std::make_shared<Upload>(*engine, request(memory("text"), std::to_string(i))));
      engine->start(uploads.back());
    }
    EXPECT_TRUE(peer.wait_for_requests("PutObject", concurrency)) << concurrency;
    peer.release();
    for (const auto& upload : uploads) ASSERT_EQ(outcome(upload->wait()), "ok");
    EXPECT_EQ(peer.peak_connections(), concurrency);
    EXPECT_EQ(engine->service().peak_connections, concurrency);
  }
}

TEST_F(EngineTest, OneLargeObjectUsesAllConnectionsToo) {
  start({.concurrency = 5});
  peer_.plan({.operation = "UploadPart", .misdeed = Misdeed::hold, .times = Fault::kAlways});
  const std::string text = test::content_of(7 * kPart);
  const std::shared_ptr<Upload> upload = begin(request(memory(text)));
  EXPECT_TRUE(peer_.wait_for_requests("UploadPart", 5));
  peer_.release();
  ASSERT_EQ(outcome(upload->wait()), "ok");
  EXPECT_EQ(peer_.peak_connections(), 5u);
}

TEST_F(EngineTest, KeepsItsConnections) {
  start({.concurrency = 3});
  for (int i = 0; i < 60; ++i) ASSERT_EQ(outcome(run(request(memory("text"), std::to_string(i)))), "ok");
  EXPECT_LE(peer_.accepted(), 3u);
}

TEST_F(EngineTest, ManySmallObjectsAllArrive) {
  start({.concurrency = 16});
  std::vector<std::shared_ptr<Upload>> uploads;
  for (int i = 0; i < 1'000; ++i) {
    uploads.push_back(begin(request(file(std::to_string(i), "f" + std::to_string(i)), std::to_string(i))));
  }
  for (const auto& upload : uploads) ASSERT_EQ(outcome(upload->wait()), "ok");
  EXPECT_EQ(peer_.objects(), 1'000u);
  for (int i = 0; i < 1'000; i += 37) expect_object(std::to_string(i), std::to_string(i));
}

TEST_F(EngineTest, ManyObjectsInPartsDoNotUseUpTheDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = 200, .rlim_max = before.rlim_max};
  start({.concurrency = 8});
  std::vector<std::string> paths;
  for (int i = 0; i < 600; ++i) paths.push_back(folder_.write("f" + std::to_string(i), std::to_string(i) + "."));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<std::shared_ptr<Upload>> uploads;
  for (int i = 0; i < 600; ++i) {
    UploadRequest wanted = request(FromFile{paths[static_cast<std::size_t>(i)]}, std::to_string(i));
    wanted.multipart_threshold = 1;  // one part each
    uploads.push_back(begin(std::move(wanted)));
  }
  std::size_t failed = 0;
  std::string first;
  for (const auto& upload : uploads) {
    const Result<UploadSummary> done = upload->wait();
    if (!done && failed++ == 0) first = done.error().message;
  }
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(failed, 0u) << first;
  EXPECT_EQ(peer_.objects(), 600u - failed);
}

TEST_F(EngineTest, ASlowDownHalvesWhatIsFoundOutWhileRunning) {
  start({.concurrency = 0});
  ASSERT_EQ(engine_->scheduler().limit(), 8u);
  peer_.plan({.operation = "PutObject", .status = 503, .code = "SlowDown"});
  ASSERT_EQ(outcome(run(request(memory("text")))), "ok");
  EXPECT_EQ(engine_->scheduler().limit(), 4u);
}

TEST_F(EngineTest, TheBandwidthLimitHolds) {
  constexpr std::uint64_t kRate = 8 << 20;
  start({.concurrency = 4, .bandwidth_limit = kRate});
  const std::string text = test::content_of(8 << 20);
  for (const bool from_file : {false, true}) {
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_EQ(outcome(run(from_file ? request(file(text)) : request(memory(text)))), "ok");
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    EXPECT_GE(took, 0.6) << "a second's worth less the burst";
    EXPECT_LE(took, test::kSanitized ? 20 : 5);
  }
}

TEST_F(EngineTest, ItsEndCancelsWhatRunsAndLeavesNothing) {
  const std::string text = test::content_of(4 * kPart);
  const std::string path = folder_.write("source", text);
  for (const std::string_view held : {"CreateMultipartUpload", "UploadPart", "PutObject"}) {
    SCOPED_TRACE(held);
    start({.concurrency = 3});
    const std::string operation(held);
    std::vector<std::shared_ptr<Upload>> uploads;
    if (operation == "PutObject") {
      peer_.plan({.operation = operation, .misdeed = Misdeed::hold, .times = Fault::kAlways});
      for (int i = 0; i < 10; ++i) uploads.push_back(begin(request(memory("text"))));
    } else {
      for (int i = 0; i < 3; ++i) uploads.push_back(begin(request(FromFile{path})));
    }
    ASSERT_TRUE(peer_.wait_for_requests(operation, 1));
    engine_.reset();
    for (const auto& upload : uploads) {
      const Result<UploadSummary> done = upload->wait();
      if (!done) {
        EXPECT_EQ(done.error().kind, ErrorKind::cancelled) << done.error().message;
        EXPECT_EQ(done.error().left_behind, "");
      }
      upload->cancel();  // nothing is left to be told
    }
    EXPECT_EQ(peer_.open_uploads(), 0u);
    EXPECT_TRUE(operation == "PutObject" || peer_.wait_for_no_connections());
  }
}

/// A worker that has just put its task off, and hires another for the time it is due, meets the end of the engine.
TEST_F(EngineTest, ItsEndMayComeWhileAWorkerHires) {
  peer_.plan({.operation = "PutObject", .times = Fault::kAlways, .status = 503, .code = "SlowDown"});
  for (int round = 0; round < 200; ++round) {
    start({.concurrency = 3, .first_wait = std::chrono::hours(1), .longest_wait = std::chrono::hours(1)});
    retries_announced_ = 0;
    const std::shared_ptr<Upload> upload = begin(request(memory("text")));
    while (retries_announced_ == 0) std::this_thread::yield();
    upload->cancel();
    EXPECT_EQ(kind_of(upload->wait()), ErrorKind::cancelled);
  }
}

TEST_F(EngineTest, ItsEndWaitsForAnAbortNoLongerThanItsPatience) {
  start({.time_to_clean_up = milliseconds(200)});
  peer_.plan({.operation = "AbortMultipartUpload", .misdeed = Misdeed::hold, .times = Fault::kAlways});
  const std::string text = test::content_of(4 * kPart);
  const std::shared_ptr<Upload> upload = begin(request(memory(text)));
  ASSERT_TRUE(peer_.wait_for_requests("UploadPart", 1));
  const auto begun = std::chrono::steady_clock::now();
  engine_.reset();
  EXPECT_LE(std::chrono::steady_clock::now() - begun, seconds(8));
  const Result<UploadSummary> done = upload->wait();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::cancelled);
  EXPECT_THAT(done.error().left_behind, testing::HasSubstr("upload-1"));
  may_stay_open_ = 1;
}

}  // namespace
}  // namespace dray::transfer
