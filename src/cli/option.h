// Options of the command line with values of our own kinds. CLI11 stays behind these and the declare() functions.
//
// The last of several occurrences counts. A value that cannot be read ends the parsing with a message that names the
// option and the value. All targets are borrowed until the parsing has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "dray/client.h"
#include "dray/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dray::cli {

/// The general one: `take` reads the text and keeps the value, or says what is wrong with it. `kind` stands for the
/// value in the help.
CLI::Option* value_option(CLI::App& app, const std::string& names, const std::string& kind,
                          std::function<Result<void>(const std::string&)> take, const std::string& help);
void text_option(CLI::App& app, const std::string& names, const std::string& kind, std::string& target,
                 const std::string& help);
void flag(CLI::App& app, const std::string& names, bool& target, const std::string& help);
/// "8M", "1.5GiB", "1234".
void size_option(CLI::App& app, const std::string& names, std::uint64_t& target, const std::string& help);
/// A whole number of at least `least`.
void count_option(CLI::App& app, const std::string& names, std::uint64_t least, std::uint64_t most,
                  std::function<void(std::uint64_t)> take, const std::string& help);
/// "crc64nvme", ..., "none".
void checksum_option(CLI::App& app, std::function<void(ChecksumKind)> take, const std::string& help);
void readers_option(CLI::App& app, Readers& target);

}  // namespace dray::cli
