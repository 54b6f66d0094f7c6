// Stacks for fibers: mapped lazily, each with a guard below it, pooled and reused last-in-first-out.
//
// Reuse of the hottest stack keeps resident memory near what really runs at once. Above the high-water mark a returned
// stack gives its pages back. A stack without a guard is never handed out: no guard is an error.
#pragma once

#include <cstddef>
#include <vector>

#include "dray/result.h"

namespace dray::fiber {

/// Usable memory [bottom, bottom + size); it grows down, the guard lies below `bottom`. Owned by its StackPool.
struct Stack {
  void* bottom = nullptr;
  std::size_t size = 0;
};

/// For one thread. Every stack must be back before the pool is destroyed.
class StackPool {
 public:
  /// `size` in bytes is rounded up to pages. Up to `keep_warm` free stacks keep their pages.
  explicit StackPool(std::size_t size, std::size_t keep_warm = 64);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// ErrorKind::exhausted if memory or the number of mappings (vm.max_map_count) is used up.
  Result<Stack> take();
  void give_back(Stack stack);
  std::size_t stack_size() const { return size_; }

  /// The default: 256 KiB, 1 MiB where sanitizers or -O0 make frames large.
  static std::size_t default_size();

 private:
  std::size_t size_;
  std::size_t keep_warm_;
  std::size_t mapped_ = 0;
  std::vector<Stack> warm_;  // with their pages, the hottest last
  std::vector<Stack> cold_;  // taken when no warm one is left
};

}  // namespace dray::fiber
