#include "transfer/rate_limit.h"

#include <algorithm>

namespace dray::transfer {

std::uint64_t RateLimit::slice() const {
  if (rate_ == 0) return 1 << 20;
  return std::clamp<std::uint64_t>(rate_ / 8, 4096, 1 << 20);
}

SteadyTime RateLimit::reserve(std::uint64_t bytes, SteadyTime now) {
  if (rate_ == 0) return now;
  const SteadyTime oldest = now - (started_ ? Duration(std::chrono::seconds(1)) : std::chrono::milliseconds(100));
  started_ = true;
  free_at_ = std::max(free_at_, oldest);
  const double seconds = static_cast<double>(bytes) / static_cast<double>(rate_);
  free_at_ += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  return free_at_;
}

}  // namespace dray::transfer
