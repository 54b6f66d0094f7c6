// Loop: one thread's event loop (epoll and timers) and the fibers that live on it.
//
// A fiber never leaves its loop. It runs until it waits; every wait has an absolute deadline, wakes on cancellation and
// returns how it ended. Work reaches a loop from other threads only through post().
//
// The life of a Loop: construct, run() on its thread, stop() from anywhere (cancels every fiber and lets run() return
// once all have ended), destroy. Destroying it with live fibers is a bug and ends the program with their names.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "dray/result.h"

namespace dray::fiber {

class Loop;
struct Fiber;   // loop.cpp: private to the room
class IoTable;  // descriptor.cpp: private to the room
struct LoopState;

/// How a wait ended.
enum class Wake { signalled, timed_out, cancelled };
/// The error of a wait that did not end by its signal; `what` names the wait.
Error wait_error(Wake wake, std::string_view what);

/// Where other threads leave work for a loop. It outlives the loop while somebody holds it: what comes after the loop's
/// end is dropped.
class Mailbox {
 public:
  /// From any thread; see Loop::post().
  void post(std::function<void()> work);

  Mailbox() = default;
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

 private:
  friend class Loop;
  friend struct LoopState;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  int event_ = -1;
  bool closed_ = false;
  std::uint64_t writes_ = 0;
};

/// One particular wait of one fiber. A wake with the ticket of a wait that is over does nothing, whoever holds it and
/// however late it comes. Copyable. The Loop must outlive it.
class Ticket {
 public:
  Ticket() = default;
  /// From any thread.
  void wake() const;
  explicit operator bool() const { return fiber_ != nullptr; }
  void clear() { fiber_ = nullptr; }
  Loop* loop() const { return loop_; }
  friend bool operator==(const Ticket&, const Ticket&) = default;

 private:
  friend class Loop;
  friend Ticket this_wait();
  Loop* loop_ = nullptr;
  Fiber* fiber_ = nullptr;
  std::uint64_t epoch_ = 0;
};

struct LoopOptions {
  std::string name = "loop";
  std::size_t stack_size = 0;  ///< bytes for each fiber; 0 = StackPool::default_size()
};

class Loop {
 public:
  /// Fails if epoll or eventfd cannot be had (descriptor limit).
  static Result<std::unique_ptr<Loop>> create(LoopOptions options = {});
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Runs on the calling thread until stop() was called and every fiber has ended.
  void run();
  /// From any thread: no new fibers, those that live are cancelled.
  void stop();
  /// From any thread: calls `work` on the loop's thread, outside any fiber. It must not wait and must not throw.
  void post(std::function<void()> work);
  /// From any thread: starts a fiber that nobody joins. What escapes `body` ends the program: use it for the top of a
  /// task only and report from inside. After stop() the body is dropped; without a stack for it the program ends.
  void spawn_root(std::string name, std::function<void()> body);

  /// For those who may post after the loop has gone (a job on the offload pool).
  std::shared_ptr<Mailbox> mailbox() const;

  /// The loop of the calling thread, or null.
  static Loop* current();
  std::string_view name() const;
  std::size_t live_fibers() const;  ///< on the loop's thread
  /// One line a fiber: name, state, what it waits for. On the loop's thread or when it does not run.
  std::string describe_fibers() const;
  std::uint64_t wakeup_writes() const;  ///< eventfd writes so far, for tests

  IoTable& io();  // for Descriptor

 private:
  friend class Ticket;
  friend class TaskGroup;
  friend Ticket this_wait();
  friend Wake park(Deadline deadline, const char* what);
  friend void yield();
  friend bool cancel_requested();
  friend bool on_fiber();
  friend class Shield;
  friend class CancelScope;
  friend struct LoopState;

  explicit Loop(LoopOptions options);
  Result<Fiber*> spawn(std::string name, std::function<void()> body, class TaskGroup* group);
  void cancel(Fiber& fiber);
  std::unique_ptr<LoopState> state_;
};

// What a fiber says about itself. All of these abort when called outside a fiber.

/// The ticket of the wait that the calling fiber is about to begin: hand it to whoever shall wake it, then park().
Ticket this_wait();
/// Waits for this_wait()'s ticket to be woken, for the deadline, or for cancellation. `what` (a literal) shows in
/// describe_fibers(). A passed deadline or a pending cancellation ends the wait at once, after other fibers ran.
Wake park(Deadline deadline, const char* what);
/// Lets others run; the fiber goes to the end of the run queue.
void yield();
/// Success when the time has come; an error only if cancelled.
Result<void> sleep_until(Deadline when);
Result<void> sleep_for(Duration duration);
/// True if the fiber was cancelled and is not shielded.
bool cancel_requested();
/// Whether the caller runs on a fiber.
bool on_fiber();

/// A stretch of a fiber's run that others can cancel without ending the fiber: its waits then end as cancelled until
/// the scope is left. One at a time in a fiber. For a worker that must drop one task and go on with the next.
class CancelScope {
 public:
  /// From any thread, also when the scope was left long ago (then nothing happens). The Loop must live.
  class Token {
   public:
    void cancel() const;
    friend bool operator==(const Token&, const Token&) = default;

   private:
    friend class CancelScope;
    Loop* loop_ = nullptr;
    Fiber* fiber_ = nullptr;
    std::uint64_t scope_ = 0;
  };
  CancelScope();
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  Token token() const { return token_; }

 private:
  Token token_;
};

/// While it lives, the fiber's waits ignore cancellation: for clean-up that must happen (with a deadline of its own).
/// A cancellation that came meanwhile is delivered at the first wait after it.
class Shield {
 public:
  Shield();
  ~Shield();
  Shield(const Shield&) = delete;
  Shield& operator=(const Shield&) = delete;
};

}  // namespace dray::fiber
