// SHA-256 and HMAC-SHA-256 of short texts, as plain values: no allocation, nothing that can fail. Pure; any thread.
//
// Signing hashes a few hundred bytes per request, so what it costs to set a digest up matters more than its rate. For
// bulk data use hash::sha256. bench/sigv4_bench.cpp has the figures.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "hash/digest.h"

namespace dray::aws {

hash::Sha256Value sha256_of_short(Bytes data);

/// An HMAC key with both of its padded blocks already hashed (RFC 2104 section 4), which halves the work for a short
/// text. It is as secret as the key itself.
class HmacKey {
 public:
  /// The key of no bytes.
  HmacKey() : HmacKey(Bytes{}) {}
  explicit HmacKey(Bytes key);
  hash::Sha256Value mac(Bytes data) const;

 private:
  std::array<std::uint32_t, 8> inner_, outer_;
};

}  // namespace dray::aws
