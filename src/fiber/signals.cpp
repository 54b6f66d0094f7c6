#include "fiber/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace dray::fiber {
namespace {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : signals) sigaddset(&set, signal);
  return set;
}

}  // namespace

void block_signals(std::initializer_list<int> signals) {
  const sigset_t set = set_of(signals);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Result<Signals> Signals::open(std::initializer_list<int> signals) {
  const sigset_t set = set_of(signals);
  const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) return os_error(errno, "open a signalfd");
  Signals opened;
  opened.descriptor_ = DRAY_TRY(Descriptor::adopt(fd));
  return opened;
}

Result<int> Signals::next(Deadline deadline) {
  for (;;) {
    signalfd_siginfo info;
    const ssize_t got = read(descriptor_.fd(), &info, sizeof info);
    if (got == static_cast<ssize_t>(sizeof info)) return static_cast<int>(info.ssi_signo);
    if (got < 0 && errno != EAGAIN && errno != EINTR) return os_error(errno, "read a signalfd");
    descriptor_.blocked_reading();
    DRAY_TRY_VOID(descriptor_.wait_readable(deadline));
  }
}

}  // namespace dray::fiber
