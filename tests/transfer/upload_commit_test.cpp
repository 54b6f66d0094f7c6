// The last request: lost replies, replies that lie, and objects that must not be replaced.
#include "transfer/upload_fixture.h"

namespace dray::transfer {
namespace {

class UploadCommitTest : public UploadTest {
 protected:
  const std::string text_ = test::content_of(2 * kPart + 3);

  test::StoredObject object_of(const std::string& content) {
    return {.content = content,
            .etag = "0123456789abcdef0123456789abcdef-3",
            .checksum = hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(content)),
            .content_type = "old"};
  }
  UploadRequest with_type(std::string type) {
    UploadRequest wanted = request(memory(text_));
    wanted.attributes.content_type = std::move(type);
    return wanted;
  }
};

TEST_F(UploadCommitTest, ACompleteThatFailsOnceIsSentAgain) {
  for (const Misdeed misdeed :
       {Misdeed::refuse, Misdeed::reset_at_once, Misdeed::error_in_success, Misdeed::empty_success}) {
    peer_.plan({.operation = "CompleteMultipartUpload",
                .misdeed = misdeed,
                .first = peer_.requests("CompleteMultipartUpload") + 1});
    ASSERT_EQ(outcome(run(request(memory(text_)))), "ok") << static_cast<int>(misdeed);
    expect_object(text_);
  }
}

TEST_F(UploadCommitTest, ALostReplyIsSettledByTheObject) {
  for (const Misdeed misdeed : {Misdeed::lose_reply, Misdeed::close_unanswered, Misdeed::no_etag}) {
    peer_.plan({.operation = "CompleteMultipartUpload",
                .misdeed = misdeed,
                .first = peer_.requests("CompleteMultipartUpload") + 1});
    const Result<UploadSummary> done = run(request(memory(text_)));
    ASSERT_EQ(outcome(done), "ok") << static_cast<int>(misdeed);
    expect_object(text_);
    EXPECT_LE(done->retries, 1u);
    EXPECT_EQ(done->etag, peer_.object(kBucket, kKey)->etag);
  }
}

TEST_F(UploadCommitTest, ALostReplyIsSettledByTheEtagWithoutAChecksum) {
  peer_.plan({.operation = "CompleteMultipartUpload", .misdeed = Misdeed::lose_reply});
  UploadRequest wanted = request(memory(text_));
  wanted.checksum = ChecksumKind::none;
  ASSERT_EQ(outcome(run(std::move(wanted))), "ok");
  expect_object(text_);
}

TEST_F(UploadCommitTest, SettlingIsTriedAgainToo) {
  peer_.plan({.operation = "CompleteMultipartUpload", .misdeed = Misdeed::lose_reply});
  peer_.plan({.operation = "HeadObject", .status = 503, .code = "SlowDown"});
  ASSERT_EQ(outcome(run(request(memory(text_)))), "ok");
  expect_object(text_);
  EXPECT_EQ(peer_.requests("HeadObject"), 2u);
}

TEST_F(UploadCommitTest, RepliesThatAreAllLostAreSettledToo) {
  peer_.plan({.operation = "CompleteMultipartUpload", .misdeed = Misdeed::lose_reply, .times = Fault::kAlways});
  ASSERT_EQ(outcome(run(request(memory(text_)))), "ok");
  expect_object(text_);
}

TEST_F(UploadCommitTest, AnotherObjectUnderTheKeyIsNotBelieved) {
  peer_.plan({.operation = "CompleteMultipartUpload", .misdeed = Misdeed::lose_reply});
  peer_.at("CompleteMultipartUpload", 1, Moment::before_reply, [this] {
    peer_.put(kBucket, kKey, object_of(test::content_of(text_.size(), 77)));  // somebody else was faster
  });
  const Result<UploadSummary> done = run(request(memory(text_)));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().left_behind, "");
  EXPECT_EQ(peer_.open_uploads(), 0u);
}

TEST_F(UploadCommitTest, AnUploadThatIsGoneWithoutAnObjectIsAFailure) {
  peer_.plan({.operation = "CompleteMultipartUpload", .times = Fault::kAlways, .status = 404, .code = "NoSuchUpload"});
  const Result<UploadSummary> done = run(request(memory(text_)));
  EXPECT_EQ(kind_of(done), ErrorKind::not_found) << outcome(done);
  expect_nothing();
}

/// The same content was there before: a Complete that never arrived must not be taken for one that did.
TEST_F(UploadCommitTest, AnOlderEqualObjectDoesNotStandForALostComplete) {
  peer_.put(kBucket, kKey, object_of(text_));
  peer_.plan({.operation = "CompleteMultipartUpload", .misdeed = Misdeed::reset_at_once});
  ASSERT_EQ(outcome(run(with_type("new"))), "ok");
  expect_object(text_);
  EXPECT_EQ(peer_.object(kBucket, kKey)->content_type, "new");
}

TEST_F(UploadCommitTest, AnOlderEqualObjectDoesNotStandForARefusedComplete) {
  peer_.put(kBucket, kKey, object_of(text_));
  peer_.plan({.operation = "CompleteMultipartUpload", .times = Fault::kAlways});
  const Result<UploadSummary> done = run(with_type("new"));
  EXPECT_EQ(kind_of(done), ErrorKind::server) << outcome(done);
  EXPECT_EQ(peer_.open_uploads(), 0u);
}

TEST_F(UploadCommitTest, ACompleteThatNeverGetsThroughLeavesNothing) {
  peer_.plan({.operation = "CompleteMultipartUpload", .misdeed = Misdeed::reset_at_once, .times = Fault::kAlways});
  const Result<UploadSummary> done = run(request(memory(text_)));
  EXPECT_EQ(kind_of(done), ErrorKind::network) << outcome(done);
  expect_nothing();
}

TEST_F(UploadCommitTest, ACompleteThatStaysRefusedLeavesNothing) {
  for (const auto& [status, code] : {std::pair(500, "InternalError"), std::pair(403, "AccessDenied")}) {
    peer_.plan({.operation = "CompleteMultipartUpload",
                .first = peer_.requests("CompleteMultipartUpload") + 1,
                .times = 4,
                .status = status,
                .code = code});
    const Result<UploadSummary> done = run(request(memory(text_)));
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, code);
    EXPECT_EQ(done.error().left_behind, "");
    expect_nothing();
    if (status != 500) break;
  }
}

TEST_F(UploadCommitTest, AWrongChecksumInTheReplyIsSettledByTheObject) {
  peer_.plan({.operation = "CompleteMultipartUpload", .misdeed = Misdeed::wrong_checksum});
  ASSERT_EQ(outcome(run(request(memory(text_)))), "ok");
  expect_object(text_);
}

TEST_F(UploadCommitTest, IfNoneMatchMakesANewObject) {
  for (const std::uint64_t size : {std::uint64_t{3}, 2 * kPart + 3}) {
    UploadRequest wanted = request(memory(std::string_view(text_).substr(0, size)), std::to_string(size));
    wanted.if_none_match = true;
    ASSERT_EQ(outcome(run(std::move(wanted))), "ok");
  }
  EXPECT_EQ(peer_.objects(), 2u);
}

TEST_F(UploadCommitTest, IfNoneMatchReplacesNothing) {
  for (const std::uint64_t size : {std::uint64_t{3}, 2 * kPart + 3}) {
    peer_.put(kBucket, kKey, object_of("other"));
    UploadRequest wanted = request(memory(std::string_view(text_).substr(0, size)));
    wanted.if_none_match = true;
    const Result<UploadSummary> done = run(std::move(wanted));
    EXPECT_EQ(kind_of(done), ErrorKind::already_exists) << outcome(done);
    expect_object("other");
  }
}

TEST_F(UploadCommitTest, IfNoneMatchReplacesNotEvenAnEqualObject) {
  for (const std::uint64_t size : {std::uint64_t{3}, 2 * kPart + 3}) {
    const std::string content = text_.substr(0, size);
    peer_.put(kBucket, kKey, object_of(content));
    UploadRequest wanted = request(memory(content));
    wanted.if_none_match = true;
    const Result<UploadSummary> done = run(std::move(wanted));
    EXPECT_EQ(kind_of(done), ErrorKind::already_exists) << outcome(done);
    expect_object(content);
    EXPECT_EQ(peer_.object(kBucket, kKey)->content_type, "old");
  }
}

TEST_F(UploadCommitTest, IfNoneMatchKnowsItsOwnObjectAfterALostReply) {
  for (const Misdeed misdeed : {Misdeed::lose_reply, Misdeed::close_unanswered}) {
    for (const std::uint64_t size : {std::uint64_t{3}, 2 * kPart + 3}) {
      const std::string operation = size > kPart ? "CompleteMultipartUpload" : "PutObject";
      peer_.plan({.operation = operation, .misdeed = misdeed, .first = peer_.requests(operation) + 1});
      const std::string key = std::to_string(size) + std::to_string(static_cast<int>(misdeed));
      UploadRequest wanted = request(memory(std::string_view(text_).substr(0, size)), key);
      wanted.if_none_match = true;
      const Result<UploadSummary> done = run(std::move(wanted));
      ASSERT_EQ(outcome(done), "ok") << operation << static_cast<int>(misdeed);
      expect_object(std::string_view(text_).substr(0, size), key);
    }
  }
}

}  // namespace
}  // namespace dray::transfer
