// The Range header (RFC 9110 section 14), in the forms that S3 serves: "bytes=a-b", "bytes=a-", "bytes=-n". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dray::server {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct RangeRequest {
  enum class Kind {
    whole,          ///< no range, or one that is ignored: another unit, several ranges, bad syntax
    part,           ///< `range` of it
    unsatisfiable,  ///< begins beyond the end
  };
  Kind kind = Kind::whole;
  ByteRange range{};
  friend bool operator==(const RangeRequest&, const RangeRequest&) = default;
};

RangeRequest parse_range(std::optional<std::string_view> header, std::uint64_t size);

}  // namespace dray::server
