// An engine and a store that it uploads to, for the tests of this folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "support/content.h"
#include "support/fake_s3.h"
#include "support/watchdog.h"
#include "transfer/engine.h"
#include "transfer/upload.h"

namespace dray::transfer {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Fault;
using test::Misdeed;
using test::Moment;

constexpr std::uint64_t kPart = 5 << 20;
inline const std::string kBucket = "bucket", kKey = "folder/key";

struct EngineSettings {
  std::size_t concurrency = 4;
  std::uint64_t memory_limit = 0;
  std::uint64_t bandwidth_limit = 0;
  int retries = 3;
  Duration first_wait = milliseconds(1);
  Duration longest_wait = milliseconds(20);
  Duration idle_timeout = seconds(15);
  Duration time_to_clean_up = seconds(10);
};

class UploadTest : public testing::Test {
 protected:
  void SetUp() override { start({}); }
  void TearDown() override {
    engine_.reset();
    EXPECT_THAT(peer_.complaints(), testing::IsEmpty());
    EXPECT_EQ(peer_.open_uploads(), may_stay_open_) << "multipart uploads were left open";
  }

  void start(EngineSettings settings) {
    engine_.reset();
    EngineOptions options;
    options.endpoint.url = base::parse_url(peer_.url()).value();
    options.credentials = aws::static_credentials({.access_key = "AKID", .secret_key = "secret", .source = "the test"});
    options.concurrency = settings.concurrency;
    options.memory_limit = settings.memory_limit;
    options.bandwidth_limit = settings.bandwidth_limit;
    options.retry = {.retries = settings.retries, .base = settings.first_wait, .cap = settings.longest_wait};
    options.time_to_clean_up = settings.time_to_clean_up;
    options.log = Log(LogLevel::info, [this](LogLevel, std::string_view text) {
      if (text.find("try again") != text.npos) ++retries_announced_;
    });
    options.dialer = {.connect_timeout = seconds(5), .idle_timeout = settings.idle_timeout};
    engine_ = Engine::start(std::move(options)).value();
  }

  static UploadRequest request(std::variant<FromFile, FromStream, FromMemory> from, std::string key = kKey) {
    UploadRequest made{.from = std::move(from), .bucket = kBucket, .key = std::move(key)};
    made.part_size = kPart;
    return made;
  }
  static FromMemory memory(std::string_view text) { return {as_bytes(text)}; }
  FromFile file(std::string_view text, const std::string& name = "source") { return {folder_.write(name, text)}; }

  std::shared_ptr<Upload> begin(UploadRequest wanted) {
    auto upload = std::make_shared<Upload>(*engine_, std::move(wanted));
    engine_->start(upload);
    return upload;
  }
  Result<UploadSummary> run(UploadRequest wanted) { return begin(std::move(wanted))->wait(); }

  /// The object is there, whole.
  void expect_object(std::string_view text, const std::string& key = kKey) {
    const std::optional<test::StoredObject> object = peer_.object(kBucket, key);
    ASSERT_TRUE(object.has_value()) << key;
    EXPECT_EQ(object->content.size(), text.size()) << key;
    EXPECT_TRUE(object->content == text) << key << ": the content differs";
  }
  void expect_nothing() {
    EXPECT_EQ(peer_.objects(), 0u);
    EXPECT_EQ(peer_.open_uploads(), 0u);
  }

  test::Watchdog watchdog_;
  std::size_t may_stay_open_ = 0;  // uploads, at the test's end
  std::atomic<int> retries_announced_{0};
  test::TemporaryFolder folder_;
  test::FakeS3 peer_;
  std::unique_ptr<Engine> engine_;
};

/// "ok", or the kind of the error and its message: for failure texts and comparisons.
inline std::string outcome(const Result<UploadSummary>& result) {
  return result.ok() ? "ok" : std::string(name_of(result.error().kind)) + ": " + result.error().message;
}
inline ErrorKind kind_of(const Result<UploadSummary>& result) {
  return result.ok() ? ErrorKind::internal : result.error().kind;
}

}  // namespace dray::transfer
