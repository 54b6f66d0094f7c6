// Proves that the sanitizers see what fibers do: their stacks are ours and every switch has to be announced, so a
// mistake there would make them blind, or make them cry about correct code.
//
// planted_fiber_bugs NAME runs one; it exits with 0 only when nobody noticed. "nothing" has no bug and must pass.
#include <array>
#include <cstdlib>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/task_group.h"

namespace {

using namespace dray::fiber;

// The compiler must not see through it, or it would refuse or remove the bug.
volatile int one = 1;

/// Others run, throw, catch and end on their own stacks. Not on this one: a throw lifts every mark that
/// AddressSanitizer has on the stack it is thrown on.
void mingle() {
  TaskGroup group;
  for (int i = 0; i < 3; ++i) {
    (void)group.spawn("other", [] {
      std::array<volatile char, 2000> used{};
      used[1] = 1;
      try {
        yield();
        throw std::runtime_error("caught at once");
      } catch (const std::runtime_error&) {
        yield();
      }
    });
  }
  (void)group.join();
}

int use_after_free() {
  int* volatile freed = new int(7);
  delete freed;
  mingle();
  return *freed;
}

int write_past_the_end_of_a_frame() {
  std::array<char, 16> frame{};
  char* volatile bytes = frame.data();
  mingle();
  bytes[15 + one] = 1;
  return frame[0];
}

/// Each on a loop of its own: nothing orders them.
int race_between_loops() {
  auto runtime = Runtime::start({.loops = 2}).value();
  auto shared = std::make_unique<int>(0);
  std::latch both(2);
  for (int i = 0; i < 2; ++i) {
    runtime->next_loop().spawn_root("racer", [&] {
      yield();
      ++*shared;
      both.count_down();
    });
  }
  both.wait();
  return *shared;
}

/// Fibers of one loop need no lock, those of two loops need one: no tool may complain.
int nothing() {
  auto runtime = Runtime::start({.loops = 2}).value();
  Mutex mutex;
  int guarded = 0;
  std::latch all(4);
  for (int i = 0; i < 4; ++i) {
    runtime->next_loop().spawn_root("careful", [&] {
      int of_one_loop = 0;
      TaskGroup group;
      for (int k = 0; k < 3; ++k) {
        (void)group.spawn("child", [&] {
          ++of_one_loop;
          yield();
          ++of_one_loop;
        });
      }
      mingle();
      (void)group.join();
      (void)mutex.lock(dray::Deadline::never());
      guarded += of_one_loop;
      yield();
      mutex.unlock();
      all.count_down();
    });
  }
  all.wait();
  runtime.reset();
  return guarded == 24 ? 0 : 1;
}

template <class Bug>
int on_a_fiber(Bug bug) {
  auto runtime = Runtime::start({.loops = 1}).value();
  return runtime->call(runtime->loop(0), bug);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  [[maybe_unused]] volatile int result = 0;
  if (name == "use_after_free") result = on_a_fiber(use_after_free);
  if (name == "write_past_the_end_of_a_frame") result = on_a_fiber(write_past_the_end_of_a_frame);
  if (name == "race_between_loops") result = race_between_loops();
  if (name == "nothing") return nothing();
  return 0;
}
