// RateLimit: a token bucket for bytes a second over all connections. Pure: the caller brings the time.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace dray::transfer {

class RateLimit {
 public:
  /// 0 = no limit. Bursts are one second's worth at most, and no more than a tenth when starting.
  explicit RateLimit(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}
  bool limited() const { return rate_ != 0; }
  /// What may be sent in one go: an eighth of a second's worth, 4 KiB to 1 MiB.
  std::uint64_t slice() const;
  /// Takes `bytes` from the bucket, into debt if need be; the time at which they may be sent.
  SteadyTime reserve(std::uint64_t bytes, SteadyTime now);

 private:
  std::uint64_t rate_;
  SteadyTime free_at_{};  // when the debt is paid; in the past = tokens saved up
  bool started_ = false;
};

}  // namespace dray::transfer
