// A profile out of the two shared files.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "aws/config_file.h"
#include "base/bytes.h"

namespace dray::aws {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }  // only read: nothing can be lost
};

/// The text of a file, at most one byte more than parse_config takes; nothing if there is no such file.
Result<std::string> read_config_text(const std::string& path) {
  std::string text;
  if (path.empty()) return text;
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return text;
    return os_error(errno, "open " + path);
  }
  char buffer[16 * base::kKiB];
  while (text.size() <= base::kMiB) {
    const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get());
    text.append(buffer, count);
    if (count < sizeof buffer) break;
  }
  if (std::ferror(file.get())) return os_error(errno, "read " + path);
  return text;
}

Result<ConfigFile> read_config(const std::string& path) {
  const std::string text = DRAY_TRY(read_config_text(path));
  Result<ConfigFile> file = parse_config(text);
  if (!file.ok()) return std::move(file).error().within(path);
  return file;
}

/// Where a file is: as the variable says ("~/" is the home folder), else in ~/.aws.
std::string config_path(const Environment& environment, std::string_view name, std::string_view file_name) {
  const std::optional<std::string> home = variable(environment, "HOME");
  if (std::optional<std::string> path = variable(environment, name)) {
    if (home && path->starts_with("~/")) return *home + path->substr(1);
    return *path;
  }
  return home ? *home + "/.aws/" + std::string(file_name) : std::string();
}

const ConfigSection* find_in_config(const ConfigFile& config, const std::string& name) {
  const ConfigSection* section = config.find("profile " + name);
  return section == nullptr && name == "default" ? config.find("default") : section;
}

}  // namespace

std::optional<std::string> Profile::get(const std::string& key) const {
  const auto found = values.find(key);
  if (found == values.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::string profile_name(const Environment& environment, std::string_view profile) {
  if (!profile.empty()) return std::string(profile);
  for (const char* name : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}) {
    if (std::optional<std::string> value = variable(environment, name)) return *value;
  }
  return "default";
}

Result<Profile> load_profile(const Environment& environment, std::string_view wanted) {
  Profile profile;
  profile.name = profile_name(environment, wanted);
  profile.credentials_path = config_path(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  profile.config_path = config_path(environment, "AWS_CONFIG_FILE", "config");
  const ConfigFile config = DRAY_TRY(read_config(profile.config_path));
  const ConfigFile credentials = DRAY_TRY(read_config(profile.credentials_path));

  const auto has_keys = [](const ConfigSection& section) {
    return section.contains("aws_access_key_id") || section.contains("aws_secret_access_key");
  };
  if (const ConfigSection* section = find_in_config(config, profile.name)) {
    profile.exists = true;
    profile.values = *section;
    if (has_keys(*section)) profile.keys_path = profile.config_path;
  }
  if (const ConfigSection* section = credentials.find(profile.name)) {
    profile.exists = true;
    if (has_keys(*section)) {
      for (const char* key : {"aws_access_key_id", "aws_secret_access_key", "aws_session_token"}) {
        profile.values.erase(key);
      }
      profile.keys_path = profile.credentials_path;
    }
    for (const auto& [key, value] : *section) profile.values[key] = value;
  }
  if (const std::optional<std::string> name = profile.get("services")) {
    const ConfigSection* section = config.find("services " + *name);
    if (section == nullptr) {
      return make_error(ErrorKind::invalid_argument,
                        fmt::format("profile '{}' names the services section '{}', which is not in {}",
                                    base::printable(profile.name), base::printable(*name), profile.config_path));
    }
    profile.services = *section;
  }
  return profile;
}

}  // namespace dray::aws
