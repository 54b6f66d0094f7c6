// Every size from every source: the object is the source, byte for byte.
#include <fcntl.h>
#include <sys/stat.h>

#include "hash/checksum.h"
#include "transfer/upload_fixture.h"

namespace dray::transfer {
namespace {

constexpr std::uint64_t kSizes[] = {0, 1, kPart - 1, kPart, kPart + 1, 3 * kPart};

enum class From { memory, file, direct_file, serial_file, pipe, fifo };

struct SizeCase {
  From from;
  std::size_t concurrency;
};

std::string name_of_case(const testing::TestParamInfo<SizeCase>& info) {
  constexpr std::string_view kNames[] = {"Memory", "File", "DirectFile", "SerialFile", "Pipe", "Fifo"};
  return std::string(kNames[static_cast<int>(info.param.from)]) + "Over" + std::to_string(info.param.concurrency);
}

class UploadSizesTest : public UploadTest, public testing::WithParamInterface<SizeCase> {
 protected:
  void SetUp() override { start({.concurrency = GetParam().concurrency}); }

  Result<UploadSummary> upload(const std::string& text, const std::string& key) {
    switch (GetParam().from) {
      case From::memory:
        return run(request(memory(text), key));
      case From::pipe: {
        test::Feeder feeder(text);
        return run(request(FromStream{feeder.descriptor()}, key));
      }
      case From::fifo: {
        const std::string path = folder_.path("fifo" + key);
        EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
        std::shared_ptr<Upload> under_way = begin(request(FromFile{path}, key));
        std::thread writer([&] {
          const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
          EXPECT_TRUE(fd >= 0 && test::write_all(fd, text));
          ::close(fd);
        });
        Result<UploadSummary> done = under_way->wait();
        writer.join();
        return done;
      }
      default: {
        UploadRequest wanted = request(file(text, "f" + key), key);
        wanted.direct_io = GetParam().from == From::direct_file;
        wanted.serial_reader = GetParam().from == From::serial_file;
        return run(std::move(wanted));
      }
    }
  }
};

TEST_P(UploadSizesTest, TheObjectIsTheSource) {
  const bool streamed = GetParam().from == From::pipe || GetParam().from == From::fifo;
  for (const std::uint64_t size : kSizes) {
    SCOPED_TRACE(size);
    const std::string text = test::content_of(size, size + 1);
    const std::string key = std::to_string(size);
    const Result<UploadSummary> done = upload(text, key);
    ASSERT_EQ(outcome(done), "ok");
    expect_object(text, key);
    const std::uint64_t parts = size > kPart ? (size + kPart - 1) / kPart : streamed && size == kPart ? 1 : 0;
    EXPECT_EQ(done->size, size);
    EXPECT_EQ(done->parts, parts);
    EXPECT_EQ(done->etag, peer_.object(kBucket, key)->etag);
    EXPECT_EQ(done->checksum, hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(text)));
    EXPECT_EQ(done->checksum, peer_.object(kBucket, key)->checksum);
    EXPECT_EQ(done->retries, 0u);
  }
  EXPECT_LE(peer_.peak_connections(), GetParam().concurrency);
}

std::vector<SizeCase> cases() {
  std::vector<SizeCase> all;
  for (From from : {From::memory, From::file, From::direct_file, From::serial_file, From::pipe, From::fifo}) {
    for (std::size_t concurrency : {1, 4, 64}) all.push_back({from, concurrency});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Sources, UploadSizesTest, testing::ValuesIn(cases()), name_of_case);

class UploadChecksumTest : public UploadTest, public testing::WithParamInterface<ChecksumKind> {};

TEST_P(UploadChecksumTest, IsThatOfTheObjectWhole) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, 2 * kPart + 1}) {
    const std::string text = test::content_of(size);
    UploadRequest wanted = request(file(text));
    wanted.checksum = GetParam();
    const Result<UploadSummary> done = run(std::move(wanted));
    ASSERT_EQ(outcome(done), "ok") << size;
    expect_object(text);
    const test::StoredObject object = peer_.object(kBucket, kKey).value();
    EXPECT_EQ(done->checksum, object.checksum) << size;
    EXPECT_EQ(object.checksum.kind, GetParam()) << size;
    const bool composite = size > kPart && hash::multipart_type_of(GetParam()) == hash::ChecksumType::composite;
    if (composite) {
      EXPECT_EQ(object.checksum.parts, 3u);
    } else {
      EXPECT_EQ(object.checksum, hash::checksum_of(GetParam(), as_bytes(text))) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, UploadChecksumTest,
                         testing::Values(ChecksumKind::none, ChecksumKind::crc32, ChecksumKind::crc32c,
                                         ChecksumKind::crc64nvme, ChecksumKind::sha1, ChecksumKind::sha256),
                         [](const auto& kind) { return std::string(dray::name_of(kind.param)); });

TEST_F(UploadTest, CarriesTypeAndMetadata) {
  const std::string text = test::content_of(kPart + 1);
  for (const std::uint64_t size : {std::uint64_t{1}, kPart + 1}) {
    UploadRequest wanted = request(memory(std::string_view(text).substr(0, size)));
    wanted.attributes = {.content_type = "text/plain", .metadata = {{"colour", "blue"}}};
    ASSERT_EQ(outcome(run(std::move(wanted))), "ok");
    const test::StoredObject object = peer_.object(kBucket, kKey).value();
    EXPECT_EQ(object.content_type, "text/plain");
    EXPECT_THAT(object.metadata, testing::ElementsAre(testing::Pair("colour", "blue")));
  }
}

TEST_F(UploadTest, ProgressEndsWithAllBytesDone) {
  const std::string text = test::content_of(2 * kPart + 1);
  const std::shared_ptr<Upload> upload = begin(request(memory(text)));
  ASSERT_EQ(outcome(upload->wait()), "ok");
  EXPECT_EQ(upload->progress().bytes_done, text.size());
  EXPECT_EQ(upload->progress().bytes_sent, text.size());
  EXPECT_EQ(upload->progress().bytes_total, text.size());
  EXPECT_EQ(upload->progress().parts_done, 3u);
  EXPECT_EQ(upload->progress().parts_total, 3u);
}

TEST_F(UploadTest, AFileWithContentButWithoutASizeIsAStream) {
  const Result<UploadSummary> done = run(request(FromFile{"/proc/self/status"}));
  ASSERT_EQ(outcome(done), "ok");
  EXPECT_GT(done->size, 100u);
  EXPECT_EQ(peer_.object(kBucket, kKey)->content.substr(0, 5), "Name:");
}

TEST_F(UploadTest, AnOddPartSizeFallsBackFromDirectReading) {
  const std::string text = test::content_of(2 * kPart + 99);
  UploadRequest wanted = request(file(text));
  wanted.part_size = kPart + 1;
  wanted.direct_io = true;
  ASSERT_EQ(outcome(run(std::move(wanted))), "ok");
  expect_object(text);
}

struct BadSource {
  std::string path;
  ErrorKind kind;
};

TEST_F(UploadTest, SaysWhatIsWrongWithASourceBeforeTheStoreHearsOfIt) {
  for (const BadSource& bad : {BadSource{folder_.path("missing"), ErrorKind::not_found},
                               BadSource{folder_.path(""), ErrorKind::invalid_argument},
                               BadSource{folder_.path("missing/too"), ErrorKind::not_found}}) {
    const Result<UploadSummary> done = run(request(FromFile{bad.path}));
    ASSERT_FALSE(done.ok()) << bad.path;
    EXPECT_EQ(done.error().kind, bad.kind) << done.error().message;
    EXPECT_THAT(done.error().message, testing::HasSubstr(bad.path));
  }
  EXPECT_EQ(peer_.accepted(), 0u);
}

TEST_F(UploadTest, RefusesAPartSizeThatS3WouldRefuse) {
  const std::string text = test::content_of(100);
  test::Feeder feeder(text);
  for (const std::uint64_t part_size : {std::uint64_t{1}, kPart - 1, (std::uint64_t{5} << 30) + 1}) {
    UploadRequest from_memory = request(memory(text)), from_stream = request(FromStream{feeder.descriptor()});
    from_memory.part_size = from_stream.part_size = part_size;
    EXPECT_EQ(kind_of(run(std::move(from_memory))), ErrorKind::invalid_argument) << part_size;
    EXPECT_EQ(kind_of(run(std::move(from_stream))), ErrorKind::invalid_argument) << part_size;
  }
}

}  // namespace
}  // namespace dray::transfer
