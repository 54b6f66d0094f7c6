#include "transfer/engine.h"

#include <algorithm>
#include <random>
#include <vector>

#include "transfer/upload.h"

namespace dray::transfer {
Result<std::unique_ptr<Engine>> Engine::start(EngineOptions options) {
  fiber::RuntimeOptions runtime_options;
  runtime_options.loops = std::min<std::size_t>(8, fiber::usable_cores());
  if (options.concurrency != 0) runtime_options.loops = std::min(runtime_options.loops, options.concurrency);
  std::unique_ptr<fiber::Runtime> runtime = DRAY_TRY(fiber::Runtime::start(runtime_options));
  return std::unique_ptr<Engine>(new Engine(std::move(options), std::move(runtime)));
}

Engine::Engine(EngineOptions options, std::unique_ptr<fiber::Runtime> runtime)
    : runtime_(std::move(runtime)),
      credentials_(std::move(options.credentials), runtime_->offload()),
      dialer_(runtime_->offload(), options.dialer),
      service_{.endpoint = std::move(options.endpoint),
               .credentials = credentials_,
               .dialer = dialer_,
               .log = std::move(options.log)},
      budget_(buffer_budget(memory_limit_from(options.memory_limit))),
      gate_(fiber::usable_cores()),
      pacing_(options.bandwidth_limit),
      tools_{runtime_->offload(), budget_, gate_, pacing_, serial_reader_},
      policy_(options.retry, std::random_device{}()),
      scheduler_(
          std::make_unique<Scheduler>(Scheduler::Options{.exactly = options.concurrency,
                                                         .climber = {.start = 8, .most = 128},
                                                         .hire = [this, &runtime = *runtime_] { hire(runtime); }})),
      time_to_clean_up_(options.time_to_clean_up) {}

Engine::~Engine() {
  cancel_all();
  {
    std::unique_lock lock(uploads_mutex_);
    stopping_ = true;
    uploads_changed_.wait_for(lock, time_to_clean_up_, [this] { return uploads_.empty(); });
  }
  scheduler_->close();
  runtime_.reset();  // cancels every fiber and joins the loops
  const std::set<std::shared_ptr<Upload>> left = std::exchange(uploads_, {});
  for (const auto& upload : left) upload->abandon();
}

// Not through runtime_: that is null already while the Runtime waits for its last fibers, who may still hire.
void Engine::hire(fiber::Runtime& runtime) {
  runtime.next_loop().spawn_root("worker", [this] {
    s3::Session session(service_);
    Worker worker{session};
    auto comes = Scheduler::Comes::first_time;
    while (std::optional<Scheduler::Task> task = scheduler_->next(comes)) {
      (*task)(worker);
      task.reset();  // what it holds is given back before the wait for the next one
      comes = Scheduler::Comes::from_a_task;
    }
  });
}

void Engine::start(const std::shared_ptr<Upload>& upload) {
  {
    std::unique_lock lock(uploads_mutex_);
    uploads_changed_.wait(lock, [this] { return uploads_.size() < kMaxWaiting || stopping_; });
    uploads_.insert(upload);
  }
  scheduler_->add({upload->sequence(), 1}, [upload](Worker& worker) { upload->begin(worker); });
}

void Engine::ended(const std::shared_ptr<Upload>& upload) {
  std::lock_guard lock(uploads_mutex_);
  uploads_.erase(upload);
  uploads_changed_.notify_all();
}

void Engine::cancel_all() {
  std::vector<std::shared_ptr<Upload>> all;
  {
    std::lock_guard lock(uploads_mutex_);
    all.assign(uploads_.begin(), uploads_.end());
  }
  for (const auto& upload : all) upload->cancel();
}

std::optional<Duration> Engine::retry_after(const Error& error, int tries) {
  if (error.http_status != 0) note_reached();
  if (is_slow_down(error)) scheduler_->slow_down();
  std::lock_guard lock(policy_mutex_);
  return policy_.after(error, tries, reached_.load(std::memory_order_relaxed));
}

}  // namespace dray::transfer
