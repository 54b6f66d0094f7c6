#include <gtest/gtest.h>

#include "fixture.h"

namespace dray::server {
namespace {

class AuthTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    make_bucket();
    put("k", "hello");
  }
  Answer get_with_query(const std::string& query) {
    Wire wire;
    wire.head = "GET /bucket/k?" + query + " HTTP/1.1\r\nhost: " + host() + "\r\n";
    return exchange(wire);
  }
  std::string presigned(WallTime at, long seconds) {
    aws::Signer signer("us-east-1");
    return signer.presign("GET", "/bucket/k", {}, host(), {"AKID", "secret-of-akid", "", {}, "test"}, at, seconds);
  }
};

const auto kNow = std::chrono::system_clock::now();

TEST_F(AuthTest, RefusesUnsignedRequests) {
  Wire wire;
  wire.head = "GET /bucket/k HTTP/1.1\r\nhost: " + host() + "\r\n";
  expect_refused(exchange(wire), 403, "AccessDenied");
}

TEST_F(AuthTest, RefusesAnotherSecret) {
  const Call call{.bucket = "bucket", .key = "k"};
  expect_refused(exchange(sign(call, kNow, "another secret")), 403, "SignatureDoesNotMatch");
}

TEST_F(AuthTest, RefusesAnUnknownAccessKey) {
  Wire wire = sign({.bucket = "bucket", .key = "k"});
  wire.head.replace(wire.head.find("AKID"), 4, "AKIE");
  expect_refused(exchange(wire), 403, "InvalidAccessKeyId");
}

TEST_F(AuthTest, RefusesARequestThatWasChangedOnTheWay) {
  Wire wire = sign({.bucket = "bucket", .key = "k"});
  wire.head.replace(wire.head.find("/bucket/k"), 9, "/bucket/x");
  expect_refused(exchange(wire), 403, "SignatureDoesNotMatch");
}

TEST_F(AuthTest, RefusesAHeaderThatIsNotSigned) {
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k", .body = "x"});
  wire.head += "x-amz-meta-added: 1\r\n";
  expect_refused(exchange(wire), 403, "AccessDenied");
}

TEST_F(AuthTest, RefusesAClockThatIsFarOff) {
  const Call call{.bucket = "bucket", .key = "k"};
  expect_refused(exchange(sign(call, kNow - std::chrono::hours(1))), 403, "RequestTimeTooSkewed");
  expect_refused(exchange(sign(call, kNow + std::chrono::hours(1))), 403, "RequestTimeTooSkewed");
}

TEST_F(AuthTest, ServesPresignedUrls) {
  const Answer answer = get_with_query(presigned(kNow, 600));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, "hello");
}

TEST_F(AuthTest, RefusesPresignedUrlsThatExpiredOrWereChanged) {
  expect_refused(get_with_query(presigned(kNow - std::chrono::seconds(600), 60)), 403, "AccessDenied");
  std::string changed = presigned(kNow, 600);
  changed.replace(changed.find("Expires=600"), 11, "Expires=601");
  expect_refused(get_with_query(changed), 403, "SignatureDoesNotMatch");
}

TEST_F(AuthTest, ErrorsNameTheResourceAndTheRequest) {
  const Answer answer = get("missing key");
  const s3::XmlElement xml = answer.xml();
  EXPECT_EQ(xml.child_text("Code"), "NoSuchKey");
  EXPECT_FALSE(xml.child_text("Message").empty());
  EXPECT_EQ(xml.child_text("Resource"), "/bucket/missing%20key");
  EXPECT_FALSE(xml.child_text("RequestId").empty());
  EXPECT_EQ(xml.child_text("RequestId"), answer.headers.get("x-amz-request-id"));
  EXPECT_EQ(answer.headers.get("content-type"), "application/xml");
}

TEST_F(AuthTest, RequestIdsAreUnique) {
  EXPECT_NE(get("k").headers.get("x-amz-request-id"), get("k").headers.get("x-amz-request-id"));
}

TEST_F(AuthTest, ARefusedUploadIsNotAskedForItsBody) {
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k"}, kNow, "another secret");
  wire.head += "expect: 100-continue\r\ncontent-length: 1000000\r\n";
  const Answer answer = exchange(wire);  // no body is sent, and none is waited for
  expect_refused(answer, 403, "SignatureDoesNotMatch");
  EXPECT_EQ(answer.headers.get("connection"), "close");
}

}  // namespace
}  // namespace dray::server
