// How an object is cut into parts. Pure.
#pragma once

#include <cstdint>

#include "dray/result.h"

namespace dray::transfer {

constexpr std::uint64_t kDefaultPartBytes = 8ull << 20;
constexpr std::uint64_t kMinPartBytes = 5ull << 20;  ///< S3's, for all but the last part ("multipart upload limits")
constexpr std::uint64_t kMaxPartBytes = 5ull << 30;  ///< S3's, also for a single PUT
constexpr std::uint32_t kMaxPartCount = 10'000;

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct PartPlan {
  std::uint64_t size = 0;
  std::uint64_t part_size = 0;  ///< all parts but the last
  std::uint32_t parts = 0;      ///< 0 = one PUT
  bool grown = false;           ///< a larger part size than asked for was needed

  bool single() const { return parts == 0; }
  /// `number` is 1 to parts.
  ByteRange part(std::uint32_t number) const;
};

/// Objects of up to `threshold` bytes (0 = one part's size; at most 5 GiB) are one PUT. `part_size` 0 is 8 MiB. It is
/// grown, rounded up to 1 MiB, so that 10,000 parts suffice. ErrorKind::invalid_argument for an explicit part size
/// under 5 MiB or over 5 GiB, and for what is too large for 10,000 parts of 5 GiB.
Result<PartPlan> plan_parts(std::uint64_t size, std::uint64_t part_size, std::uint64_t threshold);

/// The size of part `number` (from 1) of a stream whose length is unknown: `base` x 2^((number - 1) / 1000), so that
/// 10,000 parts hold 8 TiB; 5 GiB at most.
std::uint64_t stream_part_size(std::uint32_t number, std::uint64_t base);

}  // namespace dray::transfer
