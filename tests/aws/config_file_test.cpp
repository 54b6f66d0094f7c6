#include "aws/config_file.h"

#include <gtest/gtest.h>

namespace dray::aws {
namespace {

std::string value_of(std::string_view text, std::string_view section, const std::string& key) {
  const Result<ConfigFile> file = parse_config(text);
  if (!file.ok()) return "error: " + file.error().message;
  const ConfigSection* found = file->find(section);
  if (found == nullptr) return "no section";
  const auto entry = found->find(key);
  return entry == found->end() ? "no key" : entry->second;
}

TEST(ConfigFileTest, ReadsKeysOfASection) {
  struct Row {
    std::string_view why, text, section, value;
  };
  for (const Row& row : {
           Row{"plain", "[default]\nkey = value\n", "default", "value"},
           Row{"no blanks", "[default]\nkey=value", "default", "value"},
           Row{"upper-case key", "[default]\nKEY = Value\n", "default", "Value"},
           Row{"line ends of Windows", "[default]\r\nkey = value\r\n", "default", "value"},
           Row{"byte-order mark", "\xef\xbb\xbf[default]\nkey = value\n", "default", "value"},
           Row{"equals sign in the value", "[default]\nkey = a=b==\n", "default", "a=b=="},
           Row{"comments", "# one\n[default] ; two\n ; three\nkey = value # four\n", "default", "value"},
           Row{"no comment without a blank", "[default]\nkey = a#b;c\n", "default", "a#b;c"},
           Row{"only a comment as value", "[default]\nkey = # none\n", "default", "# none"},
           Row{"empty value", "[default]\nkey =\n", "default", ""},
           Row{"last one wins", "[default]\nkey = a\nkey = b\n", "default", "b"},
           Row{"merged sections", "[default]\nkey = a\n[x]\nkey = c\n[default]\nkey = b\n", "default", "b"},
           Row{"indented section", "[default]\n  key = value\n  other = x\n", "default", "value"},
           Row{"profile", "[profile dev]\nkey = value\n", "profile dev", "value"},
           Row{"even blanks", "[ profile \t dev ]\nkey = value\n", "profile dev", "value"},
           Row{"quoted name", "[profile \"my dev\"]\nkey = value\n", "profile my dev", "value"},
           Row{"continued value", "[default]\nkey = a\n  b = c\n", "default", "a\nb = c"},
       }) {
    EXPECT_EQ(value_of(row.text, row.section, "key"), row.value) << row.why;
  }
}

TEST(ConfigFileTest, NestedBlockGivesDottedKeys) {
  constexpr std::string_view kText =
      "[default]\n"
      "s3 =\n"
      "    Max_Bandwidth = 10MB/s\n"
      "\n"
      "    # a comment\n"
      "\taddressing_style=path\n"
      "region = eu-west-1\n";
  EXPECT_EQ(value_of(kText, "default", "s3.max_bandwidth"), "10MB/s");
  EXPECT_EQ(value_of(kText, "default", "s3.addressing_style"), "path");
  EXPECT_EQ(value_of(kText, "default", "region"), "eu-west-1");
}

TEST(ConfigFileTest, NestedBlockInAnIndentedSection) {
  constexpr std::string_view kText = "[default]\n  s3 =\n    a = 1\n  region = r\n";
  EXPECT_EQ(value_of(kText, "default", "s3.a"), "1");
  EXPECT_EQ(value_of(kText, "default", "region"), "r");
}

TEST(ConfigFileTest, EmptyTextHasNoSections) {
  EXPECT_TRUE(parse_config("").value().sections.empty());
  EXPECT_TRUE(parse_config("\n\n# nothing\n").value().sections.empty());
}

TEST(ConfigFileTest, ErrorNamesTheLineAndNotItsContent) {
  struct Row {
    std::string_view why, text, line;
  };
  for (const Row& row : {
           Row{"no section", "\nsecret = hidden\n", "line 2 "},
           Row{"no equals sign", "[default]\n\nhidden\n", "line 3 "},
           Row{"no name", "[default]\n= hidden\n", "line 2 "},
           Row{"open bracket", "[default]\n[hidden\n", "line 2 "},
           Row{"empty section name", "[ ]\n", "line 1 "},
           Row{"text after the section", "[default] hidden\n", "line 1 "},
           Row{"nested line without equals sign", "[default]\ns3 =\n  hidden\n", "line 3 "},
           Row{"nested line without a name", "[default]\ns3 =\n  = hidden\n", "line 3 "},
           Row{"NUL", std::string_view("[default]\nk = hid\0den\n", 22), "line 2 "},
       }) {
    const Result<ConfigFile> file = parse_config(row.text);
    ASSERT_FALSE(file.ok()) << row.why;
    EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
    EXPECT_TRUE(file.error().message.starts_with(row.line)) << row.why << ": " << file.error().message;
    EXPECT_EQ(file.error().message.find("hid"), std::string::npos) << file.error().message;
  }
}

TEST(ConfigFileTest, RefusesMoreThanOneMebibyte) {
  std::string text = "[default]\n";
  text.resize(1 << 20, '\n');
  EXPECT_TRUE(parse_config(text).ok());
  text += '\n';
  EXPECT_FALSE(parse_config(text).ok());
}

}  // namespace
}  // namespace dray::aws
