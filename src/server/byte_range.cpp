#include "server/byte_range.h"

#include <algorithm>

#include "base/bytes.h"

namespace dray::server {
namespace {

constexpr RangeRequest kWhole{};
constexpr RangeRequest kUnsatisfiable{.kind = RangeRequest::Kind::unsatisfiable};

RangeRequest part(std::uint64_t first, std::uint64_t length) {
  return {.kind = RangeRequest::Kind::part, .range = {.first = first, .length = length}};
}

}  // namespace

RangeRequest parse_range(std::optional<std::string_view> header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header || header->size() < kUnit.size() || !base::equals_ignoring_case(header->substr(0, kUnit.size()), kUnit)) {
    return kWhole;
  }
  const std::string_view spec = base::trim(header->substr(kUnit.size()));
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return kWhole;
  const std::string_view first_text = spec.substr(0, dash), last_text = spec.substr(dash + 1);

  if (first_text.empty()) {
    const Result<std::uint64_t> suffix = base::parse_u64(last_text);
    if (!suffix) return kWhole;
    if (*suffix == 0 || size == 0) return kUnsatisfiable;
    const std::uint64_t length = std::min(*suffix, size);
    return part(size - length, length);
  }
  const Result<std::uint64_t> first = base::parse_u64(first_text);
  if (!first) return kWhole;
  std::uint64_t last = size;
  if (!last_text.empty()) {
    const Result<std::uint64_t> given = base::parse_u64(last_text);
    if (!given || *given < *first) return kWhole;
    last = *given;
  }
  if (*first >= size) return kUnsatisfiable;
  return part(*first, std::min(last, size - 1) - *first + 1);
}

}  // namespace dray::server
