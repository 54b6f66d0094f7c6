// TimerHeap: the fibers that wait with a deadline, earliest first. A 4-ary heap that keeps each entry's index in the
// entry, so that disarming is O(log n). For one thread. Pure: the caller brings the time.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace dray::fiber {

/// What is in the heap. The owner keeps it alive while it is armed.
struct Timer {
  static constexpr std::size_t kIdle = static_cast<std::size_t>(-1);
  SteadyTime when{};
  std::size_t index = kIdle;
  bool armed() const { return index != kIdle; }
};

class TimerHeap {
 public:
  void arm(Timer& timer, SteadyTime when);
  void disarm(Timer& timer);  ///< nothing happens if it is not armed
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  SteadyTime next() const { return heap_.front()->when; }  ///< not on an empty heap
  /// Takes the earliest timer whose time has come, or null.
  Timer* pop_due(SteadyTime now);

 private:
  void place(std::size_t index, Timer* timer);
  void sift_up(std::size_t index);
  void sift_down(std::size_t index);
  std::vector<Timer*> heap_;
};

}  // namespace dray::fiber
