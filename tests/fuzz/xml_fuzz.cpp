// The XML parser over any text: no element is deeper than promised, no text is cut, and a text that is written again
// reads as itself. Error replies are made of the same bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "s3/error.h"
#include "s3/xml.h"

namespace {

using namespace dray::s3;

void check_element(const XmlElement& element, int depth) {
  if (depth > 32 || element.text.find('\0') != element.text.npos) __builtin_trap();
  XmlWriter xml;
  xml.element("A", element.text);
  const dray::Result<XmlElement> again = parse_xml(xml.finish());
  if (!again || again->text != element.text) __builtin_trap();
  for (const XmlElement& child : element.children) check_element(child, depth + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const dray::Result<XmlElement> root = parse_xml(text);
  if (root) {
    check_element(*root, 1);
  } else if (root.error().kind != dray::ErrorKind::protocol) {
    __builtin_trap();
  }
  for (int status : {200, 404, 503}) {
    const dray::Error error = error_in_success({.status = status}, text, "Operation");
    if (error.message.find_first_of("\r\n\x1b") != error.message.npos || error.message.size() > 8192) __builtin_trap();
    if (error.code.find_first_of("\r\n\x1b") != error.code.npos) __builtin_trap();
  }
  return 0;
}
