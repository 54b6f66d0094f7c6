// The chain of signatures inside a signed aws-chunked body ("Signature Calculations for the Authorization Header:
// Transferring Payload in Multiple Chunks" in the S3 API reference): each covers the one before it.
#include <initializer_list>

#include "aws/canonical.h"
#include "aws/sigv4.h"

namespace dray::aws {
namespace {

std::string sign_lines(const Verified& seed, std::initializer_list<std::string_view> lines) {
  std::string text;
  text.reserve(320);
  for (const std::string_view line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  std::string signature;
  append_hex(signature, HmacKey(seed.key).mac(as_bytes(text)));
  return signature;
}

}  // namespace

std::string chunk_signature_of_hash(const Verified& seed, std::string_view previous_signature,
                                    std::string_view hash_hex) {
  return sign_lines(
      seed, {"AWS4-HMAC-SHA256-PAYLOAD", seed.amz_date, seed.scope, previous_signature, kEmptyPayloadHash, hash_hex});
}

std::string chunk_signature(const Verified& seed, std::string_view previous_signature, Bytes chunk) {
  return chunk_signature_of_hash(seed, previous_signature, base::to_hex(hash::sha256(chunk)));
}

std::string trailer_signature(const Verified& seed, std::string_view previous_signature, std::string_view trailers) {
  return sign_lines(seed, {"AWS4-HMAC-SHA256-TRAILER", seed.amz_date, seed.scope, previous_signature,
                           base::to_hex(hash::sha256(as_bytes(trailers)))});
}

}  // namespace dray::aws
