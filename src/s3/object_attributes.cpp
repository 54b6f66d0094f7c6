#include "s3/object_attributes.h"

#include "base/bytes.h"

namespace dray::s3 {
namespace {

bool fits_header(std::string_view text) {
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return true;
}

bool is_header_name(std::string_view text) {
  for (char c : text) {
    const char lower = base::to_lower(c);
    const bool fine = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!fine) return false;
  }
  return !text.empty();
}

}  // namespace

Result<void> ObjectAttributes::check() const {
  if (!fits_header(content_type)) {
    return make_error(ErrorKind::invalid_argument, "the content type has control characters");
  }
  for (const auto& [name, value] : metadata) {
    if (!is_header_name(name)) {
      return make_error(ErrorKind::invalid_argument,
                        "metadata name " + base::in_quotes(name) + " may only have letters, digits, '-', '_' and '.'");
    }
    if (!fits_header(value)) {
      return make_error(ErrorKind::invalid_argument,
                        "the value of metadata " + base::in_quotes(name) + " has control characters");
    }
  }
  return {};
}

void ObjectAttributes::add_to(Request& request) const {
  if (!content_type.empty()) request.headers.emplace_back("content-type", content_type);
  for (const auto& [name, value] : metadata) {
    request.headers.emplace_back("x-amz-meta-" + base::to_lower(name), base::trim(value));
  }
}

}  // namespace dray::s3
