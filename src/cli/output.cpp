#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.h"

namespace dray::cli {
namespace {

/// 0, or the errno of what failed. A descriptor that another program made non-blocking is waited for.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put >= 0) {
      text.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd wanted{.fd = fd, .events = POLLOUT, .revents = 0};
      (void)poll(&wanted, 1, 1000);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return "TRACE";
    case LogLevel::debug:
      return "DEBUG";
    case LogLevel::info:
      return "INFO";
    case LogLevel::warning:
      return "WARNING";
    default:
      return "ERROR";
  }
}

}  // namespace

void Output::report(const Outcome& outcome) {
  if (style_.json) return print(to_json(outcome));
  switch (outcome.state) {
    case Outcome::State::done:
      if (!style_.quiet && !style_.only_show_errors) print(to_text(outcome));
      return;
    case Outcome::State::skipped:
      if (!style_.quiet && !style_.only_show_errors) say(to_text(outcome));
      return;
    case Outcome::State::warned:
      if (!style_.quiet) say(to_text(outcome));
      return;
    case Outcome::State::failed:
      return say(to_text(outcome));
  }
}

void Output::summary(const Tally& tally) {
  if (style_.json) return print(to_json(tally));
  if (tally.planned > 1 && !style_.quiet && !style_.only_show_errors) say(to_text(tally));
  if (tally.stats) say(stats_text(tally));
}

void Output::print(std::string_view line) { write_out(std::string(line) + '\n'); }

void Output::say(std::string_view line) { write_err(std::string(line) + '\n'); }

void Output::note(std::string_view line) {
  if (!style_.quiet && !style_.only_show_errors) say(line);
}

void Output::show_bar(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (text.empty()) return hide_bar();
  bar_shown_ = true;
  (void)write_all(err_, "\r" + std::string(text) + "\x1b[K");
}

Log Output::log() {
  if (style_.quiet && style_.log_level < LogLevel::error) return {};
  return Log(style_.log_level, [this](LogLevel level, std::string_view text) {
    say(std::string(name_of(level)) + " " + base::printable(text));
  });
}

Result<void> Output::finish() const {
  const std::lock_guard lock(mutex_);
  if (out_error_ == 0 || out_error_ == EPIPE) return {};
  return os_error(out_error_, "write to standard output");
}

void Output::write_out(std::string line) {
  const std::lock_guard lock(mutex_);
  if (out_error_ != 0) return;
  hide_bar();
  out_error_ = write_all(out_, line);
}

void Output::write_err(std::string line) {
  const std::lock_guard lock(mutex_);
  hide_bar();
  (void)write_all(err_, line);  // there is nobody left to tell
}

void Output::hide_bar() {
  if (bar_shown_) (void)write_all(err_, "\r\x1b[K");
  bar_shown_ = false;
}

}  // namespace dray::cli
