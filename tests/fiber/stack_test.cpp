#include "fiber/stack.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "fiber/on_loop.h"

namespace dray::fiber {
namespace {

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// How many pages of the stack are resident.
std::size_t resident(const Stack& stack) {
  std::vector<unsigned char> pages(stack.size / page());
  EXPECT_EQ(mincore(stack.bottom, stack.size, pages.data()), 0);
  std::size_t count = 0;
  for (const unsigned char bits : pages) count += bits & 1u;
  return count;
}

TEST(StackPoolTest, SizeIsRoundedUpToPagesAndAllOfItIsUsable) {
  StackPool pool(3 * page() + 1);
  EXPECT_EQ(pool.stack_size(), 4 * page());
  const Stack stack = pool.take().value();
  EXPECT_EQ(stack.size, 4 * page());
  std::memset(stack.bottom, 1, stack.size);
  pool.give_back(stack);
}

TEST(StackPoolTest, StackThatCameBackLastIsTakenFirst) {
  StackPool pool(page());
  const Stack one = pool.take().value(), two = pool.take().value();
  pool.give_back(one);
  pool.give_back(two);
  const Stack again = pool.take().value();
  EXPECT_EQ(again.bottom, two.bottom);
  pool.give_back(again);
}

TEST(StackPoolTest, StacksAboveTheHighWaterMarkGiveTheirPagesBack) {
  StackPool pool(8 * page(), 2);
  std::vector<Stack> stacks;
  for (int i = 0; i < 4; ++i) {
    stacks.push_back(pool.take().value());
    std::memset(stacks.back().bottom, 1, stacks.back().size);
  }
  for (const Stack& stack : stacks) pool.give_back(stack);
  std::size_t pages = 0;
  for (const Stack& stack : stacks) pages += resident(stack);
  EXPECT_EQ(pages, 2 * 8u);
}

// After a burst has left many stacks behind, those that come and go must be the ones that still have their pages.
TEST(StackPoolTest, WarmStacksAreTakenBeforeColdOnes) {
  StackPool pool(8 * page(), 2);
  std::vector<Stack> stacks;
  for (int i = 0; i < 4; ++i) {
    stacks.push_back(pool.take().value());
    std::memset(stacks.back().bottom, 1, stacks.back().size);
  }
  for (const Stack& stack : stacks) pool.give_back(stack);
  for (int round = 0; round < 3; ++round) {
    const Stack stack = pool.take().value();
    EXPECT_EQ(resident(stack), 8u);
    pool.give_back(stack);
  }
}

TEST(StackPoolDeathTest, PoolDestroyedWhileAStackIsOutAborts) {
  EXPECT_DEATH(
      {
        StackPool pool(page());
        (void)pool.take();
      },
      "still use its stacks");
}

#ifndef DRAY_TEST_SANITIZED

TEST(StackPoolDeathTest, GuardLiesBelowEachStack) {
  EXPECT_EXIT(
      {
        StackPool pool(4 * page());
        std::vector<Stack> stacks;
        for (int i = 0; i < 10; ++i) stacks.push_back(pool.take().value());
        *(static_cast<volatile char*>(stacks[4].bottom) - 1) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

/// Where the running fiber's stack ends, roughly. For the handler.
std::uintptr_t stack_top = 0;

/// Says whether the address that was touched lies in the guard, and ends the process.
void install_witness() {
  static std::array<char, 64 << 10> alternate;
  const stack_t own{.ss_sp = alternate.data(), .ss_flags = 0, .ss_size = alternate.size()};
  sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    const std::size_t depth = stack_top - reinterpret_cast<std::uintptr_t>(info->si_addr);
    const std::size_t size = StackPool::default_size();
    _exit(depth > size - 2 * page() && depth < size + 5 * page() ? 42 : 43);
  };
  sigaction(SIGSEGV, &action, nullptr);
}

// Each frame hands its address on, so that no compiler makes a loop of it.
[[gnu::noinline]] int overflow(int depth, const volatile char* above) {
  std::array<volatile char, 2000> ballast{};
  ballast[0] = *above;
  return depth > 10'000 ? 0 : overflow(depth + 1, ballast.data()) + ballast[0];
}

/// One frame of 96 KiB near the end of the stack: it must touch the guard, not jump over it.
[[gnu::noinline]] int overflow_in_steps(int depth, const volatile char* above) {
  std::array<volatile char, 96 << 10> ballast;
  ballast[0] = *above;
  return depth > 100 ? 0 : overflow_in_steps(depth + 1, ballast.data()) + ballast[0];
}

template <class Body>
void run_to_the_guard(Body body) {
  install_witness();
  on_loop([&] {
    TaskGroup group;
    spawn(group, [&] {
      const volatile char here = 0;
      stack_top = reinterpret_cast<std::uintptr_t>(&here);
      body(&here);
    });
    (void)group.join();
  });
}

TEST(StackDeathTest, OverflowDiesInTheGuard) {
  EXPECT_EXIT(run_to_the_guard([](const volatile char* top) { overflow(0, top); }), testing::ExitedWithCode(42), "");
}

TEST(StackDeathTest, FrameLargerThanTheGuardDoesNotJumpOverIt) {
  EXPECT_EXIT(run_to_the_guard([](const volatile char* top) { overflow_in_steps(0, top); }),
              testing::ExitedWithCode(42), "");
}

std::size_t address_space_in_use() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * page();
}

/// Ends the process with 0 if all was as it should be, else with the number of the step that was not.
void run_out_of_address_space() {
  const std::size_t room = address_space_in_use() + (8u << 20);
  const rlimit limit{.rlim_cur = room, .rlim_max = room};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
  int started = 0;
  bool ran_after = false;
  on_loop([&] {
    TaskGroup group;
    Result<void> result;
    while (result.ok()) {
      result = group.spawn("child", [] { (void)sleep_until(far()); });
      if (result.ok()) ++started;
    }
    if (result.error().kind != ErrorKind::exhausted) _exit(2);
    group.cancel();
    if (!group.join().ok()) _exit(3);
    if (!group.spawn("after", [&] { ran_after = true; }).ok()) _exit(4);
    if (!group.join().ok()) _exit(5);
  });
  _exit(started > 4 && ran_after ? 0 : 6);
}

TEST(StackDeathTest, OutOfAddressSpaceIsAnErrorAndTheLoopGoesOn) {
  EXPECT_EXIT(run_out_of_address_space(), testing::ExitedWithCode(0), "");
}

void run_out_of_mappings(long limit) {
  StackPool pool(page());
  std::vector<Stack> stacks;
  for (long i = 0; i < limit; ++i) {
    const Result<Stack> stack = pool.take();
    if (!stack.ok()) _exit(stack.error().kind == ErrorKind::exhausted && i > limit / 3 ? 0 : 1);
    stacks.push_back(*stack);
  }
  _exit(2);
}

TEST(StackDeathTest, OutOfMappingsIsAnError) {
  long limit = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  if (limit == 0 || limit > 200'000) GTEST_SKIP() << "vm.max_map_count is " << limit;
  EXPECT_EXIT(run_out_of_mappings(limit), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace dray::fiber
