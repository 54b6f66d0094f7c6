// Verifying: the server's half of sigv4.h.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "aws/canonical.h"
#include "aws/sigv4.h"
#include "aws/sigv4_claim.h"

namespace dray::aws {
namespace {

constexpr std::chrono::minutes kLargestSkew{15};
constexpr std::string_view kService = "s3";

Result<void> check_scope(const SignatureClaim& claim, std::string_view region) {
  const std::string_view request_date = std::string_view(claim.amz_date).substr(0, 8);
  const auto refuse = [&claim](std::string detail) {
    return refusal(400, claim.malformed_code(),
                   fmt::format("{}; {}",
                               claim.presigned ? "Error parsing the X-Amz-Credential parameter"
                                               : "The authorization header is malformed",
                               detail));
  };
  if (claim.service != kService) {
    return refuse(fmt::format("incorrect service {}. This endpoint belongs to 's3'", base::in_quotes(claim.service)));
  }
  if (claim.region != region) {
    return refuse(fmt::format("the region {} is wrong; expecting '{}'", base::in_quotes(claim.region), region));
  }
  if (claim.date != request_date) {
    return refuse(
        fmt::format("the credential date {} is not the request's, '{}'", base::in_quotes(claim.date), request_date));
  }
  return {};
}

Result<void> check_time(const SignatureClaim& claim, WallTime now) {
  if (claim.presigned) {
    if (claim.signed_at > now + kLargestSkew) return refusal(403, "AccessDenied", "Request is not yet valid");
    if (now > claim.signed_at + std::chrono::seconds(claim.expires_seconds)) {
      return refusal(403, "AccessDenied", "Request has expired");
    }
    return {};
  }
  if (claim.signed_at > now + kLargestSkew || claim.signed_at < now - kLargestSkew) {
    return refusal(403, "RequestTimeTooSkewed",
                   "The difference between the request time and the current time is too large");
  }
  return {};
}

/// An unsigned host or x-amz-* header could be put in or changed on the way.
Result<void> check_coverage(const SignatureClaim& claim, const ReceivedRequest& request) {
  const auto& names = claim.signed_headers;
  const auto is_signed = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::string_view uncovered = is_signed("host") ? "" : "host";
  for (const auto& [name, value] : request.headers) {
    if (uncovered.empty() && name.starts_with("x-amz-") && !is_signed(name)) uncovered = name;
  }
  if (uncovered.empty()) return {};
  return refusal(403, "AccessDenied",
                 "There were headers present in the request which were not signed: " + base::printable(uncovered));
}

/// The signed headers with their values as received; `joined` owns the values of headers that came more than once.
/// A signed header that is missing from the request counts as empty, so the signature will not match.
std::vector<std::pair<std::string_view, std::string_view>> collect_headers(const SignatureClaim& claim,
                                                                           const ReceivedRequest& request,
                                                                           std::deque<std::string>& joined) {
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  headers.reserve(claim.signed_headers.size());
  for (const std::string& wanted : claim.signed_headers) {
    std::string_view all;
    bool seen = false;
    for (const auto& [name, raw] : request.headers) {
      if (name != wanted) continue;
      const std::string_view value = base::trim(raw);
      if (seen) {
        joined.push_back(std::string(all) + "," + std::string(value));
        all = joined.back();
      } else {
        all = value;
      }
      seen = true;
    }
    headers.emplace_back(wanted, all);
  }
  return headers;
}

/// The encoded forms of the path that may have been signed: as received, and as S3 itself encodes it. Some clients sign
/// the second and send "(", "=" or "~" in another spelling; both name the same key, so neither proves less.
Result<std::vector<std::string>> signed_paths(std::string_view raw_path) {
  std::vector<std::string> paths{raw_path.empty() ? "/" : std::string(raw_path)};
  const Result<std::string> decoded = base::uri_decode(paths[0]);
  if (!decoded.ok()) return refusal(400, "InvalidURI", "Couldn't parse the specified URI");
  std::string encoded = base::uri_encode(*decoded, base::Slash::keep);
  if (encoded != paths[0]) paths.push_back(std::move(encoded));
  return paths;
}

}  // namespace

Result<Verified> verify(const ReceivedRequest& request, const SecretLookup& secrets, std::string_view region,
                        WallTime now) {
  SignatureClaim claim = DRAY_TRY(read_claim(request));
  DRAY_TRY(check_scope(claim, region));
  const std::vector<std::string> paths = DRAY_TRY(signed_paths(request.raw_path));
  std::optional<std::string> secret = secrets(claim.access_key);
  if (!secret) {
    return refusal(403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records");
  }
  DRAY_TRY(check_time(claim, now));
  DRAY_TRY(check_coverage(claim, request));

  Verified verified;
  verified.scope = credential_scope(claim.date, claim.region, claim.service);
  verified.key = derive_signing_key(*secret, claim.date, claim.region, claim.service);
  hash::cleanse(*secret);

  std::deque<std::string> joined;
  const std::string query = base::canonical_query(claim.query);
  SignableRequest signable{request.method, {}, query, collect_headers(claim, request, joined), claim.payload_hash};
  const HmacKey key(verified.key);
  bool matches = false;
  std::string canonical, expected;
  for (const std::string& path : paths) {
    signable.path = path;
    canonical.clear();
    append_canonical_request(canonical, signable);
    expected.clear();
    append_signature(expected, key, claim.amz_date, verified.scope, canonical);
    if (hash::equal_in_constant_time(expected, claim.signature)) {
      matches = true;
      break;
    }
  }
  if (!matches) {
    return refusal(403, "SignatureDoesNotMatch",
                   "The request signature we calculated does not match the signature you provided. Check your key and "
                   "signing method");
  }
  verified.access_key = std::move(claim.access_key);
  verified.payload_hash = std::move(claim.payload_hash);
  verified.amz_date = std::move(claim.amz_date);
  verified.signature = std::move(claim.signature);
  return verified;
}

}  // namespace dray::aws
