// Climber: finds how many of something (connections, parts being read) are useful, by trying. Pure: the caller brings
// time and figures.
//
// It measures goodput over an interval at the present level, then tries a higher one as long as that pays, and goes
// back when it does not. After a while it tries again, since networks and disks change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace dray::transfer {

struct ClimberOptions {
  std::size_t start = 8;
  std::size_t least = 1;
  std::size_t most = 128;
  double gain = 1.08;                                  ///< a step up must pay at least this factor
  Duration interval = std::chrono::milliseconds(500);  ///< measured at each level
  Duration rest = std::chrono::seconds(10);            ///< before trying again after a step that did not pay
};

class Climber {
 public:
  explicit Climber(ClimberOptions options) : options_(options), level_(options.start) {}

  std::size_t level() const { return level_; }
  /// Call as bytes get done (a part, an object). `saturated`: all `level()` are in use; what is measured while they are
  /// not says nothing about the level and is dropped. A level is judged when it has had its interval and, on average,
  /// each of its members has got something done: on a slow network parts come seldom and in bursts. Returns whether the
  /// level changed.
  bool moved(std::uint64_t bytes, bool saturated, SteadyTime now);
  /// The other side asked for less: halves the level, at most once an interval.
  bool back_off(SteadyTime now);

 private:
  void begin(SteadyTime now);
  bool judge(double rate, SteadyTime now);

  ClimberOptions options_;
  std::size_t level_;
  bool started_ = false;
  bool saturated_ = true;
  bool trying_ = false;  // level_ is one step above the level that gave base_rate_
  std::size_t base_level_ = 0;
  double base_rate_ = 0;
  std::uint64_t bytes_ = 0;
  std::size_t moves_ = 0;
  SteadyTime since_{};
  SteadyTime resting_until_{};
  SteadyTime backed_off_{};
};

}  // namespace dray::transfer
