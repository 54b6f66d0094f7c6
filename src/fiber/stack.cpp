#include "fiber/stack.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace dray::fiber {
namespace {

constexpr std::size_t kGuardPages = 4;  // wider than a page: -fstack-clash-protection covers larger frames

std::size_t page_size() {
  static const std::size_t size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}
std::size_t guard_size() { return kGuardPages * page_size(); }

}  // namespace

std::size_t StackPool::default_size() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  return std::size_t{1} << 20;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return std::size_t{1} << 20;
#else
  return std::size_t{256} << 10;
#endif
#else
  return std::size_t{256} << 10;
#endif
}

StackPool::StackPool(std::size_t size, std::size_t keep_warm) : keep_warm_(keep_warm) {
  size_ = (size + page_size() - 1) / page_size() * page_size();
}

StackPool::~StackPool() {
  if (warm_.size() + cold_.size() != mapped_) die("StackPool destroyed while fibers still use its stacks");
  for (const auto* list : {&warm_, &cold_}) {
    for (const Stack& stack : *list) munmap(static_cast<char*>(stack.bottom) - guard_size(), size_ + guard_size());
  }
}

Result<Stack> StackPool::take() {
  for (auto* list : {&warm_, &cold_}) {
    if (list->empty()) continue;
    const Stack stack = list->back();
    list->pop_back();
    return stack;
  }
  const std::size_t whole = size_ + guard_size();
  void* base = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) return os_error(errno, "map a fiber's stack");
  void* bottom = static_cast<char*>(base) + guard_size();
  // The guard is what stays PROT_NONE, so it exists if and only if this call succeeds.
  if (mprotect(bottom, size_, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(base, whole);
    return os_error(error, "guard a fiber's stack (vm.max_map_count may be too low)");
  }
  madvise(bottom, size_, MADV_NOHUGEPAGE);  // advice only: a huge page would make each stack cost 2 MiB
  ++mapped_;
  return Stack{bottom, size_};
}

void StackPool::give_back(Stack stack) {
  if (warm_.size() < keep_warm_) return warm_.push_back(stack);
  madvise(stack.bottom, stack.size, MADV_DONTNEED);
  cold_.push_back(stack);
}

}  // namespace dray::fiber
