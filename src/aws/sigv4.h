// AWS Signature Version 4 for S3: sign, presign, verify ("Authenticating Requests (AWS Signature Version 4)" in the S3
// API reference). Pure; a Signer is for one thread at a time (each worker owns one).
//
// The path is signed exactly as it is sent: S3 does not normalise "//", "." or "..".
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aws/credentials.h"
#include "aws/sha256.h"
#include "base/bytes.h"
#include "base/time.h"
#include "base/uri.h"
#include "dray/result.h"

namespace dray::aws {

constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
constexpr std::string_view kEmptyPayloadHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The longest life of a presigned URL: seven days ("Using Query Parameters" in the S3 API reference).
constexpr long kLongestPresignSeconds = 604800;

using SigningKey = std::array<std::byte, 32>;
/// HMAC chain over date ("20261130"), region, service and "aws4_request".
SigningKey derive_signing_key(std::string_view secret_key, std::string_view date, std::string_view region,
                              std::string_view service);

/// A request as SigV4 sees it. Views are borrowed for the call.
struct SignableRequest {
  std::string_view method;
  std::string_view path;   ///< encoded, as on the request line: "/bucket/a%20b"
  std::string_view query;  ///< canonical (base::canonical_query), without "?"
  /// Headers to sign, name in lower case, value trimmed, sorted by name; must hold host and all x-amz-*.
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  std::string_view payload_hash;
};

/// Signs with a signing key cached by (secret, date, region, service): about 1 us a request when it hits.
class Signer {
 public:
  Signer(std::string region, std::string service = "s3");
  /// The value of the Authorization header; empty (send none) for anonymous credentials. `amz_date` is the request's
  /// x-amz-date ("20261130T102832Z"). A session token is the caller's x-amz-security-token header, among the signed
  /// ones.
  std::string authorization(const SignableRequest& request, const Credentials& credentials, std::string_view amz_date);
  /// The query string of a presigned URL (X-Amz-Algorithm ... X-Amz-Signature), for a request whose own query is
  /// `query`. Only `host` is signed. `expires_seconds` is 1 to kLongestPresignSeconds: check what a user typed before
  /// calling.
  std::string presign(std::string_view method, std::string_view path, const base::Query& query, std::string_view host,
                      const Credentials& credentials, WallTime now, long expires_seconds);
  const std::string& region() const { return region_; }
  void set_region(std::string region);

 private:
  void refresh_key(const Credentials& credentials, std::string_view date);
  std::string region_, service_;
  std::string cached_secret_, cached_date_, cached_scope_;
  HmacKey cached_key_;
  std::string canonical_;  // reused buffer
};

/// What a server reads from a request. Views are borrowed.
struct ReceivedRequest {
  std::string_view method;
  std::string_view raw_path;                                 ///< as received
  std::string_view raw_query;                                ///< as received, without "?"
  std::vector<std::pair<std::string, std::string>> headers;  ///< name in lower case
};

/// How a verified request was signed: what aws-chunked bodies need to check their chunk signatures.
struct Verified {
  std::string access_key;
  std::string payload_hash;  ///< x-amz-content-sha256 as sent ("UNSIGNED-PAYLOAD" if presigned)
  std::string amz_date, scope, signature;
  SigningKey key{};
};

/// Finds the secret of an access key; nothing if it is unknown.
using SecretLookup = std::function<std::optional<std::string>(std::string_view access_key)>;
/// Header or presigned-query authentication. Errors carry S3's code: AccessDenied (unsigned or expired presigned),
/// InvalidAccessKeyId, SignatureDoesNotMatch, RequestTimeTooSkewed (more than 15 minutes), AuthorizationHeaderMalformed
/// (bad syntax, other region or service), AuthorizationQueryParametersError, InvalidRequest (other mechanism, no
/// payload hash), InvalidArgument (two mechanisms, odd payload hash), InvalidURI, with http_status set (400 or 403).
/// The signature covers host and all x-amz-* headers, or the request is refused.
Result<Verified> verify(const ReceivedRequest& request, const SecretLookup& secrets, std::string_view region,
                        WallTime now);

/// The signature of one aws-chunked chunk (STREAMING-AWS4-HMAC-SHA256-PAYLOAD), hex.
std::string chunk_signature(const Verified& seed, std::string_view previous_signature, Bytes chunk);
/// The same from the chunk's SHA-256 in hex, when the chunk is not in one piece.
std::string chunk_signature_of_hash(const Verified& seed, std::string_view previous_signature,
                                    std::string_view hash_hex);
/// The signature of the trailers (...-PAYLOAD-TRAILER); `trailers` is "name:value\n" for each, lower case.
std::string trailer_signature(const Verified& seed, std::string_view previous_signature, std::string_view trailers);

}  // namespace dray::aws
