// Outcome: how one operation ended, as a value; its text line and its JSON line are made from the same value. Pure.
#pragma once

#include <string>
#include <variant>

#include "dray/client.h"

namespace dray::cli {

/// What was asked for: "cp SRC DST", "head URL".
struct Operation {
  std::string name;
  std::string source{};
  std::string destination{};  ///< empty for operations on one thing
  /// As printed: names cannot forge a line or a terminal's commands.
  std::string title() const;
};

struct Outcome {
  enum class State {
    done,
    failed,
    skipped,  ///< as asked for (--no-clobber): no reason to complain
    warned,   ///< skipped, and the user should know why
  };
  Operation operation;
  State state = State::done;
  std::variant<std::monostate, Summary, ObjectInfo> object{};  ///< of a done one
  Error error{};                                               ///< why it was not done
  bool dry_run = false;
};

/// "cp SRC DST" for a done one, else `ERROR "cp SRC DST": what happened (code, request id): what to do`, or WARNING or
/// SKIPPED in that place. No newline.
std::string to_text(const Outcome& outcome);
/// One JSON object on one line. Bytes that are not UTF-8 become U+FFFD.
std::string to_json(const Outcome& outcome);

}  // namespace dray::cli
