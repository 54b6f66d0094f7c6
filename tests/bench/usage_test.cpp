#include "bench/usage.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "base/bytes.h"

namespace dray::bench {
namespace {

TEST(UsageTest, PeakMemoryGrowsWithWhatIsTouched) {
  const std::uint64_t before = peak_memory();
  EXPECT_GT(before, base::kMiB / 4);
  const std::vector<std::byte> touched(64 * base::kMiB, std::byte{1});
  EXPECT_GE(peak_memory(), touched.size());
}

TEST(UsageTest, ProcessorTimeGrows) {
  const double before = cpu_seconds();
  volatile std::uint64_t sum = 0;
  while (cpu_seconds() <= before) sum = sum + 1;
  EXPECT_GT(cpu_seconds(), before);
}

}  // namespace
}  // namespace dray::bench
