#include "server/byte_range.h"

#include <gtest/gtest.h>

#include <vector>

namespace dray::server {
namespace {

TEST(ByteRangeTest, ReadsWhatS3Serves) {
  using Kind = RangeRequest::Kind;
  struct Row {
    std::string_view header;
    std::uint64_t size;
    RangeRequest expected;
  };
  const RangeRequest whole{}, beyond{.kind = Kind::unsatisfiable};
  const auto part = [](std::uint64_t first, std::uint64_t length) {
    return RangeRequest{.kind = Kind::part, .range = {first, length}};
  };
  const std::vector<Row> rows = {
      {"bytes=0-0", 10, part(0, 1)},
      {"bytes=0-9", 10, part(0, 10)},
      {"bytes=3-5", 10, part(3, 3)},
      {"bytes=3-500", 10, part(3, 7)},
      {"bytes=3-18446744073709551615", 10, part(3, 7)},
      {"bytes=3-", 10, part(3, 7)},
      {"bytes=9-", 10, part(9, 1)},
      {"bytes=-3", 10, part(7, 3)},
      {"bytes=-10", 10, part(0, 10)},
      {"bytes=-500", 10, part(0, 10)},
      {"BYTES=1-2", 10, part(1, 2)},
      {"bytes= 1-2 ", 10, part(1, 2)},
      {"bytes=10-", 10, beyond},
      {"bytes=10-12", 10, beyond},
      {"bytes=-0", 10, beyond},
      {"bytes=0-", 0, beyond},
      {"bytes=-1", 0, beyond},
      // Not understood: ignored, as RFC 9110 asks.
      {"bytes=5-3", 10, whole},
      {"bytes=a-b", 10, whole},
      {"bytes=-", 10, whole},
      {"bytes=1", 10, whole},
      {"bytes=+1-2", 10, whole},
      {"bytes=0-1,3-4", 10, whole},
      {"bytes=18446744073709551616-", 10, whole},
      {"items=0-1", 10, whole},
      {"bytes", 10, whole},
      {"", 10, whole},
  };
  for (const Row& row : rows) EXPECT_EQ(parse_range(row.header, row.size), row.expected) << row.header;
  EXPECT_EQ(parse_range(std::nullopt, 10), whole);
}

}  // namespace
}  // namespace dray::server
