// PartReader: reads a range of a file in slices that stay in cache while somebody looks at them.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/bytes.h"
#include "dray/result.h"
#include "file/file.h"

namespace dray::file {

/// What a slice may have at most. Half of a small L2 cache: larger ones are read back from memory.
constexpr std::size_t kSliceBytes = 256 * 1024;

struct ReadOutcome {
  std::uint64_t bytes = 0;  ///< less than asked for = the file ends there
  std::uint64_t cold = 0;   ///< of them not in the page cache when asked for
};

/// Shows bytes [offset, offset + length) to `visit`, in order, in slices of at most kSliceBytes. Blocks on a disk: for
/// the offload pool. Keeps one buffer of kSliceBytes for each thread that calls it.
Result<ReadOutcome> read_slices(const File& file, std::uint64_t offset, std::uint64_t length,
                                const std::function<void(Bytes)>& visit);

/// Memory for whole parts, aligned for O_DIRECT. Owns it.
class PartBuffer {
 public:
  static constexpr std::size_t kAlignment = 4096;
  PartBuffer() = default;
  /// ErrorKind::exhausted if there is no memory.
  static Result<PartBuffer> allocate(std::size_t size);
  ~PartBuffer();
  PartBuffer(PartBuffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PartBuffer& operator=(PartBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  MutableBytes bytes() { return {memory_, size_}; }
  std::size_t size() const { return size_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// Fills `out` from `offset`, slice by slice, showing each to `visit`; for files opened with Access::direct `offset`
/// and out.size() must be multiples of PartBuffer::kAlignment. Blocks.
Result<ReadOutcome> read_into(const File& file, std::uint64_t offset, MutableBytes out,
                              const std::function<void(Bytes)>& visit);

}  // namespace dray::file
