// Scheduler: hands tasks to workers, oldest object first. The only thing that loops share while they transfer.
//
// A worker is a fiber that owns one session and asks for its next task; a task that has to be tried again comes back
// with a not-before time, and the worker does other work meanwhile. Inside is a mutex: 8 MiB parts at 100 Gb/s are
// 1,500 hand-outs a second.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/time.h"
#include "fiber/loop.h"
#include "s3/session.h"
#include "transfer/climber.h"

namespace dray::transfer {

/// One worker as a task sees it.
struct Worker {
  s3::Session& session;
};

/// Which task comes first: that of the oldest object, in it the lowest step (0 = control requests, then part numbers).
struct Order {
  std::uint64_t object = 0;
  std::uint32_t step = 0;
  friend auto operator<=>(const Order&, const Order&) = default;
};

class Scheduler {
 public:
  using Task = std::function<void(Worker&)>;
  struct Options {
    std::size_t exactly = 0;  ///< this many workers as soon as there is work for them; 0 = find out
    ClimberOptions climber{};
    std::function<void()> hire;  ///< starts one more worker; called on any thread, outside the lock
  };
  explicit Scheduler(Options options);

  /// From any thread.
  void add(Order order, Task task, SteadyTime not_before = SteadyTime::min());
  /// From a worker's fiber: its next task; nothing = the scheduler was closed, or the fiber cancelled: the worker is
  /// then dismissed.
  enum class Comes { first_time, from_a_task };
  std::optional<Task> next(Comes worker);
  /// Forgets the tasks of an object from step 1 on that no worker has taken yet; how many there were.
  std::size_t drop(std::uint64_t object);
  void close();

  /// Bytes were acknowledged; the store asked for less. For the number of workers that is useful.
  void moved(std::uint64_t bytes);
  void slow_down();
  std::size_t limit() const;

 private:
  struct Changes {  // what is to be done once the lock is released
    std::vector<fiber::Ticket> wake;
    std::size_t hire = 0;
  };
  std::size_t limit_locked() const { return options_.exactly != 0 ? options_.exactly : climber_.level(); }
  void promote_due(SteadyTime now);
  void staff(Changes& changes);
  void wake(fiber::Ticket worker, Changes& changes);
  void apply(const Changes& changes);

  Options options_;
  mutable std::mutex mutex_;
  Climber climber_;
  std::multimap<Order, Task> ready_;
  std::multimap<SteadyTime, std::pair<Order, Task>> later_;
  std::vector<fiber::Ticket> idle_;  // last in, first out: the warmest connection first
  fiber::Ticket watcher_;            // of idle_: who sleeps until the first of later_ is due
  std::size_t workers_ = 0;          // hired
  std::size_t busy_ = 0;
  bool closed_ = false;
};

}  // namespace dray::transfer
