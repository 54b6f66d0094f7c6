// Offload: a pool of plain threads for what blocks (disk, getaddrinfo, fsync), so that no loop ever does.
//
// A job owns all it touches: the fiber that waits for it may leave at its deadline while the job (a hung NFS read, say)
// goes on, so it must never point into that fiber's stack. Threads are made when work waits and nobody is free, up to a
// bound; the one that slept last is woken first, since its buffers are still in cache. Threads block all signals.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/time.h"
#include "dray/result.h"
#include "fiber/loop.h"

namespace dray::fiber {

struct OffloadLimits {
  std::size_t threads = 64;      ///< at most; each has a stack that is touched lazily
  std::size_t queued = 100'000;  ///< jobs that wait for a thread; more are refused (ErrorKind::exhausted)
};

class Offload {
 public:
  explicit Offload(OffloadLimits limits = {});
  /// Waits a moment for the threads; those that hang in the kernel are left behind with what they own.
  ~Offload();
  Offload(const Offload&) = delete;
  Offload& operator=(const Offload&) = delete;

  /// From a fiber: runs `job` on a pool thread and gives what it returns (a Result<T> stays one, T becomes Result<T>).
  /// On timed_out or cancelled the job may still be running. What it throws is thrown here.
  template <class Job>
  auto run(Job job, Deadline deadline);

  /// From any thread: runs `job` some time; nobody waits for it. It must not throw.
  Result<void> submit(std::function<void()> job);
  std::size_t threads() const;

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

namespace detail {

template <class T>
struct AsResult {
  using type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
  using type = Result<T>;
};

/// Where a job leaves what it made. Shared by the job and the waiter; whoever is last frees it.
template <class R>
struct OffloadState {
  std::optional<R> value;
  std::exception_ptr failure;
  bool done = false;  // on the waiter's loop only
  Ticket waiter;      // on the waiter's loop only
};

}  // namespace detail

template <class Job>
auto Offload::run(Job job, Deadline deadline) {
  using Returned = std::invoke_result_t<Job>;
  using R = typename detail::AsResult<Returned>::type;
  auto state = std::make_shared<detail::OffloadState<R>>();
  Result<void> queued =
      submit([state, mailbox = Loop::current()->mailbox(), job = std::make_shared<Job>(std::move(job))]() mutable {
        try {
          if constexpr (std::is_void_v<Returned>) {
            (*job)();
            state->value.emplace();
          } else {
            state->value.emplace((*job)());
          }
        } catch (...) {
          state->failure = std::current_exception();
        }
        job.reset();  // what the job owns is freed before the waiter goes on
        mailbox->post([state] {
          state->done = true;
          state->waiter.wake();
        });
      });
  if (!queued) return R(std::move(queued).error());
  while (!state->done) {
    state->waiter = this_wait();
    const Wake wake = park(deadline, "a job on the offload pool");
    state->waiter.clear();
    if (!state->done && wake != Wake::signalled) return R(wait_error(wake, "offloaded work"));
  }
  if (state->failure) std::rethrow_exception(std::exchange(state->failure, nullptr));
  return R(std::move(*state->value));
}

}  // namespace dray::fiber
