// The published examples: "Signature Calculations for the Authorization Header", "Transferring Payload in Multiple
// Chunks", "Signature calculations for trailing headers" and "Using Query Parameters" in the S3 API reference.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aws/canonical.h"
#include "aws/sigv4.h"

namespace dray::aws {
namespace {

const Credentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", {}, "example"};
constexpr std::string_view kDate = "20130524T000000Z";
constexpr std::string_view kHost = "examplebucket.s3.amazonaws.com";

std::string signature_in(const std::string& authorization) {
  const std::size_t at = authorization.find(",Signature=");
  return at == std::string::npos ? "" : authorization.substr(at + 11);
}

struct Example {
  std::string_view name;
  SignableRequest request;
  std::string_view signature;
};

TEST(SignerTest, MatchesThePublishedHeaderExamples) {
  constexpr std::string_view kPutHash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
  const std::vector<Example> examples = {
      {"GET object with a range",
       {"GET",
        "/test.txt",
        "",
        {{"host", kHost}, {"range", "bytes=0-9"}, {"x-amz-content-sha256", kEmptyPayloadHash}, {"x-amz-date", kDate}},
        kEmptyPayloadHash},
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {"PUT object",
       {"PUT",
        "/test%24file.text",
        "",
        {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
         {"host", kHost},
         {"x-amz-content-sha256", kPutHash},
         {"x-amz-date", kDate},
         {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
        kPutHash},
       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
      {"GET bucket lifecycle",
       {"GET",
        "/",
        "lifecycle=",
        {{"host", kHost}, {"x-amz-content-sha256", kEmptyPayloadHash}, {"x-amz-date", kDate}},
        kEmptyPayloadHash},
       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {"List objects",
       {"GET",
        "/",
        "max-keys=2&prefix=J",
        {{"host", kHost}, {"x-amz-content-sha256", kEmptyPayloadHash}, {"x-amz-date", kDate}},
        kEmptyPayloadHash},
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
  };
  Signer signer("us-east-1");
  for (const Example& example : examples) {
    EXPECT_EQ(signature_in(signer.authorization(example.request, kExample, kDate)), example.signature) << example.name;
  }
}

TEST(SignerTest, WritesTheWholeAuthorizationValue) {
  Signer signer("us-east-1");
  const SignableRequest request{"GET",
                                "/",
                                "lifecycle=",
                                {{"host", kHost}, {"x-amz-content-sha256", kEmptyPayloadHash}, {"x-amz-date", kDate}},
                                kEmptyPayloadHash};
  EXPECT_EQ(signer.authorization(request, kExample, kDate),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            "SignedHeaders=host;x-amz-content-sha256;x-amz-date,"
            "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(SignerTest, DerivesThePublishedKey) {
  const SigningKey key = derive_signing_key("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20120215", "us-east-1", "iam");
  EXPECT_EQ(base::to_hex(key), "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d");
}

TEST(SignerTest, PresignsThePublishedExample) {
  Signer signer("us-east-1");
  const WallTime now = base::from_amz_date(kDate).value();
  EXPECT_EQ(signer.presign("GET", "/test.txt", {}, kHost, kExample, now, 86400),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256"
            "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
            "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SignerTest, PresignedQueryHoldsTheRequestsOwnParametersAndTheSessionToken) {
  Signer signer("us-east-1");
  Credentials credentials = kExample;
  credentials.session_token = "token/+=";
  const std::string query =
      signer.presign("GET", "/k", {{"versionId", "a b"}}, kHost, credentials, base::from_amz_date(kDate).value(), 60);
  EXPECT_NE(query.find("&X-Amz-Security-Token=token%2F%2B%3D&"), std::string::npos) << query;
  EXPECT_NE(query.find("&versionId=a%20b&X-Amz-Signature="), std::string::npos) << query;
}

TEST(SignerTest, AnonymousCredentialsSignNothing) {
  Signer signer("us-east-1");
  const SignableRequest request{"GET", "/", "", {{"host", kHost}}, kEmptyPayloadHash};
  EXPECT_EQ(signer.authorization(request, Credentials{}, kDate), "");
  EXPECT_EQ(signer.presign("GET", "/k", {{"a", "b"}}, kHost, {}, base::from_amz_date(kDate).value(), 60), "a=b");
}

TEST(SignerDeathTest, RefusesAnExpiryThatS3DoesNotTake) {
  Signer signer("us-east-1");
  const WallTime now = base::from_amz_date(kDate).value();
  EXPECT_DEATH(signer.presign("GET", "/k", {}, kHost, kExample, now, 0), "604800");
  EXPECT_DEATH(signer.presign("GET", "/k", {}, kHost, kExample, now, 604801), "604800");
}

// A key that stays in the cache when it should not gives a signature that a fresh signer would not give.
TEST(SignerTest, CachedKeyIsNotUsedForAnotherSecretDateOrRegion) {
  const SignableRequest request{"GET", "/", "", {{"host", kHost}}, kEmptyPayloadHash};
  Credentials other = kExample;
  other.secret_key = "another";
  Signer used("us-east-1");
  used.authorization(request, kExample, kDate);

  EXPECT_EQ(used.authorization(request, other, kDate), Signer("us-east-1").authorization(request, other, kDate));
  EXPECT_EQ(used.authorization(request, other, "20130525T000000Z"),
            Signer("us-east-1").authorization(request, other, "20130525T000000Z"));
  used.set_region("eu-west-1");
  EXPECT_EQ(used.region(), "eu-west-1");
  EXPECT_EQ(used.authorization(request, other, "20130525T000000Z"),
            Signer("eu-west-1").authorization(request, other, "20130525T000000Z"));
}

TEST(SignerTest, CachedKeyIsSharedByAccessKeysWithTheSameSecretButNamesTheRightOne) {
  const SignableRequest request{"GET", "/", "", {{"host", kHost}}, kEmptyPayloadHash};
  Credentials other = kExample;
  other.access_key = "AKIDOTHER";
  Signer signer("us-east-1");
  signer.authorization(request, kExample, kDate);
  EXPECT_NE(signer.authorization(request, other, kDate).find("Credential=AKIDOTHER/"), std::string::npos);
}

TEST(CanonicalRequestTest, CollapsesRunsOfSpacesInHeaderValues) {
  std::string text;
  append_canonical_request(text, {"PUT", "/k", "", {{"host", "h"}, {"x-amz-meta-a", "one  two   three"}}, "hash"});
  EXPECT_EQ(text, "PUT\n/k\n\nhost:h\nx-amz-meta-a:one two three\n\nhost;x-amz-meta-a\nhash");
}

TEST(CanonicalRequestTest, KeepsThePathAsItIs) {
  std::string text;
  append_canonical_request(text, {"GET", "/b//a/./../%2E", "", {{"host", "h"}}, "hash"});
  EXPECT_TRUE(text.starts_with("GET\n/b//a/./../%2E\n")) << text;
}

/// The seed of the published streaming example, as a server that verified it would hold it.
Verified example_seed(std::string_view signature) {
  Verified seed;
  seed.amz_date = kDate;
  seed.scope = "20130524/us-east-1/s3/aws4_request";
  seed.signature = signature;
  seed.key = derive_signing_key(kExample.secret_key, "20130524", "us-east-1", "s3");
  return seed;
}

SignableRequest streaming_request(bool trailer) {
  SignableRequest request{"PUT", "/examplebucket/chunkObject.txt", "", {}, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"};
  if (trailer) request.payload_hash = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
  request.headers = {{"content-encoding", "aws-chunked"},
                     {"host", "s3.amazonaws.com"},
                     {"x-amz-content-sha256", request.payload_hash},
                     {"x-amz-date", kDate},
                     {"x-amz-decoded-content-length", "66560"},
                     {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  if (trailer) {
    request.headers.emplace_back("x-amz-trailer", "x-amz-checksum-crc32c");
  } else {
    request.headers.insert(request.headers.begin() + 1, {"content-length", "66824"});
  }
  return request;
}

TEST(ChunkSignatureTest, MatchesThePublishedChain) {
  Signer signer("us-east-1");
  const std::string seed_signature = signature_in(signer.authorization(streaming_request(false), kExample, kDate));
  EXPECT_EQ(seed_signature, "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9");
  const Verified seed = example_seed(seed_signature);
  const std::string first = chunk_signature(seed, seed.signature, as_bytes(std::string(65536, 'a')));
  EXPECT_EQ(first, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648");
  const std::string second = chunk_signature(seed, first, as_bytes(std::string(1024, 'a')));
  EXPECT_EQ(second, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497");
  EXPECT_EQ(chunk_signature(seed, second, {}), "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9");
}

TEST(ChunkSignatureTest, FromTheHashIsTheSame) {
  const Verified seed = example_seed("seed");
  const Bytes chunk = as_bytes("some bytes");
  EXPECT_EQ(chunk_signature_of_hash(seed, "before", base::to_hex(hash::sha256(chunk))),
            chunk_signature(seed, "before", chunk));
}

TEST(ChunkSignatureTest, MatchesThePublishedTrailerExample) {
  Signer signer("us-east-1");
  const std::string seed_signature = signature_in(signer.authorization(streaming_request(true), kExample, kDate));
  EXPECT_EQ(seed_signature, "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e");
  const Verified seed = example_seed(seed_signature);
  const std::string first = chunk_signature(seed, seed.signature, as_bytes(std::string(65536, 'a')));
  EXPECT_EQ(first, "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2");
  const std::string second = chunk_signature(seed, first, as_bytes(std::string(1024, 'a')));
  EXPECT_EQ(second, "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7");
  const std::string last = chunk_signature(seed, second, {});
  EXPECT_EQ(last, "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992");
  EXPECT_EQ(trailer_signature(seed, last, "x-amz-checksum-crc32c:sOO8/Q==\n"),
            "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435");
}

TEST(HmacKeyTest, AgreesWithOpenSslForEveryKeyLengthRoundTheBlockSize) {
  for (const std::size_t length : {0u, 1u, 31u, 32u, 63u, 64u, 65u, 100u}) {
    const std::string key(length, 'k');
    for (const std::size_t size : {0u, 1u, 55u, 56u, 63u, 64u, 65u, 1000u}) {
      const std::string data(size, 'd');
      EXPECT_EQ(HmacKey(as_bytes(key)).mac(as_bytes(data)), hash::hmac_sha256(as_bytes(key), as_bytes(data)))
          << length << " " << size;
      EXPECT_EQ(sha256_of_short(as_bytes(data)), hash::sha256(as_bytes(data))) << size;
    }
  }
}

}  // namespace
}  // namespace dray::aws
