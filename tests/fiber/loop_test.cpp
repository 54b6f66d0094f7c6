#include "fiber/loop.h"

#include <gtest/gtest.h>

#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/task_group.h"

namespace dray::fiber {
namespace {

TEST(RuntimeTest, CallRunsAFiberAndReturnsItsValue) {
  auto runtime = Runtime::start({.loops = 2}).value();
  EXPECT_EQ(runtime->call(runtime->loop(1), [] { return 42; }), 42);
}

TEST(RuntimeTest, SleepsAndOffloads) {
  auto runtime = Runtime::start({.loops = 2}).value();
  const int sum = runtime->call(runtime->loop(0), [&] {
    std::atomic<int> total = 0;
    TaskGroup group;
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(group.spawn("child", [&, i] {
        EXPECT_TRUE(sleep_for(std::chrono::milliseconds(i % 7)).ok());
        total += runtime->offload().run([i] { return i; }, Deadline::never()).value();
      }));
    }
    EXPECT_TRUE(group.join().ok());
    return total.load();
  });
  EXPECT_EQ(sum, 4950);
}

}  // namespace
}  // namespace dray::fiber
