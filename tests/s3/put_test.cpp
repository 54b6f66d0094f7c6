// PutObject, UploadPart and HeadObject: what they send, and what they believe of the reply.
#include <gtest/gtest.h>

#include <string>

#include "s3/fixture.h"
#include "s3/head_object.h"
#include "s3/put_object.h"
#include "s3/upload_part.h"

namespace dray::s3 {
namespace {

constexpr std::string_view kContent = "123456789";
const std::string kEtag = "etag: \"0123\"\r\n";

Result<PutResult> put(Store& store, PutObject object = {}) {
  object.bucket = "bucket";
  object.key = "key";
  http::BytesBody body(as_bytes(kContent));
  return put_object(store.session, object, &body, far());
}

Result<UploadedPart> upload(Store& store, const hash::Checksum* checksum = nullptr) {
  http::BytesBody body(as_bytes(kContent));
  return upload_part(store.session,
                     {.bucket = "bucket", .key = "key", .upload_id = "id/+=&", .number = 7, .checksum = checksum}, body,
                     far());
}

TEST(PutObjectTest, SendsAttributesAndChecksum) {
  with_store({reply(200, kEtag + "x-amz-version-id: v1\r\n")}, [](Store& store) {
    const ObjectAttributes attributes{.content_type = "text/plain", .metadata = {{"Owner", " me  "}, {"x", ""}}};
    const hash::Checksum checksum = crc64(kContent);
    const PutResult result =
        put(store, {.attributes = &attributes, .checksum = &checksum, .if_none_match = true}).value();
    EXPECT_EQ(result.etag, "0123");
    EXPECT_EQ(result.version_id, "v1");
    EXPECT_EQ(golden(store.server.last()),
              "PUT /bucket/key HTTP/1.1\n"
              "content-type: text/plain\n"
              "host: *\n"
              "if-none-match: *\n"
              "x-amz-checksum-crc64nvme: rosUhgp5mIg=\n"
              "x-amz-content-sha256: UNSIGNED-PAYLOAD\n"
              "x-amz-date: *\n"
              "x-amz-meta-owner: me\n"
              "x-amz-meta-x: \n"
              "authorization: *\n"
              "content-length: 9\n"
              "accept-encoding: identity\n"
              "user-agent: *\n"
              "\n");
    EXPECT_EQ(store.server.last().body, kContent);
  });
}

TEST(PutObjectTest, SendsAnEmptyObject) {
  with_store({reply(200, kEtag)}, [](Store& store) {
    EXPECT_TRUE(put_object(store.session, {.bucket = "bucket", .key = "key"}, nullptr, far()).ok());
    EXPECT_EQ(store.server.last().head.headers.get("content-length"), "0");
  });
}

TEST(PutObjectTest, BelievesNoSuccessWithoutAnEtag) {
  const char* const fields[] = {"", "etag:\r\n", "etag: \"\"\r\n", "etag: W/\"\"\r\n"};
  std::vector<Canned> replies;
  for (const char* field : fields) replies.push_back(reply(200, field));
  with_store(replies, [&](Store& store) {
    for (const char* field : fields) EXPECT_EQ(outcome(put(store)), "protocol") << field;
  });
}

TEST(PutObjectTest, TakesEtagsInEachForm) {
  struct {
    const char* sent;
    const char* etag;
  } const rows[] = {{"\"0123\"", "0123"},     {"0123", "0123"}, {"W/\"0123\"", "0123"},
                    {"\"0123-7\"", "0123-7"}, {"\"", "\""},     {"\"\"x\"", "\"x"}};
  for (const auto& row : rows) {
    EXPECT_EQ(unquote_etag(row.sent), row.etag);
    with_store({reply(200, std::string("etag: ") + row.sent + "\r\n")},
               [&](Store& store) { EXPECT_EQ(put(store).value().etag, row.etag); });
  }
}

TEST(PutObjectTest, ComparesTheChecksumOfTheReply) {
  struct {
    const char* field;
    const char* outcome;
  } const rows[] = {
      {"", "ok"},
      {"x-amz-checksum-crc64nvme: rosUhgp5mIg=\r\n", "ok"},
      {"x-amz-checksum-crc64nvme: rosUhgp5mIk=\r\n", "checksum_mismatch"},
      {"x-amz-checksum-crc64nvme:\r\n", "checksum_mismatch"},
      {"x-amz-checksum-crc64nvme: rubbish\r\n", "checksum_mismatch"},
      {"x-amz-checksum-crc32: AAAAAA==\r\n", "ok"},  // of another kind: nothing to compare
  };
  std::vector<Canned> replies;
  for (const auto& row : rows) replies.push_back(reply(200, kEtag + row.field));
  with_store(replies, [&](Store& store) {
    const hash::Checksum checksum = crc64(kContent);
    for (const auto& row : rows) {
      EXPECT_EQ(outcome(put(store, {.checksum = &checksum})), row.outcome) << row.field;
    }
  });
}

TEST(PutObjectTest, DoesNotCompareWhatItDidNotSend) {
  with_store({reply(200, kEtag + "x-amz-checksum-crc64nvme: AAAAAAAAAAA=\r\n")},
             [](Store& store) { EXPECT_TRUE(put(store).ok()); });
}

TEST(PutObjectTest, SaysThatTheObjectExists) {
  with_store({reply(412, "", error_xml("PreconditionFailed")), reply(409, "", error_xml("ConditionalRequestConflict"))},
             [](Store& store) {
               EXPECT_EQ(outcome(put(store, {.if_none_match = true})), "already_exists");
               EXPECT_EQ(outcome(put(store, {.if_none_match = true})), "server");
             });
}

TEST(PutObjectTest, RefusesAttributesThatCannotBeHeaders) {
  struct {
    ObjectAttributes attributes;
    bool fine;
  } const rows[] = {
      {{}, true},
      {{.content_type = "text/plain; charset=utf-8", .metadata = {{"A-b_c.9", "\xc3\xa4"}}}, true},
      {{.content_type = "a\r\nx: y"}, false},
      {{.content_type = std::string("a\0", 2)}, false},
      {{.metadata = {{"", "v"}}}, false},
      {{.metadata = {{"a b", "v"}}}, false},
      {{.metadata = {{"a:b", "v"}}}, false},
      {{.metadata = {{"\xc3\xa4", "v"}}}, false},
      {{.metadata = {{"a", "v\n"}}}, false},
      {{.metadata = {{"a", "\x7f"}}}, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(row.attributes.check().ok(), row.fine);
    if (!row.fine) {
      EXPECT_EQ(outcome(row.attributes.check()), "invalid_argument");
    }
  }
}

TEST(UploadPartTest, SendsNumberUploadAndChecksum) {
  with_store({reply(200, kEtag)}, [](Store& store) {
    const hash::Checksum checksum = crc64(kContent);
    const UploadedPart part = upload(store, &checksum).value();
    EXPECT_EQ(part.number, 7u);
    EXPECT_EQ(part.size, kContent.size());
    EXPECT_EQ(part.etag, "0123");
    EXPECT_EQ(part.checksum, checksum);
    EXPECT_EQ(store.server.last().head.target, "/bucket/key?partNumber=7&uploadId=id%2F%2B%3D%26");
    EXPECT_EQ(store.server.last().head.headers.get("x-amz-checksum-crc64nvme"), "rosUhgp5mIg=");
    EXPECT_EQ(store.server.last().head.headers.count("x-amz-checksum-type"), 0u);
    EXPECT_EQ(store.server.last().body, kContent);
  });
}

TEST(UploadPartTest, BelievesNoSuccessWithoutAnEtag) {
  with_store({reply(200)}, [](Store& store) { EXPECT_EQ(outcome(upload(store)), "protocol"); });
}

TEST(UploadPartTest, ComparesTheChecksumOfTheReply) {
  with_store({reply(200, kEtag + "x-amz-checksum-crc64nvme: AAAAAAAAAAA=\r\n")}, [](Store& store) {
    const hash::Checksum checksum = crc64(kContent);
    EXPECT_EQ(outcome(upload(store, &checksum)), "checksum_mismatch");
  });
}

TEST(UploadPartTest, SaysThatTheUploadIsGone) {
  with_store({reply(404, "", error_xml("NoSuchUpload"))}, [](Store& store) {
    const Result<UploadedPart> part = upload(store);
    EXPECT_EQ(outcome(part), "not_found");
    EXPECT_EQ(part.error().code, "NoSuchUpload");
  });
}

Result<ObjectHead> head(Store& store) { return head_object(store.session, "bucket", "a key", far()); }

TEST(HeadObjectTest, TellsWhatTheStoreKnows) {
  with_store({{"HTTP/1.1 200 OK\r\nContent-Length: 5368709120\r\nETag: \"0123-3\"\r\nContent-Type: text/plain\r\n"
               "Last-Modified: Mon, 30 Nov 2026 10:28:32 GMT\r\nx-amz-storage-class: GLACIER\r\nx-amz-version-id: v\r\n"
               "x-amz-meta-Owner: me\r\nx-amz-meta-: empty\r\nx-amz-checksum-crc64nvme: rosUhgp5mIg=\r\n"
               "x-amz-checksum-type: FULL_OBJECT\r\n\r\n"}},
             [](Store& store) {
               const ObjectHead object = head(store).value();
               EXPECT_EQ(object.size, 5368709120u);
               EXPECT_EQ(object.etag, "0123-3");
               EXPECT_EQ(object.content_type, "text/plain");
               EXPECT_EQ(object.last_modified, "Mon, 30 Nov 2026 10:28:32 GMT");
               EXPECT_EQ(object.storage_class, "GLACIER");
               EXPECT_EQ(object.version_id, "v");
               EXPECT_EQ(object.checksum, crc64(kContent));
               ASSERT_EQ(object.metadata.size(), 2u);
               EXPECT_EQ(object.metadata[0], std::pair(std::string("owner"), std::string("me")));
               EXPECT_TRUE(golden(store.server.last())
                               .starts_with("HEAD /bucket/a%20key HTTP/1.1\nhost: *\n"
                                            "x-amz-checksum-mode: ENABLED\n"));
               EXPECT_EQ(store.server.last().head.headers.count("content-length"), 0u);
             });
}

TEST(HeadObjectTest, TellsACompositeChecksum) {
  with_store({{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nx-amz-checksum-crc32: AAAAAQ==-3\r\n\r\n"}}, [](Store& store) {
    const ObjectHead object = head(store).value();
    EXPECT_EQ(object.checksum.kind, ChecksumKind::crc32);
    EXPECT_EQ(object.checksum.type, hash::ChecksumType::composite);
    EXPECT_EQ(object.checksum.parts, 3u);
  });
}

TEST(HeadObjectTest, NeedsALength) {
  with_store({{"HTTP/1.1 200 OK\r\nETag: \"x\"\r\n\r\n"}, {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"}},
             [](Store& store) {
               EXPECT_EQ(outcome(head(store)), "protocol");
               EXPECT_EQ(outcome(head(store)), "protocol");
             });
}

TEST(HeadObjectTest, RefusesAChecksumThatCannotBe) {
  with_store({{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nx-amz-checksum-crc64nvme: AAAA\r\n\r\n"}},
             [](Store& store) { EXPECT_EQ(outcome(head(store)), "protocol"); });
}

TEST(HeadObjectTest, GoesByTheStatusForThereIsNoBody) {
  with_store({{"HTTP/1.1 404 Not Found\r\nContent-Length: 300\r\nx-amz-request-id: r\r\n\r\n"},
              {"HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n"},
              {"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"}},
             [](Store& store) {
               const Result<ObjectHead> missing = head(store);
               EXPECT_EQ(outcome(missing), "not_found");
               EXPECT_EQ(missing.error().request_id, "r");
               EXPECT_NE(test::message_of(missing).find("HeadObject s3://bucket/a key"), std::string::npos);
               EXPECT_EQ(outcome(head(store)), "access_denied");
               EXPECT_EQ(head(store).value().size, 7u);
               EXPECT_EQ(store.server.connections(), 1);
             });
}

}  // namespace
}  // namespace dray::s3
