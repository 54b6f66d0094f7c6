#include "cli/head_text.h"

#include <fmt/format.h>

#include <string_view>

#include "base/bytes.h"
#include "base/units.h"

namespace dray::cli {
namespace {

/// "5368709120 (5.0 GiB)"; small sizes need no second form.
std::string size_text(std::uint64_t size) {
  return size < base::kKiB ? std::to_string(size) : fmt::format("{} ({})", size, base::format_size(size));
}

std::string checksum_text(const ObjectInfo& info) {
  if (info.checksum.empty()) return "";
  const std::string type = info.checksum_type.empty() ? "" : " (" + info.checksum_type + ")";
  return std::string(name_of(info.checksum_kind)) + " " + info.checksum + type;
}

}  // namespace

std::string head_text(const ObjectUrl& url, const ObjectInfo& info) {
  std::string text;
  const auto fact = [&text](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    text += fmt::format("{}{:<11}{}", text.empty() ? "" : "\n", name, base::printable(value));
  };
  fact("Object", url.text());
  fact("Size", size_text(info.size));
  fact("Type", info.content_type);
  fact("Modified", info.last_modified);
  fact("ETag", info.etag);
  fact("Checksum", checksum_text(info));
  fact("Class", info.storage_class);
  fact("Version", info.version_id);
  for (const auto& [name, value] : info.metadata) fact("Metadata", name + "=" + value);
  return text;
}

}  // namespace dray::cli
