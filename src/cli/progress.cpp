#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/units.h"

namespace dray::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWindow = 10s;
constexpr Duration kBarInterval = 200ms;
constexpr Duration kLineInterval = 5s;
constexpr std::size_t kWidestName = 40;
// Few widths, so that a longer number elsewhere does not make it jump.
constexpr std::size_t kGraphWidths[] = {30, 20, 10};

double share_of(const Snapshot& snapshot) {
  if (!snapshot.total || *snapshot.total == 0) return 0;
  return std::min(1.0, static_cast<double>(snapshot.bytes) / static_cast<double>(*snapshot.total));
}

/// Rounded down: 100% means all of it.
int percent_of(const Snapshot& snapshot) { return static_cast<int>(share_of(snapshot) * 100); }

/// "ETA 0:04"; "0:12 so far" while the end is unknown.
std::string time_text(const Snapshot& snapshot) {
  if (!snapshot.total || snapshot.rate < 1) return base::format_duration(snapshot.elapsed) + " so far";
  const double left = static_cast<double>(*snapshot.total - std::min(*snapshot.total, snapshot.bytes));
  constexpr double kLongest = 99 * 3600.0;
  // Rounded up: 0:00 is for what has ended.
  const auto seconds = static_cast<long>(std::ceil(std::min(left / snapshot.rate, kLongest)));
  return "ETA " + base::format_duration(std::chrono::seconds(seconds));
}

std::string counted(std::uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

/// The first `columns` characters, cut between code points. Wide characters count as one.
std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size() && shown < columns; ++shown) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return text.substr(0, at);
}

std::string graph(double share, std::size_t width) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  const std::string head = full < width ? ">" : "";
  return "[" + std::string(full, '=') + head + std::string(width - full - head.size(), ' ') + "]";
}

std::string amount(const Snapshot& snapshot) {
  if (!snapshot.total) return base::format_size(snapshot.bytes);
  return base::format_size(snapshot.bytes) + " of " + base::format_size(*snapshot.total);
}

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(2, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string bar_text(const Snapshot& snapshot, std::size_t columns) {
  std::string text;
  if (snapshot.total) text += fmt::format("{:3}%  ", percent_of(snapshot));
  text += fmt::format("{}  {}  {}", amount(snapshot), base::format_rate(snapshot.rate), time_text(snapshot));
  if (snapshot.name.empty()) text += "  " + counted(snapshot.files_left, "file") + " left";
  text += "  " + counted(snapshot.connections, "connection");
  if (!snapshot.name.empty()) text += "  " + std::string(first_columns(snapshot.name, kWidestName));

  if (!snapshot.total) return std::string(first_columns(text, columns));
  for (const std::size_t width : kGraphWidths) {
    const std::string with_graph = graph(share_of(snapshot), width) + " " + text;
    if (with_graph.size() <= columns) return with_graph;
  }
  return std::string(first_columns(text, columns));
}

std::string line_text(const Snapshot& snapshot) {
  std::string text = amount(snapshot);
  if (snapshot.total) text += fmt::format(" ({}%)", percent_of(snapshot));
  return text + ", " + base::format_rate(snapshot.rate) + ", " + time_text(snapshot) + ", " +
         counted(snapshot.files_left, "file") + " left, " + counted(snapshot.connections, "connection");
}

void RateMeter::add(SteadyTime now, std::uint64_t bytes) {
  looks_.emplace_back(now, bytes);
  while (looks_.size() > 2 && looks_[1].first + kWindow <= now) looks_.pop_front();
}

double RateMeter::bytes_per_second() const {
  if (looks_.size() < 2) return 0;
  const auto& [began, before] = looks_.front();
  const auto& [ended, after] = looks_.back();
  const double seconds = std::chrono::duration<double>(ended - began).count();
  if (seconds <= 0 || after < before) return 0;
  return static_cast<double>(after - before) / seconds;
}

ProgressMode resolve(const GlobalOptions& options, bool terminal) {
  if (options.quiet || options.only_show_errors || options.no_progress) return ProgressMode::none;
  if (options.progress != ProgressMode::automatic) return options.progress;
  if (terminal) return ProgressMode::bar;
  return options.json ? ProgressMode::none : ProgressMode::lines;
}

ProgressDisplay::ProgressDisplay(Output& output, ProgressMode mode, SteadyTime start)
    : output_(output),
      mode_(mode),
      start_(start),
      next_(start + (mode == ProgressMode::bar ? kBarInterval : kLineInterval)) {
  meter_.add(start, 0);
}

bool ProgressDisplay::due(SteadyTime now) const { return mode_ != ProgressMode::none && now >= next_; }

void ProgressDisplay::show(Snapshot snapshot, SteadyTime now) {
  meter_.add(now, snapshot.bytes);
  snapshot.rate = meter_.bytes_per_second();
  snapshot.elapsed = now - start_;
  if (mode_ == ProgressMode::bar) {
    // One column less: a full line would make some terminals scroll.
    output_.show_bar(bar_text(snapshot, terminal_columns() - 1));
    next_ = now + kBarInterval;
  } else {
    output_.say(line_text(snapshot));
    next_ = now + kLineInterval;
  }
}

void ProgressDisplay::clear() { output_.show_bar({}); }

}  // namespace dray::cli
