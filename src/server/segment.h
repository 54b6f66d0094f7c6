// Segment: a stretch of an object's content, and Draft: one on its way in.
//
// An object is one segment (PutObject) or one for each part of its multipart upload, so completing an upload moves no
// bytes. Segments never change once they are made and are shared by the catalog and by whoever is sending them: an
// object that is replaced or removed while it is being read is read to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/time.h"
#include "dray/result.h"
#include "net/stream.h"

namespace dray::server {

/// Bodies are received in pieces of at most this size.
constexpr std::size_t kPieceBytes = 256 * 1024;

/// A buffer that owns its memory and knows how much of it is filled. Not zeroed.
struct Piece {
  std::unique_ptr<std::byte[]> memory;
  std::size_t capacity = 0;
  std::size_t size = 0;

  static Piece with_capacity(std::size_t capacity) {
    return {std::make_unique_for_overwrite<std::byte[]>(capacity), capacity, 0};
  }
  MutableBytes room() { return {memory.get() + size, capacity - size}; }
  Bytes bytes() const { return {memory.get(), size}; }
};

/// Any thread may hold one; send() is for fibers.
class Segment {
 public:
  virtual ~Segment() = default;
  virtual std::uint64_t size() const = 0;
  /// Sends `length` bytes from `offset`, whatever the peer says meanwhile.
  virtual Result<void> send(net::Stream& stream, std::uint64_t offset, std::uint64_t length,
                            Deadline deadline) const = 0;
  /// It is no longer part of the store: its bytes go when the last holder lets go of it.
  virtual void abandon() const {}
};

/// A segment being written; owned by one fiber. Dropping it, or dropping the segment without it being saved as part of
/// an object or of an upload, leaves nothing behind.
class Draft {
 public:
  virtual ~Draft() = default;
  virtual Result<void> append(Piece piece, Deadline deadline) = 0;
  /// After the last piece. The draft is of no use afterwards.
  virtual Result<std::shared_ptr<const Segment>> finish(Deadline deadline) = 0;
};

}  // namespace dray::server
