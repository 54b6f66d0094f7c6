// CreateMultipartUpload, CompleteMultipartUpload, AbortMultipartUpload and ListParts against replies that are right,
// and replies that lie.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "s3/abort_multipart_upload.h"
#include "s3/complete_multipart_upload.h"
#include "s3/create_multipart_upload.h"
#include "s3/fixture.h"
#include "s3/list_parts.h"

namespace dray::s3 {
namespace {

const std::string kDeclaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const std::string kHtml = "<!DOCTYPE html><html><head><title>Bad Gateway</title></head><body>bad</body></html>";

// ---- create ----

Result<std::string> create(Store& store, CreateMultipartUpload upload = {}) {
  upload.bucket = "bucket";
  upload.key = "key";
  return create_multipart_upload(store.session, upload, far());
}

Canned created(std::string_view id) {
  return reply(200, "",
               kDeclaration +
                   "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                   "<Bucket>bucket</Bucket><Key>key</Key><UploadId>" +
                   std::string(id) + "</UploadId></InitiateMultipartUploadResult>");
}

TEST(CreateMultipartUploadTest, SaysWhatWillBeStored) {
  with_store({created("id-1.2~3")}, [](Store& store) {
    const ObjectAttributes attributes{.content_type = "text/plain", .metadata = {{"a", "b"}}};
    EXPECT_EQ(create(store, {.attributes = &attributes, .checksum = ChecksumKind::crc64nvme}).value(), "id-1.2~3");
    EXPECT_EQ(golden(store.server.last()),
              "POST /bucket/key?uploads= HTTP/1.1\n"
              "content-type: text/plain\n"
              "host: *\n"
              "x-amz-checksum-algorithm: CRC64NVME\n"
              "x-amz-checksum-type: FULL_OBJECT\n"
              "x-amz-content-sha256: " +
                  std::string(aws::kEmptyPayloadHash) +
                  "\n"
                  "x-amz-date: *\n"
                  "x-amz-meta-a: b\n"
                  "authorization: *\n"
                  "content-length: 0\n"
                  "accept-encoding: identity\n"
                  "user-agent: *\n"
                  "\n");
  });
}

TEST(CreateMultipartUploadTest, AlwaysSaysTheTypeOfTheChecksum) {
  struct {
    ChecksumKind kind;
    const char* algorithm;
    const char* type;
  } const rows[] = {{ChecksumKind::crc32, "CRC32", "FULL_OBJECT"},
                    {ChecksumKind::crc32c, "CRC32C", "FULL_OBJECT"},
                    {ChecksumKind::sha1, "SHA1", "COMPOSITE"},
                    {ChecksumKind::sha256, "SHA256", "COMPOSITE"},
                    {ChecksumKind::crc64nvme, "CRC64NVME", "FULL_OBJECT"},
                    {ChecksumKind::none, "", ""}};
  with_store(std::vector<Canned>(std::size(rows), created("id")), [&](Store& store) {
    for (const auto& row : rows) {
      EXPECT_TRUE(create(store, {.checksum = row.kind}).ok());
      const http::Headers& headers = store.server.last().head.headers;
      EXPECT_EQ(headers.get("x-amz-checksum-algorithm"), row.algorithm);
      EXPECT_EQ(headers.get("x-amz-checksum-type"), row.type);
    }
  });
}

TEST(CreateMultipartUploadTest, BelievesOnlyAnUploadId) {
  const std::pair<std::string, const char*> rows[] = {
      {"", "protocol"},
      {kHtml, "protocol"},
      {"<InitiateMultipartUploadResult/>", "protocol"},
      {"<InitiateMultipartUploadResult><UploadId></UploadId></InitiateMultipartUploadResult>", "protocol"},
      {"<InitiateMultipartUploadResult><UploadId>id</UploadId>", "protocol"},
      {"<Other><UploadId>id</UploadId></Other>", "protocol"},
      {error_xml("SlowDown"), "server"},
      {error_xml("AccessDenied"), "access_denied"},
  };
  std::vector<Canned> replies;
  for (const auto& [body, kind] : rows) replies.push_back(reply(200, "", body));
  with_store(replies, [&](Store& store) {
    for (const auto& [body, kind] : rows) EXPECT_EQ(outcome(create(store)), kind) << body;
  });
}

// ---- complete ----

std::vector<UploadedPart> two_parts(const hash::Checksum& checksum = {}) {
  return {{.number = 1, .size = 5, .etag = "aa", .checksum = checksum},
          {.number = 10'000, .size = 4, .etag = "b\"<&>", .checksum = checksum}};
}

Result<CompletedUpload> complete(Store& store, CompleteMultipartUpload upload = {}) {
  const std::vector<UploadedPart> parts = two_parts();
  upload.bucket = "bucket";
  upload.key = "key";
  upload.upload_id = "id";
  if (upload.parts.empty()) upload.parts = parts;
  return complete_multipart_upload(store.session, upload, far());
}

std::string completed(std::string_view more = "") {
  return kDeclaration +
         "<CompleteMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
         "<Location>l</Location><Bucket>bucket</Bucket><Key>key</Key><ETag>&quot;0123-2&quot;</ETag>" +
         std::string(more) + "</CompleteMultipartUploadResult>";
}

TEST(PartListXmlTest, IsThisDocument) {
  EXPECT_EQ(part_list_xml(two_parts()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            "<Part><ETag>&quot;aa&quot;</ETag><PartNumber>1</PartNumber></Part>"
            "<Part><ETag>&quot;b&quot;&lt;&amp;&gt;&quot;</ETag><PartNumber>10000</PartNumber></Part>"
            "</CompleteMultipartUpload>");
}

TEST(PartListXmlTest, HasEachPartsChecksum) {
  const std::vector<UploadedPart> parts = {{.number = 1, .etag = "aa", .checksum = crc64("123456789")}};
  EXPECT_EQ(part_list_xml(parts),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            "<Part><ChecksumCRC64NVME>rosUhgp5mIg=</ChecksumCRC64NVME><ETag>&quot;aa&quot;</ETag>"
            "<PartNumber>1</PartNumber></Part></CompleteMultipartUpload>");
}

TEST(CompleteMultipartUploadTest, ProvesWhatItMeansToMake) {
  with_store({reply(200, "x-amz-version-id: v\r\n", completed())}, [](Store& store) {
    const CompletedUpload done =
        complete(store, {.checksum = crc64("123456789"), .object_size = 9, .if_none_match = true}).value();
    EXPECT_EQ(done.etag, "0123-2");
    EXPECT_EQ(done.version_id, "v");
    const std::string text = golden(store.server.last());
    EXPECT_TRUE(
        text.starts_with("POST /bucket/key?uploadId=id HTTP/1.1\n"
                         "content-type: application/xml\n"
                         "host: *\n"
                         "if-none-match: *\n"
                         "x-amz-checksum-crc64nvme: rosUhgp5mIg=\n"
                         "x-amz-checksum-type: FULL_OBJECT\n"
                         "x-amz-content-sha256: "))
        << text;
    EXPECT_EQ(store.server.last().head.headers.get("x-amz-mp-object-size"), "9");
    EXPECT_EQ(store.server.last().body, part_list_xml(two_parts()));
  });
}

TEST(CompleteMultipartUploadTest, LeavesACompositeValueToTheParts) {
  with_store({reply(200, "", completed())}, [](Store& store) {
    hash::Checksum composite = hash::checksum_of(ChecksumKind::sha256, {});
    composite.type = hash::ChecksumType::composite;
    composite.parts = 2;
    EXPECT_TRUE(complete(store, {.checksum = composite}).ok());
    EXPECT_EQ(store.server.last().head.headers.count("x-amz-checksum-sha256"), 0u);
    EXPECT_EQ(store.server.last().head.headers.get("x-amz-checksum-type"), "COMPOSITE");
  });
}

TEST(CompleteMultipartUploadTest, BelievesOnlyAResultWithAnEtag) {
  const std::string blanks(200, ' ');
  const std::pair<std::string, const char*> rows[] = {
      {completed(), "ok"},
      {"\n \r\n" + blanks + completed(), "ok"},  // sent to keep the connection alive
      {"", "protocol"},
      {blanks, "protocol"},
      {kHtml, "protocol"},
      {completed().substr(0, completed().size() - 5), "protocol"},
      {"<CompleteMultipartUploadResult/>", "protocol"},
      {"<CompleteMultipartUploadResult><ETag>&quot;&quot;</ETag></CompleteMultipartUploadResult>", "protocol"},
      {"<CopyObjectResult><ETag>x</ETag></CopyObjectResult>", "protocol"},
      {completed() + error_xml("InternalError").substr(39), "protocol"},
      {blanks + error_xml("InternalError"), "server"},
      {"\n" + error_xml("SlowDown"), "server"},
      {error_xml("NoSuchUpload"), "not_found"},
      {error_xml("BadDigest"), "checksum_mismatch"},
      {error_xml("PreconditionFailed"), "already_exists"},
  };
  std::vector<Canned> replies;
  for (const auto& [body, kind] : rows) replies.push_back(reply(200, "", body));
  with_store(replies, [&](Store& store) {
    for (const auto& [body, kind] : rows) {
      const Result<CompletedUpload> done = complete(store);
      EXPECT_EQ(outcome(done), kind) << body;
      if (!done) {
        EXPECT_EQ(done.error().http_status, 200) << body;
      }
    }
  });
}

TEST(CompleteMultipartUploadTest, ReadsAReplyThatDripsInChunks) {
  with_store({{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n \r\n1\r\n\n\r\n4e\r\n" +
               error_xml("InternalError").substr(0, 0x4e) + "\r\n" +
               [] {
                 const std::string rest = error_xml("InternalError").substr(0x4e);
                 char size[16];
                 std::snprintf(size, sizeof size, "%zx\r\n", rest.size());
                 return size + rest;
               }() +
               "\r\n0\r\n\r\n"}},
             [](Store& store) {
               const Result<CompletedUpload> done = complete(store);
               EXPECT_EQ(outcome(done), "server");
               EXPECT_EQ(done.error().code, "InternalError");
             });
}

TEST(CompleteMultipartUploadTest, ComparesTheChecksumOfTheReply) {
  const std::pair<std::string, const char*> rows[] = {
      {completed(), "ok"},
      {completed("<ChecksumCRC64NVME>rosUhgp5mIg=</ChecksumCRC64NVME>"), "ok"},
      {completed("<ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME>"), "checksum_mismatch"},
      {completed("<ChecksumCRC32>AAAAAA==</ChecksumCRC32>"), "ok"},
  };
  std::vector<Canned> replies;
  for (const auto& [body, kind] : rows) replies.push_back(reply(200, "", body));
  with_store(replies, [&](Store& store) {
    for (const auto& [body, kind] : rows) {
      EXPECT_EQ(outcome(complete(store, {.checksum = crc64("123456789")})), kind) << body;
    }
  });
}

// ---- abort ----

TEST(AbortMultipartUploadTest, IsDoneWhenTheUploadIsGone) {
  struct {
    Canned reply;
    const char* outcome;
  } const rows[] = {{reply(204), "ok"},
                    {reply(200), "ok"},
                    {reply(404, "", error_xml("NoSuchUpload")), "ok"},
                    {reply(404, "", error_xml("NoSuchBucket")), "not_found"},
                    {reply(404), "not_found"},  // perhaps not even a store's
                    {reply(403, "", error_xml("AccessDenied")), "access_denied"},
                    {reply(503), "server"}};
  std::vector<Canned> replies;
  for (const auto& row : rows) replies.push_back(row.reply);
  with_store(replies, [&](Store& store) {
    for (const auto& row : rows) {
      EXPECT_EQ(outcome(abort_multipart_upload(store.session, "bucket", "key", "i d", far())), row.outcome)
          << row.reply.bytes;
      EXPECT_TRUE(golden(store.server.last()).starts_with("DELETE /bucket/key?uploadId=i%20d HTTP/1.1\n"));
    }
  });
}

// ---- list ----

Result<std::vector<UploadedPart>> list(Store& store) { return list_parts(store.session, "bucket", "key", "id", far()); }

std::string part_xml(std::string_view number, std::string_view size = "5", std::string_view more = "") {
  return "<Part><PartNumber>" + std::string(number) + "</PartNumber><Size>" + std::string(size) +
         "</Size><ETag>&quot;e" + std::string(number) + "&quot;</ETag>" + std::string(more) + "</Part>";
}
Canned page(std::string_view parts, bool truncated = false) {
  return reply(200, "",
               kDeclaration + "<ListPartsResult><UploadId>id</UploadId><IsTruncated>" + (truncated ? "true" : "false") +
                   "</IsTruncated>" + std::string(parts) + "</ListPartsResult>");
}

TEST(ListPartsTest, ReadsPageAfterPage) {
  with_store({page(part_xml("1") + part_xml("2"), true), page(part_xml("7", "18446744073709551615"), true), page("")},
             [](Store& store) {
               const std::vector<UploadedPart> parts = list(store).value();
               ASSERT_EQ(parts.size(), 3u);
               EXPECT_EQ(parts[0].number, 1u);
               EXPECT_EQ(parts[0].size, 5u);
               EXPECT_EQ(parts[0].etag, "e1");
               EXPECT_EQ(parts[2].number, 7u);
               EXPECT_EQ(parts[2].size, 18446744073709551615u);
               ASSERT_EQ(store.server.asked().size(), 3u);
               EXPECT_EQ(store.server.asked()[0].head.target, "/bucket/key?part-number-marker=0&uploadId=id");
               EXPECT_EQ(store.server.asked()[1].head.target, "/bucket/key?part-number-marker=2&uploadId=id");
               EXPECT_EQ(store.server.asked()[2].head.target, "/bucket/key?part-number-marker=7&uploadId=id");
             });
}

TEST(ListPartsTest, MayBeEmpty) {
  with_store({page("")}, [](Store& store) { EXPECT_TRUE(list(store).value().empty()); });
}

TEST(ListPartsTest, TellsChecksums) {
  with_store({page(part_xml("1", "9", "<ChecksumCRC64NVME>rosUhgp5mIg=</ChecksumCRC64NVME>"))},
             [](Store& store) { EXPECT_EQ(list(store).value().at(0).checksum, crc64("123456789")); });
}

TEST(ListPartsTest, RefusesAListingThatDoesNotAdvance) {
  const std::vector<std::vector<Canned>> rows = {
      {page("", true)},
      {page(part_xml("1"), true), page("", true)},
      {page(part_xml("1"), true), page(part_xml("1"), true)},
      {page(part_xml("1") + part_xml("2"), true), page(part_xml("2") + part_xml("3"))},
  };
  for (const std::vector<Canned>& replies : rows) {
    with_store(replies, [&](Store& store) {
      EXPECT_EQ(outcome(list(store)), "protocol");
      EXPECT_EQ(store.server.asked().size(), replies.size());
    });
  }
}

TEST(ListPartsTest, RefusesWhatCannotBe) {
  const std::pair<Canned, const char*> rows[] = {
      {page(part_xml("0")), "protocol"},
      {page(part_xml("10001")), "protocol"},
      {page(part_xml("x")), "protocol"},
      {page(part_xml("")), "protocol"},
      {page(part_xml("1", "")), "protocol"},
      {page(part_xml("1", "-5")), "protocol"},
      {page(part_xml("2") + part_xml("1")), "protocol"},
      {page(part_xml("2") + part_xml("2")), "protocol"},
      {reply(200, "", ""), "protocol"},
      {reply(200, "", kHtml), "protocol"},
      {reply(200, "", "<ListPartsResult><Part>" + kHtml), "protocol"},
      {reply(200, "", "<ListBucketResult/>"), "protocol"},
      {reply(200, "", error_xml("InternalError")), "server"},
      {reply(404, "", error_xml("NoSuchUpload")), "not_found"},
  };
  for (const auto& [canned, kind] : rows) {
    with_store({canned}, [&](Store& store) { EXPECT_EQ(outcome(list(store)), kind) << canned.bytes; });
  }
}

TEST(ListPartsTest, RefusesAChecksumThatCannotBe) {
  with_store({page(part_xml("1", "9", "<ChecksumCRC64NVME>AAAA</ChecksumCRC64NVME>"))},
             [](Store& store) { EXPECT_EQ(outcome(list(store)), "protocol"); });
}

}  // namespace
}  // namespace dray::s3
