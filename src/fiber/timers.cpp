#include "fiber/timers.h"

namespace dray::fiber {

constexpr std::size_t kArity = 4;

void TimerHeap::place(std::size_t index, Timer* timer) {
  heap_[index] = timer;
  timer->index = index;
}

void TimerHeap::arm(Timer& timer, SteadyTime when) {
  disarm(timer);
  timer.when = when;
  heap_.push_back(&timer);
  timer.index = heap_.size() - 1;
  sift_up(timer.index);
}

void TimerHeap::disarm(Timer& timer) {
  if (!timer.armed()) return;
  const std::size_t hole = timer.index;
  timer.index = Timer::kIdle;
  Timer* last = heap_.back();
  heap_.pop_back();
  if (hole == heap_.size()) return;
  place(hole, last);
  sift_up(hole);
  sift_down(last->index);
}

Timer* TimerHeap::pop_due(SteadyTime now) {
  if (heap_.empty() || heap_.front()->when > now) return nullptr;
  Timer* first = heap_.front();
  disarm(*first);
  return first;
}

void TimerHeap::sift_up(std::size_t index) {
  Timer* moving = heap_[index];
  while (index > 0) {
    const std::size_t parent = (index - 1) / kArity;
    if (heap_[parent]->when <= moving->when) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, moving);
}

void TimerHeap::sift_down(std::size_t index) {
  Timer* moving = heap_[index];
  for (;;) {
    const std::size_t first = index * kArity + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kArity, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child]->when < heap_[least]->when) least = child;
    }
    if (moving->when <= heap_[least]->when) break;
    place(index, heap_[least]);
    index = least;
  }
  place(index, moving);
}

}  // namespace dray::fiber
