// How an Upload ends: its result, and what happens when it does not go the way of upload.cpp.
#include <fmt/format.h>

#include "s3/abort_multipart_upload.h"
#include "transfer/upload_steps.h"

namespace dray::transfer {
namespace {

constexpr std::chrono::seconds kTimeToAbort{10};

}  // namespace

Result<bool> Upload::abort() {
  const auto request = [self = shared_from_this()](s3::Session& session) -> Result<bool> {
    DRAY_TRY_VOID(s3::abort_multipart_upload(session, self->request_.bucket, self->request_.key, self->upload_id_,
                                             Deadline::after(kTimeToAbort)));
    return true;
  };
  return engine_.on_a_worker<bool>({sequence_, kControl}, request);  // also when stopped: not interrupted
}

Error Upload::clean_up(Error error) {
  if (upload_id_.empty()) return error;
  const Result<bool> aborted = abort();
  if (!aborted) {
    error.left_behind = fmt::format("the unfinished multipart upload {} of {} ({})", base::printable(upload_id_),
                                    target(), aborted.error().message);
  }
  return error;
}

Error Upload::unless_source_changed(Error error) const {
  // Damage on the way and a source that was altered under us look the same to the store.
  if (error.kind != ErrorKind::checksum_mismatch || source_ == nullptr) return error;
  Result<void> same = source_->check_unchanged();
  return same ? error : std::move(same).error();
}

void Upload::note_retry(const Error& error) {
  ++progress_.retries;
  engine_.log().info("try again in a moment: " + error.message);
}

void Upload::cancel() { stop(stopped_error()); }

void Upload::stop(Error error) {
  std::vector<fiber::CancelScope::Token> running;
  {
    std::lock_guard lock(mutex_);
    if (stop_error_ || result_) return;
    stop_error_ = std::move(error);
    running = interruptible_;
  }
  for (const fiber::CancelScope::Token& token : running) token.cancel();
  id_known_.open();
  drop_queued();
}

void Upload::drop_queued() {
  const std::size_t dropped = engine_.scheduler().drop(sequence_);
  if (dropped == 0) return;
  if (!coordinated_) return finish(stop_error());  // it was waiting for its turn, or for its next try
  std::lock_guard lock(mutex_);
  parts_open_ -= static_cast<std::uint32_t>(dropped);
  if (parts_open_ == 0 && all_queued_) parts_ended_.open();
}

bool Upload::stopped() const {
  std::lock_guard lock(mutex_);
  return stop_error_.has_value();
}

Error Upload::stop_error() const {
  std::lock_guard lock(mutex_);
  return stop_error_.value_or(stopped_error());
}

void Upload::finish(Result<UploadSummary> result) {
  if (result) {
    result->retries = progress_.retries;
    result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  {
    std::lock_guard lock(mutex_);
    if (result_) return;
    if (parts_open_ == 0) {  // closes the file now, not when the last handle goes
      source_.reset();
      stream_file_.reset();
    }
    result_ = std::move(result);
    ended_.notify_all();
  }
  engine_.ended(shared_from_this());
}

void Upload::abandon() { finish(make_error(ErrorKind::cancelled, "the client was closed")); }

Result<UploadSummary> Upload::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return result_.has_value(); });
  return *result_;
}

bool Upload::wait_for(std::chrono::nanoseconds duration) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, duration, [this] { return result_.has_value(); });
}

}  // namespace dray::transfer
