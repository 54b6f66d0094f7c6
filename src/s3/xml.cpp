#include "s3/xml.h"

#include <algorithm>
#include <pugixml.hpp>

#include "base/bytes.h"

namespace dray::s3 {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxBytes = 16 << 20;
constexpr std::string_view kBlank = " \t\r\n";

std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// Takes a reference like "&#x1f;" off `text`, which stands behind its "&#". True if no character has that number.
bool takes_bad_reference(std::string_view& text) {
  const bool hex = text.starts_with('x');
  if (hex) text.remove_prefix(1);
  std::uint32_t number = 0;
  bool digits = false;
  for (; !text.empty() && base::hex_value(text.front()) >= 0; text.remove_prefix(1)) {
    const auto digit = static_cast<std::uint32_t>(base::hex_value(text.front()));
    if (!hex && digit > 9) break;
    number = std::min<std::uint32_t>(number * (hex ? 16 : 10) + digit, 0x110000);
    digits = true;
  }
  if (!digits || !text.starts_with(';')) return false;  // no reference: stays as it is
  return number == 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff);
}

/// pugixml ends a text at a NUL, however it is written: a key with one would be cut in silence. It writes what the
/// other impossible references name as bytes that are not UTF-8.
bool has_impossible_characters(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return true;
  for (std::size_t at; (at = text.find("&#")) != std::string_view::npos;) {
    text.remove_prefix(at + 2);
    if (takes_bad_reference(text)) return true;
  }
  return false;
}

/// The only element of a document; null if there are none, several, or text beside it.
pugi::xml_node only_element(const pugi::xml_document& document) {
  pugi::xml_node root;
  for (const pugi::xml_node& node : document.children()) {
    const bool text = node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata;
    if (text && std::string_view(node.value()).find_first_not_of(kBlank) != std::string_view::npos) return {};
    if (node.type() != pugi::node_element) continue;
    if (root) return {};
    root = node;
  }
  return root;
}

bool copy(const pugi::xml_node& from, XmlElement& to, int depth) {
  if (depth > kMaxDepth) return false;
  to.name = without_prefix(from.name());
  for (const pugi::xml_node& node : from.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      to.text += node.value();
    } else if (node.type() == pugi::node_element) {
      if (!copy(node, to.children.emplace_back(), depth + 1)) return false;
    }
  }
  return true;
}

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& element : children) {
    if (element.name == wanted) return &element;
  }
  return nullptr;
}

std::string_view XmlElement::child_text(std::string_view wanted) const {
  const XmlElement* element = child(wanted);
  return element != nullptr ? std::string_view(element->text) : std::string_view{};
}

std::vector<const XmlElement*> XmlElement::children_named(std::string_view wanted) const {
  std::vector<const XmlElement*> found;
  for (const XmlElement& element : children) {
    if (element.name == wanted) found.push_back(&element);
  }
  return found;
}

Result<XmlElement> parse_xml(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  if (text.size() > kMaxBytes) return make_error(ErrorKind::protocol, "an XML document is too large");
  if (has_impossible_characters(text)) {
    return make_error(ErrorKind::protocol, "an XML document with characters that cannot be");
  }
  pugi::xml_document document;
  // parse_fragment: else text and elements beside the root would be dropped without a word.
  const pugi::xml_parse_result parsed = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_ws_pcdata_single | pugi::parse_fragment,
      pugi::encoding_utf8);
  if (!parsed) {
    return make_error(ErrorKind::protocol, std::string("not well-formed XML (") + parsed.description() + ")");
  }
  const pugi::xml_node root = only_element(document);
  if (!root) return make_error(ErrorKind::protocol, "an XML document without one element around it all");
  XmlElement element;
  if (!copy(root, element, 1)) return make_error(ErrorKind::protocol, "an XML document is nested too deeply");
  return element;
}

void append_xml_escaped(std::string& to, std::string_view text) {
  for (char c : text) {
    switch (c) {
      case '&':
        to += "&amp;";
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '"':
        to += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          to += "&#x";
          to += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
          to += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
          to += ';';
        } else {
          to += c;
        }
    }
  }
}

XmlWriter::XmlWriter() : text_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {}

XmlWriter& XmlWriter::open(std::string_view name) {
  text_.append("<").append(name).append(">");
  return *this;
}
XmlWriter& XmlWriter::open_s3(std::string_view name) {
  text_.append("<").append(name).append(" xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
  return *this;
}
XmlWriter& XmlWriter::close(std::string_view name) {
  text_.append("</").append(name).append(">");
  return *this;
}
XmlWriter& XmlWriter::element(std::string_view name, std::string_view text) {
  open(name);
  append_xml_escaped(text_, text);
  return close(name);
}
XmlWriter& XmlWriter::element(std::string_view name, std::uint64_t number) {
  return element(name, std::string_view(std::to_string(number)));
}

}  // namespace dray::s3
