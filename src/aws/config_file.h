// The shared AWS config and credentials files (INI with sections, nested blocks by indentation). The parser is pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "aws/credentials.h"
#include "dray/result.h"

namespace dray::aws {

/// One section: keys in lower case. A nested block (`s3 =` followed by indented lines) gives keys "s3.max_bandwidth".
using ConfigSection = std::map<std::string, std::string>;

struct ConfigFile {
  std::map<std::string, ConfigSection> sections;  ///< by name as written: "default", "profile dev", "services local"
  const ConfigSection* find(std::string_view name) const;
};

/// Comments (# and ; at the start of a line or after a blank), blank lines, CRLF, values with "=" in them. An indented
/// line below a value continues it. Sections of the same name are merged, the last key wins.
/// An error names the line number and never quotes the line, which may hold a secret. 1 MiB at most.
Result<ConfigFile> parse_config(std::string_view text);

/// What a profile says, config and credentials file merged (the credentials file wins for keys).
struct Profile {
  std::string name;
  ConfigSection values;
  ConfigSection services;        ///< the section that `services =` names: "s3.endpoint_url"
  std::string credentials_path;  ///< empty = nowhere to look (HOME is not set)
  std::string config_path;
  std::string keys_path;  ///< the one of the two that holds the access key, for messages
  bool exists = false;

  /// The value of a key (lower case), nothing if it is missing or empty.
  std::optional<std::string> get(const std::string& key) const;
};
/// `profile` unless it is empty, then AWS_PROFILE, AWS_DEFAULT_PROFILE, "default".
std::string profile_name(const Environment& environment, std::string_view profile);
/// AWS_CONFIG_FILE or ~/.aws/config; AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials. A missing file is an empty one;
/// an unreadable or broken one is an error. Reads files: call it where blocking is allowed.
/// The access key, its secret and its session token are one thing: they come from the same file, never mixed.
Result<Profile> load_profile(const Environment& environment, std::string_view profile);

}  // namespace dray::aws
