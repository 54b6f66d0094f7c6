#include "hash/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dray::hash {
namespace {

std::string hex(std::string_view raw) { return base::to_hex(as_bytes(raw)); }
std::string hex(const Sha256Value& raw) { return base::to_hex(raw); }

struct DigestVector {
  DigestKind kind;
  std::string input;
  std::string_view value;
};

// RFC 1321 A.5 (MD5), RFC 3174 7.3 (SHA-1), FIPS 180-4 examples (SHA-256).
const DigestVector kVectors[] = {
    {DigestKind::md5, "", "d41d8cd98f00b204e9800998ecf8427e"},
    {DigestKind::md5, "abc", "900150983cd24fb0d6963f7d28e17f72"},
    {DigestKind::md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {DigestKind::md5, "abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {DigestKind::md5, "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"},
    {DigestKind::sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
    {DigestKind::sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {DigestKind::sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    {DigestKind::sha1, std::string(1'000'000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
    {DigestKind::sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {DigestKind::sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {DigestKind::sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {DigestKind::sha256, std::string(1'000'000, 'a'),
     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

TEST(DigestTest, GivesThePublishedValues) {
  for (const auto& v : kVectors) {
    EXPECT_EQ(hex(digest(v.kind, as_bytes(v.input))), v.value) << v.input.substr(0, 90);
  }
}

TEST(DigestTest, GivesTheSameInPieces) {
  for (const auto& v : kVectors) {
    Digest running(v.kind);
    std::string_view rest = v.input;
    for (std::size_t piece = 1; !rest.empty(); piece = piece * 2 + 1) {
      running.update(as_bytes(rest.substr(0, piece)));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
    EXPECT_EQ(hex(running.finish()), v.value) << v.input.substr(0, 90);
  }
}

TEST(DigestTest, StartsAnewAfterFinish) {
  Digest running(DigestKind::md5);
  running.update(as_bytes("something else"));
  running.finish();
  running.update(as_bytes("abc"));
  EXPECT_EQ(hex(running.finish()), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(hex(running.finish()), "d41d8cd98f00b204e9800998ecf8427e");
}

TEST(DigestTest, KeepsItsStateWhenMoved) {
  Digest first(DigestKind::sha1);
  first.update(as_bytes("a"));
  Digest second = std::move(first);
  second.update(as_bytes("bc"));
  EXPECT_EQ(hex(second.finish()), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(DigestTest, Sha256EqualsTheGeneralForm) {
  EXPECT_EQ(hex(sha256(as_bytes("abc"))), hex(digest(DigestKind::sha256, as_bytes("abc"))));
}

TEST(HmacTest, GivesTheValuesOfRfc4231) {
  struct {
    std::string key, data;
    std::string_view value;
  } const vectors[] = {
      {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
       "hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const auto& v : vectors) {
    EXPECT_EQ(hex(hmac_sha256(as_bytes(v.key), as_bytes(v.data))), v.value) << v.data;
  }
}

TEST(HmacTest, TakesAnEmptyKeyAndEmptyData) {
  EXPECT_EQ(hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(HmacTest, ForgetsTheKeyOfTheCallBefore) {
  hmac_sha256(as_bytes("a key"), as_bytes("data"));
  EXPECT_EQ(hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(HmacTest, MayRunOnManyThreadsAtOnce) {
  const Sha256Value expected = hmac_sha256(as_bytes("key"), as_bytes("data"));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) wrong += hmac_sha256(as_bytes("key"), as_bytes("data")) != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CleanseTest, LeavesNothingInTheBuffer) {
  std::string secret = "a secret that is longer than the small buffer of a string";
  const std::size_t size = secret.size();
  const char* const buffer = secret.data();
  cleanse(secret);
  EXPECT_TRUE(secret.empty());
  ASSERT_EQ(secret.data(), buffer) << "the string must keep its buffer, or there is nothing to look at";
  EXPECT_EQ(std::string_view(buffer, size), std::string(size, '\0'));
}

TEST(EqualInConstantTimeTest, ComparesContentAndLength) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("signature", "signature"));
  EXPECT_FALSE(equal_in_constant_time("signature", "signaturE"));
  EXPECT_FALSE(equal_in_constant_time("Signature", "signature"));
  EXPECT_FALSE(equal_in_constant_time("signature", "signatur"));
  EXPECT_FALSE(equal_in_constant_time("", "s"));
}

}  // namespace
}  // namespace dray::hash
