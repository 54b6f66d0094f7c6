#include "s3/bucket.h"

#include <gtest/gtest.h>

#include <string>

#include "s3/fixture.h"

namespace dray::s3 {
namespace {

TEST(HeadBucketTest, GoesByTheStatus) {
  with_store({{"HTTP/1.1 200 OK\r\nx-amz-bucket-region: eu-west-1\r\n\r\n"},
              {"HTTP/1.1 404 Not Found\r\nContent-Length: 200\r\n\r\n"},
              {"HTTP/1.1 403 Forbidden\r\n\r\n"},
              {"HTTP/1.1 301 Moved Permanently\r\nx-amz-bucket-region: eu-west-1\r\n\r\n"}},
             [](Store& store) {
               EXPECT_TRUE(head_bucket(store.session, "bucket", far()).ok());
               EXPECT_EQ(golden(store.server.last()).substr(0, 23), "HEAD /bucket/ HTTP/1.1\n");
               const Result<void> missing = head_bucket(store.session, "bucket", far());
               EXPECT_EQ(outcome(missing), "not_found");
               EXPECT_EQ(missing.error().code, "NoSuchBucket");
               EXPECT_FALSE(missing.error().advice.empty());
               EXPECT_EQ(outcome(head_bucket(store.session, "bucket", far())), "access_denied");
               EXPECT_EQ(outcome(head_bucket(store.session, "bucket", far())), "server");
               EXPECT_EQ(store.server.connections(), 1);  // none of them had a body
             });
}

TEST(CreateBucketTest, SendsTheRegionAsADocument) {
  with_store({reply(200, "location: /bucket\r\n")}, [](Store& store) {
    EXPECT_TRUE(create_bucket(store.session, "bucket", "eu-west-1", far()).ok());
    EXPECT_EQ(store.server.last().body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
              "<LocationConstraint>eu-west-1</LocationConstraint></CreateBucketConfiguration>");
    EXPECT_EQ(golden(store.server.last()).substr(0, 22), "PUT /bucket/ HTTP/1.1\n");
    EXPECT_EQ(store.server.last().head.headers.get("content-type"), "application/xml");
  });
}

TEST(CreateBucketTest, SendsNothingWhereTheStoreWantsNothing) {
  with_store({reply(200), reply(200), reply(200)}, [](Store& store) {
    for (const char* region : {"", "us-east-1", "default"}) {
      EXPECT_TRUE(create_bucket(store.session, "bucket", region, far()).ok());
      EXPECT_EQ(store.server.last().body, "") << region;
      EXPECT_EQ(store.server.last().head.headers.get("content-length"), "0") << region;
      EXPECT_EQ(store.server.last().head.headers.count("content-type"), 0u) << region;
    }
  });
}

TEST(CreateBucketTest, SaysThatTheNameIsTaken) {
  with_store({reply(409, "", error_xml("BucketAlreadyExists")), reply(409, "", error_xml("BucketAlreadyOwnedByYou")),
              reply(409, "", error_xml("OperationAborted"))},
             [](Store& store) {
               EXPECT_EQ(outcome(create_bucket(store.session, "bucket", "", far())), "already_exists");
               EXPECT_EQ(outcome(create_bucket(store.session, "bucket", "", far())), "already_exists");
               EXPECT_EQ(outcome(create_bucket(store.session, "bucket", "", far())), "server");
             });
}

}  // namespace
}  // namespace dray::s3
