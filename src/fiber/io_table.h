// IoTable: the descriptors that a loop watches, by slot and generation. Private to this room; others use Descriptor.
//
// Each descriptor is registered once, edge-triggered, for reading and writing. epoll carries the slot's index and
// generation, never a pointer, so that an event for a descriptor that is gone (its number perhaps reused already) finds
// no one. Slots freed while a batch of events is delivered are recycled only after it.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "dray/result.h"
#include "fiber/loop.h"

namespace dray::fiber {

/// "Ready" bits are sticky: set by events, cleared by whoever met EAGAIN, just before it waits.
struct IoSlot {
  std::uint32_t generation = 0;
  bool used = false;
  bool readable = false;
  bool writable = false;
  bool closed = false;
  Ticket reader;
  Ticket writer;
};

class IoTable {
 public:
  static constexpr std::uint64_t kPostEvent = ~std::uint64_t{0};

  /// Refers to the loop's epoll descriptor, which is opened after the table is made.
  explicit IoTable(const int& epoll) : epoll_(epoll) {}

  /// Watches a non-blocking descriptor; returns its slot.
  Result<std::uint32_t> add(int descriptor);
  /// Ends the watch. Nobody may wait on the slot any more.
  void remove(std::uint32_t slot, int descriptor);
  IoSlot& at(std::uint32_t slot) { return slots_[slot]; }

  void deliver(const epoll_event& event);
  void end_of_batch();

 private:
  const int& epoll_;
  std::deque<IoSlot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> freed_in_batch_;
};

}  // namespace dray::fiber
