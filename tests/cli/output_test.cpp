#include "cli/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "cli/progress.h"

namespace dray::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using State = Outcome::State;

/// A pipe that keeps what is written to it: small texts only.
class Sink {
 public:
  Sink() { EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0); }
  ~Sink() { close_reader(), close(ends_[1]); }
  int fd() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  std::string text() {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    char buffer[4096];
    const ssize_t got = read(ends_[0], buffer, sizeof buffer);
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : "";
  }

 private:
  int ends_[2];
};

Outcome ended(State state) {
  Outcome outcome{.operation = {"cp", "a", "s3://b/k"}, .state = state};
  if (state != State::done) outcome.error = make_error(ErrorKind::io, "no");
  return outcome;
}

struct Said {
  std::string out;
  std::string err;
};

Said say_all(OutputStyle style) {
  Sink out, err;
  Output output(style, out.fd(), err.fd());
  for (const State state : {State::done, State::failed, State::skipped, State::warned}) output.report(ended(state));
  output.summary({.planned = 4, .done = 1, .failed = 1, .skipped = 2});
  return {out.text(), err.text()};
}

TEST(OutputTest, DataGoesToStdoutAndTalkToStderr) {
  const Said said = say_all({});
  EXPECT_EQ(said.out, "cp a s3://b/k\n");
  EXPECT_EQ(said.err,
            "ERROR \"cp a s3://b/k\": no\nSKIPPED \"cp a s3://b/k\": no\nWARNING \"cp a s3://b/k\": no\n"
            "1 done, 1 failed, 2 skipped; 0 B in 0.0 s, 0 B/s\n");
}

TEST(OutputTest, JsonTellsEverythingOnStdout) {
  const Said said = say_all({.json = true, .quiet = true});
  EXPECT_EQ(std::ranges::count(said.out, '\n'), 5);
  EXPECT_THAT(said.out, HasSubstr("\n{\"summary\":{"));
  EXPECT_EQ(said.err, "");
}

TEST(OutputTest, QuietSaysErrorsOnly) {
  const Said said = say_all({.quiet = true});
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "ERROR \"cp a s3://b/k\": no\n");
}

TEST(OutputTest, OnlyShowErrorsSaysWarningsToo) {
  const Said said = say_all({.only_show_errors = true});
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "ERROR \"cp a s3://b/k\": no\nWARNING \"cp a s3://b/k\": no\n");
}

TEST(OutputTest, OneOperationNeedsNoSummary) {
  Sink out, err;
  Output output({}, out.fd(), err.fd());
  output.summary({.planned = 1, .done = 1});
  EXPECT_EQ(err.text(), "");
}

TEST(OutputTest, BarStepsAsideForALine) {
  Sink out, err;
  Output output({}, out.fd(), err.fd());
  output.show_bar("50%");
  output.print("data");
  output.say("talk");
  output.show_bar("60%");
  output.show_bar("");
  output.show_bar("");
  EXPECT_EQ(out.text(), "data\n");
  EXPECT_EQ(err.text(), "\r50%\x1b[K\r\x1b[Ktalk\n\r60%\x1b[K\r\x1b[K");
}

TEST(OutputTest, ClosedStdoutEndsQuietly) {
  signal(SIGPIPE, SIG_IGN);
  Sink out, err;
  out.close_reader();
  Output output({}, out.fd(), err.fd());
  output.print("data");
  output.print("more");
  EXPECT_TRUE(output.finish().ok());
  EXPECT_EQ(err.text(), "");
}

TEST(OutputTest, StdoutThatCannotBeWrittenIsAFailure) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  Output output({}, full, STDERR_FILENO);
  output.print("data");
  const Result<void> finished = output.finish();
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().kind, ErrorKind::no_space);
  close(full);
}

TEST(OutputTest, LogHasLevelsAndCannotForgeLines) {
  Sink out, err;
  Output output({.log_level = LogLevel::info}, out.fd(), err.fd());
  const Log log = output.log();
  log.debug("too much");
  log.warning("a\nb");
  EXPECT_EQ(err.text(), "WARNING a\\nb\n");
}

TEST(OutputTest, QuietLogsNoWarnings) {
  Sink out, err;
  Output output({.quiet = true}, out.fd(), err.fd());
  output.log().warning("a");
  EXPECT_EQ(err.text(), "");
}

TEST(ProgressDisplayTest, LogGetsALineEveryFewSeconds) {
  Sink out, err;
  Output output({}, out.fd(), err.fd());
  const SteadyTime start{};
  ProgressDisplay display(output, ProgressMode::lines, start);
  EXPECT_FALSE(display.due(start + 4s));
  ASSERT_TRUE(display.due(start + 5s));
  display.show({.bytes = 1024, .files_left = 1}, start + 5s);
  EXPECT_FALSE(display.due(start + 6s));
  EXPECT_EQ(err.text(), "1.0 KiB, 204 B/s, 0:05 so far, 1 file left, 0 connections\n");
}

TEST(ProgressDisplayTest, NoneIsNeverDue) {
  Output output({});
  EXPECT_FALSE(ProgressDisplay(output, ProgressMode::none, SteadyTime{}).due(SteadyTime{} + 1h));
}

}  // namespace
}  // namespace dray::cli
