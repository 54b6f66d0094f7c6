#include "cli/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"

namespace dray::cli {
namespace {

using nlohmann::json;
using State = Outcome::State;

Outcome ended(State state, ErrorKind kind = ErrorKind::io) {
  Outcome outcome{.operation = {"cp", "a", "s3://b/k"}, .state = state};
  if (state == State::done) outcome.object = Summary{.size = 100, .retries = 2};
  if (state != State::done) outcome.error = make_error(kind, "no");
  return outcome;
}

Tally tally_of(std::initializer_list<State> states) {
  Tally tally{.planned = states.size()};
  for (const State state : states) tally.count(ended(state));
  return tally;
}

struct ExitCase {
  std::initializer_list<State> states;
  int signal;
  int code;
};

TEST(TallyTest, ExitCodeIsThatOfTheWorstThing) {
  const ExitCase cases[] = {
      {{}, 0, 0},
      {{State::done, State::done}, 0, 0},
      {{State::done, State::skipped}, 0, 0},
      {{State::done, State::warned}, 0, 4},
      {{State::warned}, 0, 4},
      {{State::done, State::failed}, 0, 1},
      {{State::failed, State::warned}, 0, 1},
      {{State::done}, SIGHUP, 129},
      {{State::failed}, SIGINT, 130},
      {{State::warned}, SIGTERM, 143},
  };
  for (const ExitCase& c : cases) {
    Tally tally = tally_of(c.states);
    tally.signal = c.signal;
    EXPECT_EQ(tally.exit_code(), c.code) << to_text(tally);
  }
}

TEST(TallyTest, PlannedIsDoneAndFailedAndSkipped) {
  const Tally tally = tally_of({State::done, State::done, State::failed, State::skipped, State::warned});
  EXPECT_EQ(tally.planned, tally.done + tally.failed + tally.skipped);
  EXPECT_EQ(tally.bytes, 200u);
  EXPECT_EQ(tally.retries, 4u);
  EXPECT_EQ(tally.warned, 1u);
}

TEST(TallyTest, CancelledOnesAreCountedAmongTheFailed) {
  Tally tally;
  tally.count(ended(State::failed, ErrorKind::cancelled));
  EXPECT_EQ(tally.failed, 1u);
  EXPECT_EQ(tally.cancelled, 1u);
}

TEST(TallyTest, TextIsOneLine) {
  const Tally tally{.planned = 13, .done = 12, .failed = 1, .bytes = 2 * base::kGiB, .seconds = 4};
  EXPECT_EQ(to_text(tally), "12 done, 1 failed, 0 skipped; 2.0 GiB in 4.0 s, 512.0 MiB/s");
}

TEST(TallyTest, NoTimeAtAllIsNoInfinity) {
  EXPECT_EQ(to_text(Tally{}), "0 done, 0 failed, 0 skipped; 0 B in 0.0 s, 0 B/s");
}

TEST(TallyTest, JsonIsTheSummary) {
  Tally tally{.planned = 2, .done = 1, .failed = 1, .bytes = 10, .seconds = 2};
  EXPECT_EQ(json::parse(to_json(tally)), json::parse(R"({"summary":{"planned":2,"done":1,"failed":1,"skipped":0,
      "deleted":0,"bytes":10,"seconds":2.0,"bytes_per_second":5.0}})"));
  tally.signal = SIGINT;
  EXPECT_EQ(json::parse(to_json(tally))["summary"]["interrupted"], "SIGINT");
}

TEST(TallyTest, StatsAreToldWhenAskedFor) {
  Tally tally{.bytes = 2 * base::kGiB, .retries = 3};
  EXPECT_EQ(stats_text(tally), "");
  tally.stats = Stats{.peak_connections = 16, .cpu_seconds = 0.5, .peak_memory = 61 * base::kMiB};
  EXPECT_EQ(stats_text(tally), "16 connections at most, 3 retries, 0.50 CPU s, 0.25 CPU s/GiB, 61.0 MiB peak memory");
  EXPECT_EQ(json::parse(to_json(tally))["summary"]["stats"]["peak_connections"], 16);
}

}  // namespace
}  // namespace dray::cli
