#include "transfer/climber.h"

#include <algorithm>

namespace dray::transfer {
namespace {

constexpr double kStep = 1.5;

}  // namespace

void Climber::begin(SteadyTime now) {
  started_ = true;
  saturated_ = true;
  bytes_ = 0;
  moves_ = 0;
  since_ = now;
}

bool Climber::moved(std::uint64_t bytes, bool saturated, SteadyTime now) {
  if (!started_) {
    begin(now);
    return false;
  }
  bytes_ += bytes;
  ++moves_;
  saturated_ = saturated_ && saturated;
  const Duration elapsed = now - since_;
  if (elapsed < options_.interval || moves_ < level_) return false;
  const double rate = static_cast<double>(bytes_) / std::chrono::duration<double>(elapsed).count();
  const bool conclusive = saturated_;
  begin(now);
  return conclusive && judge(rate, now);
}

bool Climber::judge(double rate, SteadyTime now) {
  if (trying_) {
    if (rate < base_rate_ * options_.gain) {
      trying_ = false;
      level_ = base_level_;
      resting_until_ = now + options_.rest;
      return true;
    }
  } else if (now < resting_until_) {
    return false;
  }
  if (level_ >= options_.most) {
    trying_ = false;
    return false;
  }
  base_level_ = level_;
  base_rate_ = rate;
  trying_ = true;
  level_ = std::min(options_.most, std::max(level_ + 1, static_cast<std::size_t>(static_cast<double>(level_) * kStep)));
  return true;
}

bool Climber::back_off(SteadyTime now) {
  if (now - backed_off_ < options_.interval && backed_off_ != SteadyTime{}) return false;
  backed_off_ = now;
  trying_ = false;
  resting_until_ = now + options_.rest;
  begin(now);
  const std::size_t before = level_;
  level_ = std::max(options_.least, level_ / 2);
  return level_ != before;
}

}  // namespace dray::transfer
