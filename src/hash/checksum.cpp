#include "hash/checksum.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "hash/crc.h"

namespace dray::hash {
namespace {

struct Names {
  std::string_view header, algorithm, element;
  std::size_t raw_size;
};

Names names_of(ChecksumKind kind) {
  switch (kind) {
    case ChecksumKind::none:
      return {"", "", "", 0};
    case ChecksumKind::crc32:
      return {"x-amz-checksum-crc32", "CRC32", "ChecksumCRC32", 4};
    case ChecksumKind::crc32c:
      return {"x-amz-checksum-crc32c", "CRC32C", "ChecksumCRC32C", 4};
    case ChecksumKind::crc64nvme:
      return {"x-amz-checksum-crc64nvme", "CRC64NVME", "ChecksumCRC64NVME", 8};
    case ChecksumKind::sha1:
      return {"x-amz-checksum-sha1", "SHA1", "ChecksumSHA1", 20};
    case ChecksumKind::sha256:
      return {"x-amz-checksum-sha256", "SHA256", "ChecksumSHA256", 32};
  }
  die("no such ChecksumKind");
}

bool is_sha(ChecksumKind kind) { return kind == ChecksumKind::sha1 || kind == ChecksumKind::sha256; }

std::string to_big_endian(std::uint64_t value, std::size_t size) {
  std::string raw(size, '\0');
  for (std::size_t i = size; i-- > 0; value >>= 8) raw[i] = static_cast<char>(value & 0xFF);
  return raw;
}

std::uint64_t from_big_endian(std::string_view raw) {
  std::uint64_t value = 0;
  for (const char c : raw) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::uint64_t combine(ChecksumKind kind, std::uint64_t a, std::uint64_t b, std::uint64_t b_length) {
  const auto a32 = static_cast<std::uint32_t>(a), b32 = static_cast<std::uint32_t>(b);
  switch (kind) {
    case ChecksumKind::crc32:
      return combine_crc32(a32, b32, b_length);
    case ChecksumKind::crc32c:
      return combine_crc32c(a32, b32, b_length);
    case ChecksumKind::crc64nvme:
      return combine_crc64nvme(a, b, b_length);
    default:
      die("only CRCs can be combined");
  }
}

}  // namespace

std::string_view name_of(ChecksumType type) { return type == ChecksumType::composite ? "COMPOSITE" : "FULL_OBJECT"; }

std::string_view header_of(ChecksumKind kind) { return names_of(kind).header; }
std::string_view algorithm_of(ChecksumKind kind) { return names_of(kind).algorithm; }
std::string_view element_of(ChecksumKind kind) { return names_of(kind).element; }

ChecksumType multipart_type_of(ChecksumKind kind) {
  return is_sha(kind) ? ChecksumType::composite : ChecksumType::full_object;
}

std::string Checksum::text() const {
  std::string base64 = base::to_base64(as_bytes(raw));
  return type == ChecksumType::composite ? fmt::format("{}-{}", base64, parts) : base64;
}

Result<Checksum> Checksum::parse(ChecksumKind kind, std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return make_error(ErrorKind::invalid_argument,
                      fmt::format("'{}' is not a {} checksum: {}", base::printable(text), name_of(kind), why));
  };
  Checksum checksum{.kind = kind};
  const std::size_t dash = text.find('-');  // not in base64's standard alphabet
  if (dash != std::string_view::npos) {
    const auto parts = base::parse_u64(text.substr(dash + 1));
    if (!parts || *parts == 0 || *parts > std::numeric_limits<std::uint32_t>::max()) {
      return refuse("no number of parts after the '-'");
    }
    checksum.type = ChecksumType::composite;
    checksum.parts = static_cast<std::uint32_t>(*parts);
  }
  auto raw = base::from_base64(text.substr(0, dash));
  if (!raw) return refuse("not base64");
  const std::size_t expected = names_of(kind).raw_size;
  if (raw->size() != expected) return refuse(fmt::format("{} bytes instead of {}", raw->size(), expected));
  checksum.raw = *std::move(raw);
  return checksum;
}

RunningChecksum::RunningChecksum(ChecksumKind kind) : kind_(kind) {
  switch (kind) {
    case ChecksumKind::none:
      return;
    case ChecksumKind::crc32:
    case ChecksumKind::crc32c:
      state_ = std::uint32_t{0};
      return;
    case ChecksumKind::crc64nvme:
      state_ = std::uint64_t{0};
      return;
    case ChecksumKind::sha1:
      state_ = Digest(DigestKind::sha1);
      return;
    case ChecksumKind::sha256:
      state_ = Digest(DigestKind::sha256);
      return;
  }
  die("no such ChecksumKind");
}

void RunningChecksum::update(Bytes data) {
  if (auto* crc = std::get_if<std::uint32_t>(&state_)) {
    *crc = kind_ == ChecksumKind::crc32 ? crc32(*crc, data) : crc32c(*crc, data);
  } else if (auto* crc64 = std::get_if<std::uint64_t>(&state_)) {
    *crc64 = crc64nvme(*crc64, data);
  } else if (auto* digest = std::get_if<Digest>(&state_)) {
    digest->update(data);
  }
}

Checksum RunningChecksum::finish() {
  Checksum checksum{.kind = kind_};
  if (auto* crc = std::get_if<std::uint32_t>(&state_)) {
    checksum.raw = to_big_endian(std::exchange(*crc, 0), 4);
  } else if (auto* crc64 = std::get_if<std::uint64_t>(&state_)) {
    checksum.raw = to_big_endian(std::exchange(*crc64, 0), 8);
  } else if (auto* digest = std::get_if<Digest>(&state_)) {
    checksum.raw = digest->finish();
  }
  return checksum;
}

Checksum checksum_of(ChecksumKind kind, Bytes data) {
  RunningChecksum running(kind);
  running.update(data);
  return running.finish();
}

CombinedChecksum::CombinedChecksum(ChecksumKind kind, ChecksumType type)
    : kind_(kind), type_(is_sha(kind) ? ChecksumType::composite : type) {}

void CombinedChecksum::add(const Checksum& part, std::uint64_t part_length) {
  if (part.kind != kind_ || part.type != ChecksumType::full_object || part.raw.size() != names_of(kind_).raw_size) {
    die("CombinedChecksum::add: the part's checksum is of another kind");
  }
  if (kind_ == ChecksumKind::none) return;
  ++parts_;
  if (type_ == ChecksumType::composite) {
    raw_ += part.raw;
  } else {
    crc_ = combine(kind_, crc_, from_big_endian(part.raw), part_length);
  }
}

Checksum CombinedChecksum::finish() const {
  if (kind_ == ChecksumKind::none) return {};
  if (type_ == ChecksumType::full_object) {
    return {.kind = kind_, .raw = to_big_endian(crc_, names_of(kind_).raw_size)};
  }
  Checksum checksum = checksum_of(kind_, as_bytes(raw_));
  checksum.type = ChecksumType::composite;
  checksum.parts = parts_;
  return checksum;
}

}  // namespace dray::hash
