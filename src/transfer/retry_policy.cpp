#include "transfer/retry_policy.h"

#include <algorithm>
#include <cmath>

namespace dray::transfer {
namespace {

constexpr int kTriesAtAnUnknownHost = 2;
constexpr std::chrono::milliseconds kFirstContactBase{100};

}  // namespace

bool is_slow_down(const Error& error) {
  return error.http_status == 503 || error.http_status == 429 || error.code == "SlowDown" ||
         error.code == "TooManyRequests" || error.code == "RequestLimitExceeded";
}

bool RetryPolicy::may_pass(const Error& error) {
  switch (error.kind) {
    case ErrorKind::network:
    case ErrorKind::connect:
    case ErrorKind::resolve:
    case ErrorKind::timed_out:
    case ErrorKind::protocol:  // a cut or garbled reply
      return true;
    case ErrorKind::checksum_mismatch:  // damaged on the way: what is sent again is read again
      return true;
    case ErrorKind::server:
      return error.http_status >= 500 || error.http_status == 408 || error.http_status == 429 ||
             error.code == "RequestTimeout" || error.code == "InternalError" || error.code == "SlowDown" ||
             error.code == "ServiceUnavailable" || error.code == "OperationAborted" || error.code == "IncompleteBody" ||
             error.code == "ConditionalRequestConflict";
    default:
      return false;
  }
}

std::optional<Duration> RetryPolicy::after(const Error& error, int tries, bool reached_before) {
  if (!may_pass(error) || tries > options_.retries) return std::nullopt;
  const bool no_contact = error.kind == ErrorKind::connect || error.kind == ErrorKind::resolve;
  if (no_contact && !reached_before && tries >= kTriesAtAnUnknownHost) return std::nullopt;
  const Duration base = no_contact && !reached_before ? Duration(kFirstContactBase) : options_.base;
  const double most = std::min(static_cast<double>(options_.cap.count()),
                               static_cast<double>(base.count()) * std::ldexp(1.0, std::min(tries - 1, 30)));
  Duration wait(static_cast<Duration::rep>(most * dice()));
  if (error.retry_after_ms) {
    const Duration asked = std::chrono::milliseconds(*error.retry_after_ms);
    wait = std::max(wait, std::min(asked, options_.cap));
  }
  return wait;
}

double RetryPolicy::dice() {  // xorshift64: spreading the waits needs no better
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<double>(random_ >> 11) / 9007199254740992.0;
}

}  // namespace dray::transfer
