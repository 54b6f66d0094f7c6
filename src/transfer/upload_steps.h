// What the steps of an Upload share. Private to upload*.cpp.
#pragma once

#include <cstdint>

#include "transfer/upload.h"

namespace dray::transfer {

// The steps of an object in the scheduler's order: control requests first, then the object as one, or its parts by
// number.
constexpr std::uint32_t kControl = 0;
constexpr std::uint32_t kWhole = 1;

inline Error stopped_error() { return make_error(ErrorKind::cancelled, "cancelled"); }

/// While it lives, stop() interrupts the calling worker's waits.
class Upload::Stoppable {
 public:
  explicit Stoppable(Upload& upload) : upload_(upload) {
    std::lock_guard lock(upload_.mutex_);
    upload_.interruptible_.push_back(scope_.token());
    if (upload_.stop_error_) scope_.token().cancel();  // stop() came first and did not see this one
  }
  ~Stoppable() {
    std::lock_guard lock(upload_.mutex_);
    std::erase(upload_.interruptible_, scope_.token());
  }

 private:
  Upload& upload_;
  fiber::CancelScope scope_;
};

/// Requests that belong to the object as a whole. stop() ends the wait for another try, not the request.
template <class R>
Result<R> Upload::on_a_worker(std::function<Result<R>(s3::Session&)> request) {
  return engine_.on_a_worker<R>({sequence_, kControl}, std::move(request), [self = shared_from_this()](Duration wait) {
    ++self->progress_.retries;
    Stoppable scope(*self);
    return fiber::sleep_for(wait);
  });
}

}  // namespace dray::transfer
