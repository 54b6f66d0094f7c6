// Interrupts: SIGHUP, SIGINT and SIGTERM, read by a thread of its own.
//
// The first one starts a clean end: what was registered is called, and the command comes to its end by itself. A second
// one, or a clean end that takes more than five seconds, ends the program at once with 128 + the signal. So does the
// first one while nothing is registered: then there is nothing to clean up.
// The signals must be blocked in every thread (fiber::block_signals at the start of main). Those that were ignored when
// the program started (nohup) stay ignored.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/time.h"

namespace dray::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();  ///< ends the thread
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The first signal that came; 0 = none yet. Any thread.
  int signal() const;
  /// Waits for it.
  int wait() const;

  /// While it lives, the first signal calls `action` (on the signal thread: quick, thread-safe) instead of ending the
  /// program.
  class Registration {
   public:
    Registration(Interrupts& interrupts, std::function<void()> action);
    ~Registration();
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    Interrupts& interrupts_;
  };

 private:
  void watch();
  void first(int signal);
  [[noreturn]] void end_now(bool cleaning) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::function<void()> action_;
  int signal_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace dray::cli
