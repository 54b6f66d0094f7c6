#include "server/memory_store.h"

#include <algorithm>
#include <cstring>

namespace dray::server {
namespace {

class MemorySegment final : public Segment {
 public:
  MemorySegment(std::vector<Piece> pieces, std::uint64_t size) : pieces_(std::move(pieces)), size_(size) {}
  std::uint64_t size() const override { return size_; }

  Result<void> send(net::Stream& stream, std::uint64_t offset, std::uint64_t length, Deadline deadline) const override {
    for (const Piece& piece : pieces_) {
      if (length == 0) break;
      if (offset >= piece.size) {
        offset -= piece.size;
        continue;
      }
      const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size - offset, length));
      length -= take;
      DRAY_TRY_VOID(stream.write(piece.bytes().subspan(static_cast<std::size_t>(offset), take),
                                 length > 0 ? net::More::yes : net::More::no, deadline));
      offset = 0;
    }
    return {};
  }

 private:
  std::vector<Piece> pieces_;
  std::uint64_t size_;
};

/// Keeps the pieces as they come; one that is mostly empty (the size was not known) is copied to its true size.
class MemoryDraft final : public Draft {
 public:
  Result<void> append(Piece piece, Deadline) override {
    if (piece.size < piece.capacity / 2) {
      Piece small = Piece::with_capacity(piece.size);
      std::memcpy(small.memory.get(), piece.memory.get(), piece.size);
      small.size = piece.size;
      piece = std::move(small);
    }
    size_ += piece.size;
    pieces_.push_back(std::move(piece));
    return {};
  }
  Result<std::shared_ptr<const Segment>> finish(Deadline) override {
    return std::shared_ptr<const Segment>(std::make_shared<MemorySegment>(std::move(pieces_), size_));
  }

 private:
  std::vector<Piece> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<Draft>> MemoryStore::begin_body(std::uint64_t) {
  return std::unique_ptr<Draft>(std::make_unique<MemoryDraft>());
}

}  // namespace dray::server
