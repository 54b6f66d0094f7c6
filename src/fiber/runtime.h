// Runtime: the loops, each on its thread, and the offload pool that they share. What a program or a Client owns.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

#include "dray/result.h"
#include "fiber/loop.h"
#include "fiber/offload.h"

namespace dray::fiber {

struct RuntimeOptions {
  std::size_t loops = 0;       ///< 0 = usable_cores(), 8 at most
  std::size_t stack_size = 0;  ///< see LoopOptions
  OffloadLimits offload{};
};

/// Cores that this process may use: the affinity mask and the cgroup's cpu quota, whichever is less; at least 1.
std::size_t usable_cores();

class Runtime {
 public:
  static Result<std::unique_ptr<Runtime>> start(RuntimeOptions options = {});
  /// Stops: cancels every fiber, waits until all have ended. Not from a fiber.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  std::size_t size() const { return loops_.size(); }
  Loop& loop(std::size_t index) { return *loops_[index]; }
  /// Another one each time, in turn.
  Loop& next_loop() { return *loops_[turn_.fetch_add(1, std::memory_order_relaxed) % loops_.size()]; }
  Offload& offload() { return offload_; }

  /// From a plain thread: runs `body` as a fiber on the loop and gives what it returns; throws what it throws. What
  /// `body` holds is destroyed on that fiber before call() returns.
  template <class Body>
  auto call(Loop& on, Body body) -> std::invoke_result_t<Body>;

 private:
  explicit Runtime(OffloadLimits limits) : offload_(limits) {}
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> turn_{0};
  Offload offload_;
};

template <class Body>
auto Runtime::call(Loop& on, Body body) -> std::invoke_result_t<Body> {
  if (Loop::current() != nullptr) die("Runtime::call from a loop's thread");
  using R = std::invoke_result_t<Body>;
  struct Outcome {
    std::optional<std::conditional_t<std::is_void_v<R>, std::monostate, R>> value;
    std::exception_ptr failure;
  };
  // The loop may refuse the fiber (it is stopping); the promise is then broken and the future throws.
  auto promise = std::make_shared<std::promise<Outcome>>();
  std::future<Outcome> future = promise->get_future();
  on.spawn_root("call", [promise = std::move(promise), held = std::make_shared<Body>(std::move(body))]() mutable {
    Outcome outcome;
    try {
      if constexpr (std::is_void_v<R>) {
        (*held)();
      } else {
        outcome.value.emplace((*held)());
      }
    } catch (...) {
      outcome.failure = std::current_exception();
    }
    held.reset();
    promise->set_value(std::move(outcome));
  });
  Outcome outcome = future.get();
  if (outcome.failure) std::rethrow_exception(std::move(outcome.failure));
  if constexpr (!std::is_void_v<R>) return *std::move(outcome.value);
}

}  // namespace dray::fiber
