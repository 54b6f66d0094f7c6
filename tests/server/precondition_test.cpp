#include "server/precondition.h"

#include <gtest/gtest.h>

#include <vector>

namespace dray::server {
namespace {

TEST(PreconditionTest, FollowsTheOrderOfRfc9110) {
  const WallTime modified = base::from_amz_date("20261130T102832Z").value();
  constexpr std::string_view kBefore = "Mon, 30 Nov 2026 10:28:31 GMT", kThen = "Mon, 30 Nov 2026 10:28:32 GMT";
  struct Row {
    std::vector<std::pair<std::string_view, std::string_view>> headers;
    Precondition expected;
  };
  const std::vector<Row> rows = {
      {{}, Precondition::holds},
      {{{"if-match", "\"abc\""}}, Precondition::holds},
      {{{"if-match", "abc"}}, Precondition::holds},
      {{{"if-match", "*"}}, Precondition::holds},
      {{{"if-match", "\"x\", \"abc\""}}, Precondition::holds},
      {{{"if-match", "\"x\""}}, Precondition::failed},
      {{{"if-none-match", "\"abc\""}}, Precondition::not_modified},
      {{{"if-none-match", "W/\"abc\""}}, Precondition::not_modified},
      {{{"if-none-match", "*"}}, Precondition::not_modified},
      {{{"if-none-match", "\"x\""}}, Precondition::holds},
      {{{"if-modified-since", kThen}}, Precondition::not_modified},
      {{{"if-modified-since", kBefore}}, Precondition::holds},
      {{{"if-modified-since", "yesterday"}}, Precondition::holds},
      {{{"if-unmodified-since", kThen}}, Precondition::holds},
      {{{"if-unmodified-since", kBefore}}, Precondition::failed},
      {{{"if-match", "\"abc\""}, {"if-unmodified-since", kBefore}}, Precondition::holds},
      {{{"if-none-match", "\"x\""}, {"if-modified-since", kThen}}, Precondition::holds},
      {{{"if-match", "\"x\""}, {"if-none-match", "\"abc\""}}, Precondition::failed},
  };
  for (const Row& row : rows) {
    http::Headers headers;
    for (const auto& [name, value] : row.headers) headers.add(name, value);
    EXPECT_EQ(check_read_conditions(headers, "abc", modified), row.expected)
        << (row.headers.empty() ? "none" : row.headers[0].first);
  }
}

}  // namespace
}  // namespace dray::server
