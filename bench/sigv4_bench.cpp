// Signing and verifying. Aim for one UploadPart with a cached key: 1.0 us, at most 2 us.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "aws/sigv4.h"

namespace dray::aws {
namespace {

const Credentials kKeys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", {}, "example"};
constexpr std::string_view kDate = "20261130T102832Z";
constexpr std::string_view kHost = "backups.s3.eu-central-1.amazonaws.com";
constexpr std::string_view kPath = "/2026/11/30/database-eu-central-1a/full-0001.tar.zst";
constexpr std::string_view kQuery =
    "partNumber=4711&uploadId=VXBsb2FkIElEIGZvciBlbHZpbmcncyBteS1tb3ZpZS5tMnRzIHVwbG9hZA2ZGVsaXZlcmVkIGF0IHRoZSBkb29y";

SignableRequest upload_part() {
  return {"PUT",
          kPath,
          kQuery,
          {{"content-length", "8388608"},
           {"host", kHost},
           {"x-amz-checksum-crc64nvme", "rosUhgp5mIg="},
           {"x-amz-content-sha256", kUnsignedPayload},
           {"x-amz-date", kDate}},
          kUnsignedPayload};
}

void SignUploadPartWithCachedKey(benchmark::State& state) {
  Signer signer("eu-central-1");
  const SignableRequest request = upload_part();
  for (auto _ : state) benchmark::DoNotOptimize(signer.authorization(request, kKeys, kDate));
}
BENCHMARK(SignUploadPartWithCachedKey);

void SignUploadPartWithNewKey(benchmark::State& state) {
  const SignableRequest request = upload_part();
  for (auto _ : state) {
    Signer signer("eu-central-1");
    benchmark::DoNotOptimize(signer.authorization(request, kKeys, kDate));
  }
}
BENCHMARK(SignUploadPartWithNewKey);

void PresignGet(benchmark::State& state) {
  Signer signer("eu-central-1");
  const WallTime now = base::from_amz_date(kDate).value();
  for (auto _ : state) benchmark::DoNotOptimize(signer.presign("GET", kPath, {}, kHost, kKeys, now, 3600));
}
BENCHMARK(PresignGet);

void VerifyUploadPart(benchmark::State& state) {
  const SignableRequest request = upload_part();
  ReceivedRequest received{"PUT", kPath, kQuery, {}};
  for (const auto& [name, value] : request.headers) received.headers.emplace_back(name, value);
  received.headers.emplace_back("authorization", Signer("eu-central-1").authorization(request, kKeys, kDate));
  const WallTime now = base::from_amz_date(kDate).value();
  const SecretLookup secrets = [](std::string_view) { return kKeys.secret_key; };
  for (auto _ : state) {
    if (!verify(received, secrets, "eu-central-1", now).ok()) state.SkipWithError("refused");
  }
}
BENCHMARK(VerifyUploadPart);

void SignChunk(benchmark::State& state) {
  Verified seed;
  seed.amz_date = kDate;
  seed.scope = "20261130/eu-central-1/s3/aws4_request";
  seed.key = derive_signing_key(kKeys.secret_key, "20261130", "eu-central-1", "s3");
  for (auto _ : state) benchmark::DoNotOptimize(chunk_signature_of_hash(seed, kEmptyPayloadHash, kEmptyPayloadHash));
}
BENCHMARK(SignChunk);

}  // namespace
}  // namespace dray::aws

BENCHMARK_MAIN();
