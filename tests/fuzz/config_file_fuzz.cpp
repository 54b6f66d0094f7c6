// The config file's parser over any text: it may refuse, but it must end, stay in its bounds and never quote the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "aws/config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const dray::Result<dray::aws::ConfigFile> file = dray::aws::parse_config(text);
  if (!file.ok()) {
    if (!file.error().message.starts_with("line ") && size <= (1u << 20)) __builtin_trap();
    return 0;
  }
  for (const auto& [name, section] : file->sections) {
    if (name.empty() || file->find(name) != &section) __builtin_trap();
    for (const auto& [key, value] : section) {
      if (key.empty() || value.find('\0') != value.npos) __builtin_trap();
    }
  }
  return 0;
}
