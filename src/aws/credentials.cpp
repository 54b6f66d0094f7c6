#include "aws/credentials.h"

#include <algorithm>
#include <cstdlib>

namespace dray::aws {
namespace {

/// Printable ASCII without blanks: what cannot break out of a header line.
bool is_clean(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

Result<void> check_credentials(const Credentials& credentials) {
  const auto refuse = [](std::string_view what) {
    return make_error(ErrorKind::invalid_argument,
                      "the " + std::string(what) + " has a blank, control or non-ASCII character in it")
        .advise("look for a stray space or line end where it was pasted");
  };
  if (!is_clean(credentials.access_key)) return refuse("access key");
  if (!is_clean(credentials.secret_key)) return refuse("secret key");
  if (!is_clean(credentials.session_token)) return refuse("session token");
  if (!credentials.anonymous() && credentials.secret_key.empty()) {
    return make_error(ErrorKind::invalid_argument, "there is an access key but no secret key");
  }
  return {};
}

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

std::optional<std::string> variable(const Environment& environment, std::string_view name) {
  if (!environment) return std::nullopt;
  std::optional<std::string> value = environment(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

}  // namespace dray::aws
