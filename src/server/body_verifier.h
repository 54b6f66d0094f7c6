// BodyVerifier: holds a body against all that the client says about it: length, Content-MD5, x-amz-content-sha256,
// x-amz-checksum-* in the head or in the trailer. Pure; one fiber.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hash/checksum.h"
#include "hash/digest.h"
#include "http/headers.h"

namespace dray::server {

inline constexpr std::array kChecksumKinds = {ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::crc64nvme,
                                              ChecksumKind::sha1, ChecksumKind::sha256};

/// What a request's head says about its body.
struct BodyClaims {
  std::string md5;                                 ///< raw; empty = not said
  std::string sha256_hex;                          ///< empty = not said
  hash::Checksum checksum;                         ///< kind none = not said in the head
  ChecksumKind trailer_kind = ChecksumKind::none;  ///< announced by x-amz-trailer
  std::optional<std::uint64_t> decoded_length{};   ///< x-amz-decoded-content-length
  bool aws_chunked = false;
  bool signed_chunks = false;

  ChecksumKind kind() const { return trailer_kind != ChecksumKind::none ? trailer_kind : checksum.kind; }
};

/// What x-amz-checksum-* in the head speaks of: the body it comes with, or (CompleteMultipartUpload) the whole object.
enum class ChecksumCovers { body, object };

/// `payload_hash` is the verified x-amz-content-sha256. Errors: InvalidDigest, InvalidRequest, MissingContentLength.
Result<BodyClaims> read_claims(const http::Headers& headers, std::string_view payload_hash,
                               ChecksumCovers covers = ChecksumCovers::body);

/// What a body turned out to be.
struct BodyDigests {
  std::uint64_t size = 0;
  std::string md5;          ///< raw
  hash::Checksum checksum;  ///< of the claimed kind, else of the wanted one
};

class BodyVerifier {
 public:
  /// `wanted` is computed if the client claims no checksum of its own (the kind of a multipart upload).
  BodyVerifier(BodyClaims claims, ChecksumKind wanted);
  void update(Bytes data);
  /// At the body's end. BadDigest, XAmzContentSHA256Mismatch, IncompleteBody, MalformedTrailerError.
  Result<BodyDigests> finish(const http::Headers& trailers);

 private:
  BodyClaims claims_;
  std::uint64_t size_ = 0;
  hash::Digest md5_{hash::DigestKind::md5};
  std::optional<hash::Digest> sha256_;
  hash::RunningChecksum checksum_;
};

}  // namespace dray::server
