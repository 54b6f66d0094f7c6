// A client and a store that it talks to, for the tests of this folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "dray/client.h"
#include "support/content.h"
#include "support/fake_s3.h"
#include "support/watchdog.h"

namespace dray {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Fault;
using test::Misdeed;
using test::Moment;

constexpr std::uint64_t kPart = 5 << 20;

class ClientTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(peer_.complaints(), testing::IsEmpty()); }

  Config config() const {
    Config config;
    config.endpoint_url = peer_.url();
    config.region = "us-east-1";
    config.access_key = "AKID";
    config.secret_key = "secret";
    config.concurrency = 4;
    return config;
  }
  static ObjectUrl object(const std::string& key) { return ObjectUrl::parse("s3://bucket/" + key).value(); }
  static UploadOptions small_parts() { return {.part_size = kPart}; }

  test::Watchdog watchdog_;
  test::TemporaryFolder folder_;
  test::FakeS3 peer_;
};

inline std::string outcome(const Result<Summary>& result) {
  return result.ok() ? "ok" : std::string(name_of(result.error().kind)) + ": " + result.error().message;
}

}  // namespace dray
