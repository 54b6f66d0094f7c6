// UploadQueue: the uploads of one command while they run. Reports each as it ends, shows progress, sees to
// interruptions, and makes the summary and the exit code.
//
// On the command's thread. Between construction and finish() a signal cancels all uploads of the client.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/tally.h"
#include "dray/client.h"
#include "file/file.h"

namespace dray::cli {

/// One that was started.
struct Upload {
  Operation operation;
  std::uint64_t size = 0;   ///< as planned; 0 for a stream
  bool no_clobber = false;  ///< "exists already" is then no failure
  file::File stream{};      ///< kept open until the upload has ended; may be none
};

class UploadQueue {
 public:
  /// `planned` operations with `total` bytes, if that is known. Borrows the client and the context.
  UploadQueue(Client& client, Context& context, std::uint64_t planned, std::optional<std::uint64_t> total);

  /// Waits while very many are under way.
  void add(Upload upload, Transfer transfer);
  /// One that ended without a transfer. `size`: as planned.
  void report(Outcome outcome, std::uint64_t size = 0);
  /// Whether a signal has come: nothing more should be started.
  bool interrupted() const { return context_.interrupts.signal() != 0; }
  /// Waits up to `patience` for something to end, shows progress. For those who wait for something else meanwhile.
  void look(std::chrono::milliseconds patience);
  /// Waits for all, prints the summary, returns the exit code.
  int finish();

 private:
  struct Running {
    Upload upload;
    Transfer transfer;
  };
  using Iterator = std::list<Running>::iterator;

  Iterator collect(Iterator ended);
  void collect_ended();
  void show_progress();
  void say_interrupted();

  Client& client_;
  Context& context_;
  Interrupts::Registration on_signal_;
  SteadyTime start_;
  std::optional<std::uint64_t> total_;
  std::list<Running> running_;  // oldest first
  Tally tally_;
  bool left_behind_ = false;
  ProgressDisplay display_;
};

}  // namespace dray::cli
