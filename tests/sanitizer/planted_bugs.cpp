// Proves that a sanitizer build is awake: each of these bugs must be found, and found by the right tool. A build whose
// flags got lost somewhere would pass every other test in silence.
//
// planted_bugs NAME runs one; it exits with 0 only when nobody noticed.
#include <climits>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>

namespace {

// The compiler must not see through these, or it would refuse or remove the bug.
volatile int one = 1;
int shared_by_two_threads = 0;

int read_past_the_end() {
  auto block = std::make_unique<char[]>(16);
  std::memset(block.get(), 1, 16);
  const volatile char* bytes = block.get();
  return bytes[15 + one];
}

int use_after_free() {
  int* volatile freed = new int(7);
  delete freed;
  return *freed;
}

int leak() {
  int* volatile lost = new int[100]{};
  lost = nullptr;
  return lost != nullptr;
}

int overflow() { return INT_MAX - 1 + one + one; }

int race() {
  std::thread other([] { ++shared_by_two_threads; });
  ++shared_by_two_threads;
  other.join();
  return shared_by_two_threads;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  [[maybe_unused]] volatile int result = 0;
  if (name == "read_past_the_end") result = read_past_the_end();
  if (name == "use_after_free") result = use_after_free();
  if (name == "leak") result = leak();
  if (name == "overflow") result = overflow();
  if (name == "race") result = race();
  return 0;
}
