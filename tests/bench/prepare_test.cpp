#include "bench/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "file/file.h"

namespace dray::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PrepareTest : public testing::Test {
 protected:
  PrepareTest() {
    std::string name = testing::TempDir() + "dray-prepare-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~PrepareTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  std::string read(const std::string& name) {
    std::ifstream in(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Voice voice() {
    return {.print = [](std::string_view) {}, .note = [this](std::string_view line) { notes_.emplace_back(line); }};
  }
  Result<void> prepare_files(const Workload& workload) {
    const std::vector<MissingFile> missing = DRAY_TRY(missing_files(workload, folder_));
    return make_files(missing, folder_, voice());
  }

  std::string folder_;
  std::vector<std::string> notes_;
};

Workload uploads(std::vector<Task> tasks) { return {.tasks = std::move(tasks)}; }

TEST_F(PrepareTest, MakesFilesInFoldersThatAreMissing) {
  const Workload workload =
      uploads({{.key = "upload/a/1", .size = 3 * base::kMiB + 5}, {.key = "upload/empty", .size = 0}});
  const Result<void> made = prepare_files(workload);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(file::status_of(folder_ + "/upload/a/1")->identity.size, 3 * base::kMiB + 5);
  EXPECT_EQ(file::status_of(folder_ + "/upload/empty")->identity.size, 0u);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("2 files")));
}

TEST_F(PrepareTest, FilesOfTheRightSizeStayAsTheyAre) {
  write("one", "abc");
  ASSERT_TRUE(prepare_files(uploads({{.key = "one", .size = 3}})).ok());
  EXPECT_EQ(read("one"), "abc");
  EXPECT_TRUE(notes_.empty());
}

TEST_F(PrepareTest, FilesOfAnotherSizeAreMadeAnew) {
  write("one", "abcdef");
  ASSERT_TRUE(prepare_files(uploads({{.key = "one", .size = 3}})).ok());
  EXPECT_EQ(read("one").size(), 3u);
  EXPECT_NE(read("one"), "abc");
}

TEST_F(PrepareTest, TwoTasksMayShareAFileOfOneSize) {
  const Result<std::vector<MissingFile>> missing =
      missing_files(uploads({{.key = "one", .size = 3}, {.key = "one", .size = 3}}), folder_);
  ASSERT_TRUE(missing.ok());
  EXPECT_EQ(missing->size(), 1u);
}

TEST_F(PrepareTest, TwoSizesForOneFileAreRefused) {
  const Result<void> made = prepare_files(uploads({{.key = "one", .size = 3}, {.key = "one", .size = 4}}));
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("with 3 and with 4 bytes"));
}

TEST_F(PrepareTest, KeysThatLeaveTheFolderAreRefused) {
  for (const char* key : {"/etc/passwd", "../x", "a/../../x", "a//b", "a/", "./a", "..", "a/.."}) {
    const Result<void> made = prepare_files(uploads({{.key = key, .size = 1}}));
    ASSERT_FALSE(made.ok()) << key;
    EXPECT_EQ(made.error().kind, ErrorKind::invalid_argument) << key;
  }
}

TEST_F(PrepareTest, FolderInThePlaceOfAFileIsAnError) {
  write("one/two", "");
  const Result<void> made = prepare_files(uploads({{.key = "one", .size = 3}}));
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("is no file"));
}

TEST_F(PrepareTest, LackOfRoomIsSeenBeforeAnythingIsWritten) {
  const std::vector<MissingFile> missing = {{.path = folder_ + "/small", .size = 1},
                                            {.path = folder_ + "/large", .size = 1ull << 60}};
  const Result<void> made = make_files(missing, folder_, voice());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind, ErrorKind::no_space);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/small"));
}

TEST_F(PrepareTest, DownloadsNeedNoFile) {
  const Result<std::vector<MissingFile>> missing =
      missing_files(uploads({{.action = Action::download, .key = "one", .size = 3}}), folder_);
  ASSERT_TRUE(missing.ok());
  EXPECT_TRUE(missing->empty());
}

TEST(FillRandomTest, SameSeedSameBytesOtherSeedOtherBytes) {
  std::vector<std::byte> a(1003), b(1003), c(1003);
  fill_random(a, 1);
  fill_random(b, 1);
  fill_random(c, 2);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_LT(std::ranges::count(a, std::byte{0}), 30);
}

}  // namespace
}  // namespace dray::bench
