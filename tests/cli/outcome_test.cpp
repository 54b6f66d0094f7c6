#include "cli/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dray::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

Outcome uploaded() {
  return {.operation = {"cp", "a.txt", "s3://b/k"},
          .object = Summary{.size = 6,
                            .parts = 2,
                            .etag = "abc-2",
                            .checksum_kind = ChecksumKind::crc64nvme,
                            .checksum = "rosUhgp5mIg=",
                            .retries = 1,
                            .seconds = 0.5}};
}

Outcome failed() {
  return {.operation = {"cp", "a.txt", "s3://b/k"},
          .state = Outcome::State::failed,
          .error = {.kind = ErrorKind::not_found,
                    .message = "create an upload in bucket b: The specified bucket does not exist",
                    .advice = "make it with: dray mb s3://b",
                    .code = "NoSuchBucket",
                    .request_id = "4442587FB7D0A2F9",
                    .http_status = 404}};
}

TEST(OutcomeTest, DoneIsTheCommandItself) { EXPECT_EQ(to_text(uploaded()), "cp a.txt s3://b/k"); }

TEST(OutcomeTest, DoneAsJsonTellsTheObject) {
  const json told = json::parse(to_json(uploaded()));
  EXPECT_EQ(told, json::parse(R"({"operation":"cp","success":true,"source":"a.txt","destination":"s3://b/k",
      "object":{"size":6,"etag":"abc-2","checksum_algorithm":"crc64nvme","checksum":"rosUhgp5mIg=","parts":2,
                "retries":1,"seconds":0.5}})"));
}

TEST(OutcomeTest, JsonBeginsWithOperationAndSuccess) {
  EXPECT_THAT(to_json(uploaded()), testing::StartsWith(R"({"operation":"cp","success":true,"source":"a.txt")"));
}

TEST(OutcomeTest, FailureSaysWhatHappenedTheStoresWordsAndWhatToDo) {
  EXPECT_EQ(to_text(failed()),
            "ERROR \"cp a.txt s3://b/k\": create an upload in bucket b: The specified bucket does not exist "
            "(NoSuchBucket, request 4442587FB7D0A2F9): make it with: dray mb s3://b");
}

TEST(OutcomeTest, FailureWithoutAReplyHasNoParentheses) {
  Outcome outcome = failed();
  outcome.error.code = outcome.error.request_id = outcome.error.advice = "";
  EXPECT_THAT(to_text(outcome), Not(HasSubstr("(")));
  outcome.error.request_id = "77";
  EXPECT_THAT(to_text(outcome), HasSubstr(" (request 77)"));
}

TEST(OutcomeTest, WhatIsLeftBehindIsSaid) {
  Outcome outcome = failed();
  outcome.error.left_behind = "multipart upload 17 of s3://b/k";
  EXPECT_THAT(to_text(outcome), HasSubstr("left behind: multipart upload 17 of s3://b/k"));
  EXPECT_EQ(json::parse(to_json(outcome))["error"]["left_behind"], "multipart upload 17 of s3://b/k");
}

TEST(OutcomeTest, FailureAsJsonTellsTheError) {
  const json told = json::parse(to_json(failed()));
  EXPECT_EQ(told["operation"], "cp");
  EXPECT_EQ(told["success"], false);
  EXPECT_EQ(told["error"]["kind"], "not_found");
  EXPECT_EQ(told["error"]["code"], "NoSuchBucket");
  EXPECT_EQ(told["error"]["http_status"], 404);
  EXPECT_EQ(told["error"]["request_id"], "4442587FB7D0A2F9");
  EXPECT_FALSE(told.contains("object"));
}

TEST(OutcomeTest, SkippedIsNoFailureAndAWarningIsNoSuccess) {
  Outcome outcome{.operation = {"cp", "a", "s3://b/k"},
                  .state = Outcome::State::skipped,
                  .error = make_error(ErrorKind::already_exists, "the object exists")};
  EXPECT_EQ(to_text(outcome), "SKIPPED \"cp a s3://b/k\": the object exists");
  EXPECT_EQ(json::parse(to_json(outcome))["success"], true);
  EXPECT_EQ(json::parse(to_json(outcome))["reason"], "the object exists");
  outcome.state = Outcome::State::warned;
  EXPECT_THAT(to_text(outcome), testing::StartsWith("WARNING \"cp a s3://b/k\": "));
  EXPECT_EQ(json::parse(to_json(outcome))["success"], false);
  EXPECT_EQ(json::parse(to_json(outcome))["skipped"], true);
}

TEST(OutcomeTest, DryRunSaysSoInJson) {
  EXPECT_EQ(json::parse(to_json({.operation = {"cp", "a", "s3://b/k"}, .dry_run = true}))["dry_run"], true);
}

TEST(OutcomeTest, HeadTellsEverythingTheStoreDid) {
  const Outcome outcome{.operation = {"head", "s3://b/k"},
                        .object = ObjectInfo{.size = 6,
                                             .etag = "abc",
                                             .content_type = "text/plain",
                                             .last_modified = "Mon, 30 Nov 2026 10:28:32 GMT",
                                             .checksum_kind = ChecksumKind::crc32,
                                             .checksum = "AAAA",
                                             .checksum_type = "FULL_OBJECT",
                                             .metadata = {{"a", "b"}}}};
  EXPECT_EQ(json::parse(to_json(outcome)), json::parse(R"({"operation":"head","success":true,"source":"s3://b/k",
      "object":{"size":6,"etag":"abc","content_type":"text/plain","last_modified":"Mon, 30 Nov 2026 10:28:32 GMT",
                "checksum_algorithm":"crc32","checksum":"AAAA","checksum_type":"FULL_OBJECT","metadata":{"a":"b"}}})"));
}

TEST(OutcomeTest, NamesCannotForgeLines) {
  Outcome outcome = failed();
  outcome.operation.source = "a\nERROR \x1b[31m";
  outcome.error.message = "the store said \x1b[2J";
  EXPECT_THAT(to_text(outcome), Not(HasSubstr("\n")));
  EXPECT_THAT(to_text(outcome), Not(HasSubstr("\x1b")));
  outcome.state = Outcome::State::done;
  EXPECT_EQ(to_text(outcome), "cp a\\nERROR \\x1b[31m s3://b/k");
}

TEST(OutcomeTest, NamesThatAreNotUtf8MakeValidJson) {
  const std::string line = to_json({.operation = {"cp", "\xff\xfe", "s3://b/k"}});
  EXPECT_TRUE(json::accept(line)) << line;
  EXPECT_EQ(line.find('\n'), line.npos);
}

}  // namespace
}  // namespace dray::cli
