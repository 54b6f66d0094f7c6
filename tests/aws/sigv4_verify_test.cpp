#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "aws/sigv4.h"

namespace dray::aws {
namespace {

constexpr std::string_view kDate = "20261130T102832Z";
const Credentials kKeys{"AKID", "secret-of-akid", "", {}, "test"};

WallTime now() { return base::from_amz_date(kDate).value(); }

std::optional<std::string> known_secret(std::string_view access_key) {
  if (access_key == kKeys.access_key || access_key == "minio/style") return kKeys.secret_key;
  return std::nullopt;
}

/// A request with its memory, so that tests can change what was signed.
struct Request {
  std::string method = "GET", path = "/bucket/key", query;
  std::vector<std::pair<std::string, std::string>> headers;

  std::string* header(std::string_view name) {
    for (auto& [header, value] : headers) {
      if (header == name) return &value;
    }
    return nullptr;
  }
  void remove(std::string_view name) {
    std::erase_if(headers, [name](const auto& header) { return header.first == name; });
  }
  Result<Verified> verify(WallTime at = now(), std::string_view region = "eu-west-1") const {
    return aws::verify({method, path, query, headers}, known_secret, region, at);
  }
};

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, text.npos) << "no " << from << " in " << text;
  text.replace(at, from.size(), to);
}

/// Signs all headers that are there, as the client does.
void sign(Request& request, const Credentials& credentials = kKeys, std::string_view canonical_query = {}) {
  std::sort(request.headers.begin(), request.headers.end());
  SignableRequest signable{request.method,
                           request.path,
                           canonical_query.empty() ? request.query : canonical_query,
                           {},
                           *request.header("x-amz-content-sha256")};
  for (const auto& [name, value] : request.headers) signable.headers.emplace_back(name, value);
  Signer signer("eu-west-1");
  std::string value = signer.authorization(signable, credentials, *request.header("x-amz-date"));
  request.headers.emplace_back("authorization", std::move(value));
}

Request unsigned_request() {
  Request request;
  request.headers = {{"host", "s3.example.org:9000"},
                     {"x-amz-content-sha256", std::string(kUnsignedPayload)},
                     {"x-amz-date", std::string(kDate)},
                     {"x-amz-meta-colour", "blue"}};
  request.query = "partNumber=7&uploadId=u%2F1";
  return request;
}

Request signed_request() {
  Request request = unsigned_request();
  sign(request);
  return request;
}

Request presigned_request(long expires = 600, const base::Query& query = {}) {
  Request request;
  request.headers = {{"host", "s3.example.org:9000"}, {"user-agent", "curl"}};
  Signer signer("eu-west-1");
  request.query = signer.presign("GET", request.path, query, "s3.example.org:9000", kKeys, now(), expires);
  return request;
}

void expect_refused(const Result<Verified>& result, int status, std::string_view code, std::string_view why) {
  ASSERT_FALSE(result.ok()) << "accepted: " << why;
  EXPECT_EQ(result.error().code, code) << why << ": " << result.error().message;
  EXPECT_EQ(result.error().http_status, status) << why;
  EXPECT_EQ(result.error().message.find(kKeys.secret_key), std::string::npos) << why;
}

TEST(VerifyTest, AcceptsWhatTheSignerSigned) {
  const Result<Verified> result = signed_request().verify();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->access_key, "AKID");
  EXPECT_EQ(result->payload_hash, kUnsignedPayload);
  EXPECT_EQ(result->amz_date, kDate);
  EXPECT_EQ(result->scope, "20261130/eu-west-1/s3/aws4_request");
  EXPECT_EQ(result->signature.size(), 64u);
  EXPECT_EQ(result->key, derive_signing_key(kKeys.secret_key, "20261130", "eu-west-1", "s3"));
}

TEST(VerifyTest, AcceptsAnAccessKeyWithASlash) {
  Request request = unsigned_request();
  Credentials keys = kKeys;
  keys.access_key = "minio/style";
  sign(request, keys);
  const Result<Verified> result = request.verify();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->access_key, "minio/style");
}

TEST(VerifyTest, AcceptsSpacesAndAnyOrderInTheAuthorizationHeader) {
  Request request = signed_request();
  std::string& value = *request.header("authorization");
  const std::size_t credential = value.find("Credential="), comma = value.find(',');
  value = "AWS4-HMAC-SHA256 " + value.substr(comma + 1) + " ,  " + value.substr(credential, comma - credential) + " ";
  EXPECT_TRUE(request.verify().ok()) << value;
}

TEST(VerifyTest, AcceptsADateHeaderInsteadOfXAmzDate) {
  Request request = unsigned_request();
  request.remove("x-amz-date");
  request.headers.emplace_back("date", base::to_http_date(now()));
  std::sort(request.headers.begin(), request.headers.end());
  SignableRequest signable{request.method, request.path, request.query, {}, kUnsignedPayload};
  for (const auto& [name, value] : request.headers) signable.headers.emplace_back(name, value);
  request.headers.emplace_back("authorization", Signer("eu-west-1").authorization(signable, kKeys, kDate));
  const Result<Verified> result = request.verify();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->amz_date, kDate);
}

TEST(VerifyTest, JoinsHeadersOfTheSameNameAndTrimsThem) {
  Request request = unsigned_request();
  *request.header("x-amz-meta-colour") = "blue,deep red";
  sign(request);
  *request.header("x-amz-meta-colour") = " blue\t";
  request.headers.emplace_back("x-amz-meta-colour", "deep   red");
  EXPECT_TRUE(request.verify().ok());
}

TEST(VerifyTest, AcceptsOddSpellingsOfTheSameRequest) {
  struct Row {
    std::string path_sent, path_signed, query_sent, query_signed;
  };
  const std::vector<Row> rows = {
      {"/b/a%20b", "/b/a%20b", "", ""},
      {"/b/a(1)=~", "/b/a%281%29%3D~", "", ""},  // sent plain, signed as S3 encodes it
      {"/b/a%7e%2bx", "/b/a~%2Bx", "", ""},      // escapes that were not needed, lower-case hex
      {"/b/a(1)", "/b/a(1)", "", ""},            // sent and signed plain
      {"/b//x/../y/.", "/b//x/../y/.", "", ""},  // nothing is normalised
      {"/b", "/b", "uploads", "uploads="},       // no "="
      {"/b", "/b", "prefix=a%2fb&list-type=2", "list-type=2&prefix=a%2Fb"},
      {"/b", "/b", "prefix=a+b", "prefix=a%20b"},
      {"/b", "/b", "a=2&a=1", "a=1&a=2"},  // the same name twice is legal if it was signed
      {"/b", "/b", "a=%E2%80%A8&&", "a=%E2%80%A8"},
  };
  for (const Row& row : rows) {
    Request request = unsigned_request();
    request.path = row.path_signed;
    request.query = row.query_signed;
    sign(request);
    request.path = row.path_sent;
    request.query = row.query_sent;
    const Result<Verified> result = request.verify();
    EXPECT_TRUE(result.ok()) << row.path_sent << "?" << row.query_sent << ": " << result.error().message;
  }
}

TEST(VerifyTest, AcceptsAnEmptyPathAsTheRoot) {
  Request request = unsigned_request();
  request.path = "/";
  sign(request);
  request.path = "";
  EXPECT_TRUE(request.verify().ok());
}

struct Refusal {
  std::string_view why;
  std::function<void(Request&)> change;
  int status;
  std::string_view code;
};

void authorize(Request& request, std::string_view from, std::string_view to) {
  replace(*request.header("authorization"), from, to);
}

TEST(VerifyTest, RefusesASignedRequestThatWasChanged) {
  const auto set = [](std::string_view header, std::string value) {
    return [=](Request& r) { *r.header(header) = value; };
  };
  const auto edit = [](std::string from, std::string to) { return [=](Request& r) { authorize(r, from, to); }; };
  const std::vector<Refusal> rows = {
      {"path", [](Request& r) { r.path = "/bucket/kex"; }, 403, "SignatureDoesNotMatch"},
      {"path, more slashes", [](Request& r) { r.path = "/bucket//key"; }, 403, "SignatureDoesNotMatch"},
      {"path, dot segments", [](Request& r) { r.path = "/bucket/x/../key"; }, 403, "SignatureDoesNotMatch"},
      {"path, cut escape", [](Request& r) { r.path = "/bucket/k%2"; }, 400, "InvalidURI"},
      {"method", [](Request& r) { r.method = "DELETE"; }, 403, "SignatureDoesNotMatch"},
      {"query value", [](Request& r) { r.query = "partNumber=8&uploadId=u%2F1"; }, 403, "SignatureDoesNotMatch"},
      {"query added", [](Request& r) { r.query += "&acl"; }, 403, "SignatureDoesNotMatch"},
      {"query repeated", [](Request& r) { r.query += "&partNumber=7"; }, 403, "SignatureDoesNotMatch"},
      {"query removed", [](Request& r) { r.query = ""; }, 403, "SignatureDoesNotMatch"},
      {"query, bad escape", [](Request& r) { r.query += "&a=%zz"; }, 400, "InvalidURI"},
      {"host", set("host", "evil.example.org"), 403, "SignatureDoesNotMatch"},
      {"signed header", set("x-amz-meta-colour", "red"), 403, "SignatureDoesNotMatch"},
      {"signed header repeated", [](Request& r) { r.headers.emplace_back("x-amz-meta-colour", "red"); }, 403,
       "SignatureDoesNotMatch"},
      {"signed header removed", [](Request& r) { r.remove("x-amz-meta-colour"); }, 403, "SignatureDoesNotMatch"},
      {"payload hash", set("x-amz-content-sha256", std::string(kEmptyPayloadHash)), 403, "SignatureDoesNotMatch"},
      {"time within the limit", set("x-amz-date", "20261130T102833Z"), 403, "SignatureDoesNotMatch"},
      {"signature", edit("Signature=", "Signature=0"), 403, "SignatureDoesNotMatch"},
      {"signature emptied",
       [](Request& r) {
         std::string& value = *r.header("authorization");
         value.resize(value.find("Signature=") + 10);
       },
       403, "SignatureDoesNotMatch"},
      {"other access key", edit("Credential=AKID/", "Credential=AKIE/"), 403, "InvalidAccessKeyId"},
      {"x-amz header added", [](Request& r) { r.headers.emplace_back("x-amz-acl", "public-read"); }, 403,
       "AccessDenied"},
      {"host not signed", edit("SignedHeaders=host;", "SignedHeaders="), 403, "AccessDenied"},
      {"x-amz header not signed", edit(";x-amz-meta-colour", ""), 403, "AccessDenied"},
      {"no date", [](Request& r) { r.remove("x-amz-date"); }, 403, "AccessDenied"},
      {"odd date", set("x-amz-date", "yesterday"), 403, "AccessDenied"},
      {"no signature at all", [](Request& r) { r.remove("authorization"); }, 403, "AccessDenied"},
      {"no payload hash", [](Request& r) { r.remove("x-amz-content-sha256"); }, 400, "InvalidRequest"},
      {"odd payload hash", set("x-amz-content-sha256", "E3B0C442"), 400, "InvalidArgument"},
      {"version 2", set("authorization", "AWS AKID:c2lnbmF0dXJl"), 400, "InvalidRequest"},
      {"other mechanism", set("authorization", "Bearer token"), 400, "InvalidRequest"},
      {"empty header", set("authorization", ""), 400, "InvalidRequest"},
      {"two headers", [](Request& r) { r.headers.emplace_back("authorization", *r.header("authorization")); }, 400,
       "InvalidArgument"},
      {"header and query", [](Request& r) { r.query += "&X-Amz-Signature=0"; }, 400, "InvalidArgument"},
      {"other region", edit("/eu-west-1/", "/us-east-1/"), 400, "AuthorizationHeaderMalformed"},
      {"other service", edit("/s3/", "/iam/"), 400, "AuthorizationHeaderMalformed"},
      {"other end", edit("/aws4_request", "/aws5_request"), 400, "AuthorizationHeaderMalformed"},
      {"other day", edit("/20261130/", "/20261129/"), 400, "AuthorizationHeaderMalformed"},
      {"short credential", edit("AKID/20261130/", "AKID"), 400, "AuthorizationHeaderMalformed"},
      {"no access key", edit("AKID/", "/"), 400, "AuthorizationHeaderMalformed"},
      {"no algorithm's rest", set("authorization", "AWS4-HMAC-SHA256"), 400, "AuthorizationHeaderMalformed"},
      {"no credential", edit("Credential=", "Credentiel="), 400, "AuthorizationHeaderMalformed"},
      {"repeated field", edit("SignedHeaders=", "Signature=0,SignedHeaders="), 400, "AuthorizationHeaderMalformed"},
      {"no field name", edit("Signature=", "Signature "), 400, "AuthorizationHeaderMalformed"},
      {"signed headers upper case", edit("=host;", "=Host;"), 400, "AuthorizationHeaderMalformed"},
      {"signed headers unsorted", edit("host;x-amz-content-sha256", "x-amz-content-sha256;host"), 400,
       "AuthorizationHeaderMalformed"},
      {"signed headers twice", edit("host;", "host;host;"), 400, "AuthorizationHeaderMalformed"},
      {"signed headers, empty name", edit("host;", "host;;"), 400, "AuthorizationHeaderMalformed"},
      {"no signed headers",
       edit("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-meta-colour", "SignedHeaders="), 400,
       "AuthorizationHeaderMalformed"},
  };
  for (const Refusal& row : rows) {
    Request request = signed_request();
    row.change(request);
    expect_refused(request.verify(), row.status, row.code, row.why);
  }
}

TEST(VerifyTest, RefusesEveryOtherLastDigitOfTheSignature) {
  const Request good = signed_request();
  int accepted = 0;
  for (const char digit : std::string_view("0123456789abcdefABCDEF")) {
    Request request = good;
    request.header("authorization")->back() = digit;
    accepted += request.verify().ok() ? 1 : 0;
  }
  EXPECT_EQ(accepted, 1);
}

TEST(VerifyTest, NamesTheRegionItExpects) {
  const Result<Verified> result = signed_request().verify(now(), "ap-south-2");
  expect_refused(result, 400, "AuthorizationHeaderMalformed", "other region");
  EXPECT_NE(result.error().message.find("the region 'eu-west-1' is wrong; expecting 'ap-south-2'"), std::string::npos);
}

TEST(VerifyTest, NamesTheHeaderThatIsNotSigned) {
  Request request = signed_request();
  request.headers.emplace_back("x-amz-acl", "public-read");
  EXPECT_NE(request.verify().error().message.find("x-amz-acl"), std::string::npos);
}

TEST(VerifyTest, AllowsFifteenMinutesOfSkewAndNoSecondMore) {
  using std::chrono::minutes, std::chrono::seconds;
  const Request request = signed_request();
  EXPECT_TRUE(request.verify(now() + minutes(15)).ok());
  EXPECT_TRUE(request.verify(now() - minutes(15)).ok());
  expect_refused(request.verify(now() + minutes(15) + seconds(1)), 403, "RequestTimeTooSkewed", "old");
  expect_refused(request.verify(now() - minutes(15) - seconds(1)), 403, "RequestTimeTooSkewed", "from the future");
}

TEST(VerifyTest, RefusesAWrongSecret) {
  Request request = unsigned_request();
  Credentials keys = kKeys;
  keys.secret_key = "guess";
  sign(request, keys);
  expect_refused(request.verify(), 403, "SignatureDoesNotMatch", "wrong secret");
}

TEST(VerifyTest, AcceptsAPresignedRequest) {
  const Result<Verified> result = presigned_request(600, {{"versionId", "a b"}, {"response-expires", ""}}).verify();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->access_key, "AKID");
  EXPECT_EQ(result->payload_hash, kUnsignedPayload);
  EXPECT_EQ(result->scope, "20261130/eu-west-1/s3/aws4_request");
}

TEST(VerifyTest, PresignedRequestLastsUntilItsExpiry) {
  using std::chrono::minutes, std::chrono::seconds;
  const Request request = presigned_request(600);
  EXPECT_TRUE(request.verify(now() + seconds(600)).ok());
  expect_refused(request.verify(now() + seconds(601)), 403, "AccessDenied", "expired");
  EXPECT_TRUE(request.verify(now() - minutes(15)).ok());
  expect_refused(request.verify(now() - minutes(15) - seconds(1)), 403, "AccessDenied", "not yet valid");
}

TEST(VerifyTest, RefusesAPresignedRequestThatWasChanged) {
  constexpr std::string_view kMalformed = "AuthorizationQueryParametersError";
  const auto edit = [](std::string from, std::string to) { return [=](Request& r) { replace(r.query, from, to); }; };
  const auto add = [](std::string more) { return [=](Request& r) { r.query += more; }; };
  const std::vector<Refusal> rows = {
      {"path", [](Request& r) { r.path = "/bucket/other"; }, 403, "SignatureDoesNotMatch"},
      {"method", [](Request& r) { r.method = "PUT"; }, 403, "SignatureDoesNotMatch"},
      {"host", [](Request& r) { *r.header("host") = "evil.example.org"; }, 403, "SignatureDoesNotMatch"},
      {"longer expiry", edit("Expires=600", "Expires=6000"), 403, "SignatureDoesNotMatch"},
      {"parameter added", add("&versionId=1"), 403, "SignatureDoesNotMatch"},
      {"signature", edit("X-Amz-Signature=", "X-Amz-Signature=0"), 403, "SignatureDoesNotMatch"},
      {"access key", edit("AKID", "AKIE"), 403, "InvalidAccessKeyId"},
      {"header not signed", [](Request& r) { r.headers.emplace_back("x-amz-acl", "public-read"); }, 403,
       "AccessDenied"},
      {"host not signed", edit("SignedHeaders=host", "SignedHeaders=user-agent"), 403, "AccessDenied"},
      {"signature twice", add("&X-Amz-Signature=0"), 400, kMalformed},
      {"credential twice", add("&X-Amz-Credential=AKID"), 400, kMalformed},
      {"expiry twice", add("&X-Amz-Expires=604800"), 400, kMalformed},
      {"date twice", add("&X-Amz-Date=20261130T102832Z"), 400, kMalformed},
      {"algorithm", edit("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA512"), 400, kMalformed},
      {"no algorithm", edit("X-Amz-Algorithm=", "X-Amz-Algorithn="), 400, kMalformed},
      {"no credential", edit("X-Amz-Credential=", "X-Amz-Credentiel="), 400, kMalformed},
      {"no signature", edit("X-Amz-Signature=", "X-Amz-Signatura="), 400, kMalformed},
      {"no date", edit("X-Amz-Date=", "X-Amz-Data="), 400, kMalformed},
      {"no expiry", edit("X-Amz-Expires=", "X-Amz-Expiry="), 400, kMalformed},
      {"no signed headers", edit("X-Amz-SignedHeaders=", "X-Amz-Headers="), 400, kMalformed},
      {"odd date", edit("X-Amz-Date=2026", "X-Amz-Date=x026"), 400, kMalformed},
      {"odd expiry", edit("Expires=600", "Expires=-1"), 400, kMalformed},
      {"expiry too long", edit("Expires=600", "Expires=604801"), 400, kMalformed},
      {"region", edit("%2Feu-west-1%2F", "%2Fus-east-1%2F"), 400, kMalformed},
      {"other day", edit("%2F20261130%2F", "%2F20261129%2F"), 400, kMalformed},
      {"payload hash", [](Request& r) { r.headers.emplace_back("x-amz-content-sha256", "x"); }, 400, "InvalidArgument"},
      {"version 2", [](Request& r) { r.query = "AWSAccessKeyId=AKID&Expires=1&Signature=abc"; }, 400, "InvalidRequest"},
  };
  for (const Refusal& row : rows) {
    Request request = presigned_request();
    row.change(request);
    expect_refused(request.verify(), row.status, row.code, row.why);
  }
}

TEST(VerifyTest, PresignedPayloadHashHeaderCountsIfItIsSigned) {
  Request request;
  const std::string hash(kEmptyPayloadHash);
  request.headers = {{"host", "h"}, {"x-amz-content-sha256", hash}};
  const base::Query query = {{"X-Amz-Algorithm", "AWS4-HMAC-SHA256"},
                             {"X-Amz-Credential", "AKID/20261130/eu-west-1/s3/aws4_request"},
                             {"X-Amz-Date", std::string(kDate)},
                             {"X-Amz-Expires", "600"},
                             {"X-Amz-SignedHeaders", "host;x-amz-content-sha256"}};
  request.query = base::canonical_query(query);
  const SignableRequest signable{
      "GET", request.path, request.query, {{"host", "h"}, {"x-amz-content-sha256", hash}}, hash};
  const std::string value = Signer("eu-west-1").authorization(signable, kKeys, kDate);
  request.query += "&X-Amz-Signature=" + value.substr(value.find("Signature=") + 10);
  const Result<Verified> result = request.verify();
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->payload_hash, hash);
}

}  // namespace
}  // namespace dray::aws
