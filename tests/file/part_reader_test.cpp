#include "file/part_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "file/temp_folder.h"
#include "support/with_loop.h"

namespace dray::file {
namespace {

class PartReaderTest : public TempFolder {};

/// What read_slices() showed, and in which slices.
struct Shown {
  std::string text;
  std::vector<std::size_t> slices;
  ReadOutcome outcome;
};

Shown read_range(const File& file, std::uint64_t offset, std::uint64_t length) {
  Shown shown;
  shown.outcome = read_slices(file, offset, length, [&](Bytes slice) {
                    shown.text += as_text(slice);
                    shown.slices.push_back(slice.size());
                  }).value();
  return shown;
}

TEST_F(PartReaderTest, ShowsEachRangeInOrder) {
  const std::string content = pattern(3 * kSliceBytes + 123);
  const File file = File::open(write("a", content)).value();
  const std::uint64_t size = content.size();
  const struct {
    std::uint64_t offset, length;
  } ranges[] = {{0, 0},
                {0, 1},
                {0, size},
                {0, size + 1},
                {0, ~std::uint64_t{0} >> 2},
                {1, kSliceBytes},
                {kSliceBytes - 1, 2},
                {kSliceBytes, kSliceBytes},
                {kSliceBytes + 1, kSliceBytes * 2 - 3},
                {12345, 777'777},
                {size - 1, 1},
                {size - 1, 100},
                {size, 100},
                {size + 1'000'000, 100}};
  for (const auto& [offset, length] : ranges) {
    const std::string expected = offset < size ? content.substr(offset, length) : "";
    const Shown shown = read_range(file, offset, length);
    EXPECT_TRUE(shown.text == expected) << offset << ", " << length;
    EXPECT_EQ(shown.outcome.bytes, expected.size()) << offset << ", " << length;
    EXPECT_LE(shown.outcome.cold, shown.outcome.bytes);
    for (std::size_t slice : shown.slices) {
      EXPECT_GT(slice, 0u);
      EXPECT_LE(slice, kSliceBytes);
    }
    EXPECT_EQ(shown.slices.size(), (expected.size() + kSliceBytes - 1) / kSliceBytes) << offset << ", " << length;
  }
}

TEST_F(PartReaderTest, CountsWhatWasCold) {
  const std::string content = pattern(4 << 20);
  const std::string name = write("a", content);
  const File file = File::open(name).value();
  std::string probe(1, '?');
  if (file.read_cached(0, room(probe)) == 0) GTEST_SKIP() << "this file system has no reads without waiting";
  EXPECT_EQ(read_range(file, 0, content.size()).outcome.cold, 0u);
  EXPECT_TRUE(file.sync().ok());
  file.drop_cache();
  if (file.read_cached(0, room(probe)) != 0) GTEST_SKIP() << "this file system keeps its files in memory";
  const Shown cold = read_range(file, 0, content.size());
  EXPECT_GT(cold.outcome.cold, 0u);
  EXPECT_TRUE(cold.text == content);
  EXPECT_EQ(read_range(file, 0, content.size()).outcome.cold, 0u);
}

TEST_F(PartReaderTest, SeesAFileThatGrowsOnlyUpToItsRange) {
  const std::string name = write("a", "12345");
  const File file = File::open(name).value();
  EXPECT_EQ(read_range(file, 0, 10).outcome.bytes, 5u);
  ASSERT_EQ(truncate(name.c_str(), 100), 0);
  EXPECT_EQ(read_range(file, 0, 10).outcome.bytes, 10u);
}

TEST_F(PartReaderTest, EndsWhereAFileIsCutUnderIt) {
  const std::string name = write("a", pattern(4 * kSliceBytes));
  const File file = File::open(name).value();
  std::uint64_t seen = 0;
  const ReadOutcome outcome = read_slices(file, 0, 4 * kSliceBytes, [&](Bytes slice) {
                                if (seen == 0) {
                                  EXPECT_EQ(truncate(name.c_str(), kSliceBytes + 10), 0);
                                }
                                seen += slice.size();
                              }).value();
  EXPECT_EQ(outcome.bytes, kSliceBytes + 10);
  EXPECT_EQ(seen, outcome.bytes);
}

TEST_F(PartReaderTest, FailsWithTheFile) {
  const File closed;
  EXPECT_EQ(test::outcome(read_slices(closed, 0, 10, [](Bytes) { FAIL(); })), "io");
  std::string text(10, '?');
  EXPECT_EQ(test::outcome(read_into(closed, 0, room(text), [](Bytes) { FAIL(); })), "io");
  const File file = File::open(folder()).value();
  EXPECT_EQ(test::outcome(read_slices(file, 0, 10, [](Bytes) { FAIL(); })), "io");
}

TEST_F(PartReaderTest, FillsABufferAndShowsIt) {
  const std::string content = pattern((2 << 20) + 4097);
  const File file = File::open(write("a", content)).value();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kSliceBytes - 1, kSliceBytes + 1, std::size_t{1} << 20,
                                 (std::size_t{1} << 20) + 1, content.size(), content.size() + 5000}) {
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096}}) {
      std::string out(size, '?'), shown;
      const ReadOutcome outcome = read_into(file, offset, room(out), [&](Bytes slice) {
                                    EXPECT_LE(slice.size(), kSliceBytes);
                                    shown += as_text(slice);
                                  }).value();
      const std::string expected = content.substr(offset, size);
      EXPECT_EQ(outcome.bytes, expected.size()) << size << " at " << offset;
      EXPECT_TRUE(shown == expected) << size << " at " << offset;
      out.resize(outcome.bytes);
      EXPECT_TRUE(out == expected) << size << " at " << offset;
    }
  }
}

/// Sizes round everything that has a boundary: the disk's blocks, the slices, the direct reads.
TEST_F(PartReaderTest, ReadsTheTailOfAFilePastTheCache) {
  for (const std::size_t size :
       {0, 1, 511, 512, 513, 4095, 4096, 4097, 262143, 262144, 262145, 1048575, 1048576, 1048577, 3145728 + 1234}) {
    const std::string content = pattern(size);
    const std::string name = write("a", content);
    EXPECT_TRUE(File::open(name)->sync().ok());
    const Result<File> file = File::open(name, Access::direct);
    if (!file) {
      EXPECT_EQ(file.error().kind, ErrorKind::unsupported);
      GTEST_SKIP() << "this file system refuses O_DIRECT";
    }
    for (const std::size_t offset : {std::size_t{0}, PartBuffer::kAlignment, std::size_t{1} << 20}) {
      PartBuffer buffer = PartBuffer::allocate(4 << 20).value();
      std::string shown;
      const Result<ReadOutcome> outcome =
          read_into(*file, offset, buffer.bytes(), [&](Bytes slice) { shown += as_text(slice); });
      ASSERT_TRUE(outcome.ok()) << size << " at " << offset << ": " << outcome.error().message;
      const std::string expected = offset < size ? content.substr(offset) : "";
      EXPECT_EQ(outcome->bytes, expected.size()) << size << " at " << offset;
      EXPECT_TRUE(shown == expected) << size << " at " << offset;
      EXPECT_TRUE(as_text(buffer.bytes().first(expected.size())) == expected);
    }
  }
}

TEST(PartBufferTest, IsAlignedAndOwned) {
  PartBuffer buffer = PartBuffer::allocate(10'000).value();
  EXPECT_EQ(buffer.size(), 10'000u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % PartBuffer::kAlignment, 0u);
  buffer.bytes().back() = std::byte{1};
  PartBuffer moved = std::move(buffer);
  EXPECT_EQ(buffer.size(), 0u);  // NOLINT: what is left of it is told by its header
  EXPECT_EQ(moved.bytes().back(), std::byte{1});
  moved = PartBuffer();
  EXPECT_EQ(moved.size(), 0u);
}

TEST(PartBufferTest, IsExhaustedBeyondAllMemory) {
  EXPECT_EQ(test::outcome(PartBuffer::allocate(std::size_t{1} << 60)), "exhausted");
}

}  // namespace
}  // namespace dray::file
