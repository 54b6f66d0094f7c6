#include "cli/option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/units.h"

namespace dray::cli {

CLI::Option* value_option(CLI::App& app, const std::string& names, const std::string& kind,
                          std::function<Result<void>(const std::string&)> take, const std::string& help) {
  const auto read = [names, take = std::move(take)](const std::string& text) {
    const Result<void> taken = take(text);
    if (!taken) throw CLI::ValidationError(names, taken.error().message);
  };
  return app.add_option_function<std::string>(names, read, help)->type_name(kind)->take_last();
}

void text_option(CLI::App& app, const std::string& names, const std::string& kind, std::string& target,
                 const std::string& help) {
  app.add_option(names, target, help)->type_name(kind)->take_last();
}

void flag(CLI::App& app, const std::string& names, bool& target, const std::string& help) {
  app.add_flag(names, target, help)->take_last();
}

void size_option(CLI::App& app, const std::string& names, std::uint64_t& target, const std::string& help) {
  const auto take = [&target](const std::string& text) -> Result<void> {
    target = DRAY_TRY(base::parse_size(text));
    return {};
  };
  value_option(app, names, "SIZE", take, help);
}

void count_option(CLI::App& app, const std::string& names, std::uint64_t least, std::uint64_t most,
                  std::function<void(std::uint64_t)> take, const std::string& help) {
  const auto read = [=](const std::string& text) -> Result<void> {
    const Result<std::uint64_t> number = base::parse_u64(text);
    if (!number || *number < least || *number > most) {
      return make_error(ErrorKind::invalid_argument,
                        fmt::format("{} is not a whole number from {} to {}", base::in_quotes(text), least, most));
    }
    take(*number);
    return {};
  };
  value_option(app, names, "N", read, help);
}

void checksum_option(CLI::App& app, std::function<void(ChecksumKind)> take, const std::string& help) {
  const auto read = [take = std::move(take)](const std::string& text) -> Result<void> {
    const std::optional<ChecksumKind> kind = checksum_kind_from(text);
    if (!kind) {
      return make_error(ErrorKind::invalid_argument,
                        base::in_quotes(text) + " is none of crc64nvme, crc32, crc32c, sha1, sha256, none");
    }
    take(*kind);
    return {};
  };
  value_option(app, "--checksum", "NAME", read, help);
}

void readers_option(CLI::App& app, Readers& target) {
  const auto take = [&target](const std::string& text) -> Result<void> {
    if (text != "serial" && text != "parallel") {
      return make_error(ErrorKind::invalid_argument, base::in_quotes(text) + " is neither serial nor parallel");
    }
    target = text == "serial" ? Readers::serial : Readers::parallel;
    return {};
  };
  value_option(app, "--readers", "HOW", take,
               "parallel: parts are read as they are sent; serial: one after the other, for comparison");
}

}  // namespace dray::cli
