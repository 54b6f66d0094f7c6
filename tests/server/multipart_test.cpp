#include <gtest/gtest.h>

#include "fixture.h"
#include "hash/checksum.h"
#include "hash/digest.h"
#include "server/body_verifier.h"

namespace dray::server {
namespace {

constexpr std::size_t kPart = 5 << 20;

struct SentPart {
  int number;
  std::string etag;
  std::string checksum_element{};  ///< "<ChecksumCRC32>...</ChecksumCRC32>"
};

class MultipartTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    make_bucket();
  }
  std::string create(const Fields& headers = {}) {
    const Answer answer =
        send({.method = "POST", .bucket = "bucket", .key = "k", .query = {{"uploads", ""}}, .headers = headers});
    EXPECT_EQ(answer.status, 200) << answer.body;
    const s3::XmlElement xml = answer.xml();
    EXPECT_EQ(xml.name, "InitiateMultipartUploadResult");
    EXPECT_EQ(xml.child_text("Bucket"), "bucket");
    EXPECT_EQ(xml.child_text("Key"), "k");
    return std::string(xml.child_text("UploadId"));
  }
  Answer send_part(const std::string& id, int number, const std::string& body, const Fields& headers = {}) {
    return send({.method = "PUT",
                 .bucket = "bucket",
                 .key = "k",
                 .query = {{"partNumber", std::to_string(number)}, {"uploadId", id}},
                 .headers = headers,
                 .body = body});
  }
  SentPart part(const std::string& id, int number, const std::string& body) {
    const Answer answer = send_part(id, number, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return {number, std::string(answer.headers.get("etag"))};
  }
  Answer complete(const std::string& id, const std::vector<SentPart>& parts, const Fields& headers = {}) {
    std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (const SentPart& sent : parts) {
      xml += "<Part><PartNumber>" + std::to_string(sent.number) + "</PartNumber><ETag>" + sent.etag + "</ETag>" +
             sent.checksum_element + "</Part>";
    }
    return complete_with(id, xml + "</CompleteMultipartUpload>", headers);
  }
  Answer complete_with(const std::string& id, const std::string& xml, const Fields& headers = {}) {
    return send({.method = "POST",
                 .bucket = "bucket",
                 .key = "k",
                 .query = {{"uploadId", id}},
                 .headers = headers,
                 .body = xml});
  }
  const std::string one_ = some_bytes(kPart, 1), two_ = some_bytes(kPart + 1, 2), last_ = some_bytes(3, 3);
};

TEST_F(MultipartTest, BecomesOneObject) {
  const std::string id = create({{"content-type", "text/x-test"}, {"x-amz-meta-a", "b"}});
  const SentPart third = part(id, 7, last_);  // any order, gaps allowed
  const SentPart first = part(id, 1, one_);
  const SentPart second = part(id, 2, two_);
  const Answer answer = complete(id, {first, second, third});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.xml().name, "CompleteMultipartUploadResult");
  std::string md5s;
  for (const std::string* body : {&one_, &two_, &last_}) md5s += hash::digest(hash::DigestKind::md5, as_bytes(*body));
  const std::string etag = "\"" + base::to_hex(as_bytes(hash::digest(hash::DigestKind::md5, as_bytes(md5s)))) + "-3\"";
  EXPECT_EQ(answer.xml().child_text("ETag"), etag);
  const Answer back = get("k");
  EXPECT_EQ(back.headers.get("etag"), etag);
  EXPECT_EQ(back.headers.get("content-type"), "text/x-test");
  EXPECT_EQ(back.headers.get("x-amz-meta-a"), "b");
  const std::string whole = one_ + two_ + last_;
  EXPECT_TRUE(back.body == whole);
  const Answer range =
      get("k", {{"range", "bytes=" + std::to_string(kPart - 2) + "-" + std::to_string(2 * kPart + 2)}});
  EXPECT_TRUE(range.body == whole.substr(kPart - 2, kPart + 5)) << "a range over three parts";
  expect_refused(complete(id, {first}), 404, "NoSuchUpload", "once it is completed");
}

TEST_F(MultipartTest, LeavesOutPartsThatAreNotNamed) {
  const std::string id = create();
  const SentPart first = part(id, 1, one_);
  part(id, 2, two_);
  const SentPart third = part(id, 3, last_);
  EXPECT_EQ(complete(id, {first, third}).status, 200);
  EXPECT_TRUE(get("k").body == one_ + last_);
}

TEST_F(MultipartTest, TheLastOfTwoPartsWithOneNumberCounts) {
  const std::string id = create();
  const SentPart old = part(id, 1, "old");
  const SentPart now = part(id, 1, "new");
  expect_refused(complete(id, {old}), 400, "InvalidPart");
  EXPECT_EQ(complete(id, {now}).status, 200);
  EXPECT_EQ(get("k").body, "new");
}

TEST_F(MultipartTest, RefusesListsThatDoNotFitTheParts) {
  const std::string id = create();
  const SentPart first = part(id, 1, one_), small = part(id, 2, "small"), third = part(id, 3, last_);
  expect_refused(complete(id, {first, {4, first.etag}}), 400, "InvalidPart", "never sent");
  expect_refused(complete(id, {{1, small.etag}}), 400, "InvalidPart", "another ETag");
  expect_refused(complete(id, {third, first}), 400, "InvalidPartOrder", "backwards");
  expect_refused(complete(id, {first, first}), 400, "InvalidPartOrder", "twice");
  expect_refused(complete(id, {first, small, third}), 400, "EntityTooSmall");
  expect_refused(complete(id, {}), 400, "MalformedXML", "nothing");
  expect_refused(complete_with(id, "<CompleteMultipartUpload><Part/></CompleteMultipartUpload>"), 400, "MalformedXML");
  expect_refused(complete_with(id, "<Other/>"), 400, "MalformedXML");
  expect_refused(complete_with(id, ""), 400, "MalformedXML");
  EXPECT_EQ(head("k").status, 404);
  // The upload is as it was.
  const std::string bare_etag = first.etag.substr(1, first.etag.size() - 2);
  EXPECT_EQ(complete(id, {{1, bare_etag}, third}).status, 200) << "an ETag without quotes is the same";
}

TEST_F(MultipartTest, RefusesAnotherSizeThanAnnounced) {
  const std::string id = create();
  const SentPart only = part(id, 1, "hello");
  expect_refused(complete(id, {only}, {{"x-amz-mp-object-size", "6"}}), 400, "InvalidRequest");
  EXPECT_EQ(complete(id, {only}, {{"x-amz-mp-object-size", "5"}}).status, 200);
}

TEST_F(MultipartTest, CompletesOnlyWhatIsNewOnRequest) {
  put("k", "old");
  const std::string id = create();
  const SentPart only = part(id, 1, "new");
  expect_refused(complete(id, {only}, {{"if-none-match", "*"}}), 412, "PreconditionFailed");
  EXPECT_EQ(get("k").body, "old");
  remove("k");
  EXPECT_EQ(complete(id, {only}, {{"if-none-match", "*"}}).status, 200);
  EXPECT_EQ(get("k").body, "new");
}

TEST_F(MultipartTest, FullObjectChecksumsAreCombined) {
  for (const ChecksumKind kind : {ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::crc64nvme}) {
    const std::string algorithm(hash::algorithm_of(kind)), header(hash::header_of(kind));
    const std::string id = create({{"x-amz-checksum-algorithm", algorithm}, {"x-amz-checksum-type", "FULL_OBJECT"}});
    const SentPart first = part(id, 1, one_), last = part(id, 2, last_);
    const std::string whole = hash::checksum_of(kind, as_bytes(one_ + last_)).text();
    const std::string other = hash::checksum_of(kind, as_bytes(last_)).text();
    expect_refused(complete(id, {first, last}, {{header, other}}), 400, "BadDigest", algorithm);
    expect_refused(complete(id, {first, last}, {{header, whole}, {"x-amz-checksum-type", "COMPOSITE"}}), 400,
                   "InvalidRequest", algorithm);
    const Answer answer = complete(id, {first, last}, {{header, whole}, {"x-amz-checksum-type", "FULL_OBJECT"}});
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.xml().child_text(hash::element_of(kind)), whole);
    const Answer described = head("k", {{"x-amz-checksum-mode", "ENABLED"}});
    EXPECT_EQ(described.headers.get(header), whole);
    EXPECT_EQ(described.headers.get("x-amz-checksum-type"), "FULL_OBJECT");
  }
}

TEST_F(MultipartTest, CompositeChecksumsAreOverTheParts) {
  for (const ChecksumKind kind :
       {ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::sha1, ChecksumKind::sha256}) {
    const std::string algorithm(hash::algorithm_of(kind)), element(hash::element_of(kind));
    const std::string id = create({{"x-amz-checksum-algorithm", algorithm}});
    SentPart first = part(id, 1, one_), last = part(id, 2, last_);
    expect_refused(complete(id, {first, last}), 400, "InvalidRequest", "the parts' checksums are missing");
    const hash::Checksum first_sum = hash::checksum_of(kind, as_bytes(one_));
    const hash::Checksum last_sum = hash::checksum_of(kind, as_bytes(last_));
    const auto in_element = [&](const std::string& text) { return "<" + element + ">" + text + "</" + element + ">"; };
    first.checksum_element = in_element(first_sum.text());
    last.checksum_element = in_element(first_sum.text());
    expect_refused(complete(id, {first, last}), 400, "InvalidPart", "another part's checksum");
    last.checksum_element = in_element(last_sum.text());
    const std::string composite = hash::checksum_of(kind, as_bytes(first_sum.raw + last_sum.raw)).text() + "-2";
    const std::string header(hash::header_of(kind));
    expect_refused(complete(id, {first, last}, {{header, first_sum.text()}}), 400, "BadDigest", algorithm);
    const Answer answer = complete(id, {first, last}, {{header, composite}});
    ASSERT_EQ(answer.status, 200) << answer.body;
    const Answer described = head("k", {{"x-amz-checksum-mode", "ENABLED"}});
    EXPECT_EQ(described.headers.get(header), composite);
    EXPECT_EQ(described.headers.get("x-amz-checksum-type"), "COMPOSITE");
  }
}

TEST_F(MultipartTest, PartsAreVerified) {
  const std::string id = create({{"x-amz-checksum-algorithm", "CRC32"}});
  for (const ChecksumKind kind : kChecksumKinds) {
    const std::string wrong = hash::checksum_of(kind, as_bytes("other")).text();
    expect_refused(send_part(id, 1, "hello", {{std::string(hash::header_of(kind)), wrong}}), 400, "BadDigest");
  }
  const std::string sha = hash::checksum_of(ChecksumKind::sha1, as_bytes("hello")).text();
  expect_refused(send_part(id, 1, "hello", {{"x-amz-checksum-sha1", sha}}), 400, "InvalidRequest", "another kind");
  const std::string crc = hash::checksum_of(ChecksumKind::crc32, as_bytes("hello")).text();
  const Answer answer = send_part(id, 1, "hello", {{"x-amz-checksum-crc32", crc}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("x-amz-checksum-crc32"), crc);
  const std::string md5 = base::to_base64(as_bytes(hash::digest(hash::DigestKind::md5, as_bytes("other"))));
  expect_refused(send_part(id, 2, "hello", {{"content-md5", md5}}), 400, "BadDigest");
}

TEST_F(MultipartTest, RefusesChecksumChoicesThatS3Refuses) {
  struct Row {
    std::string algorithm, type;
  };
  for (const Row& row : std::vector<Row>{{"CRC64NVME", "COMPOSITE"},
                                         {"SHA256", "FULL_OBJECT"},
                                         {"SHA1", "FULL_OBJECT"},
                                         {"MD5", ""},
                                         {"CRC32", "HALF"},
                                         {"", "FULL_OBJECT"}}) {
    Fields headers;
    if (!row.algorithm.empty()) headers.emplace_back("x-amz-checksum-algorithm", row.algorithm);
    if (!row.type.empty()) headers.emplace_back("x-amz-checksum-type", row.type);
    expect_refused(
        send({.method = "POST", .bucket = "bucket", .key = "k", .query = {{"uploads", ""}}, .headers = headers}), 400,
        "InvalidRequest", row.algorithm + " " + row.type);
  }
}

TEST_F(MultipartTest, AWholeChecksumNeedsAnAlgorithmFromTheStart) {
  const std::string id = create();
  const SentPart only = part(id, 1, "hello");
  const std::string crc = hash::checksum_of(ChecksumKind::crc64nvme, as_bytes("hello")).text();
  expect_refused(complete(id, {only}, {{"x-amz-checksum-crc64nvme", crc}}), 400, "InvalidRequest");
}

TEST_F(MultipartTest, RefusesPartNumbersThatAreNone) {
  const std::string id = create();
  for (const std::string number : {"0", "10001", "x", ""}) {
    expect_refused(send({.method = "PUT",
                         .bucket = "bucket",
                         .key = "k",
                         .query = {{"partNumber", number}, {"uploadId", id}},
                         .body = "x"}),
                   400, "InvalidArgument", number);
  }
  EXPECT_EQ(send_part(id, 10000, "x").status, 200);
}

TEST_F(MultipartTest, UnknownUploadsAreRefused) {
  const std::string id = create();
  for (const std::string unknown : {"nope", "", "../x"}) {
    expect_refused(send_part(unknown, 1, "x"), 404, "NoSuchUpload");
    expect_refused(complete(unknown, {{1, "\"x\""}}), 404, "NoSuchUpload");
    expect_refused(send({.method = "DELETE", .bucket = "bucket", .key = "k", .query = {{"uploadId", unknown}}}), 404,
                   "NoSuchUpload");
    expect_refused(send({.bucket = "bucket", .key = "k", .query = {{"uploadId", unknown}}}), 404, "NoSuchUpload");
  }
  expect_refused(send({.bucket = "bucket", .key = "other", .query = {{"uploadId", id}}}), 404, "NoSuchUpload",
                 "an upload belongs to its key");
}

TEST_F(MultipartTest, AbortForgetsIt) {
  const std::string id = create();
  part(id, 1, "x");
  EXPECT_EQ(send({.method = "DELETE", .bucket = "bucket", .key = "k", .query = {{"uploadId", id}}}).status, 204);
  expect_refused(send_part(id, 2, "x"), 404, "NoSuchUpload");
  EXPECT_EQ(send({.bucket = "bucket", .query = {{"uploads", ""}}}).xml().child("Upload"), nullptr);
}

TEST_F(MultipartTest, PartsAreListedInPages) {
  const std::string id = create({{"x-amz-checksum-algorithm", "CRC32"}});
  for (const int number : {1, 2, 5}) part(id, number, std::string(static_cast<std::size_t>(number), 'x'));
  s3::XmlElement xml = send({.bucket = "bucket", .key = "k", .query = {{"uploadId", id}, {"max-parts", "2"}}}).xml();
  EXPECT_EQ(xml.name, "ListPartsResult");
  EXPECT_EQ(xml.child_text("IsTruncated"), "true");
  EXPECT_EQ(xml.child_text("NextPartNumberMarker"), "2");
  ASSERT_EQ(xml.children_named("Part").size(), 2u);
  EXPECT_EQ(xml.child("Part")->child_text("Size"), "1");
  EXPECT_EQ(xml.child("Part")->child_text("ChecksumCRC32"),
            hash::checksum_of(ChecksumKind::crc32, as_bytes("x")).text());
  xml = send({.bucket = "bucket", .key = "k", .query = {{"uploadId", id}, {"part-number-marker", "2"}}}).xml();
  EXPECT_EQ(xml.child_text("IsTruncated"), "false");
  ASSERT_EQ(xml.children_named("Part").size(), 1u);
  EXPECT_EQ(xml.child("Part")->child_text("PartNumber"), "5");
}

TEST_F(MultipartTest, UploadsAreListedInPages) {
  const auto create_for = [&](const std::string& key) {
    return send({.method = "POST", .bucket = "bucket", .key = key, .query = {{"uploads", ""}}});
  };
  for (const std::string key : {"b", "a", "c", "b"}) create_for(key);
  std::vector<std::string> seen;
  base::Query query = {{"uploads", ""}, {"max-uploads", "1"}};
  for (int pages = 0; pages < 10; ++pages) {
    const s3::XmlElement xml = send({.bucket = "bucket", .query = query}).xml();
    for (const s3::XmlElement* upload : xml.children_named("Upload")) seen.emplace_back(upload->child_text("Key"));
    if (xml.child_text("IsTruncated") == "false") break;
    query = {{"uploads", ""},
             {"max-uploads", "1"},
             {"key-marker", std::string(xml.child_text("NextKeyMarker"))},
             {"upload-id-marker", std::string(xml.child_text("NextUploadIdMarker"))}};
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "b", "c"}));
  const s3::XmlElement some = send({.bucket = "bucket", .query = {{"uploads", ""}, {"prefix", "c"}}}).xml();
  EXPECT_EQ(some.children_named("Upload").size(), 1u);
}

}  // namespace
}  // namespace dray::server
