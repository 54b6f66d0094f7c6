// A folder of its own for each test of this room, removed afterwards with all that is in it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "file/file.h"

namespace dray::file {

class TempFolder : public testing::Test {
 protected:
  TempFolder() : folder_(testing::TempDir() + "dray-file-test-XXXXXX") {
    if (mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "no folder to work in: " << folder_;
  }
  ~TempFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(std::string_view name) const { return folder_ + "/" + std::string(name); }
  const std::string& folder() const { return folder_; }
  /// Makes or replaces a file; its path.
  std::string write(std::string_view name, std::string_view content) const {
    std::error_code ignored;
    std::filesystem::remove(path(name), ignored);
    File file = File::create(path(name)).value();
    EXPECT_TRUE(file.write_at(0, as_bytes(content)).ok());
    EXPECT_TRUE(file.close().ok());
    return path(name);
  }

 private:
  std::string folder_;
};

/// Bytes that differ at every position that matters: no slice looks like another.
inline std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (char& c : text) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return text;
}

inline MutableBytes room(std::string& text) { return {reinterpret_cast<std::byte*>(text.data()), text.size()}; }

}  // namespace dray::file
