// Signals: SIGINT, SIGTERM and their like as something a fiber waits for (signalfd). For programs, never for the
// library: it changes the signal mask of the whole process.
#pragma once

#include <initializer_list>

#include "base/time.h"
#include "fiber/descriptor.h"

namespace dray::fiber {

/// Blocks the signals for the calling thread and all it will start. Call it in main() before any thread exists.
void block_signals(std::initializer_list<int> signals);

class Signals {
 public:
  /// The signals must be blocked in every thread (block_signals).
  static Result<Signals> open(std::initializer_list<int> signals);
  /// The number of the next signal.
  Result<int> next(Deadline deadline);

 private:
  Descriptor descriptor_;
};

}  // namespace dray::fiber
