#include "cli/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace dray::cli {
namespace {

using testing::HasSubstr;
using State = Outcome::State;

class SourceTest : public testing::Test {
 protected:
  SourceTest() {
    std::string name = testing::TempDir() + "dray-source-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~SourceTest() override { std::filesystem::remove_all(folder_); }

  Source look(const std::string& name, const std::string& destination = "s3://b/p/") {
    return look_at(plan_copies({folder_ + "/" + name}, destination)->front());
  }

  std::string folder_;
};

TEST_F(SourceTest, FileHasASize) {
  std::ofstream(folder_ + "/a.txt") << "hello\n";
  const Source source = look("a.txt");
  EXPECT_EQ(source.kind, Source::Kind::file);
  EXPECT_EQ(source.size, 6u);
  EXPECT_EQ(source.target.text(), "s3://b/p/a.txt");
  EXPECT_EQ(source.operation.title(), "cp " + folder_ + "/a.txt s3://b/p/a.txt");
}

TEST_F(SourceTest, LinksAreFollowed) {
  std::ofstream(folder_ + "/a.txt") << "hello\n";
  std::filesystem::create_symlink("a.txt", folder_ + "/link");
  EXPECT_EQ(look("link").size, 6u);
}

TEST_F(SourceTest, MissingFileAndBrokenLinkAreFailures) {
  std::filesystem::create_symlink("nowhere", folder_ + "/link");
  for (const char* name : {"none", "link"}) {
    const Source source = look(name);
    EXPECT_EQ(source.kind, Source::Kind::unusable);
    EXPECT_EQ(source.state, State::failed);
    EXPECT_THAT(source.error.message, HasSubstr("No such file"));
  }
}

TEST_F(SourceTest, FolderIsAFailureThatSaysToNameTheFiles) {
  const Source source = look("");
  EXPECT_EQ(source.state, State::failed);
  EXPECT_THAT(source.error.message, HasSubstr("folder"));
  EXPECT_THAT(source.error.advice, HasSubstr("name the files"));
}

TEST_F(SourceTest, FifoIsAStream) {
  ASSERT_EQ(mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(look("fifo").kind, Source::Kind::fifo);
}

TEST_F(SourceTest, DeviceIsSkippedWithAWarning) {
  const Source source = look_at(plan_copies({"/dev/null"}, "s3://b/p/")->front());
  EXPECT_EQ(source.kind, Source::Kind::unusable);
  EXPECT_EQ(source.state, State::warned);
}

TEST_F(SourceTest, DashIsStandardInput) {
  EXPECT_EQ(look_at(plan_copies({"-"}, "s3://b/k")->front()).kind, Source::Kind::standard_input);
}

TEST_F(SourceTest, NameThatIsNotUtf8IsSkippedUnlessTheKeyIsGiven) {
  std::ofstream(folder_ + "/\xff") << "hello\n";
  EXPECT_EQ(look("\xff").state, State::warned);
  EXPECT_EQ(look("\xff", "s3://b/k").kind, Source::Kind::file);
}

TEST(TotalSizeTest, IsKnownUnlessAStreamIsAmongTheSources) {
  std::vector<Source> sources = {{.size = 1}, {.size = 2}, {.kind = Source::Kind::unusable}};
  EXPECT_EQ(total_size(sources), 3u);
  sources.push_back({.kind = Source::Kind::standard_input});
  EXPECT_FALSE(total_size(sources).has_value());
}

TEST(NotSentTest, UnreadableFilesAreSkippedAndRefusalsByTheStoreAreFailures) {
  EXPECT_EQ(not_sent({}, os_error(EACCES, "open a")).state, State::warned);
  EXPECT_EQ(not_sent({}, os_error(ENOENT, "open a")).state, State::failed);
  Error denied = make_error(ErrorKind::access_denied, "put");
  denied.http_status = 403;
  EXPECT_EQ(not_sent({}, denied).state, State::failed);
}

}  // namespace
}  // namespace dray::cli
