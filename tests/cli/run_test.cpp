// Commands from their values to their output, against the embedded server in this process.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "fiber/runtime.h"
#include "fiber/signals.h"
#include "server/server.h"

namespace dray::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class RunTest : public testing::Test {
 protected:
  RunTest() {
    fiber::block_signals({SIGHUP, SIGINT, SIGTERM, SIGPIPE});
    std::string name = testing::TempDir() + "dray-run-XXXXXX";
    folder_ = mkdtemp(name.data());
    std::filesystem::current_path(folder_);
    runtime_ = fiber::Runtime::start({.loops = 1}).value();
    server_ = server::Server::start(*runtime_, {.store = server::ServerOptions::Store::memory}).value();
    setenv("AWS_ACCESS_KEY_ID", server_->access_key().c_str(), 1);
    setenv("AWS_SECRET_ACCESS_KEY", server_->secret_key().c_str(), 1);
    setenv("AWS_CONFIG_FILE", "/dev/null", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
    global_.endpoint_url = server_->url();
  }
  ~RunTest() override {
    server_->stop();
    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder_);
  }

  /// Runs it and keeps what it printed.
  template <class C>
  int run_it(const C& command) {
    const int out = open("out", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int err = open("err", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int code;
    {
      Output output({.json = global_.json, .quiet = global_.quiet}, out, err);
      Interrupts interrupts;
      Context context{global_, output, interrupts};
      code = run(command, context);
    }
    close(out);
    close(err);
    out_ = read("out");
    err_ = read("err");
    return code;
  }
  static std::string read(const std::string& name) {
    std::ifstream in(name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& name, const std::string& content) { std::ofstream(name) << content; }
  void make_bucket() { ASSERT_EQ(run_it(MbCommand{"s3://bucket"}), 0) << err_; }
  json head(const std::string& url) {
    global_.json = true;
    EXPECT_EQ(run_it(HeadCommand{url}), 0) << out_;
    global_.json = false;
    return json::parse(lines_of(out_).front())["object"];
  }

  std::string folder_;
  std::unique_ptr<fiber::Runtime> runtime_;
  std::unique_ptr<server::Server> server_;
  GlobalOptions global_;
  std::string out_, err_;
};

TEST_F(RunTest, CpUploadsAFileAndSaysSo) {
  make_bucket();
  write("a.txt", "hello\n");
  EXPECT_EQ(run_it(CpCommand{.paths = {"a.txt", "s3://bucket/p/"}}), 0);
  EXPECT_EQ(out_, "cp a.txt s3://bucket/p/a.txt\n");
  EXPECT_EQ(err_, "");
  const json object = head("s3://bucket/p/a.txt");
  EXPECT_EQ(object["size"], 6);
  EXPECT_EQ(object["content_type"], "text/plain");
}

TEST_F(RunTest, MissingFileFailsAndTheRestGoesOn) {
  make_bucket();
  write("a.txt", "hello\n");
  EXPECT_EQ(run_it(CpCommand{.paths = {"none.txt", "a.txt", "s3://bucket/"}}), kExitFailed);
  EXPECT_EQ(out_, "cp a.txt s3://bucket/a.txt\n");
  EXPECT_THAT(lines_of(err_),
              ElementsAre(HasSubstr("ERROR \"cp none.txt s3://bucket/none.txt\": "), StartsWith("1 done, 1 failed,")));
}

TEST_F(RunTest, SkippedSourceExitsWith4) {
  make_bucket();
  write("a.txt", "hello\n");
  EXPECT_EQ(run_it(CpCommand{.paths = {"/dev/null", "a.txt", "s3://bucket/"}}), kExitSkipped);
  EXPECT_EQ(out_, "cp a.txt s3://bucket/a.txt\n");
  EXPECT_THAT(err_, HasSubstr("WARNING \"cp /dev/null"));
}

TEST_F(RunTest, JsonTellsOperationsErrorsAndASummaryThatAddsUp) {
  make_bucket();
  write("a.txt", "hello\n");
  global_.json = true;
  EXPECT_EQ(run_it(CpCommand{.paths = {"none.txt", "a.txt", "/dev/null", "s3://bucket/"}}), kExitFailed);
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 4u);
  const json summary = json::parse(lines.back())["summary"];
  EXPECT_EQ(summary["planned"], 3);
  EXPECT_EQ(summary["done"], 1);
  EXPECT_EQ(summary["failed"], 1);
  EXPECT_EQ(summary["skipped"], 1);
  EXPECT_EQ(summary["bytes"], 6);
  EXPECT_EQ(err_, "");
}

TEST_F(RunTest, NoClobberSkipsWhatIsThere) {
  make_bucket();
  write("a.txt", "hello\n");
  const CpCommand cp{.paths = {"a.txt", "s3://bucket/a.txt"}, .upload = {.no_clobber = true}};
  EXPECT_EQ(run_it(cp), 0);
  EXPECT_EQ(out_, "cp a.txt s3://bucket/a.txt\n");
  write("a.txt", "changed\n");
  EXPECT_EQ(run_it(cp), 0);
  EXPECT_EQ(out_, "");
  EXPECT_THAT(err_, StartsWith("SKIPPED"));
  EXPECT_EQ(head("s3://bucket/a.txt")["size"], 6);
}

TEST_F(RunTest, DryRunUploadsNothing) {
  make_bucket();
  write("a.txt", "hello\n");
  EXPECT_EQ(run_it(CpCommand{.paths = {"a.txt", "s3://bucket/a.txt"}, .upload = {.dry_run = true}}), 0);
  EXPECT_EQ(out_, "cp a.txt s3://bucket/a.txt\n");
  EXPECT_EQ(run_it(HeadCommand{"s3://bucket/a.txt"}), kExitFailed);
}

TEST_F(RunTest, FifoIsUploadedOnceItsWriterCame) {
  make_bucket();
  ASSERT_EQ(mkfifo("fifo", 0600), 0);
  std::thread writer([] { write("fifo", std::string(100'000, 'x')); });
  EXPECT_EQ(run_it(CpCommand{.paths = {"fifo", "s3://bucket/k"}}), 0) << err_;
  writer.join();
  EXPECT_EQ(head("s3://bucket/k")["size"], 100'000);
}

TEST_F(RunTest, InterruptedCopyEndsWithItsSignalAndLeavesNothing) {
  make_bucket();
  ASSERT_EQ(mkfifo("fifo", 0600), 0);
  int fd = -1;
  std::thread killer([&fd] {
    // It can be opened once the copy waits for its writer, who never writes.
    while ((fd = open("fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) std::this_thread::yield();
    kill(getpid(), SIGTERM);
  });
  EXPECT_EQ(run_it(CpCommand{.paths = {"fifo", "s3://bucket/k"}}), 143);
  killer.join();
  close(fd);
  EXPECT_THAT(err_, HasSubstr("interrupted by SIGTERM: 0 of 1 done, 1 cancelled; nothing is left behind"));
  EXPECT_EQ(run_it(HeadCommand{"s3://bucket/k"}), kExitFailed);
}

TEST_F(RunTest, SeveralSourcesForOneNameAreRefusedWithoutARequest) {
  write("a", "1");
  write("b", "2");
  EXPECT_EQ(run_it(CpCommand{.paths = {"a", "b", "s3://bucket/k"}}), kExitRefused);
  EXPECT_EQ(run_it(CpCommand{.paths = {"a", "b"}}), kExitUsage);
}

TEST_F(RunTest, MbTellsOfABucketThatIsThere) {
  make_bucket();
  EXPECT_EQ(out_, "mb s3://bucket\n");
  EXPECT_EQ(run_it(MbCommand{"s3://bucket/k"}), kExitUsage);
}

TEST_F(RunTest, HeadOfABucketAndOfNothing) {
  make_bucket();
  EXPECT_EQ(run_it(HeadCommand{"s3://bucket"}), 0);
  EXPECT_EQ(run_it(HeadCommand{"s3://other"}), kExitFailed);
  EXPECT_THAT(err_, HasSubstr("ERROR \"head s3://other\""));
}

class BenchTest : public RunTest {
 protected:
  static void workload(const std::string& fields) { write("w.json", "{" + fields + "}"); }
  static BenchCommand bench() {
    return {.workload = "w.json", .bucket = "bucket", .region = "us-east-1", .target_gbps = 1};
  }
};

TEST_F(BenchTest, PreparesRunsAndPrintsThePublishedLines) {
  workload(R"("version":2,"maxRepeatCount":2,"maxRepeatSecs":600,
      "tasks":[{"action":"upload","key":"u/1","size":70000},{"action":"upload","key":"u/2","size":0}])");
  BenchCommand command = bench();
  command.prepare = command.cold = true;
  EXPECT_EQ(run_it(command), 0) << err_;
  EXPECT_THAT(lines_of(out_), ElementsAre(StartsWith("Run:1 Secs:"), StartsWith("Run:2 Secs:"),
                                          StartsWith("Overall Throughput (Gb/s) Median:"),
                                          StartsWith("Overall Duration (Secs) Median:"), StartsWith("Peak RSS:")));
  EXPECT_EQ(head("s3://bucket/u/1")["size"], 70000);
  EXPECT_FALSE(head("s3://bucket/u/1").contains("checksum")) << "the workload says none";
}

TEST_F(BenchTest, SendsFromMemoryWithoutFiles) {
  make_bucket();
  workload(
      R"("version":2,"filesOnDisk":false,"checksum":"CRC32","tasks":[{"action":"upload","key":"u/1","size":70000}])");
  EXPECT_EQ(run_it(bench()), 0) << err_;
  EXPECT_EQ(head("s3://bucket/u/1")["checksum_algorithm"], "crc32");
  EXPECT_FALSE(std::filesystem::exists("u/1"));
}

TEST_F(BenchTest, StopsRepeatingWhenTheTimeIsOver) {
  make_bucket();
  workload(R"("version":2,"filesOnDisk":false,"maxRepeatCount":1000,"maxRepeatSecs":0,
      "tasks":[{"action":"upload","key":"u/1","size":1}])");
  EXPECT_EQ(run_it(bench()), 0) << err_;
  EXPECT_THAT(out_, Not(HasSubstr("Run:2")));
}

TEST_F(BenchTest, PrepareOnlyRunsNothing) {
  workload(R"("version":2,"tasks":[{"action":"upload","key":"u/1","size":5}])");
  BenchCommand command = bench();
  command.prepare_only = true;
  EXPECT_EQ(run_it(command), 0) << err_;
  EXPECT_EQ(out_, "");
  EXPECT_TRUE(std::filesystem::exists("u/1"));
}

TEST_F(BenchTest, WhatItCannotRunIsSkippedWith123) {
  workload(R"("version":1)");
  EXPECT_EQ(run_it(bench()), 123);
  EXPECT_THAT(err_, StartsWith("Skipping benchmark - "));
  workload(R"("version":2,"tasks":[{"action":"download","key":"d/1","size":5}])");
  EXPECT_EQ(run_it(bench()), 123);
  EXPECT_THAT(err_, HasSubstr("downloads are not built yet"));
}

TEST_F(BenchTest, WhatFailsEndsWith255) {
  make_bucket();
  workload(R"("version":2,"tasks":[{"action":"upload","key":"u/1","size":5}])");
  EXPECT_EQ(run_it(bench()), 255);  // the file is not there
  EXPECT_THAT(err_, StartsWith("FAIL - "));
  workload("truncated");
  EXPECT_EQ(run_it(bench()), 255);
  EXPECT_THAT(err_, StartsWith("FAIL - "));
}

TEST_F(BenchTest, FileOfAnotherSizeFailsTheRun) {
  make_bucket();
  std::filesystem::create_directory("u");
  write("u/1", "seven..");
  workload(R"("version":2,"tasks":[{"action":"upload","key":"u/1","size":5}])");
  EXPECT_EQ(run_it(bench()), 255);
  EXPECT_THAT(err_, HasSubstr("has 7 bytes, the workload says 5"));
}

}  // namespace
}  // namespace dray::cli
