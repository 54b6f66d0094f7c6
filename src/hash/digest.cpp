#include "hash/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <string>

namespace dray::hash {
namespace {

// OpenSSL's part in this room fails only without memory or with a broken installation: neither can be handled.
template <class Value>
Value need(Value value, const char* what) {
  if (!value) die(std::string("OpenSSL failed: ") + what);
  return value;
}

// Looking an algorithm up takes a lock and a search in OpenSSL 3: once for the whole program, and never freed.
const EVP_MD* algorithm(DigestKind kind) {
  static const EVP_MD* const md5 = need(EVP_MD_fetch(nullptr, "MD5", nullptr), "no MD5");
  static const EVP_MD* const sha1 = need(EVP_MD_fetch(nullptr, "SHA1", nullptr), "no SHA-1");
  static const EVP_MD* const sha256 = need(EVP_MD_fetch(nullptr, "SHA256", nullptr), "no SHA-256");
  switch (kind) {
    case DigestKind::md5:
      return md5;
    case DigestKind::sha1:
      return sha1;
    case DigestKind::sha256:
      return sha256;
  }
  die("no such DigestKind");
}

void digest_into(DigestKind kind, Bytes data, void* value) {
  need(EVP_Digest(data.data(), data.size(), static_cast<unsigned char*>(value), nullptr, algorithm(kind), nullptr),
       "EVP_Digest");
}

struct DigestContextFree {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, DigestContextFree>;

DigestContext make_context() { return DigestContext(need(EVP_MD_CTX_new(), "EVP_MD_CTX_new")); }

Sha256Value sha256_of(EVP_MD_CTX* context, Bytes first, Bytes second) {
  Sha256Value value;
  need(EVP_DigestInit_ex2(context, algorithm(DigestKind::sha256), nullptr), "EVP_DigestInit_ex2");
  need(EVP_DigestUpdate(context, first.data(), first.size()), "EVP_DigestUpdate");
  need(EVP_DigestUpdate(context, second.data(), second.size()), "EVP_DigestUpdate");
  need(EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(value.data()), nullptr), "EVP_DigestFinal_ex");
  return value;
}

}  // namespace

struct Digest::State {
  const EVP_MD* algorithm;
  DigestContext context;

  void start() { need(EVP_DigestInit_ex2(context.get(), algorithm, nullptr), "EVP_DigestInit_ex2"); }
};

Digest::Digest(DigestKind kind) : state_(std::make_unique<State>()) {
  state_->algorithm = algorithm(kind);
  state_->context = make_context();
  state_->start();
}

Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(Bytes data) {
  need(EVP_DigestUpdate(state_->context.get(), data.data(), data.size()), "EVP_DigestUpdate");
}

std::string Digest::finish() {
  std::string value(static_cast<std::size_t>(EVP_MD_get_size(state_->algorithm)), '\0');
  need(EVP_DigestFinal_ex(state_->context.get(), reinterpret_cast<unsigned char*>(value.data()), nullptr),
       "EVP_DigestFinal_ex");
  state_->start();
  return value;
}

std::string digest(DigestKind kind, Bytes data) {
  std::string value(static_cast<std::size_t>(EVP_MD_get_size(algorithm(kind))), '\0');
  digest_into(kind, data, value.data());
  return value;
}

Sha256Value sha256(Bytes data) {
  Sha256Value value;
  digest_into(DigestKind::sha256, data, value.data());
  return value;
}

// RFC 2104 by hand, since OpenSSL's own HMAC takes twice as long for a short text and each request is signed with one.
Sha256Value hmac_sha256(Bytes key, Bytes data) {
  std::array<std::byte, 64> pad{};  // SHA-256's block, filled with the key
  Sha256Value short_key;
  if (key.size() > pad.size()) key = short_key = sha256(key);
  std::copy(key.begin(), key.end(), pad.begin());

  const DigestContext context = make_context();
  for (std::byte& b : pad) b ^= std::byte{0x36};
  const Sha256Value inner = sha256_of(context.get(), pad, data);
  for (std::byte& b : pad) b ^= std::byte{0x36 ^ 0x5c};
  const Sha256Value outer = sha256_of(context.get(), pad, inner);
  OPENSSL_cleanse(pad.data(), pad.size());
  OPENSSL_cleanse(short_key.data(), short_key.size());
  return outer;
}

void cleanse(std::string& secret) {
  secret.resize(secret.capacity());  // an older, longer secret may still stand behind the end
  OPENSSL_cleanse(secret.data(), secret.size());
  secret.clear();
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace dray::hash
