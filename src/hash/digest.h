// Message digests through OpenSSL: SHA-1, SHA-256, MD5, and HMAC-SHA-256. Only this room and aws, net know OpenSSL.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace dray::hash {

enum class DigestKind { md5, sha1, sha256 };

/// A running digest; owns an EVP context. Not copyable; one thread at a time. Running out of memory aborts.
class Digest {
 public:
  explicit Digest(DigestKind kind);
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  void update(Bytes data);
  /// The raw value (16, 20 or 32 bytes); the object starts anew afterwards.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string digest(DigestKind kind, Bytes data);  ///< raw bytes
using Sha256Value = std::array<std::byte, 32>;
Sha256Value sha256(Bytes data);
Sha256Value hmac_sha256(Bytes key, Bytes data);
/// Overwrites a secret in a way that the compiler keeps.
void cleanse(std::string& secret);
/// Compares without telling by its time where the first difference is.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace dray::hash
