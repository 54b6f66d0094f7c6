// What passes by itself is tried again; what stays is reported, and nothing is left in the store.
#include "transfer/upload_fixture.h"

namespace dray::transfer {
namespace {

/// Misdeeds that befall one request and must not be noticed in the result.
struct PassingCase {
  std::string name;
  Fault fault;
};

class UploadRetriesTest : public UploadTest, public testing::WithParamInterface<PassingCase> {};

TEST_P(UploadRetriesTest, TheObjectIsMadeAllTheSame) {
  Fault fault = GetParam().fault;
  for (const bool single : {true, false}) {
    SCOPED_TRACE(single ? "one PUT" : "in parts");
    fault.operation = single ? "PutObject" : "UploadPart";
    peer_.plan(fault);
    const std::string text = test::content_of(single ? 100'000 : 3 * kPart + 100'000);
    const Result<UploadSummary> done = run(request(memory(text)));
    ASSERT_EQ(outcome(done), "ok");
    expect_object(text);
    // None where a kept connection broke: that is no retry yet.
    EXPECT_LE(done->retries, 1u);
    EXPECT_EQ(peer_.requests(fault.operation), single ? 2u : 5u);
  }
}

TEST_P(UploadRetriesTest, AFileIsReadAgain) {
  Fault fault = GetParam().fault;
  fault.operation = "UploadPart";
  fault.first = 2;
  peer_.plan(fault);
  const std::string text = test::content_of(3 * kPart + 7);
  ASSERT_EQ(outcome(run(request(file(text)))), "ok");
  expect_object(text);
}

TEST_P(UploadRetriesTest, OneConnectionIsEnough) {
  start({.concurrency = 1});
  Fault fault = GetParam().fault;
  fault.operation = "UploadPart";
  fault.first = 2;
  peer_.plan(fault);
  const std::string text = test::content_of(3 * kPart + 7);
  ASSERT_EQ(outcome(run(request(memory(text)))), "ok");
  expect_object(text);
  EXPECT_EQ(peer_.peak_connections(), 1u);
}

TEST_P(UploadRetriesTest, ItIsGivenUpAfterAllTries) {
  Fault fault = GetParam().fault;
  fault.operation = "UploadPart";
  fault.times = Fault::kAlways;
  peer_.plan(fault);
  const std::string text = test::content_of(2 * kPart);
  const Result<UploadSummary> done = run(request(memory(text)));
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, testing::MatchesRegex("part [12]: UploadPart.*"));
  EXPECT_EQ(done.error().left_behind, "");
  expect_nothing();
}

const PassingCase kPassing[] = {
    {"InternalError", {}},
    {"SlowDown", {.status = 503, .code = "SlowDown"}},
    {"SlowDownWithRetryAfter", {.status = 503, .code = "SlowDown", .retry_after = "1"}},
    {"TooManyRequests", {.status = 429, .code = "TooManyRequests"}},
    {"RequestTimeout", {.status = 400, .code = "RequestTimeout"}},
    {"BadDigest", {.status = 400, .code = "BadDigest"}},
    {"EarlySlowDown", {.misdeed = Misdeed::refuse_early, .status = 503, .code = "SlowDown"}},
    {"ResetBeforeTheBody", {.misdeed = Misdeed::reset_at_once}},
    {"ResetInTheBody", {.misdeed = Misdeed::cut_body, .bytes = 50'000}},
    {"LostReply", {.misdeed = Misdeed::lose_reply}},
    {"ClosedWithoutAReply", {.misdeed = Misdeed::close_unanswered}},
    {"NoEtag", {.misdeed = Misdeed::no_etag}},
    {"EmptySuccess", {.misdeed = Misdeed::empty_success}},
    {"WrongChecksumInTheReply", {.misdeed = Misdeed::wrong_checksum}},
};
INSTANTIATE_TEST_SUITE_P(Passing, UploadRetriesTest, testing::ValuesIn(kPassing),
                         [](const auto& passing) { return passing.param.name; });

TEST_F(UploadTest, WaitsAsLongAsTheStoreAsks) {
  start({.longest_wait = seconds(5)});
  peer_.plan({.operation = "PutObject", .status = 503, .code = "SlowDown", .retry_after = "1"});
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_EQ(outcome(run(request(memory("text")))), "ok");
  EXPECT_GE(std::chrono::steady_clock::now() - begun, seconds(1));
}

TEST_F(UploadTest, AStalledConnectionIsGivenUpAndTheRequestSentAgain) {
  start({.idle_timeout = test::kSanitized ? milliseconds(3'000) : milliseconds(300)});
  peer_.plan({.operation = "UploadPart", .misdeed = Misdeed::hold, .first = 2});
  const std::string text = test::content_of(2 * kPart);
  const Result<UploadSummary> done = run(request(memory(text)));
  ASSERT_EQ(outcome(done), "ok");
  EXPECT_GE(done->retries, 1u);
  expect_object(text);
}

TEST_F(UploadTest, ARefusalThatStaysEndsTheUpload) {
  for (const Misdeed misdeed : {Misdeed::refuse, Misdeed::refuse_early}) {
    const std::size_t before = peer_.requests("UploadPart");
    peer_.plan({.operation = "UploadPart",
                .misdeed = misdeed,
                .first = before + 2,
                .times = Fault::kAlways,
                .status = 403,
                .code = "AccessDenied"});
    const std::string text = test::content_of(8 * kPart);
    const Result<UploadSummary> done = run(request(memory(text)));
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().kind, ErrorKind::access_denied);
    EXPECT_EQ(done.error().http_status, 403);
    EXPECT_EQ(done.error().code, "AccessDenied");
    EXPECT_THAT(done.error().request_id, testing::StartsWith("UploadPart-"));
    EXPECT_THAT(done.error().message, testing::HasSubstr("part "));
    EXPECT_EQ(done.error().left_behind, "");
    EXPECT_EQ(peer_.requests("AbortMultipartUpload"), before == 0 ? 1u : 2u);
    EXPECT_LE(peer_.requests("UploadPart") - before, 5u);  // nobody goes on with the others
    expect_nothing();
  }
}

TEST_F(UploadTest, ARefusedPutSaysWhatTheStoreSaid) {
  peer_.plan({.operation = "PutObject", .times = Fault::kAlways, .status = 403, .code = "AccessDenied"});
  const Result<UploadSummary> done = run(request(memory("text")));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::access_denied);
  EXPECT_THAT(done.error().message, testing::HasSubstr("PutObject s3://bucket/folder/key"));
  EXPECT_EQ(peer_.requests("PutObject"), 1u);
}

TEST_F(UploadTest, AnEarlyRefusalOfALargePutIsHeard) {
  peer_.plan({.operation = "PutObject",
              .misdeed = Misdeed::refuse_early,
              .times = Fault::kAlways,
              .status = 403,
              .code = "AccessDenied"});
  UploadRequest wanted = request(file(test::content_of(40 << 20)));  // the peer does not take so much in vain
  wanted.multipart_threshold = 64 << 20;
  const Result<UploadSummary> done = run(std::move(wanted));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, "AccessDenied") << done.error().message;
}

TEST_F(UploadTest, ARefusedCreateEndsTheUpload) {
  peer_.plan({.operation = "CreateMultipartUpload", .times = Fault::kAlways, .status = 403, .code = "AccessDenied"});
  const Result<UploadSummary> done = run(request(file(test::content_of(3 * kPart))));
  EXPECT_EQ(kind_of(done), ErrorKind::access_denied) << outcome(done);
  EXPECT_EQ(peer_.requests("UploadPart"), 0u);
  EXPECT_EQ(peer_.requests("AbortMultipartUpload"), 0u);
  expect_nothing();
}

TEST_F(UploadTest, ACreateThatFailsOnceIsSentAgain) {
  for (const Misdeed misdeed :
       {Misdeed::refuse, Misdeed::reset_at_once, Misdeed::error_in_success, Misdeed::empty_success}) {
    peer_.plan({.operation = "CreateMultipartUpload",
                .misdeed = misdeed,
                .first = peer_.requests("CreateMultipartUpload") + 1});
    const std::string text = test::content_of(2 * kPart);
    ASSERT_EQ(outcome(run(request(memory(text)))), "ok") << static_cast<int>(misdeed);
    expect_object(text);
  }
}

TEST_F(UploadTest, AnAbortThatFailsOnceIsSentAgain) {
  peer_.plan({.operation = "UploadPart", .times = Fault::kAlways, .status = 403, .code = "AccessDenied"});
  peer_.plan({.operation = "AbortMultipartUpload"});
  const std::string text = test::content_of(2 * kPart);
  const Result<UploadSummary> done = run(request(memory(text)));
  EXPECT_EQ(kind_of(done), ErrorKind::access_denied) << outcome(done);
  EXPECT_EQ(done.error().left_behind, "");
  expect_nothing();
}

TEST_F(UploadTest, AnAbortThatFailsIsSaidToLeaveTheUploadBehind) {
  peer_.plan({.operation = "UploadPart", .times = Fault::kAlways, .status = 403, .code = "AccessDenied"});
  peer_.plan({.operation = "AbortMultipartUpload", .times = Fault::kAlways, .status = 500});
  const std::string text = test::content_of(2 * kPart);
  const Result<UploadSummary> done = run(request(memory(text)));
  EXPECT_EQ(kind_of(done), ErrorKind::access_denied) << outcome(done);
  EXPECT_THAT(done.error().left_behind, testing::HasSubstr("upload-1"));
  EXPECT_THAT(done.error().left_behind, testing::HasSubstr("s3://bucket/folder/key"));
  EXPECT_EQ(peer_.open_uploads(), 1u);
  may_stay_open_ = 1;
}

TEST_F(UploadTest, AnUploadThatSomebodyAbortedEndsWithNotFound) {
  peer_.plan({.operation = "UploadPart", .times = Fault::kAlways, .status = 404, .code = "NoSuchUpload"});
  const std::string text = test::content_of(2 * kPart);
  const Result<UploadSummary> done = run(request(memory(text)));
  EXPECT_EQ(kind_of(done), ErrorKind::not_found) << outcome(done);
  EXPECT_EQ(done.error().left_behind, "");  // the peer says that it is gone
  EXPECT_EQ(peer_.requests("AbortMultipartUpload"), 1u);
}

}  // namespace
}  // namespace dray::transfer
