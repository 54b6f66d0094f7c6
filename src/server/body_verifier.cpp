#include "server/body_verifier.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

ChecksumKind kind_of_header(std::string_view name) {
  for (const ChecksumKind kind : kChecksumKinds) {
    if (hash::header_of(kind) == name) return kind;
  }
  return ChecksumKind::none;
}

Result<hash::Checksum> parse_checksum(ChecksumKind kind, std::string_view text) {
  Result<hash::Checksum> checksum = hash::Checksum::parse(kind, base::trim(text));
  if (!checksum || checksum->type != hash::ChecksumType::full_object) {
    return refuse("InvalidRequest", fmt::format("Value for {} header is invalid.", hash::header_of(kind)));
  }
  return checksum;
}

Result<hash::Checksum> checksum_in(const http::Headers& headers) {
  hash::Checksum found;
  for (const ChecksumKind kind : kChecksumKinds) {
    const std::optional<std::string_view> text = headers.find(hash::header_of(kind));
    if (!text) continue;
    if (found.kind != ChecksumKind::none) {
      return refuse("InvalidRequest",
                    "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
    }
    found = DRAY_TRY(parse_checksum(kind, *text));
  }
  return found;
}

Result<ChecksumKind> trailer_kind_in(const http::Headers& headers) {
  const std::optional<std::string_view> announced = headers.find("x-amz-trailer");
  if (!announced) return ChecksumKind::none;
  const ChecksumKind kind = kind_of_header(base::to_lower(base::trim(*announced)));
  if (kind == ChecksumKind::none) {
    return refuse("InvalidRequest", "The value specified in the x-amz-trailer header is not supported");
  }
  return kind;
}

Error bad_digest(ChecksumKind kind) {
  return refuse("BadDigest",
                fmt::format("The {} you specified did not match the calculated checksum.", hash::algorithm_of(kind)));
}

}  // namespace

Result<BodyClaims> read_claims(const http::Headers& headers, std::string_view payload_hash, ChecksumCovers covers) {
  BodyClaims claims;
  if (const auto text = headers.find("content-md5")) {
    Result<std::string> raw = base::from_base64(base::trim(*text));
    if (!raw || raw->size() != 16) return refuse("InvalidDigest", "The Content-MD5 you specified was invalid.");
    claims.md5 = *std::move(raw);
  }
  if (covers == ChecksumCovers::body) claims.checksum = DRAY_TRY(checksum_in(headers));
  claims.trailer_kind = DRAY_TRY(trailer_kind_in(headers));
  if (claims.trailer_kind != ChecksumKind::none && claims.checksum.kind != ChecksumKind::none) {
    return refuse("InvalidRequest", "Expecting a single checksum, in the header or in the trailer.");
  }
  claims.aws_chunked = payload_hash.starts_with("STREAMING-");
  claims.signed_chunks = payload_hash.starts_with("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  const bool trailing = payload_hash.ends_with("-TRAILER");
  if (trailing != headers.find("x-amz-trailer").has_value()) {
    return refuse("InvalidRequest", "x-amz-trailer and the -TRAILER forms of x-amz-content-sha256 go together");
  }
  if (claims.aws_chunked) {
    const Result<std::uint64_t> length = base::parse_u64(headers.get("x-amz-decoded-content-length"));
    if (!length) return refuse("MissingContentLength", "You must provide x-amz-decoded-content-length.");
    claims.decoded_length = *length;
  } else if (payload_hash.size() == 64) {
    claims.sha256_hex = payload_hash;
  }
  return claims;
}

BodyVerifier::BodyVerifier(BodyClaims claims, ChecksumKind wanted)
    : claims_(std::move(claims)), checksum_(claims_.kind() != ChecksumKind::none ? claims_.kind() : wanted) {
  if (!claims_.sha256_hex.empty()) sha256_.emplace(hash::DigestKind::sha256);
}

void BodyVerifier::update(Bytes data) {
  size_ += data.size();
  md5_.update(data);
  if (sha256_) sha256_->update(data);
  checksum_.update(data);
}

Result<BodyDigests> BodyVerifier::finish(const http::Headers& trailers) {
  BodyDigests found{.size = size_, .md5 = md5_.finish(), .checksum = checksum_.finish()};
  if (claims_.decoded_length && *claims_.decoded_length != size_) {
    return refuse("IncompleteBody", fmt::format("You did not provide the number of bytes specified by "
                                                "x-amz-decoded-content-length: {} instead of {}",
                                                size_, *claims_.decoded_length));
  }
  if (sha256_ && base::to_hex(as_bytes(sha256_->finish())) != base::to_lower(claims_.sha256_hex)) {
    return refuse("XAmzContentSHA256Mismatch",
                  "The provided 'x-amz-content-sha256' header does not match what was computed.");
  }
  if (!claims_.md5.empty() && claims_.md5 != found.md5) {
    return refuse("BadDigest", "The Content-MD5 you specified did not match what we received.");
  }
  hash::Checksum claimed = claims_.checksum;
  if (claims_.trailer_kind != ChecksumKind::none) {
    const std::optional<std::string_view> text = trailers.find(hash::header_of(claims_.trailer_kind));
    if (!text) {
      return refuse("MalformedTrailerError",
                    "The request contained trailing data that was not well-formed or did not "
                    "conform to our published schema.");
    }
    claimed = DRAY_TRY(parse_checksum(claims_.trailer_kind, *text));
  }
  if (claimed.kind != ChecksumKind::none && claimed.raw != found.checksum.raw) return bad_digest(claimed.kind);
  return found;
}

}  // namespace dray::server
