// Source: where the bytes of one upload come from, after it was looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/copy_plan.h"
#include "cli/outcome.h"

namespace dray::cli {

struct Source {
  enum class Kind { file, fifo, standard_input, unusable };
  Operation operation;
  std::string path;
  ObjectUrl target;
  Kind kind = Kind::file;
  std::uint64_t size = 0;  ///< of a file

  // Of an unusable one: what it ends as, and why.
  Outcome::State state = Outcome::State::failed;
  Error error{};
};

/// Asks the file system, following links. A source named on the command line that is missing or a folder is a failure;
/// one that may not be read, or can be no object (a socket, a device, a name that is not UTF-8), is skipped with a
/// warning.
Source look_at(const PlannedCopy& copy);

/// Bytes in all; nothing if a stream is among them.
std::optional<std::uint64_t> total_size(const std::vector<Source>& sources);

/// The outcome of something that could not be sent: what the local file system does not let us read is skipped with a
/// warning, all else is a failure.
Outcome not_sent(Operation operation, Error error);

}  // namespace dray::cli
