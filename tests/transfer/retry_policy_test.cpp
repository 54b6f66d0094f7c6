#include "transfer/retry_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dray::transfer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Error failure(ErrorKind kind, int status = 0, std::string code = {}) {
  Error error = make_error(kind, "it failed");
  error.http_status = status;
  error.code = std::move(code);
  return error;
}

TEST(RetryPolicyTest, TriesAgainWhatMayPassByItself) {
  for (const Error& error : {
           failure(ErrorKind::network),
           failure(ErrorKind::connect),
           failure(ErrorKind::resolve),
           failure(ErrorKind::timed_out),
           failure(ErrorKind::protocol),
           failure(ErrorKind::checksum_mismatch, 400, "BadDigest"),
           failure(ErrorKind::server, 500, "InternalError"),
           failure(ErrorKind::server, 502),
           failure(ErrorKind::server, 503, "SlowDown"),
           failure(ErrorKind::server, 504),
           failure(ErrorKind::server, 408),
           failure(ErrorKind::server, 429),
           failure(ErrorKind::server, 400, "RequestTimeout"),
           failure(ErrorKind::server, 200, "InternalError"),  // in a reply that began as a success
           failure(ErrorKind::server, 200, "SlowDown"),
           failure(ErrorKind::server, 409, "OperationAborted"),
           failure(ErrorKind::server, 409, "ConditionalRequestConflict"),
           failure(ErrorKind::server, 400, "IncompleteBody"),
       }) {
    EXPECT_TRUE(RetryPolicy::may_pass(error)) << name_of(error.kind) << " " << error.http_status << " " << error.code;
  }
}

TEST(RetryPolicyTest, GivesUpOnWhatStays) {
  for (const Error& error : {
           failure(ErrorKind::invalid_argument),
           failure(ErrorKind::not_found, 404, "NoSuchBucket"),
           failure(ErrorKind::access_denied, 403, "AccessDenied"),
           failure(ErrorKind::no_credentials),
           failure(ErrorKind::io),
           failure(ErrorKind::source_changed),
           failure(ErrorKind::no_space, 507),
           failure(ErrorKind::cancelled),
           failure(ErrorKind::unsupported, 501),
           failure(ErrorKind::already_exists, 412),
           failure(ErrorKind::internal),
           failure(ErrorKind::server, 400, "InvalidPart"),
           failure(ErrorKind::server, 301),
       }) {
    EXPECT_FALSE(RetryPolicy::may_pass(error)) << name_of(error.kind) << " " << error.http_status << " " << error.code;
    EXPECT_EQ(RetryPolicy({}, 1).after(error, 1, true), std::nullopt);
  }
}

TEST(RetryPolicyTest, MakesAsManyTriesAfterTheFirstAsItWasTold) {
  RetryPolicy policy({.retries = 3}, 1);
  const Error error = failure(ErrorKind::server, 500);
  for (int tries = 1; tries <= 3; ++tries) EXPECT_TRUE(policy.after(error, tries, true)) << tries;
  EXPECT_FALSE(policy.after(error, 4, true));
  EXPECT_FALSE(RetryPolicy({.retries = 0}, 1).after(error, 1, true));
}

TEST(RetryPolicyTest, TriesAnUnknownHostTwice) {
  for (ErrorKind kind : {ErrorKind::connect, ErrorKind::resolve}) {
    RetryPolicy policy({.retries = 5}, 1);
    const std::optional<Duration> first = policy.after(failure(kind), 1, false);
    ASSERT_TRUE(first) << name_of(kind);
    EXPECT_LE(*first, milliseconds(100));
    EXPECT_FALSE(policy.after(failure(kind), 2, false)) << name_of(kind);
  }
}

TEST(RetryPolicyTest, IsPatientWithAHostThatHasAnswered) {
  RetryPolicy policy({.retries = 5}, 1);
  for (int tries = 1; tries <= 5; ++tries) {
    EXPECT_TRUE(policy.after(failure(ErrorKind::connect), tries, true)) << tries;
    EXPECT_TRUE(policy.after(failure(ErrorKind::network), tries, false)) << tries;
  }
}

TEST(RetryPolicyTest, WaitsAreSpreadUpToAnExponentialBound) {
  RetryPolicy policy({.retries = 100, .base = milliseconds(100), .cap = seconds(1)}, 42);
  const Error error = failure(ErrorKind::server, 500);
  for (const auto& [tries, bound] :
       {std::pair(1, milliseconds(100)), std::pair(2, milliseconds(200)), std::pair(3, milliseconds(400)),
        std::pair(4, milliseconds(800)), std::pair(5, milliseconds(1'000)), std::pair(99, milliseconds(1'000))}) {
    Duration least = Duration::max(), most = Duration::min();
    for (int draw = 0; draw < 1'000; ++draw) {
      const Duration wait = policy.after(error, tries, true).value();
      least = std::min(least, wait);
      most = std::max(most, wait);
    }
    EXPECT_GE(least, Duration::zero());
    EXPECT_LT(least, bound / 10) << "try " << tries;
    EXPECT_LE(most, bound);
    EXPECT_GT(most, bound * 9 / 10) << "try " << tries;
  }
}

TEST(RetryPolicyTest, WaitsAtLeastAsLongAsTheStoreAsked) {
  RetryPolicy policy({.retries = 5, .base = milliseconds(1), .cap = seconds(20)}, 1);
  Error error = failure(ErrorKind::server, 503, "SlowDown");
  error.retry_after_ms = 7'000;
  EXPECT_EQ(policy.after(error, 1, true), Duration(seconds(7)));
}

TEST(RetryPolicyTest, DoesNotLetTheStoreAskForMoreThanTheCap) {
  RetryPolicy policy({.retries = 5, .base = milliseconds(1), .cap = seconds(20)}, 1);
  Error error = failure(ErrorKind::server, 503, "SlowDown");
  error.retry_after_ms = 3'600'000;
  EXPECT_EQ(policy.after(error, 1, true), Duration(seconds(20)));
}

TEST(RetryPolicyTest, KnowsWhenTheStoreAsksForLess) {
  EXPECT_TRUE(is_slow_down(failure(ErrorKind::server, 503)));
  EXPECT_TRUE(is_slow_down(failure(ErrorKind::server, 429)));
  EXPECT_TRUE(is_slow_down(failure(ErrorKind::server, 200, "SlowDown")));
  EXPECT_TRUE(is_slow_down(failure(ErrorKind::server, 400, "RequestLimitExceeded")));
  EXPECT_FALSE(is_slow_down(failure(ErrorKind::server, 500)));
  EXPECT_FALSE(is_slow_down(failure(ErrorKind::network)));
}

}  // namespace
}  // namespace dray::transfer
