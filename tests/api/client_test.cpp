#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "api/client_fixture.h"

namespace dray {
namespace {

TEST_F(ClientTest, UploadsAFileAndTellsAboutIt) {
  Client client = Client::open(config()).value();
  const std::string text = test::content_of(2 * kPart + 1);
  const Transfer transfer = client.upload(folder_.write("source", text), object("key"), small_parts());
  const Result<Summary> done = transfer.wait();
  ASSERT_EQ(outcome(done), "ok");
  const test::StoredObject stored = peer_.object("bucket", "key").value();
  EXPECT_TRUE(stored.content == text);
  EXPECT_EQ(done->size, text.size());
  EXPECT_EQ(done->parts, 3u);
  EXPECT_EQ(done->etag, stored.etag);
  EXPECT_EQ(done->checksum_kind, ChecksumKind::crc64nvme);
  EXPECT_EQ(done->checksum, stored.checksum.text());
  EXPECT_GT(done->seconds, 0);
  const Progress progress = transfer.progress();
  EXPECT_EQ(progress.bytes_done, text.size());
  EXPECT_EQ(progress.bytes_total, text.size());
  EXPECT_EQ(progress.parts_done, 3u);
  EXPECT_TRUE(transfer.wait_for(seconds(0)));
}

TEST_F(ClientTest, UploadsBytesAndStreams) {
  Client client = Client::open(config()).value();
  const std::string text = test::content_of(kPart + 1);
  test::Feeder feeder(text);
  const Transfer bytes = client.upload_bytes(as_bytes(text), object("bytes"), small_parts());
  const Transfer stream = client.upload_stream(feeder.descriptor(), object("stream"), small_parts());
  ASSERT_EQ(outcome(bytes.wait()), "ok");
  ASSERT_EQ(outcome(stream.wait()), "ok");
  EXPECT_TRUE(peer_.object("bucket", "bytes")->content == text);
  EXPECT_TRUE(peer_.object("bucket", "stream")->content == text);
  EXPECT_EQ(stream.progress().bytes_total, std::nullopt);
}

TEST_F(ClientTest, HeadTellsWhatWasStored) {
  Client client = Client::open(config()).value();
  UploadOptions options{.checksum = ChecksumKind::sha256, .content_type = "text/plain", .metadata = {{"a", "b"}}};
  const Result<Summary> done = client.upload_bytes(as_bytes("text"), object("k e y"), options).wait();
  ASSERT_EQ(outcome(done), "ok");
  const Result<ObjectInfo> info = client.head_object(object("k e y"));
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(info->size, 4u);
  EXPECT_EQ(info->etag, done->etag);
  EXPECT_EQ(info->content_type, "text/plain");
  EXPECT_EQ(info->checksum_kind, ChecksumKind::sha256);
  EXPECT_EQ(info->checksum, done->checksum);
  EXPECT_EQ(info->checksum_type, "FULL_OBJECT");
  EXPECT_THAT(info->metadata, testing::ElementsAre(testing::Pair("a", "b")));
}

TEST_F(ClientTest, NoChecksumIsAnEmptyText) {
  Client client = Client::open(config()).value();
  const Result<Summary> done =
      client.upload_bytes(as_bytes("text"), object("key"), {.checksum = ChecksumKind::none}).wait();
  ASSERT_EQ(outcome(done), "ok");
  EXPECT_EQ(done->checksum, "");
  EXPECT_EQ(client.head_object(object("key"))->checksum, "");
}

TEST_F(ClientTest, WhatIsNotThereIsNotFound) {
  Client client = Client::open(config()).value();
  EXPECT_EQ(client.head_object(object("missing")).error().kind, ErrorKind::not_found);
  const Result<Summary> done = client.upload(folder_.path("missing"), object("key")).wait();
  EXPECT_EQ(done.error().kind, ErrorKind::not_found);
  EXPECT_THAT(done.error().message, testing::HasSubstr(folder_.path("missing")));
}

TEST_F(ClientTest, MakesAndFindsBuckets) {
  Client client = Client::open(config()).value();
  EXPECT_TRUE(client.make_bucket("bucket").ok());
  EXPECT_TRUE(client.head_bucket("bucket").ok());
  peer_.plan({.operation = "CreateBucket", .first = 2, .status = 409, .code = "BucketAlreadyOwnedByYou"});
  peer_.plan({.operation = "HeadBucket", .first = 2, .status = 404, .code = "NoSuchBucket"});
  EXPECT_EQ(client.make_bucket("bucket").error().kind, ErrorKind::already_exists);
  EXPECT_EQ(client.head_bucket("bucket").error().kind, ErrorKind::not_found);
}

TEST_F(ClientTest, ABlockingCallIsTriedAgain) {
  Client client = Client::open(config()).value();
  peer_.plan({.operation = "HeadBucket", .status = 503, .code = "SlowDown"});
  EXPECT_TRUE(client.head_bucket("bucket").ok());
  EXPECT_EQ(peer_.requests("HeadBucket"), 2u);
}

TEST_F(ClientTest, WhatCannotBeIsRefusedBeforeTheStoreHearsOfIt) {
  Client client = Client::open(config()).value();
  const auto kind = [](const Transfer& transfer) {
    const Result<Summary> done = transfer.wait();
    return done.ok() ? ErrorKind::internal : done.error().kind;
  };
  const Bytes text = as_bytes("text");
  EXPECT_EQ(kind(client.upload_bytes(text, {.bucket = "bucket", .key = ""})), ErrorKind::invalid_argument);
  EXPECT_EQ(kind(client.upload_bytes(text, {.bucket = "..", .key = "key"})), ErrorKind::invalid_argument);
  EXPECT_EQ(kind(client.upload_bytes(text, object("key"), {.part_size = 1})), ErrorKind::invalid_argument);
  EXPECT_EQ(kind(client.upload_bytes(text, object("key"), {.content_type = "a\r\nb: c"})), ErrorKind::invalid_argument);
  EXPECT_EQ(kind(client.upload_bytes(text, object("key"), {.metadata = {{"a b", "c"}}})), ErrorKind::invalid_argument);
  EXPECT_EQ(peer_.accepted(), 0u);
}

TEST_F(ClientTest, OpeningRefusesASettingsThatCannotBe) {
  const auto kind = [](Config config) {
    const Result<Client> client = Client::open(std::move(config));
    return client.ok() ? ErrorKind::internal : client.error().kind;
  };
  Config half = config();
  half.secret_key.clear();
  EXPECT_EQ(kind(half), ErrorKind::invalid_argument);
  Config no_url = config();
  no_url.endpoint_url = "not a URL";
  EXPECT_EQ(kind(no_url), ErrorKind::invalid_argument);
  Config addressing = config();
  addressing.addressing = "sideways";
  EXPECT_EQ(kind(addressing), ErrorKind::invalid_argument);
}

TEST_F(ClientTest, SignsUnlessToldNotTo) {
  Client client = Client::open(config()).value();
  ASSERT_TRUE(client.head_bucket("bucket").ok());
  EXPECT_EQ(peer_.signed_requests(), 1u);
  Config nobody = config();
  nobody.sign_requests = false;
  Client anonymous = Client::open(nobody).value();
  ASSERT_TRUE(anonymous.head_bucket("bucket").ok());
  EXPECT_EQ(peer_.signed_requests(), 1u);
  EXPECT_EQ(peer_.requests("HeadBucket"), 2u);
}

TEST_F(ClientTest, NoticesReachTheLog) {
  Config loud = config();
  std::mutex mutex;
  std::vector<std::pair<std::string, std::string>> notices;
  loud.log = [&](std::string_view level, std::string_view text) {
    std::lock_guard lock(mutex);
    notices.emplace_back(level, text);
  };
  {
    Client client = Client::open(loud).value();
    peer_.plan({.operation = "PutObject"});
    ASSERT_EQ(outcome(client.upload_bytes(as_bytes("text"), object("key")).wait()), "ok");
  }
  EXPECT_THAT(notices, testing::Contains(testing::Pair("info", testing::HasSubstr("InternalError"))));
}

TEST_F(ClientTest, ARefusedConnectionFailsSoonAndSaysWhere) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);  // bound, and nobody listens
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t length = sizeof address;
  ASSERT_EQ(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length), 0);
  Config wrong = config();
  const std::string authority = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  wrong.endpoint_url = "http://" + authority;
  Client client = Client::open(wrong).value();
  const auto begun = std::chrono::steady_clock::now();
  const std::string text = test::content_of(kPart + 1);
  for (const std::string_view content : {std::string_view("text"), std::string_view(text)}) {
    const Result<Summary> done = client.upload_bytes(as_bytes(content), object("key"), small_parts()).wait();
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().kind, ErrorKind::connect);
    EXPECT_THAT(done.error().message, testing::HasSubstr(authority));
    EXPECT_THAT(done.error().message, testing::HasSubstr("refused"));
    EXPECT_THAT(done.error().advice, testing::HasSubstr("endpoint"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(test::kSanitized ? 10 : 3));
  ::close(socket);
}

TEST_F(ClientTest, AnUnknownHostFailsSoonAndIsNamed) {
  Config wrong = config();
  wrong.endpoint_url = "http://no-such-host.invalid:9000";
  Client client = Client::open(wrong).value();
  const Result<Summary> done = client.upload_bytes(as_bytes("text"), object("key")).wait();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind, ErrorKind::resolve);
  EXPECT_THAT(done.error().message, testing::HasSubstr("no-such-host.invalid"));
  EXPECT_NE(done.error().advice, "");
}

TEST_F(ClientTest, ManySmallObjectsGoThroughOneClient) {
  constexpr std::size_t kObjects = 2'000;
  Config automatic = config();
  automatic.concurrency = 0;
  Client client = Client::open(automatic).value();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kObjects; ++i) texts.push_back(test::content_of(i % 3'000, i + 1));
  std::vector<Transfer> transfers;
  for (std::size_t i = 0; i < kObjects; ++i) {
    transfers.push_back(client.upload_bytes(as_bytes(texts[i]), object(std::to_string(i))));
  }
  for (const Transfer& transfer : transfers) ASSERT_EQ(outcome(transfer.wait()), "ok");
  ASSERT_EQ(peer_.objects(), kObjects);
  for (std::size_t i = 0; i < kObjects; ++i)
    ASSERT_TRUE(peer_.object("bucket", std::to_string(i))->content == texts[i]);
  EXPECT_EQ(client.peak_connections(), peer_.peak_connections());
}

TEST_F(ClientTest, CountsItsConnections) {
  Client client = Client::open(config()).value();
  EXPECT_EQ(client.connections(), 0u);
  peer_.plan({.operation = "PutObject", .misdeed = Misdeed::hold, .times = Fault::kAlways});
  std::vector<Transfer> transfers;
  for (int i = 0; i < 9; ++i) transfers.push_back(client.upload_bytes(as_bytes("text"), object(std::to_string(i))));
  ASSERT_TRUE(peer_.wait_for_requests("PutObject", 4));
  EXPECT_EQ(client.connections(), 4u);
  peer_.release();
  for (const Transfer& transfer : transfers) ASSERT_EQ(outcome(transfer.wait()), "ok");
  EXPECT_EQ(client.peak_connections(), 4u);
}

TEST_F(ClientTest, ServesSeveralThreads) {
  Client client = Client::open(config()).value();
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string text = test::content_of(1'000 + static_cast<std::size_t>(thread));
      for (int i = 0; i < 30; ++i) {
        const ObjectUrl url = object(std::to_string(thread) + "-" + std::to_string(i));
        if (!client.upload_bytes(as_bytes(text), url).wait()) ++failures;
        if (!client.head_object(url)) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(peer_.objects(), 120u);
}

}  // namespace
}  // namespace dray
