#include "server/directory_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fixture.h"
#include "hash/checksum.h"
#include "server/directory_loader.h"

namespace dray::server {
namespace {

namespace fs = std::filesystem;

class DirectoryStoreTest : public ServerTest {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "dray-store-XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    serve();
    make_bucket();
  }
  void TearDown() override {
    stop();
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  void serve() { start({.store = ServerOptions::Store::directory, .directory = directory_}); }
  void restart() {
    stop();
    serve();
  }
  std::vector<std::string> files_in(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_ + "/" + folder)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  /// Removal of segments runs behind the reply; a server that has stopped and started has done it.
  std::size_t segments_after_restart() {
    restart();
    return files_in(".dray/data").size();
  }
  std::string record_of(const std::string& key) const { return directory_ + "/bucket/" + record_name_of(key); }

  std::string create_upload(const std::string& key) {
    const Answer answer = send({.method = "POST",
                                .bucket = "bucket",
                                .key = key,
                                .query = {{"uploads", ""}},
                                .headers = {{"x-amz-checksum-algorithm", "CRC64NVME"}, {"x-amz-meta-a", "b"}}});
    return std::string(answer.xml().child_text("UploadId"));
  }
  Answer put_part(const std::string& key, const std::string& id, int number, const std::string& body) {
    return send({.method = "PUT",
                 .bucket = "bucket",
                 .key = key,
                 .query = {{"partNumber", std::to_string(number)}, {"uploadId", id}},
                 .body = body});
  }
  Answer complete(const std::string& key, const std::string& id, const std::vector<std::string>& etags) {
    std::string xml = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < etags.size(); ++i) {
      xml += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + etags[i] + "</ETag></Part>";
    }
    return send({.method = "POST",
                 .bucket = "bucket",
                 .key = key,
                 .query = {{"uploadId", id}},
                 .body = xml + "</CompleteMultipartUpload>"});
  }

  std::string directory_;
};

TEST_F(DirectoryStoreTest, ObjectsSurviveARestart) {
  const std::string bytes = some_bytes(3000000);
  const std::string crc = hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(bytes)).text();
  put("a/b", bytes, {{"content-type", "text/x-test"}, {"x-amz-meta-a", "b"}, {"x-amz-checksum-crc64nvme", crc}});
  put("empty", "");
  put("gone", "x");
  remove("gone");
  const Answer before = head("a/b");
  restart();
  EXPECT_EQ(keys(), (std::vector<std::string>{"a/b", "empty"}));
  const Answer back = get("a/b", {{"x-amz-checksum-mode", "ENABLED"}});
  EXPECT_TRUE(back.body == bytes);
  for (const std::string name : {"etag", "last-modified", "content-type", "x-amz-meta-a", "content-length"}) {
    EXPECT_EQ(back.headers.get(name), before.headers.get(name)) << name;
  }
  EXPECT_EQ(back.headers.get("x-amz-checksum-crc64nvme"), crc);
  EXPECT_EQ(get("empty").status, 200);
  EXPECT_EQ(segments_after_restart(), 2u);
}

TEST_F(DirectoryStoreTest, MultipartUploadsSurviveARestart) {
  const std::string one = some_bytes(5 << 20), two = some_bytes(10, 2);
  const std::string id = create_upload("big");
  const std::string first(put_part("big", id, 1, one).headers.get("etag"));
  restart();
  const s3::XmlElement uploads = send({.bucket = "bucket", .query = {{"uploads", ""}}}).xml();
  ASSERT_EQ(uploads.children_named("Upload").size(), 1u);
  EXPECT_EQ(uploads.child("Upload")->child_text("UploadId"), id);
  const std::string second(put_part("big", id, 2, two).headers.get("etag"));
  restart();
  ASSERT_EQ(complete("big", id, {first, second}).status, 200);
  restart();
  const Answer back = get("big", {{"x-amz-checksum-mode", "ENABLED"}});
  EXPECT_TRUE(back.body == one + two);
  EXPECT_EQ(back.headers.get("x-amz-meta-a"), "b");
  EXPECT_EQ(back.headers.get("x-amz-checksum-crc64nvme"),
            hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(one + two)).text());
  EXPECT_TRUE(files_in(".dray/uploads").empty());
}

TEST_F(DirectoryStoreTest, BytesThatNothingNamesAreRemoved) {
  put("k", "one");
  put("k", "two");
  put("other", "x");
  remove("other");
  const std::string id = create_upload("k");
  put_part("k", id, 1, "a");
  put_part("k", id, 1, "b");
  send({.method = "DELETE", .bucket = "bucket", .key = "k", .query = {{"uploadId", id}}});
  put("bad", "hello", {{"x-amz-checksum-crc32", "AAAAAA=="}});
  EXPECT_EQ(segments_after_restart(), 1u);
  EXPECT_EQ(get("k").body, "two");
  EXPECT_TRUE(files_in(".dray/tmp").empty());
}

TEST_F(DirectoryStoreTest, NoKeyPointsOutOfTheDirectory) {
  for (const std::string key : {"..", "../escaped", "../../escaped", "/escaped", "a/../../../escaped", "/../escaped",
                                ".bucket", ".dray/lock", ".dray/tmp/x"}) {
    EXPECT_EQ(put(key, key).status, 200);
    EXPECT_EQ(get(key).body, key);
  }
  EXPECT_FALSE(fs::exists(fs::path(directory_).parent_path() / "escaped"));
  EXPECT_EQ(files_in("").size(), 2u) << "the bucket and .dray";
  EXPECT_EQ(files_in("bucket").size(), 10u);
}

TEST_F(DirectoryStoreTest, BucketsComeAndGo) {
  make_bucket("second");
  restart();
  EXPECT_EQ(send({.method = "HEAD", .bucket = "second"}).status, 200);
  EXPECT_EQ(send({.method = "DELETE", .bucket = "second"}).status, 204);
  restart();
  EXPECT_EQ(send({.method = "HEAD", .bucket = "second"}).status, 404);
  EXPECT_FALSE(fs::exists(directory_ + "/second"));
}

TEST_F(DirectoryStoreTest, FoldersOfOthersAreLeftAlone) {
  fs::create_directory(directory_ + "/photos");
  std::ofstream(directory_ + "/photos/a.jpg") << "mine";
  std::ofstream(directory_ + "/bucket/notes.txt") << "mine too";
  restart();
  EXPECT_EQ(send({.method = "HEAD", .bucket = "photos"}).status, 404);
  EXPECT_EQ(send({.method = "PUT", .bucket = "photos"}).status, 500);
  expect_refused(send({.method = "DELETE", .bucket = "bucket"}), 409, "BucketNotEmpty");
  EXPECT_TRUE(fs::exists(directory_ + "/photos/a.jpg"));
  EXPECT_TRUE(fs::exists(directory_ + "/bucket/notes.txt"));
}

TEST_F(DirectoryStoreTest, ADamagedRecordHidesItsObjectAndNothingElse) {
  put("good", "x");
  put("bad", "y");
  stop();
  {
    std::fstream record(record_of("bad"), std::ios::in | std::ios::out);
    record.seekp(20);
    record.put('?');
  }
  serve();
  EXPECT_EQ(keys(), std::vector<std::string>{"good"});
  EXPECT_EQ(files_in(".dray/data").size(), 2u) << "its bytes may still be wanted";
}

TEST_F(DirectoryStoreTest, AnObjectWithoutItsBytesIsNotShown) {
  put("k", "x");
  stop();
  for (const auto& entry : fs::directory_iterator(directory_ + "/.dray/data")) fs::remove(entry.path());
  serve();
  EXPECT_EQ(keys(), std::vector<std::string>{});
}

TEST_F(DirectoryStoreTest, AnUploadThatWasCompletedJustBeforeTheEndIsGone) {
  const std::string id = create_upload("k");
  const std::string etag(put_part("k", id, 1, "hello").headers.get("etag"));
  const std::string folder = directory_ + "/.dray/uploads/" + id;
  fs::copy(folder, directory_ + "/kept");
  ASSERT_EQ(complete("k", id, {etag}).status, 200);
  stop();
  fs::rename(directory_ + "/kept", folder);  // as if the server had ended between commit and removal
  serve();
  EXPECT_EQ(send({.bucket = "bucket", .query = {{"uploads", ""}}}).xml().child("Upload"), nullptr);
  EXPECT_EQ(get("k").body, "hello");
  EXPECT_EQ(segments_after_restart(), 1u);
}

TEST_F(DirectoryStoreTest, ASecondServerIsRefused) {
  const Result<std::unique_ptr<Server>> second =
      Server::start(*runtime_, {.store = ServerOptions::Store::directory, .directory = directory_});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::already_exists);
}

/// Serves the directory in a child process until it is killed; returns its pid and port.
std::pair<pid_t, std::uint16_t> serve_in_child(const std::string& directory) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return {-1, 0};
  const pid_t child = fork();
  if (child == 0) {
    auto runtime = fiber::Runtime::start({.loops = 1}).value();
    ServerOptions options{.store = ServerOptions::Store::directory, .directory = directory};
    options.access_key = "AKID";
    options.secret_key = "secret-of-akid";
    auto server = Server::start(*runtime, options).value();
    const std::uint16_t port = server->port();
    if (write(pipe_ends[1], &port, sizeof port) != sizeof port) _exit(1);
    for (;;) pause();
  }
  std::uint16_t port = 0;
  if (read(pipe_ends[0], &port, sizeof port) != sizeof port) port = 0;
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return {child, port};
}

TEST_F(DirectoryStoreTest, AKillDuringAnUploadLeavesTheOldObject) {
  put("k", "old");
  stop();
  const auto [child, port] = serve_in_child(directory_);
  ASSERT_GT(port, 0);
  // A client of its own: half a body is on the server's disk when the server is killed.
  start({});  // a server in memory, for its client: sign() and the loops
  const std::string tmp = directory_ + "/.dray/tmp";
  const net::Address there = net::Address::parse("127.0.0.1", port).value();
  Wire wire = sign({.method = "PUT", .bucket = "bucket", .key = "k"});
  wire.head += "content-length: 10000000\r\n\r\n";
  const pid_t pid = child;
  runtime_->call(runtime_->loop(0), [&] {
    std::unique_ptr<net::Stream> stream = net::connect_tcp(there, patience()).value();
    ASSERT_TRUE(stream->write(as_bytes(wire.head + some_bytes(5000000)), net::More::no, patience()).ok());
    const auto half_is_there = [&] {
      for (const auto& entry : fs::directory_iterator(tmp)) {
        if (fs::file_size(entry.path()) > 1000000) return true;
      }
      return false;
    };
    while (!half_is_there() && !patience().passed()) ASSERT_TRUE(fiber::sleep_for(std::chrono::milliseconds(1)).ok());
    kill(pid, SIGKILL);
    std::byte byte;
    (void)stream->read({&byte, 1}, patience());
  });
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  stop();
  EXPECT_FALSE(fs::is_empty(tmp));
  serve();
  EXPECT_EQ(get("k").body, "old");
  EXPECT_EQ(keys(), std::vector<std::string>{"k"});
  EXPECT_TRUE(fs::is_empty(tmp));
  EXPECT_EQ(files_in(".dray/data").size(), 1u);
}

/// While it lives, no file of this process may grow beyond `bytes`: writes fail with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    previous_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit small = limit_;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    signal(SIGXFSZ, previous_);
  }

 private:
  rlimit limit_{};
  void (*previous_)(int) = SIG_DFL;
};

TEST_F(DirectoryStoreTest, AFullDiskIsSaidAndLeavesNothingBehind) {
  put("k", "old");
  const std::string id = create_upload("k");
  {
    const FileSizeLimit limit(1 << 20);
    expect_refused(put("k", some_bytes(3 << 20)), 507, "InsufficientStorage");
    expect_refused(put_part("k", id, 1, some_bytes(3 << 20)), 507, "InsufficientStorage");
  }
  EXPECT_EQ(get("k").body, "old");
  EXPECT_EQ(put("k", some_bytes(3 << 20)).status, 200) << "the server serves on";
  stop();  // with all its work, the removals too
  EXPECT_TRUE(files_in(".dray/tmp").empty());
  EXPECT_EQ(files_in(".dray/data").size(), 1u);
}

TEST_F(DirectoryStoreTest, ARecordThatDoesNotFitLeavesTheOldObject) {
  put("k", "old");
  {
    const FileSizeLimit limit(60);  // the body fits, the record does not
    expect_refused(put("k", "new"), 507, "InsufficientStorage");
    expect_refused(send({.method = "PUT", .bucket = "second"}), 507, "InsufficientStorage");
  }
  EXPECT_EQ(get("k").body, "old");
  stop();
  EXPECT_EQ(files_in(".dray/data").size(), 1u);
  serve();
  EXPECT_EQ(get("k").body, "old");
  EXPECT_EQ(send({.method = "HEAD", .bucket = "second"}).status, 404);
}

}  // namespace
}  // namespace dray::server
