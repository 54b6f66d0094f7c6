// Engine: what all transfers of a client share: loops, workers, sessions' service, budgets. Owned by the api's Client.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>

#include "aws/credentials_cache.h"
#include "aws/endpoint.h"
#include "base/log.h"
#include "fiber/runtime.h"
#include "http/dialer.h"
#include "s3/service.h"
#include "transfer/budget.h"
#include "transfer/retry_policy.h"
#include "transfer/scheduler.h"
#include "transfer/source.h"

namespace dray::transfer {

class Upload;

struct EngineOptions {
  aws::EndpointChoice endpoint;
  std::shared_ptr<aws::CredentialsProvider> credentials;
  std::size_t concurrency = 0;  ///< connections, exactly; 0 = find out
  std::uint64_t memory_limit = 0;
  std::uint64_t bandwidth_limit = 0;
  RetryOptions retry{};
  http::DialerLimits dialer{};
  Duration time_to_clean_up = std::chrono::seconds(10);  ///< at the engine's end, for aborting what still runs
  Log log{};
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> start(EngineOptions options);
  /// Cancels what runs, waits for its clean-up (EngineOptions::time_to_clean_up), ends the workers.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Starts it as soon as a worker is free. From a plain thread; blocks while kMaxWaiting uploads have not ended.
  void start(const std::shared_ptr<Upload>& upload);
  void cancel_all();

  /// A worker's wait between two tries; an error = there shall be no other.
  using Pause = std::function<Result<void>(Duration)>;
  /// Runs `request` on a worker's session from a fiber that has none, with retries in place. Gives what it gives.
  template <class R>
  Result<R> on_a_worker(Order order, std::function<Result<R>(s3::Session&)> request, Pause pause = fiber::sleep_for);
  /// Runs it on the given worker, trying again as the policy says. The worker is kept meanwhile: parts that wait for
  /// an upload id may have all others.
  template <class R>
  Result<R> with_retries(Worker& worker, const std::function<Result<R>(s3::Session&)>& request, const Pause& pause);

  Scheduler& scheduler() { return *scheduler_; }
  SourceTools& tools() { return tools_; }
  s3::Service& service() { return service_; }
  fiber::Runtime& runtime() { return *runtime_; }
  const Log& log() const { return service_.log; }
  /// See RetryPolicy; also notes a SlowDown.
  std::optional<Duration> retry_after(const Error& error, int tries);
  /// A request succeeded, so the store can be reached.
  void note_reached() { reached_.store(true, std::memory_order_relaxed); }
  /// For Upload: it has ended.
  void ended(const std::shared_ptr<Upload>& upload);
  std::uint64_t next_sequence() { return sequence_.fetch_add(1, std::memory_order_relaxed); }

  static constexpr std::size_t kMaxWaiting = 10'000;

 private:
  Engine(EngineOptions options, std::unique_ptr<fiber::Runtime> runtime);
  void hire(fiber::Runtime& runtime);

  std::unique_ptr<fiber::Runtime> runtime_;
  aws::CredentialsCache credentials_;
  http::Dialer dialer_;
  s3::Service service_;
  Budget budget_;
  ReadGate gate_;
  Pacing pacing_;
  fiber::Semaphore serial_reader_{1};
  SourceTools tools_;
  std::mutex policy_mutex_;  // guards policy_
  RetryPolicy policy_;
  std::atomic<bool> reached_{false};
  std::atomic<std::uint64_t> sequence_{1};
  std::unique_ptr<Scheduler> scheduler_;

  std::mutex uploads_mutex_;  // guards uploads_, stopping_
  std::condition_variable uploads_changed_;
  std::set<std::shared_ptr<Upload>> uploads_;
  bool stopping_ = false;
  const Duration time_to_clean_up_;
};

template <class R>
Result<R> Engine::with_retries(Worker& worker, const std::function<Result<R>(s3::Session&)>& request,
                               const Pause& pause) {
  for (int made = 1;; ++made) {
    Result<R> result = request(worker.session);
    if (result) {
      note_reached();
      return result;
    }
    const std::optional<Duration> wait = retry_after(result.error(), made);
    if (!wait) return result;
    log().info("try again in a moment: " + result.error().message);
    if (!pause(*wait)) return result;
  }
}

template <class R>
Result<R> Engine::on_a_worker(Order order, std::function<Result<R>(s3::Session&)> request, Pause pause) {
  struct Answer {
    fiber::Gate ready;
    Result<R> result = make_error(ErrorKind::cancelled, "the client is closing");
  };
  auto answer = std::make_shared<Answer>();
  // The worker may outlive this wait, so the task owns all it touches. A task that is dropped opens the gate too.
  struct OpenAtEnd {
    std::shared_ptr<Answer> to;
    ~OpenAtEnd() { to->ready.open(); }
  };
  auto at_end = std::make_shared<OpenAtEnd>();
  at_end->to = answer;
  scheduler_->add(order, [this, at_end = std::move(at_end), request = std::move(request),
                          pause = std::move(pause)](Worker& worker) {
    at_end->to->result = with_retries<R>(worker, request, pause);
    at_end->to->ready.open();
  });
  DRAY_TRY_VOID(answer->ready.wait(Deadline::never()));
  return std::move(answer->result);
}

}  // namespace dray::transfer
