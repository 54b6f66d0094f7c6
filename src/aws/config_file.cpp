#include "aws/config_file.h"

#include "base/bytes.h"

namespace dray::aws {
namespace {

constexpr std::size_t kLargestFile = base::kMiB;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Cuts a comment off a value: "#" or ";" with a blank before it.
std::string_view without_comment(std::string_view value) {
  for (std::size_t i = 1; i < value.size(); ++i) {
    if ((value[i] == '#' || value[i] == ';') && is_blank(value[i - 1])) return base::trim(value.substr(0, i));
  }
  return value;
}

/// Reads line by line. What an indented line means depends on the key above it: below an empty value it is a key of a
/// nested block, below any other it continues the value. The first key of a section may itself be indented.
class ConfigParser {
 public:
  Result<ConfigFile> parse(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty()) {
      ++line_number_;
      const std::size_t end = text.find('\n');
      DRAY_TRY(line(text.substr(0, end)));
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return std::move(file_);
  }

 private:
  Result<void> line(std::string_view raw) {
    if (raw.ends_with('\r')) raw.remove_suffix(1);
    if (raw.find('\0') != raw.npos) return fault("has a NUL byte");
    const std::string_view text = base::trim(raw);
    if (text.empty() || text[0] == '#' || text[0] == ';') return {};
    const std::size_t indent = raw.find_first_not_of(" \t");
    if (!key_.empty() && indent > key_indent_) return indented(text);
    if (text[0] == '[') return section_header(text);
    key_indent_ = indent;
    return property(text);
  }

  /// "[default]", "[profile dev]", "[profile "my dev"]": blanks are evened out and quotes taken off.
  Result<void> section_header(std::string_view text) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return fault("has a section name without a closing bracket");
    const std::string_view rest = base::trim(text.substr(end + 1));
    if (!rest.empty() && rest[0] != '#' && rest[0] != ';') return fault("has text after a section name");
    std::string_view kind = base::trim(text.substr(1, end - 1));
    std::string_view name;
    if (const std::size_t blank = kind.find_first_of(" \t"); blank != kind.npos) {
      name = base::trim(kind.substr(blank));
      kind = kind.substr(0, blank);
      if (name.size() >= 2 && (name[0] == '"' || name[0] == '\'') && name.back() == name[0]) {
        name = name.substr(1, name.size() - 2);
      }
    }
    if (kind.empty()) return fault("has an empty section name");
    std::string full(kind);
    if (!name.empty()) full.append(" ").append(name);
    section_ = &file_.sections[full];
    key_.clear();
    return {};
  }

  Result<void> property(std::string_view text) {
    if (section_ == nullptr) return fault("stands before the first section");
    return assign("", text, &key_);
  }

  Result<void> indented(std::string_view text) {
    std::string& value = (*section_)[key_];
    if (value.empty()) return assign(key_ + ".", text, nullptr);
    value += '\n';
    value += text;
    return {};
  }

  Result<void> assign(const std::string& prefix, std::string_view text, std::string* remember) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return fault("has no \"=\"");
    const std::string_view name = base::trim(text.substr(0, equals));
    if (name.empty()) return fault("has no name before \"=\"");
    std::string key = prefix + base::to_lower(name);
    (*section_)[key] = without_comment(base::trim(text.substr(equals + 1)));
    if (remember != nullptr) *remember = std::move(key);
    return {};
  }

  Error fault(std::string_view what) const {
    return make_error(ErrorKind::invalid_argument, "line " + std::to_string(line_number_) + " " + std::string(what));
  }

  ConfigFile file_;
  ConfigSection* section_ = nullptr;  // std::map keeps its elements in place
  std::string key_;                   // the last key that was not nested; empty = none in this section yet
  std::size_t key_indent_ = 0;
  std::size_t line_number_ = 0;
};

}  // namespace

const ConfigSection* ConfigFile::find(std::string_view name) const {
  const auto found = sections.find(std::string(name));
  return found == sections.end() ? nullptr : &found->second;
}

Result<ConfigFile> parse_config(std::string_view text) {
  if (text.size() > kLargestFile) {
    return make_error(ErrorKind::invalid_argument, "it is larger than 1 MiB, too large for a config file");
  }
  return ConfigParser().parse(text);
}

}  // namespace dray::aws
