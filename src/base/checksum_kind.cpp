#include "dray/checksum_kind.h"

#include "base/bytes.h"

namespace dray {

std::string_view name_of(ChecksumKind kind) {
  switch (kind) {
    case ChecksumKind::none:
      return "none";
    case ChecksumKind::crc32:
      return "crc32";
    case ChecksumKind::crc32c:
      return "crc32c";
    case ChecksumKind::crc64nvme:
      return "crc64nvme";
    case ChecksumKind::sha1:
      return "sha1";
    case ChecksumKind::sha256:
      return "sha256";
  }
  return "none";
}

std::optional<ChecksumKind> checksum_kind_from(std::string_view name) {
  for (ChecksumKind kind : {ChecksumKind::none, ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::crc64nvme,
                            ChecksumKind::sha1, ChecksumKind::sha256}) {
    if (base::equals_ignoring_case(name, name_of(kind))) return kind;
  }
  return std::nullopt;
}

}  // namespace dray
