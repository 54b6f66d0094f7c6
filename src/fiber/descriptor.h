// Descriptor: a non-blocking descriptor (socket, pipe, signalfd) that fibers of one loop wait on.
//
// Use: try the system call; on EAGAIN call blocked_reading()/blocked_writing() and wait, then try again. One fiber may
// wait for reading and one for writing at a time. Never for regular files (epoll refuses them) and never for
// descriptors 0 to 2, which the shell shares with us: those go through Offload.
#pragma once

#include <cstdint>
#include <utility>

#include "base/time.h"
#include "dray/result.h"
#include "fiber/loop.h"

namespace dray::fiber {

/// Owns the descriptor. On the loop's thread only. Movable while nobody waits on it.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes ownership of `fd`, makes it non-blocking and watches it on the calling thread's loop. On failure `fd` is
  /// closed.
  static Result<Descriptor> adopt(int fd);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept { *this = std::move(other); }
  Descriptor& operator=(Descriptor&& other) noexcept;

  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }

  // After EAGAIN, before the wait: the next event will set the ready bit again.
  void blocked_reading();
  void blocked_writing();
  /// Whether the last event still promises input (or a hang-up). Costs no system call; may be stale by one attempt.
  bool input_seen() const;
  bool output_seen() const;

  /// Success means "try again now". Errors: timed_out, cancelled (the fiber, or close() by another one).
  Result<void> wait_readable(Deadline deadline);
  Result<void> wait_writable(Deadline deadline);
  /// For a sender that must notice when the peer speaks first.
  Result<void> wait_either(Deadline deadline);

  /// Wakes whoever waits (they see cancelled) and closes once they have left. May be called more than once.
  void close();

 private:
  enum class Side { read, write, both };
  Result<void> wait(Side side, Deadline deadline);
  void release();
  Loop* loop_ = nullptr;
  int fd_ = -1;
  std::uint32_t slot_ = 0;
  unsigned waiters_ = 0;
};

}  // namespace dray::fiber
