// A home folder with AWS files in it, and an environment that knows nothing else.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "aws/credentials.h"

namespace dray::aws {

class FakeHome {
 public:
  FakeHome() {
    std::string pattern = ::testing::TempDir() + "dray-home-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no folder " << pattern;
    path_ = pattern;
    ::mkdir((path_ + "/.aws").c_str(), 0700);
    variables_["HOME"] = path_;
  }
  ~FakeHome() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FakeHome(const FakeHome&) = delete;
  FakeHome& operator=(const FakeHome&) = delete;

  const std::string& path() const { return path_; }
  /// `name` is beneath the home folder: ".aws/config".
  void write(const std::string& name, std::string_view text) const { std::ofstream(path_ + "/" + name) << text; }
  void set(const std::string& name, const std::string& value) { variables_[name] = value; }
  void unset(const std::string& name) { variables_.erase(name); }
  /// A copy: later changes do not reach it.
  Environment environment() const {
    return [variables = variables_](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(std::string(name));
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
  }

 private:
  std::string path_;
  std::map<std::string, std::string> variables_;
};

}  // namespace dray::aws
