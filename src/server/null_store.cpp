#include "server/null_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "file/folder.h"
#include "hash/crc.h"
#include "server/file_sender.h"

namespace dray::server {
namespace {

constexpr std::uint64_t kPatternBytes = 8 << 20;
constexpr std::uint64_t kMaxGeneratedBytes = std::uint64_t{50} << 40;
constexpr std::size_t kMaxRememberedCrcs = 1000;

/// Not compressible and without a short period, so that nothing between us and the client can cheat.
std::vector<std::byte> make_pattern(std::uint64_t bytes) {
  std::vector<std::byte> pattern(bytes);
  std::uint64_t state = 0x9E3779B97F4A7C15;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    pattern[i] = static_cast<std::byte>(state >> 56);
  }
  return pattern;
}

class PatternSegment final : public Segment {
 public:
  PatternSegment(std::shared_ptr<const file::File> pattern, std::uint64_t size)
      : pattern_(std::move(pattern)), size_(size) {}
  std::uint64_t size() const override { return size_; }

  Result<void> send(net::Stream& stream, std::uint64_t offset, std::uint64_t length, Deadline deadline) const override {
    while (length > 0) {
      const std::uint64_t at = offset % kPatternBytes, take = std::min(length, kPatternBytes - at);
      DRAY_TRY_VOID(send_from_file(stream, *pattern_, at, take, deadline));
      offset += take;
      length -= take;
    }
    return {};
  }

 private:
  std::shared_ptr<const file::File> pattern_;
  std::uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<NullStore>> NullStore::create() {
  file::File file = DRAY_TRY(file::memory_file("dray-null"));
  const std::vector<std::byte> pattern = make_pattern(kPatternBytes);
  DRAY_TRY_VOID(file.write_at(0, pattern));
  const WallTime now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return std::unique_ptr<NullStore>(
      new NullStore(std::make_shared<const file::File>(std::move(file)), hash::crc64nvme(0, pattern), now));
}

Result<std::unique_ptr<Draft>> NullStore::begin_body(std::uint64_t) {
  return make_error(ErrorKind::internal, "a store that discards was given bytes");
}

std::shared_ptr<const Segment> NullStore::stand_in(std::uint64_t size) {
  return std::make_shared<PatternSegment>(pattern_, size);
}

std::shared_ptr<const ObjectRecord> NullStore::generated(std::string_view key) {
  const std::optional<std::uint64_t> size = size_in_name(key);
  if (!size) return nullptr;
  auto object = std::make_shared<ObjectRecord>();
  object->key = key;
  object->size = *size;
  object->etag = fmt::format("{:032x}", *size);
  object->modified = started_;
  object->checksum.kind = ChecksumKind::crc64nvme;
  const std::uint64_t crc = crc_of_size(*size);
  for (int shift = 56; shift >= 0; shift -= 8) object->checksum.raw.push_back(static_cast<char>(crc >> shift));
  object->segments.push_back(stand_in(*size));
  return object;
}

/// Repeats the pattern by doubling, so that any size costs a few dozen combinations and the CRC of the rest.
std::uint64_t NullStore::crc_of_size(std::uint64_t size) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = crcs_.find(size);
    if (found != crcs_.end()) return found->second;
  }
  std::uint64_t crc = 0;
  std::uint64_t block_crc = pattern_crc_, block_bytes = kPatternBytes;
  for (std::uint64_t blocks = size / kPatternBytes; blocks > 0; blocks >>= 1) {
    if ((blocks & 1) != 0) crc = hash::combine_crc64nvme(crc, block_crc, block_bytes);
    block_crc = hash::combine_crc64nvme(block_crc, block_crc, block_bytes);
    block_bytes *= 2;
  }
  std::vector<std::byte> rest(size % kPatternBytes);
  if (pattern_->read_at(0, rest)) crc = hash::combine_crc64nvme(crc, hash::crc64nvme(0, rest), rest.size());
  const std::lock_guard lock(mutex_);
  if (crcs_.size() == kMaxRememberedCrcs) crcs_.clear();
  crcs_.emplace(size, crc);
  return crc;
}

std::optional<std::uint64_t> size_in_name(std::string_view key) {
  const std::size_t dot = key.rfind(".sz");
  if (dot == std::string_view::npos) return std::nullopt;
  const Result<std::uint64_t> size = base::parse_u64(key.substr(dot + 3));
  if (!size || *size > kMaxGeneratedBytes) return std::nullopt;
  return *size;
}

}  // namespace dray::server
