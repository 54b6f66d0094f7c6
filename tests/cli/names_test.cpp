#include <gtest/gtest.h>

#include "cli/content_type.h"
#include "cli/head_text.h"
#include "cli/shell_quote.h"

namespace dray::cli {
namespace {

TEST(ContentTypeTest, TheLastExtensionCounts) {
  EXPECT_EQ(content_type_of("a.txt"), "text/plain");
  EXPECT_EQ(content_type_of("d.d/a.TXT"), "text/plain");
  EXPECT_EQ(content_type_of("a.tar.gz"), "application/gzip");
  EXPECT_EQ(content_type_of("index.html"), "text/html");
  EXPECT_EQ(content_type_of("a.zst"), "application/zstd");
  EXPECT_EQ(content_type_of("a.7z"), "application/x-7z-compressed");
}

TEST(ContentTypeTest, UnknownNamesHaveNone) {
  for (const char* name : {"", "a", "txt", ".txt", "d.txt/a", "d/.txt", "a.", "a.unheard-of", "a.tx", "a.txtt"}) {
    EXPECT_EQ(content_type_of(name), "") << name;
  }
}

TEST(ShellQuoteTest, WordsStayWhatTheyAre) {
  EXPECT_EQ(shell_quoted("http://127.0.0.1:9000"), "http://127.0.0.1:9000");
  EXPECT_EQ(shell_quoted("abc/+="), "abc/+=");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_quoted("$(x)"), "'$(x)'");
}

TEST(HeadTextTest, OneFactALineAndNothingThatIsNotKnown) {
  EXPECT_EQ(head_text({"b", "k"}, {.size = 6, .etag = "abc", .content_type = "text/plain"}),
            "Object     s3://b/k\nSize       6\nType       text/plain\nETag       abc");
}

TEST(HeadTextTest, EverythingThatIsKnown) {
  EXPECT_EQ(head_text({"b", "k\n"}, {.size = 5368709120,
                                     .last_modified = "Mon, 30 Nov 2026 10:28:32 GMT",
                                     .storage_class = "STANDARD",
                                     .version_id = "v1",
                                     .checksum_kind = ChecksumKind::crc64nvme,
                                     .checksum = "rosUhgp5mIg=",
                                     .checksum_type = "FULL_OBJECT",
                                     .metadata = {{"a", "b\x1b"}}}),
            "Object     s3://b/k\\n\nSize       5368709120 (5.0 GiB)\nModified   Mon, 30 Nov 2026 10:28:32 GMT\n"
            "Checksum   crc64nvme rosUhgp5mIg= (FULL_OBJECT)\nClass      STANDARD\nVersion    v1\n"
            "Metadata   a=b\\x1b");
}

}  // namespace
}  // namespace dray::cli
