#include "fiber/io_table.h"

#include <cerrno>

namespace dray::fiber {

Result<std::uint32_t> IoTable::add(int descriptor) {
  std::uint32_t index;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  IoSlot& slot = slots_[index];
  slot = IoSlot{.generation = slot.generation + 1, .used = true};
  epoll_event interest{};
  interest.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  interest.data.u64 = (std::uint64_t{slot.generation} << 32) | index;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &interest) != 0) {
    const int error = errno;
    slot.used = false;
    free_.push_back(index);
    return os_error(error, "watch a descriptor");
  }
  return index;
}

void IoTable::remove(std::uint32_t index, int descriptor) {
  IoSlot& slot = slots_[index];
  // Always deregister: a copy of the descriptor in a child would keep the registration alive. It fails only if the
  // descriptor is gone already, which is what we want.
  epoll_event unused{};
  (void)epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, &unused);
  slot.used = false;
  ++slot.generation;
  freed_in_batch_.push_back(index);
}

void IoTable::deliver(const epoll_event& event) {
  const auto index = static_cast<std::uint32_t>(event.data.u64);
  const auto generation = static_cast<std::uint32_t>(event.data.u64 >> 32);
  if (index >= slots_.size()) return;
  IoSlot& slot = slots_[index];
  if (!slot.used || slot.generation != generation) return;
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  if (broken || (event.events & (EPOLLIN | EPOLLRDHUP)) != 0) {
    slot.readable = true;
    slot.reader.wake();
  }
  if (broken || (event.events & EPOLLOUT) != 0) {
    slot.writable = true;
    slot.writer.wake();
  }
}

void IoTable::end_of_batch() {
  if (freed_in_batch_.empty()) return;
  free_.insert(free_.end(), freed_in_batch_.begin(), freed_in_batch_.end());
  freed_in_batch_.clear();
}

}  // namespace dray::fiber
