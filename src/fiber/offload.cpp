#include "fiber/offload.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "fiber/stack.h"

namespace dray::fiber {

struct Offload::Core {
  /// A thread that waits for work; lives on that thread's stack.
  struct Sleeper {
    std::condition_variable wake;
    bool called = false;
  };

  explicit Core(OffloadLimits given) : limits(given) {}

  const OffloadLimits limits;
  std::mutex mutex;
  std::deque<std::function<void()>> jobs;
  std::vector<Sleeper*> sleepers;  // last-in-first-out
  std::size_t count = 0;
  bool stopping = false;
  std::condition_variable thread_ended;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      if (!jobs.empty()) {
        std::function<void()> job = std::move(jobs.front());
        jobs.pop_front();
        lock.unlock();
        job();
        job = nullptr;
        lock.lock();
        continue;
      }
      if (stopping) break;
      Sleeper self;
      sleepers.push_back(&self);
      self.wake.wait(lock, [&] { return self.called; });
    }
    --count;
    thread_ended.notify_all();
  }

  Result<void> start_thread(std::shared_ptr<Core> self) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, StackPool::default_size());
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits the mask
    auto* argument = new std::shared_ptr<Core>(std::move(self));
    pthread_t thread;
    const int error = pthread_create(
        &thread, &attributes,
        [](void* raw) -> void* {
          std::unique_ptr<std::shared_ptr<Core>> core(static_cast<std::shared_ptr<Core>*>(raw));
          pthread_setname_np(pthread_self(), "dray-offload");
          (*core)->work();
          return nullptr;
        },
        argument);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      delete argument;
      return os_error(error, "start a pool thread");
    }
    return {};
  }
};

Offload::Offload(OffloadLimits limits) : core_(std::make_shared<Core>(limits)) {}

Offload::~Offload() {
  std::unique_lock lock(core_->mutex);
  core_->stopping = true;
  for (Core::Sleeper* sleeper : core_->sleepers) {
    sleeper->called = true;
    sleeper->wake.notify_one();
  }
  core_->sleepers.clear();
  core_->thread_ended.wait_for(lock, std::chrono::seconds(2), [this] { return core_->count == 0; });
}

Result<void> Offload::submit(std::function<void()> job) {
  std::unique_lock lock(core_->mutex);
  if (core_->jobs.size() >= core_->limits.queued) {
    return make_error(ErrorKind::exhausted, "the offload queue is full");
  }
  core_->jobs.push_back(std::move(job));
  if (!core_->sleepers.empty()) {
    Core::Sleeper* sleeper = core_->sleepers.back();
    core_->sleepers.pop_back();
    sleeper->called = true;
    sleeper->wake.notify_one();  // under the lock: the sleeper lives on a stack that may go once it is released
    return {};
  }
  if (core_->count >= core_->limits.threads) return {};
  ++core_->count;
  Result<void> started = core_->start_thread(core_);
  if (!started) {
    --core_->count;
    if (core_->count == 0) {  // nobody will ever take it
      core_->jobs.pop_back();
      return started;
    }
  }
  return {};
}

std::size_t Offload::threads() const {
  std::lock_guard lock(core_->mutex);
  return core_->count;
}

}  // namespace dray::fiber
