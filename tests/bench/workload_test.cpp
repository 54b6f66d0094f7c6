#include "bench/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kWhole = R"({
  "version": 2,
  "comment": "two files",
  "filesOnDisk": false,
  "checksum": "CRC32C",
  "maxRepeatCount": 10,
  "maxRepeatSecs": 600,
  "tasks": [
    {"action": "upload", "key": "upload/1", "size": 5368709120},
    {"action": "download", "key": "download/1", "size": 0}
  ]
})";

TEST(WorkloadTest, ReadsEveryField) {
  const Result<Workload> workload = parse_workload(kWhole);
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  EXPECT_EQ(workload->comment, "two files");
  EXPECT_FALSE(workload->files_on_disk);
  EXPECT_EQ(workload->checksum, ChecksumKind::crc32c);
  EXPECT_EQ(workload->max_repeat_count, 10u);
  EXPECT_EQ(workload->max_repeat_seconds, 600u);
  const std::vector<Task> tasks = {{Action::upload, "upload/1", 5368709120}, {Action::download, "download/1", 0}};
  EXPECT_EQ(workload->tasks, tasks);
}

TEST(WorkloadTest, TellsTotalAndLargestSizeAndWhetherItDownloads) {
  const Workload both = parse_workload(kWhole).value();
  EXPECT_EQ(both.total_size(), 5368709120u);
  EXPECT_EQ(both.largest_size(), 5368709120u);
  EXPECT_TRUE(both.has_downloads());
  const Workload one = parse_workload(R"({"version":2,"tasks":[{"action":"upload","key":"a","size":3}]})").value();
  EXPECT_FALSE(one.has_downloads());
}

TEST(WorkloadTest, ChecksumNullMeansNone) {
  const Result<Workload> workload =
      parse_workload(R"({"version":2,"checksum":null,"tasks":[{"action":"upload","key":"a","size":3}]})");
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  EXPECT_EQ(workload->checksum, ChecksumKind::none);
  EXPECT_TRUE(workload->files_on_disk);
}

TEST(WorkloadTest, AnotherVersionIsUnsupportedWhateverElseItHolds) {
  for (const std::string_view text :
       {R"({"version":1})", R"({"version":3,"tasks":"elsewhere"})", R"({"version":-2})"}) {
    const Result<Workload> workload = parse_workload(text);
    ASSERT_FALSE(workload.ok()) << text;
    EXPECT_EQ(workload.error().kind, ErrorKind::unsupported) << text;
    EXPECT_THAT(workload.error().message, HasSubstr("version"));
  }
}

struct BrokenCase {
  std::string_view text;
  std::string_view says;
};

const BrokenCase kBroken[] = {
    {"", "not JSON"},
    {"{\"version\": 2, \"tasks\": [", "not JSON"},
    {"{\"version\": 2} x", "not JSON"},
    {"\xff\xfe", "not JSON"},
    {"[]", "an object was expected"},
    {"2", "an object was expected"},
    {"{}", "version: is missing"},
    {R"({"version":"2"})", "version: a whole number"},
    {R"({"version":2.5})", "version: a whole number"},
    {R"({"version":2})", "tasks: a list"},
    {R"({"version":2,"tasks":[]})", "tasks: a list"},
    {R"({"version":2,"tasks":{}})", "tasks: a list"},
    {R"({"version":2,"tasks":[7]})", "tasks[0]: an object"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"a"}]})", "tasks[0]: action, key and size"},
    {R"({"version":2,"tasks":[{"action":"delete","key":"a","size":1}]})", "tasks[0].action: 'delete'"},
    {R"({"version":2,"tasks":[{"action":1,"key":"a","size":1}]})", "tasks[0].action: a text"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"","size":1}]})", "tasks[0].key: is empty"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"a\u0000b","size":1}]})", "tasks[0].key: holds a zero byte"},
    {R"({"version":2,"tasks":[{"action":"upload","key":["a"],"size":1}]})", "tasks[0].key: a text"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"a","size":-1}]})", "tasks[0].size: a whole number"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"a","size":1.5}]})", "tasks[0].size: a whole number"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"a","size":"1"}]})", "tasks[0].size: a whole number"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"a","size":1e99}]})", "tasks[0].size: a whole number"},
    {R"({"version":2,"tasks":[{"action":"upload","key":"a","size":18446744073709551615}]})", "is more than"},
    {R"({"version":2,"filesOnDisk":1,"tasks":[]})", "filesOnDisk: true or false"},
    {R"({"version":2,"checksum":"MD4","tasks":[]})", "checksum: 'MD4'"},
    {R"({"version":2,"checksum":2,"tasks":[]})", "checksum: a text"},
    {R"({"version":2,"comment":2,"tasks":[]})", "comment: a text"},
    {R"({"version":2,"maxRepeatCount":0,"tasks":[]})", "maxRepeatCount: must be at least 1"},
    {R"({"version":2,"maxRepeatCount":-1,"tasks":[]})", "maxRepeatCount: a whole number"},
    {R"({"version":2,"maxRepeatSecs":true,"tasks":[]})", "maxRepeatSecs: a whole number"},
};

TEST(WorkloadTest, BrokenFilesAreRefusedByPlace) {
  for (const BrokenCase& broken : kBroken) {
    const Result<Workload> workload = parse_workload(broken.text);
    ASSERT_FALSE(workload.ok()) << broken.text;
    EXPECT_EQ(workload.error().kind, ErrorKind::invalid_argument) << broken.text;
    EXPECT_THAT(workload.error().message, HasSubstr(std::string(broken.says))) << broken.text;
  }
}

TEST(WorkloadTest, EveryTruncationIsAnErrorAndNoCrash) {
  for (std::size_t length = 0; length < kWhole.size(); ++length) {
    EXPECT_FALSE(parse_workload(kWhole.substr(0, length)).ok()) << length;
  }
}

TEST(WorkloadTest, AbsurdNestingIsRefused) {
  const std::string open(1'000'000, '[');
  const std::string close(1'000'000, ']');
  const Result<Workload> closed = parse_workload(R"({"version":2,"comment":)" + open + close + "}");
  ASSERT_FALSE(closed.ok());
  EXPECT_THAT(closed.error().message, HasSubstr("nested deeper"));
  EXPECT_FALSE(parse_workload(open).ok());
}

TEST(WorkloadTest, BracketsInTextsAreNoNesting) {
  const Result<Workload> workload = parse_workload(
      R"({"version":2,"comment":"\"[[[[[[[[[[[[[[[[[[[[\\","tasks":[{"action":"upload","key":"{{{{{{{{{{{{{{{{{{","size":3}]})");
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  EXPECT_EQ(workload->comment, "\"[[[[[[[[[[[[[[[[[[[[\\");
}

TEST(WorkloadTest, SizesThatOverflowTogetherAreRefused) {
  std::string text = R"({"version":2,"tasks":[)";
  for (int i = 0; i < 170'000; ++i) text += R"({"action":"upload","key":"a","size":54975581388800},)";
  text.back() = ']';
  text += '}';
  const Result<Workload> workload = parse_workload(text);
  ASSERT_FALSE(workload.ok());
  EXPECT_THAT(workload.error().message, HasSubstr("add up to too much"));
}

TEST(WorkloadTest, ErrorsNeverQuoteControlCharacters) {
  const Result<Workload> workload = parse_workload("{\"version\": \x1b[31m");
  ASSERT_FALSE(workload.ok());
  EXPECT_THAT(workload.error().message, Not(HasSubstr("\x1b")));
}

TEST(WorkloadTest, MissingFileIsNamed) {
  const Result<Workload> workload = read_workload("no/such/workload.json");
  ASSERT_FALSE(workload.ok());
  EXPECT_EQ(workload.error().kind, ErrorKind::not_found);
  EXPECT_THAT(workload.error().message, HasSubstr("no/such/workload.json"));
}

TEST(WorkloadTest, FolderIsNoWorkload) { EXPECT_FALSE(read_workload("/").ok()); }

}  // namespace
}  // namespace dray::bench
