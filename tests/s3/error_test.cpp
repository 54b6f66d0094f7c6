#include "s3/error.h"

#include <gtest/gtest.h>

#include <string>

#include "s3/fixture.h"

namespace dray::s3 {
namespace {

http::ResponseHead head_of(int status, std::string_view reason = "") {
  return {.status = status, .reason = std::string(reason)};
}

TEST(ErrorTest, MapsEachCode) {
  struct {
    const char* code;
    int status;
    ErrorKind kind;
    bool advice;
  } const rows[] = {
      {"NoSuchBucket", 404, ErrorKind::not_found, true},
      {"NoSuchKey", 404, ErrorKind::not_found, false},
      {"NoSuchUpload", 404, ErrorKind::not_found, false},
      {"NoSuchVersion", 404, ErrorKind::not_found, false},
      {"AccessDenied", 403, ErrorKind::access_denied, true},
      {"InvalidAccessKeyId", 403, ErrorKind::access_denied, true},
      {"SignatureDoesNotMatch", 403, ErrorKind::access_denied, true},
      {"ExpiredToken", 400, ErrorKind::access_denied, true},
      {"InvalidToken", 400, ErrorKind::access_denied, true},
      {"AllAccessDisabled", 403, ErrorKind::access_denied, false},
      {"InvalidObjectState", 403, ErrorKind::access_denied, true},
      {"RequestTimeTooSkewed", 403, ErrorKind::server, true},
      {"AuthorizationHeaderMalformed", 400, ErrorKind::server, true},
      {"BadDigest", 400, ErrorKind::checksum_mismatch, false},
      {"InvalidDigest", 400, ErrorKind::checksum_mismatch, false},
      {"XAmzContentSHA256Mismatch", 400, ErrorKind::checksum_mismatch, false},
      {"BucketAlreadyExists", 409, ErrorKind::already_exists, true},
      {"BucketAlreadyOwnedByYou", 409, ErrorKind::already_exists, false},
      {"BucketNotEmpty", 409, ErrorKind::already_exists, false},
      {"PreconditionFailed", 412, ErrorKind::already_exists, false},
      {"ConditionalRequestConflict", 409, ErrorKind::server, false},
      {"OperationAborted", 409, ErrorKind::server, false},
      {"InvalidBucketName", 400, ErrorKind::invalid_argument, true},
      {"KeyTooLongError", 400, ErrorKind::invalid_argument, true},
      {"InvalidArgument", 400, ErrorKind::server, false},
      {"InvalidRequest", 400, ErrorKind::server, false},
      {"InvalidPart", 400, ErrorKind::server, false},
      {"InvalidPartOrder", 400, ErrorKind::server, false},
      {"EntityTooSmall", 400, ErrorKind::server, true},
      {"EntityTooLarge", 400, ErrorKind::server, true},
      {"InvalidRange", 416, ErrorKind::server, false},
      {"MalformedXML", 400, ErrorKind::server, false},
      {"IncompleteBody", 400, ErrorKind::server, false},
      {"RequestTimeout", 400, ErrorKind::server, false},
      {"MissingContentLength", 411, ErrorKind::server, false},
      {"MethodNotAllowed", 405, ErrorKind::unsupported, false},
      {"NotImplemented", 501, ErrorKind::unsupported, false},
      {"InternalError", 500, ErrorKind::server, false},
      {"ServiceUnavailable", 503, ErrorKind::server, false},
      {"SlowDown", 503, ErrorKind::server, false},
      {"QuotaExceeded", 403, ErrorKind::no_space, true},
      {"InsufficientStorage", 507, ErrorKind::no_space, true},
  };
  for (const auto& row : rows) {
    const Error error = error_of(head_of(row.status), error_xml(row.code), "PutObject s3://b/k");
    EXPECT_EQ(error.kind, row.kind) << row.code;
    EXPECT_EQ(error.code, row.code);
    EXPECT_EQ(error.http_status, row.status) << row.code;
    EXPECT_EQ(error.message, "PutObject s3://b/k: because") << row.code;
    EXPECT_EQ(!error.advice.empty(), row.advice) << row.code << ": " << error.advice;
    EXPECT_EQ(status_of(row.code), row.status) << row.code;
  }
  EXPECT_EQ(status_of("NeverHeardOfIt"), 400);
}

TEST(ErrorTest, GoesByTheStatusWithoutABody) {
  struct {
    int status;
    ErrorKind kind;
    const char* says;
  } const rows[] = {
      {301, ErrorKind::server, "301 Moved Permanently"},
      {400, ErrorKind::server, "400 Bad Request"},
      {401, ErrorKind::access_denied, "401 Unknown"},
      {403, ErrorKind::access_denied, "403 Forbidden"},
      {404, ErrorKind::not_found, "404 Not Found"},
      {409, ErrorKind::server, "409 Conflict"},
      {412, ErrorKind::already_exists, "412"},
      {429, ErrorKind::server, "429 Too Many Requests"},
      {500, ErrorKind::server, "500"},
      {501, ErrorKind::unsupported, "501 Not Implemented"},
      {503, ErrorKind::server, "503"},
      {507, ErrorKind::no_space, "507"},
      {799, ErrorKind::server, "799 Unknown"},
  };
  for (const auto& row : rows) {
    const Error error = error_of(head_of(row.status), "", "HeadObject s3://b/k");
    EXPECT_EQ(error.kind, row.kind) << row.status;
    EXPECT_EQ(error.http_status, row.status);
    EXPECT_EQ(error.code, "");
    EXPECT_NE(error.message.find("the store answered " + std::string(row.says)), std::string::npos) << error.message;
  }
}

TEST(ErrorTest, SaysTheStatusWhereThePageIsNotS3s) {
  for (const char* body : {"<html><head><title>502 Bad Gateway</title></head><body><hr></body></html>",
                           "<!DOCTYPE html><html></html>", "upstream connect error", "{\"error\": \"x\"}",
                           "<Error><Code>SlowDown", "<Other><Code>SlowDown</Code></Other>"}) {
    const Error error = error_of(head_of(502, "Bad Gateway"), body, "PutObject s3://b/k");
    EXPECT_EQ(error.kind, ErrorKind::server) << body;
    EXPECT_EQ(error.code, "") << body;
    EXPECT_EQ(error.message, "PutObject s3://b/k: the store answered 502 Bad Gateway") << body;
  }
}

TEST(ErrorTest, SaysTheCodeWhereThereIsNoMessage) {
  const Error error = error_of(head_of(400), "<Error><Code>Odd</Code></Error>", "PutObject s3://b/k");
  EXPECT_EQ(error.message, "PutObject s3://b/k: Odd");
  EXPECT_EQ(error.kind, ErrorKind::server);
}

TEST(ErrorTest, ShowsAStoresWordsSafelyAndNotWithoutEnd) {
  const Error error =
      error_of(head_of(400, "\x1b[31m"), error_xml("O&#10;dd", "two&#10;lines \xe2\x80\xae &#x1b;[31m"), "x");
  for (const std::string* text : {&error.message, &error.code, &error.request_id}) {
    EXPECT_EQ(text->find_first_of("\n\x1b"), std::string::npos) << *text;
    EXPECT_EQ(text->find("\xe2\x80\xae"), std::string::npos) << *text;
  }
  EXPECT_NE(error.message.find("two\\nlines"), std::string::npos) << error.message;
  EXPECT_LT(error_of(head_of(400), error_xml(std::string(1 << 20, 'c'), std::string(1 << 20, 'x')), "x").message.size(),
            5000u);
  EXPECT_LT(error_of(head_of(400), error_xml(std::string(1 << 20, 'c'), ""), "x").message.size(), 5000u);
}

TEST(ErrorTest, TakesTheRequestIdOfTheHeadFirst) {
  http::ResponseHead head = head_of(400);
  EXPECT_EQ(error_of(head, error_xml("Odd"), "x").request_id, "of-the-body");
  head.headers.add("x-amz-request-id", "of-the-head");
  EXPECT_EQ(error_of(head, error_xml("Odd"), "x").request_id, "of-the-head");
  EXPECT_EQ(error_of(head, "", "x").request_id, "of-the-head");
}

TEST(ErrorTest, ReadsRetryAfterInSeconds) {
  struct {
    const char* value;
    std::optional<long> ms;
  } const rows[] = {{"0", 0},
                    {"2", 2000},
                    {"86399", 86399000},
                    {"86400", std::nullopt},  // nobody waits for a day
                    {"-1", std::nullopt},
                    {"1.5", std::nullopt},
                    {"soon", std::nullopt},
                    {"99999999999999999999", std::nullopt},
                    {"Mon, 30 Nov 2026 10:28:32 GMT", std::nullopt},  // which clock would it be by?
                    {"", std::nullopt}};
  for (const auto& row : rows) {
    http::ResponseHead head = head_of(503);
    head.headers.add("retry-after", row.value);
    EXPECT_EQ(error_of(head, "", "x").retry_after_ms, row.ms) << row.value;
  }
  EXPECT_EQ(error_of(head_of(503), "", "x").retry_after_ms, std::nullopt);
}

TEST(ErrorInSuccessTest, TakesTheCodeOfTheDocument) {
  const Error error = error_in_success(head_of(200), error_xml("InternalError"), "CompleteMultipartUpload");
  EXPECT_EQ(error.kind, ErrorKind::server);
  EXPECT_EQ(error.code, "InternalError");
  EXPECT_EQ(error.http_status, 200);
  EXPECT_EQ(error_in_success(head_of(200), "\n\n" + error_xml("AccessDenied"), "x").kind, ErrorKind::access_denied);
}

TEST(ErrorInSuccessTest, IsProtocolWhereNoCodeIs) {
  for (const char* body : {"", " \n", "<html/>", "<Error/>", "<Error><Message>m</Message></Error>", "<Result/>"}) {
    const Error error = error_in_success(head_of(200), body, "CompleteMultipartUpload");
    EXPECT_EQ(error.kind, ErrorKind::protocol) << body;
    EXPECT_EQ(error.message, "CompleteMultipartUpload: the store answered 200 without a result") << body;
  }
}

}  // namespace
}  // namespace dray::s3
