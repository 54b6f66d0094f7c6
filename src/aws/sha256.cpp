// The low-level SHA256_* calls are deprecated in favour of EVP, but their state is a plain value that can be kept and
// copied: 0.44 us for a canonical request and its HMAC, where EVP contexts that are copied need 0.52 us, EVP_MAC 0.56
// us and HMAC() 1.4 us (OpenSSL 3.0). They use the same SHA instructions. None of them can fail.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "aws/sha256.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstring>

namespace dray::aws {
namespace {

constexpr std::size_t kBlock = SHA256_CBLOCK;

hash::Sha256Value finish(SHA256_CTX& context) {
  hash::Sha256Value value;
  SHA256_Final(reinterpret_cast<unsigned char*>(value.data()), &context);
  return value;
}

/// The state after one block: the key, zero-padded, with `pad` added to each byte.
std::array<std::uint32_t, 8> absorb(const std::array<unsigned char, kBlock>& key, unsigned char pad) {
  std::array<unsigned char, kBlock> block;
  std::transform(key.begin(), key.end(), block.begin(), [pad](unsigned char c) { return c ^ pad; });
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, block.data(), block.size());
  std::array<std::uint32_t, 8> state;
  static_assert(sizeof context.h == sizeof state);
  std::memcpy(state.data(), context.h, sizeof state);
  OPENSSL_cleanse(block.data(), block.size());
  return state;
}

SHA256_CTX resume_after_one_block(const std::array<std::uint32_t, 8>& state) {
  SHA256_CTX context;
  SHA256_Init(&context);
  std::memcpy(context.h, state.data(), sizeof state);
  context.Nl = kBlock * 8;  // bits hashed so far
  return context;
}

}  // namespace

hash::Sha256Value sha256_of_short(Bytes data) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, data.data(), data.size());
  return finish(context);
}

HmacKey::HmacKey(Bytes key) {
  std::array<unsigned char, kBlock> block{};
  if (key.size() > kBlock) {
    const hash::Sha256Value digest = sha256_of_short(key);
    std::memcpy(block.data(), digest.data(), digest.size());
  } else if (!key.empty()) {
    std::memcpy(block.data(), key.data(), key.size());
  }
  inner_ = absorb(block, 0x36);
  outer_ = absorb(block, 0x5c);
  OPENSSL_cleanse(block.data(), block.size());
}

hash::Sha256Value HmacKey::mac(Bytes data) const {
  SHA256_CTX context = resume_after_one_block(inner_);
  SHA256_Update(&context, data.data(), data.size());
  const hash::Sha256Value digest = finish(context);
  context = resume_after_one_block(outer_);
  SHA256_Update(&context, digest.data(), digest.size());
  return finish(context);
}

}  // namespace dray::aws
