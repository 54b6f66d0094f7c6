#include "cli/interrupts.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "cli/exit_code.h"

namespace dray::cli {
namespace {

constexpr timespec kPatience{.tv_sec = 5, .tv_nsec = 0};
constexpr int kWakeUp = SIGUSR1;  // sent by the destructor to the thread alone

bool ignored_since_start(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    // A blocked signal is queued even if it is ignored; nohup's wish counts.
    if (!ignored_since_start(signal)) sigaddset(&set, signal);
  }
  sigaddset(&set, kWakeUp);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t watched = watched_signals();
  // The new thread inherits this mask: the wake-up cannot come before it is blocked there.
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  thread_ = std::thread([this] { watch(); });
}

Interrupts::~Interrupts() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  pthread_kill(thread_.native_handle(), kWakeUp);
  thread_.join();
}

int Interrupts::signal() const {
  const std::lock_guard lock(mutex_);
  return signal_;
}

int Interrupts::wait() const {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return signal_ != 0; });
  return signal_;
}

void Interrupts::watch() {
  const sigset_t watched = watched_signals();
  for (;;) {
    const bool ending = signal() != 0;
    const int got = sigtimedwait(&watched, nullptr, ending ? &kPatience : nullptr);
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got == kWakeUp) continue;  // somebody else's
    if (ending) end_now(true);     // a second signal, or patience has run out
    if (got > 0) first(got);
  }
}

void Interrupts::first(int signal) {
  bool registered;
  {
    // Under the lock: whoever ends a Registration waits until the action has returned.
    const std::lock_guard lock(mutex_);
    signal_ = signal;
    registered = action_ != nullptr;
    if (registered) action_();
  }
  came_.notify_all();
  if (!registered) end_now(false);
}

void Interrupts::end_now(bool cleaning) const {
  // The bar may be on the terminal. A plain write, since locks may be held by whoever hangs.
  const std::string_view clear = isatty(STDERR_FILENO) != 0 ? "\r\x1b[K" : "";
  const std::string_view said =
      cleaning ? "interrupted; parts of unfinished uploads may be left behind" : "interrupted";
  const std::string line = std::string(clear) + std::string(said) + "\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) {
    // Nobody is left to tell.
  }
  _exit(kExitSignal + signal_);
}

Interrupts::Registration::Registration(Interrupts& interrupts, std::function<void()> action) : interrupts_(interrupts) {
  const std::lock_guard lock(interrupts_.mutex_);
  interrupts_.action_ = std::move(action);
  if (interrupts_.signal_ != 0) interrupts_.action_();  // it came before
}

Interrupts::Registration::~Registration() {
  const std::lock_guard lock(interrupts_.mutex_);
  interrupts_.action_ = nullptr;
}

}  // namespace dray::cli
