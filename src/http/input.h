// Input: the receiving side of a connection: message heads, then bodies, over one small buffer.
//
// For the fiber that owns the connection. Body bytes beyond the buffer go straight to the caller's memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "dray/result.h"
#include "http/head.h"
#include "net/stream.h"

namespace dray::http {

class Input {
 public:
  /// Borrows the stream.
  explicit Input(net::Stream& stream) : stream_(stream) {}

  /// A whole head including its empty line; the view lives until the next call. Empty = the peer closed before its
  /// first byte. ErrorKind::protocol if it is longer than kMaxHeadBytes, ErrorKind::network if it is cut.
  Result<std::string_view> read_head(Deadline deadline);

  /// From now on read_body() reads a body framed like this.
  void begin_body(Framing framing);
  /// The next bytes of the body, chunk framing taken off; 0 = its end. A body that is cut is ErrorKind::network.
  Result<std::size_t> read_body(MutableBytes out, Deadline deadline);
  /// The rest of the body as text; ErrorKind::protocol if it is longer than `limit` bytes.
  Result<std::string> read_body_text(std::size_t limit, Deadline deadline);
  /// Throws the rest of the body away without copying it, if it is at most `limit` bytes; else an error.
  Result<std::uint64_t> discard_body(std::uint64_t limit, Deadline deadline);
  /// Whether the whole body was taken, so that the next head may follow.
  bool body_ended() const { return ended_; }
  /// Fields after a chunked body, once it has ended.
  const Headers& trailers() const { return trailers_; }
  /// Bytes that were received and not yet taken.
  std::size_t buffered() const { return end_ - begin_; }

 private:
  Result<void> fill(Deadline deadline);  ///< reads at least a byte or fails; end of stream is ErrorKind::network
  Result<std::string_view> read_line(Deadline deadline);
  Result<void> next_chunk(Deadline deadline);
  Result<void> after_chunk_data(Deadline deadline);
  std::size_t take_buffered(MutableBytes out);

  net::Stream& stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  Framing framing_;
  std::uint64_t left_ = 0;  // of the body or of the current chunk
  bool ended_ = true;
  bool in_chunk_ = false;
  Headers trailers_;
};

}  // namespace dray::http
