// ObjectUrl over any text: what is accepted keeps its promises and reads back as itself; messages are fit to be shown.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "dray/object_url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const dray::Result<dray::ObjectUrl> url = dray::ObjectUrl::parse(text);
  if (!url) {
    if (url.error().kind != dray::ErrorKind::invalid_argument) __builtin_trap();
    if (url.error().message.find_first_of("\r\n\x1b") != url.error().message.npos) __builtin_trap();
    return 0;
  }
  if (url->bucket.empty() || url->bucket.find('/') != url->bucket.npos) __builtin_trap();
  if (url->key.size() > 1024 || !dray::base::is_utf8(url->key)) __builtin_trap();
  if (dray::ObjectUrl::parse(url->text()).value() != *url) __builtin_trap();
  if (!text.ends_with(url->key)) __builtin_trap();
  return 0;
}
