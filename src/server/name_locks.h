// NameLocks: one writer at a time for each name, without a lock for each name.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "fiber/sync.h"

namespace dray::server {

/// Names share 256 fiber semaphores by their hash. For fibers of any loop.
class NameLocks {
 public:
  /// Held until the Units go. Waits without a deadline: the holder is at work on the disk and will end.
  Result<fiber::Units> lock(std::string_view scope, std::string_view name) {
    const std::size_t hash = std::hash<std::string_view>{}(scope)*31 + std::hash<std::string_view>{}(name);
    return fiber::Units::acquire(locks_[hash % locks_.size()].semaphore, 1, Deadline::never());
  }

 private:
  struct Lock {
    fiber::Semaphore semaphore{1};
  };
  std::array<Lock, 256> locks_;
};

}  // namespace dray::server
