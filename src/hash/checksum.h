// Checksum: an S3 checksum value with its algorithm and type, and the running form that makes one. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.h"
#include "dray/checksum_kind.h"
#include "hash/digest.h"

namespace dray::hash {

/// FULL_OBJECT: over all bytes. COMPOSITE: over the raw checksums of the parts, written "value-N" for N parts.
enum class ChecksumType { full_object, composite };
std::string_view name_of(ChecksumType type);  ///< "FULL_OBJECT", "COMPOSITE"

struct Checksum {
  ChecksumKind kind = ChecksumKind::none;
  ChecksumType type = ChecksumType::full_object;
  std::string raw;          ///< big-endian bytes: 4, 8, 20 or 32 of them; empty for none
  std::uint32_t parts = 0;  ///< composite only

  /// As S3 writes it: base64, with "-N" if composite.
  std::string text() const;
  /// Refuses a value of the wrong length for its kind.
  static Result<Checksum> parse(ChecksumKind kind, std::string_view text);
  friend bool operator==(const Checksum&, const Checksum&) = default;
};

/// "x-amz-checksum-crc64nvme"; "" for none.
std::string_view header_of(ChecksumKind kind);
/// "CRC64NVME", as in x-amz-checksum-algorithm; "" for none.
std::string_view algorithm_of(ChecksumKind kind);
/// "ChecksumCRC64NVME", the XML element; "" for none.
std::string_view element_of(ChecksumKind kind);
/// The type a multipart upload of this kind gets from us: CRCs are full object (combinable), SHA composite only.
ChecksumType multipart_type_of(ChecksumKind kind);

/// Folds bytes in order. With `none` it does nothing and finish() gives an empty Checksum.
class RunningChecksum {
 public:
  explicit RunningChecksum(ChecksumKind kind);
  void update(Bytes data);
  /// The full-object checksum of all bytes since the start or the last finish(); starts anew.
  Checksum finish();

 private:
  ChecksumKind kind_;
  std::variant<std::monostate, std::uint32_t, std::uint64_t, Digest> state_;
};

Checksum checksum_of(ChecksumKind kind, Bytes data);

/// Folds the parts' checksums, in part order, into the object's: CRCs are combined to a full-object value, SHA values
/// (and CRCs with `composite`) hashed to a composite one.
class CombinedChecksum {
 public:
  CombinedChecksum(ChecksumKind kind, ChecksumType type);
  void add(const Checksum& part, std::uint64_t part_length);
  Checksum finish() const;

 private:
  ChecksumKind kind_;
  ChecksumType type_;
  std::uint32_t parts_ = 0;
  std::uint64_t crc_ = 0;
  std::string raw_;  // composite: the parts' raw values
};

}  // namespace dray::hash
