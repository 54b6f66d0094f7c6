#include "cli/upload_queue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "bench/usage.h"
#include "cli/source.h"

namespace dray::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostRunning = 2'000;  // more would only cost memory: the client queues them
constexpr auto kPatience = 100ms;            // how late a signal or the bar may be

bool is_capable_terminal(int fd) {
  const char* kind = std::getenv("TERM");
  return isatty(fd) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

}  // namespace

UploadQueue::UploadQueue(Client& client, Context& context, std::uint64_t planned, std::optional<std::uint64_t> total)
    : client_(client),
      context_(context),
      on_signal_(context.interrupts, [&client] { client.cancel_all(); }),
      start_(std::chrono::steady_clock::now()),
      total_(total),
      tally_{.planned = planned},
      display_(context.output, resolve(context.global, is_capable_terminal(STDERR_FILENO)), start_) {}

void UploadQueue::add(Upload upload, Transfer transfer) {
  // A signal may have come between the caller's look and the start of the transfer.
  if (interrupted()) transfer.cancel();
  running_.push_back({std::move(upload), std::move(transfer)});
  while (running_.size() >= kMostRunning) look(kPatience);
  show_progress();
}

void UploadQueue::report(Outcome outcome, std::uint64_t size) {
  tally_.count(outcome);
  if (outcome.state != Outcome::State::done && total_) *total_ -= std::min(*total_, size);
  if (!outcome.error.left_behind.empty()) left_behind_ = true;
  // After Ctrl-C nobody wants a line for each file that was not sent; say_interrupted() counts them.
  const bool expected = interrupted() && outcome.state == Outcome::State::failed &&
                        outcome.error.kind == ErrorKind::cancelled && outcome.error.left_behind.empty();
  if (!expected || context_.output.style().json) context_.output.report(outcome);
}

void UploadQueue::look(std::chrono::milliseconds patience) {
  // Many small ones end nearly in the order they began: looking at the oldest alone is enough, until it is a long one.
  if (!running_.empty() && running_.front().transfer.wait_for(patience)) {
    collect(running_.begin());
  } else {
    collect_ended();
  }
  if (interrupted()) client_.cancel_all();
  show_progress();
}

int UploadQueue::finish() {
  while (!running_.empty()) look(kPatience);
  display_.clear();
  tally_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  tally_.signal = context_.interrupts.signal();
  if (context_.global.stats) {
    tally_.stats = Stats{.peak_connections = client_.peak_connections(),
                         .cpu_seconds = bench::cpu_seconds(),
                         .peak_memory = bench::peak_memory()};
  }
  if (tally_.signal != 0) say_interrupted();
  context_.output.summary(tally_);
  return tally_.exit_code();
}

UploadQueue::Iterator UploadQueue::collect(Iterator ended) {
  Upload& upload = ended->upload;
  Result<Summary> result = ended->transfer.wait();
  Outcome outcome;
  if (result) {
    outcome = {.operation = std::move(upload.operation), .object = *std::move(result)};
  } else {
    outcome = not_sent(std::move(upload.operation), std::move(result).error());
    if (upload.no_clobber && outcome.error.kind == ErrorKind::already_exists) outcome.state = Outcome::State::skipped;
  }
  const std::uint64_t size = upload.size;
  const Iterator next = running_.erase(ended);
  report(std::move(outcome), size);
  return next;
}

void UploadQueue::collect_ended() {
  for (Iterator i = running_.begin(); i != running_.end();) i = i->transfer.wait_for(0ns) ? collect(i) : std::next(i);
}

void UploadQueue::show_progress() {
  const SteadyTime now = std::chrono::steady_clock::now();
  if (!display_.due(now)) return;
  Snapshot snapshot{.bytes = tally_.bytes,
                    .total = total_,
                    .files_left = tally_.planned - tally_.done - tally_.failed - tally_.skipped,
                    .connections = client_.connections()};
  for (const Running& running : running_) {
    // What was sent moves evenly, what was acknowledged in steps of a part; a retry must not exceed the file.
    const Progress progress = running.transfer.progress();
    const std::uint64_t sent = std::max(progress.bytes_done, progress.bytes_sent);
    snapshot.bytes += progress.bytes_total ? std::min(sent, *progress.bytes_total) : sent;
  }
  if (snapshot.files_left == 1 && running_.size() == 1) {
    snapshot.name = base::printable(running_.front().upload.operation.source);
  }
  display_.show(std::move(snapshot), now);
}

void UploadQueue::say_interrupted() {
  context_.output.say(fmt::format("interrupted by {}: {} of {} done, {} cancelled{}", signal_name(tally_.signal),
                                  tally_.done, tally_.planned, tally_.cancelled,
                                  left_behind_ ? "" : "; nothing is left behind"));
}

}  // namespace dray::cli
