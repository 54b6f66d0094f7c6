// The logging sink: a value that is passed down, never a global. The library is silent unless it is given one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace dray {

enum class LogLevel { trace, debug, info, warning, error, off };

/// Where a layer's notices go. Copies share the sink. The sink is called on any thread, never during a wait, and must
/// neither wait on a fiber nor throw. Formatting is done only if the level is wanted.
class Log {
 public:
  using Sink = std::function<void(LogLevel, std::string_view)>;
  Log() = default;  ///< silent
  Log(LogLevel level, Sink sink) : level_(level), sink_(std::move(sink)) {}
  bool wants(LogLevel level) const { return sink_ && level >= level_; }
  void write(LogLevel level, std::string_view text) const {
    if (wants(level)) sink_(level, text);
  }
  void debug(std::string_view text) const { write(LogLevel::debug, text); }
  void info(std::string_view text) const { write(LogLevel::info, text); }
  void warning(std::string_view text) const { write(LogLevel::warning, text); }

 private:
  LogLevel level_ = LogLevel::off;
  Sink sink_;
};

}  // namespace dray
