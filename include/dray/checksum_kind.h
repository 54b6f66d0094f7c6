// The checksums that S3 knows. A vocabulary header: the standard library only.
#pragma once

#include <optional>
#include <string_view>

namespace dray {

/// The additional checksums of S3 ("Checking object integrity" in the S3 user guide). `none` sends no checksum.
enum class ChecksumKind { none, crc32, crc32c, crc64nvme, sha1, sha256 };

/// "crc64nvme": as written on the command line and in `x-amz-checksum-crc64nvme`.
std::string_view name_of(ChecksumKind kind);
/// The reverse, case ignored; nothing for an unknown name.
std::optional<ChecksumKind> checksum_kind_from(std::string_view name);

}  // namespace dray
