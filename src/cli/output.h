// Output: the only place that writes to stdout and stderr. Keeps lines whole and the progress bar out of their way.
//
// stdout is data: finished operations, or everything as JSON. stderr is talk: errors, warnings, notices, the bar.
// Any thread may call it. Nothing fails here: a stdout whose reader has left swallows what follows, any other failure
// to write is kept and told by finish().
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/log.h"
#include "cli/outcome.h"
#include "cli/tally.h"
#include "dray/result.h"

namespace dray::cli {

struct OutputStyle {
  bool json = false;
  bool quiet = false;             ///< errors only
  bool only_show_errors = false;  ///< errors and warnings only
  LogLevel log_level = LogLevel::warning;
};

class Output {
 public:
  /// Borrows both descriptors.
  explicit Output(OutputStyle style, int out = 1, int err = 2) : style_(style), out_(out), err_(err) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  const OutputStyle& style() const { return style_; }

  /// One operation has ended. Quiet styles leave out what is not an error; JSON never leaves anything out.
  void report(const Outcome& outcome);
  /// The end of a command. As text only after more than one operation, or with --stats.
  void summary(const Tally& tally);
  /// A line of data, whatever the style.
  void print(std::string_view line);
  /// A line of talk, whatever the style.
  void say(std::string_view line);
  /// A line of talk, unless the style is quiet.
  void note(std::string_view line);
  /// A line that is replaced by the next one and steps aside for others: the bar. Empty takes it away.
  void show_bar(std::string_view text);

  /// For the layers below; writes "WARNING text". May outlive this as long as nobody logs.
  Log log();
  /// What kept stdout from being written; a closed pipe is no failure.
  Result<void> finish() const;

 private:
  void write_out(std::string line);
  void write_err(std::string line);
  void hide_bar();
  OutputStyle style_;
  int out_;
  int err_;
  mutable std::mutex mutex_;  // guards what follows and keeps lines whole
  int out_error_ = 0;         // errno of the first failed write to stdout
  bool bar_shown_ = false;
};

}  // namespace dray::cli
