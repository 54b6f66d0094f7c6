#include "file/folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "file/memory_size.h"
#include "file/temp_folder.h"
#include "support/with_loop.h"

namespace dray::file {
namespace {

using test::outcome;

class FolderTest : public TempFolder {};

TEST_F(FolderTest, MakesAFolderOnce) {
  EXPECT_TRUE(make_folder(path("a")).ok());
  EXPECT_TRUE(make_folder(path("a")).ok());
  EXPECT_EQ(outcome(make_folder(path("absent/b"))), "not_found");
  write("file", "");
  EXPECT_EQ(outcome(make_folder(path("file"))), "already_exists");
  ASSERT_EQ(symlink(path("a").c_str(), path("link").c_str()), 0);
  EXPECT_TRUE(make_folder(path("link")).ok());
}

TEST_F(FolderTest, ListsNamesAndTypes) {
  write("file", "x");
  write(".hidden", "x");
  write("a\nb", "x");
  EXPECT_TRUE(make_folder(path("folder")).ok());
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  std::vector<FolderEntry> entries = list_folder(folder()).value();
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<std::string> names;
  for (const FolderEntry& entry : entries) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{".hidden", "a\nb", "fifo", "file", "folder"}));
  if (entries.back().type == FileType::other) GTEST_SKIP() << "this file system does not tell types";
  EXPECT_EQ(entries[2].type, FileType::fifo);
  EXPECT_EQ(entries[3].type, FileType::regular);
  EXPECT_EQ(entries[4].type, FileType::directory);
}

TEST_F(FolderTest, FailsByKind) {
  write("file", "x");
  EXPECT_EQ(outcome(list_folder(path("absent"))), "not_found");
  EXPECT_EQ(outcome(list_folder(path("file"))), "not_found");
  EXPECT_EQ(outcome(sync_folder(path("absent"))), "not_found");
  EXPECT_EQ(outcome(sync_folder(path("file"))), "not_found");
  EXPECT_EQ(outcome(remove_file(path("absent"))), "not_found");
  EXPECT_EQ(outcome(remove_folder(path("absent"))), "not_found");
  EXPECT_EQ(outcome(remove_folder(path("file"))), "not_found");
  EXPECT_EQ(outcome(rename_file(path("absent"), path("b"))), "not_found");
  EXPECT_TRUE(sync_folder(folder()).ok());
}

TEST_F(FolderTest, RenameReplaces) {
  write("a", "new");
  write("b", "old one");
  EXPECT_TRUE(rename_file(path("a"), path("b")).ok());
  EXPECT_EQ(status_of(path("b"))->identity.size, 3u);
  EXPECT_EQ(outcome(status_of(path("a"))), "not_found");
}

TEST_F(FolderTest, RemovesFilesAndEmptyFoldersOnly) {
  EXPECT_TRUE(make_folder(path("a")).ok());
  write("a/b", "");
  EXPECT_EQ(outcome(remove_folder(path("a"))), "io");
  EXPECT_TRUE(remove_file(path("a/b")).ok());
  EXPECT_TRUE(remove_folder(path("a")).ok());
}

TEST_F(FolderTest, OneAtATimeHoldsALock) {
  File first = lock_file(path("lock")).value();
  const Result<File> second = lock_file(path("lock"));
  EXPECT_EQ(outcome(second), "already_exists");
  EXPECT_NE(test::message_of(second).find("lock"), std::string::npos);
  first.reset();
  EXPECT_TRUE(lock_file(path("lock")).ok());
  EXPECT_EQ(outcome(lock_file(path("absent/lock"))), "not_found");
}

TEST_F(FolderTest, MemoryFileHasNoFolder) {
  const File file = memory_file("test").value();
  EXPECT_TRUE(file.write_at(0, as_bytes("hello")).ok());
  std::string text(10, '?');
  EXPECT_EQ(file.read_at(0, room(text)).value(), 5u);
  EXPECT_EQ(file.status()->type, FileType::regular);
}

TEST(UsableMemoryTest, IsSomeOfTheMachines) {
  const std::uint64_t bytes = usable_memory();
  EXPECT_GT(bytes, 16u << 20);
  EXPECT_LE(bytes,
            static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace
}  // namespace dray::file
