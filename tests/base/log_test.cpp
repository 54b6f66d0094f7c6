#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace dray {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LogTest, IsSilentByDefault) {
  const Log log;
  EXPECT_FALSE(log.wants(LogLevel::error));
  log.warning("nobody hears this");  // must not call an empty sink
}

TEST(LogTest, PassesItsLevelAndAbove) {
  std::vector<std::string> lines;
  const Log log(LogLevel::info, [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  log.debug("a");
  log.info("b");
  log.warning("c");
  EXPECT_THAT(lines, ElementsAre("b", "c"));
}

TEST(LogTest, OffPassesNoNotice) {
  std::vector<std::string> lines;
  const Log log(LogLevel::off, [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  log.write(LogLevel::error, "a");
  EXPECT_THAT(lines, IsEmpty());
}

TEST(LogTest, CopiesShareTheSink) {
  int calls = 0;
  const Log log(LogLevel::debug, [&](LogLevel, std::string_view) { ++calls; });
  const Log copy = log;
  log.debug("a");
  copy.debug("b");
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace dray
