// XML as S3 uses it: small documents, read into a tree of values, written through an escaping writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/result.h"

namespace dray::s3 {

/// An element. Namespace prefixes are taken off; attributes, comments and processing instructions are dropped.
struct XmlElement {
  std::string name;
  std::string text;  ///< the character data directly inside, entities decoded
  std::vector<XmlElement> children;

  /// The first child of that name, or null.
  const XmlElement* child(std::string_view name) const;
  /// The text of the first child of that name, or "".
  std::string_view child_text(std::string_view name) const;
  std::vector<const XmlElement*> children_named(std::string_view name) const;
};

/// The root element. ErrorKind::protocol for what is not well formed, has no root or more than it, names a character
/// that cannot be (NUL: no text may be cut in silence), is deeper than 32 or larger than 16 MiB (S3's largest are
/// listings of 1000 keys of 1024 bytes, every byte escaped). White space before the declaration is tolerated: S3 sends
/// it to keep a slow reply alive.
Result<XmlElement> parse_xml(std::string_view text);

void append_xml_escaped(std::string& to, std::string_view text);

/// Writes a document: open("A"), element("B", "text"), close("A"). Characters that XML 1.0 cannot hold are written as
/// numeric references, as S3 does.
class XmlWriter {
 public:
  XmlWriter();  ///< with the declaration
  XmlWriter& open(std::string_view name);
  /// The root of S3's replies, with its namespace.
  XmlWriter& open_s3(std::string_view name);
  XmlWriter& close(std::string_view name);
  XmlWriter& element(std::string_view name, std::string_view text);
  XmlWriter& element(std::string_view name, std::uint64_t number);
  std::string finish() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace dray::s3
