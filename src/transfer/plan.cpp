#include "transfer/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace dray::transfer {
namespace {

constexpr std::uint64_t kRounding = 1 << 20;

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

ByteRange PartPlan::part(std::uint32_t number) const {
  const std::uint64_t offset = (std::uint64_t{number} - 1) * part_size;
  return {offset, std::min(part_size, size - offset)};
}

Result<PartPlan> plan_parts(std::uint64_t size, std::uint64_t part_size, std::uint64_t threshold) {
  if (part_size != 0 && (part_size < kMinPartBytes || part_size > kMaxPartBytes)) {
    return make_error(ErrorKind::invalid_argument,
                      fmt::format("a part size of {}: S3 takes 5 MiB to 5 GiB", base::format_size(part_size)));
  }
  PartPlan plan{.size = size, .part_size = part_size != 0 ? part_size : kDefaultPartBytes};
  const std::uint64_t needed = divide_up(size, kMaxPartCount);
  if (needed > plan.part_size) {
    plan.part_size = divide_up(needed, kRounding) * kRounding;
    plan.grown = true;
  }
  if (plan.part_size > kMaxPartBytes) {
    return make_error(ErrorKind::invalid_argument, base::format_size(size) + " is more than 10,000 parts of 5 GiB");
  }
  const std::uint64_t single_up_to = std::min(threshold != 0 ? threshold : plan.part_size, kMaxPartBytes);
  if (size > single_up_to) plan.parts = static_cast<std::uint32_t>(divide_up(size, plan.part_size));
  return plan;
}

std::uint64_t stream_part_size(std::uint32_t number, std::uint64_t base) {
  return std::min(base << ((number - 1) / 1000), kMaxPartBytes);
}

}  // namespace dray::transfer
