// Counters: what a server has done so far.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "server/operation.h"

namespace dray::server {

struct Counters {
  std::array<std::uint64_t, kOperations> requests{};  ///< by Operation; authenticated ones
  std::uint64_t refused = 0;                          ///< answered with 4xx or 5xx
  std::uint64_t bytes_in = 0, bytes_out = 0;          ///< bodies of objects and parts
  std::uint64_t connections = 0, peak_connections = 0;

  std::uint64_t requests_of(Operation operation) const { return requests[static_cast<std::size_t>(operation)]; }
};

/// Where the loops count. Any thread; each number is exact, together they are not one moment.
class CounterBoard {
 public:
  void count(Operation operation) { add(requests_[static_cast<std::size_t>(operation)], 1); }
  void refused() { add(refused_, 1); }
  void received(std::uint64_t bytes) { add(bytes_in_, bytes); }
  void sent(std::uint64_t bytes) { add(bytes_out_, bytes); }
  void connected() {
    const std::uint64_t now = connections_.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint64_t peak = peak_connections_.load(std::memory_order_relaxed);
    while (now > peak && !peak_connections_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }
  void disconnected() { connections_.fetch_sub(1, std::memory_order_relaxed); }

  Counters read() const {
    Counters counters;
    std::transform(requests_.begin(), requests_.end(), counters.requests.begin(),
                   [](const Number& number) { return number.load(std::memory_order_relaxed); });
    counters.refused = refused_.load(std::memory_order_relaxed);
    counters.bytes_in = bytes_in_.load(std::memory_order_relaxed);
    counters.bytes_out = bytes_out_.load(std::memory_order_relaxed);
    counters.connections = connections_.load(std::memory_order_relaxed);
    counters.peak_connections = peak_connections_.load(std::memory_order_relaxed);
    return counters;
  }

 private:
  using Number = std::atomic<std::uint64_t>;
  static void add(Number& number, std::uint64_t by) { number.fetch_add(by, std::memory_order_relaxed); }
  std::array<Number, kOperations> requests_{};
  Number refused_{0}, bytes_in_{0}, bytes_out_{0}, connections_{0}, peak_connections_{0};
};

}  // namespace dray::server
