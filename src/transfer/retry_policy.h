// RetryPolicy: whether and when a failed request is tried again. The only place that decides it. Pure but for its dice.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "dray/result.h"

namespace dray::transfer {

struct RetryOptions {
  int retries = 5;  ///< tries after the first
  Duration base = std::chrono::milliseconds(500);
  Duration cap = std::chrono::seconds(20);
};

/// A value; copy it freely. Waits are exponential with full jitter ("Exponential Backoff And Jitter", AWS Architecture
/// Blog), at least what the server's Retry-After says (up to `cap`).
class RetryPolicy {
 public:
  explicit RetryPolicy(RetryOptions options, std::uint64_t seed) : options_(options), random_(seed | 1) {}

  /// How long to wait before try number `tries` + 1; nothing = give up. `tries` counts those made, the failed one
  /// included. All requests of an upload are idempotent: a part or an object sent twice is the same, a completion is
  /// settled. `reached_before`: whether the store has ever answered; if not, a wrong host or port is likely and costs
  /// two tries.
  std::optional<Duration> after(const Error& error, int tries, bool reached_before);

  /// Whether the error is of a kind that may go away by itself.
  static bool may_pass(const Error& error);

 private:
  double dice();  // 0 to 1
  RetryOptions options_;
  std::uint64_t random_;
};

/// The store asks for fewer requests (503 SlowDown, 429).
bool is_slow_down(const Error& error);

}  // namespace dray::transfer
