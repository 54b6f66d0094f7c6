#include "s3/xml.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "support/with_loop.h"

namespace dray::s3 {
namespace {

using test::outcome;

/// "name[text](children)": the whole tree in one line.
std::string shape(const XmlElement& element) {
  std::string text = element.name;
  if (!element.text.empty()) text += "[" + element.text + "]";
  if (element.children.empty()) return text;
  text += "(";
  for (const XmlElement& child : element.children) text += shape(child) + " ";
  text.back() = ')';
  return text;
}

struct Row {
  const char* name;
  std::string text;
  std::string shape;  // "" = refused
};
void PrintTo(const Row& row, std::ostream* to) { *to << row.name; }
std::string name_of_row(const testing::TestParamInfo<Row>& info) { return info.param.name; }

class ParseXmlTest : public testing::TestWithParam<Row> {};

TEST_P(ParseXmlTest, SeesWhatIsMeant) {
  const Result<XmlElement> document = parse_xml(GetParam().text);
  if (GetParam().shape.empty()) {
    EXPECT_EQ(outcome(document), "protocol") << shape(*document);
  } else {
    ASSERT_TRUE(document.ok()) << document.error().message;
    EXPECT_EQ(shape(*document), GetParam().shape);
  }
}

const std::string kDeclaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

INSTANTIATE_TEST_SUITE_P(
    Documents, ParseXmlTest,
    testing::Values(Row{"Empty", "<A/>", "A"},
                    Row{"Tree", "<A><B>1</B><C><D>2</D></C><B>3</B></A>", "A(B[1] C(D[2]) B[3])"},
                    Row{"Declaration", kDeclaration + "\n<A>x</A>\n", "A[x]"},
                    Row{"BlanksBeforeTheDeclaration", " \r\n\t\n " + kDeclaration + "<A>x</A>", "A[x]"},
                    Row{"ByteOrderMark", "\xef\xbb\xbf<A>x</A>", "A[x]"},
                    Row{"Indented", "<A>\n  <B>x</B>\n</A>", "A(B[x])"},
                    Row{"BlanksThatAreTheText", "<A> </A>", "A[ ]"}, Row{"BlanksRoundTheText", "<A> x </A>", "A[ x ]"},
                    Row{"PrefixesAndAttributes", "<s:A xmlns:s=\"http://x/\"><s:B c='1'>x</s:B></s:A>", "A(B[x])"},
                    Row{"Entities", "<A>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#10;&#x1;</A>", "A[<>&\"'AB\n\x01]"},
                    Row{"DecodesOnce", "<A>&amp;lt;%20+</A>", "A[&lt;%20+]"},
                    Row{"UnknownEntityStays", "<A>&nbsp;&;</A>", "A[&nbsp;&;]"},
                    Row{"NoReferenceStays", "<A>&#;&#x;&#12</A>", "A[&#;&#x;&#12]"},
                    Row{"LargestCharacter", "<A>&#x10FFFF;</A>", "A[\xf4\x8f\xbf\xbf]"},
                    Row{"Unicode", "<A>\xc3\xa4\xe2\x80\xa8</A>", "A[\xc3\xa4\xe2\x80\xa8]"},
                    Row{"CharacterData", "<A>a<![CDATA[<b>&lt;]]>c</A>", "A[a<b>&lt;c]"},
                    Row{"CommentsAndInstructions", "<!-- x --><?y z?><A>a<!-- b -->c</A><!-- d -->", "A[ac]"},
                    Row{"EntitiesOfItsOwnAreNotExpanded", "<!DOCTYPE A [<!ENTITY e \"boom\">]><A>&e;</A>", "A[&e;]"}),
    name_of_row);

INSTANTIATE_TEST_SUITE_P(
    Refused, ParseXmlTest,
    testing::Values(Row{"Nothing", "", ""}, Row{"Blanks", " \n ", ""}, Row{"Text", "OK", ""},
                    Row{"Json", "{\"a\": 1}", ""}, Row{"DeclarationOnly", kDeclaration, ""},
                    Row{"CommentOnly", "<!-- x -->", ""}, Row{"CutInAName", "<A><B", ""},
                    Row{"CutInATag", "<A><B>x", ""}, Row{"CutBeforeTheEnd", "<A><B>x</B>", ""},
                    Row{"CutInAnEndTag", "<A>x</A", ""}, Row{"Crossed", "<A><B></A></B>", ""},
                    Row{"ErrorPageInTheMiddle", "<List><Key>a</Key><html><body>502</body></html>", ""},
                    Row{"Html5", "<!DOCTYPE html><html><br></html>", ""}, Row{"TwoRoots", "<A/><B/>", ""},
                    Row{"TextBeforeTheRoot", "x<A/>", ""}, Row{"TextBehindTheRoot", "<A/>x", ""},
                    Row{"CharacterDataBehindTheRoot", "<A/><![CDATA[x]]>", ""},
                    Row{"AttributeWithoutQuotes", "<A b=c/>", ""}, Row{"Nul", std::string("<A>a\0b</A>", 10), ""},
                    Row{"NulBehindTheRoot", std::string("<A/>\0", 5), ""}, Row{"NulByReference", "<A>a&#0;b</A>", ""},
                    Row{"NulByHexReference", "<A>a&#x000;b</A>", ""},
                    Row{"NulByOverflow", "<A>a&#4294967296;b</A>", ""}, Row{"BeyondUnicode", "<A>&#x110000;</A>", ""},
                    Row{"Surrogate", "<A>&#xD800;</A>", ""}, Row{"SurrogateInDecimal", "<A>&#57343;</A>", ""},
                    Row{"Utf16", std::string("\xff\xfe<\0A\0/\0>\0", 10), ""}),
    name_of_row);

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "<a>";
  for (std::size_t i = 0; i < depth; ++i) text += "</a>";
  return text;
}

TEST(XmlLimitsTest, TakesADepthOf32) {
  EXPECT_TRUE(parse_xml(nested(32)).ok());
  EXPECT_EQ(outcome(parse_xml(nested(33))), "protocol");
}

TEST(XmlLimitsTest, RefusesDeepNestingOnAFibersStack) {
  test::with_loop([](fiber::Offload&) {
    EXPECT_EQ(outcome(parse_xml(nested(100'000))), "protocol");
    std::string open_only;
    for (int i = 0; i < 100'000; ++i) open_only += "<a>";
    EXPECT_EQ(outcome(parse_xml(open_only)), "protocol");
  });
}

TEST(XmlLimitsTest, RefusesMoreThan16MiB) {
  const std::string most(16 * 1024 * 1024 - 7, 'x');
  EXPECT_TRUE(parse_xml("<a>" + most + "</a>").ok());
  EXPECT_EQ(outcome(parse_xml("<a>" + most + "x</a>")), "protocol");
}

TEST(XmlElementTest, FindsItsChildren) {
  const XmlElement root = parse_xml("<A><B>1</B><C/><B>2</B></A>").value();
  EXPECT_EQ(root.child("B")->text, "1");
  EXPECT_EQ(root.child("D"), nullptr);
  EXPECT_EQ(root.child_text("B"), "1");
  EXPECT_EQ(root.child_text("C"), "");
  EXPECT_EQ(root.child_text("D"), "");
  ASSERT_EQ(root.children_named("B").size(), 2u);
  EXPECT_EQ(root.children_named("B")[1]->text, "2");
  EXPECT_TRUE(root.children_named("D").empty());
}

TEST(XmlWriterTest, WritesADocument) {
  XmlWriter xml;
  xml.open_s3("A").element("B", "x<&>\"'").element("C", std::uint64_t{18446744073709551615u});
  xml.open("D").close("D").close("A");
  EXPECT_EQ(xml.finish(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<A xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><B>x&lt;&amp;&gt;&quot;'</B>"
            "<C>18446744073709551615</C><D></D></A>");
}

TEST(XmlWriterTest, WritesAnyKeySoThatItIsReadBack) {
  std::string all;
  for (int c = 1; c < 0x80; ++c) all += static_cast<char>(c);
  for (const std::string& key : {all, std::string("\r\n"), std::string(" "), std::string("\xc3\xa4\xe2\x80\xa8"),
                                 std::string("]]>"), std::string("&#65;")}) {
    XmlWriter xml;
    xml.open("A").element("Key", key).close("A");
    const std::string text = xml.finish();
    const Result<XmlElement> root = parse_xml(text);
    ASSERT_TRUE(root.ok()) << text;
    EXPECT_EQ(root->child_text("Key"), key) << text;
  }
}

}  // namespace
}  // namespace dray::s3
