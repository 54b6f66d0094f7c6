// Stream: a two-way connection as the HTTP layer sees it. Tcp is one; TLS will be another; tests have their own.
//
// For fibers of the loop it was made on; one reader and one writer at a time. Every call takes a deadline. After an
// error other than timed_out or cancelled the stream is dead; after those two it is in an unknown place of the
// conversation, so it must be closed all the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/time.h"
#include "dray/result.h"

namespace dray::net {

/// Whether more follows at once (then the kernel may wait for it to fill a segment).
enum class More { no, yes };

/// Why a send ended.
enum class SendEnd {
  done,        ///< all of it was handed to the kernel
  peer_spoke,  ///< the peer sent something (or hung up) first: read before sending on
  source_end,  ///< send_file only: the file ended before the range did
};
struct Sent {
  std::uint64_t bytes = 0;
  SendEnd end = SendEnd::done;
};

class Stream {
 public:
  virtual ~Stream() = default;

  /// Waits for input; 0 = the peer has closed its side.
  virtual Result<std::size_t> read(MutableBytes out, Deadline deadline) = 0;
  /// Sends all of it, whatever the peer says meanwhile.
  virtual Result<void> write(Bytes data, More more, Deadline deadline) = 0;
  /// Sends all of it unless the peer speaks first.
  virtual Result<Sent> write_watching(Bytes data, More more, Deadline deadline) = 0;
  /// Sends `length` bytes of an open file from `offset`, unless the peer speaks first. The range should be in the page
  /// cache: a miss blocks the loop.
  virtual Result<Sent> send_file(int fd, std::uint64_t offset, std::uint64_t length, More more, Deadline deadline) = 0;
  /// Reads and throws away; returns how much, 0 = the peer has closed its side.
  virtual Result<std::uint64_t> discard(std::uint64_t at_most, Deadline deadline) = 0;

  /// True if the peer has sent something that was not read, or hung up. For a connection that should be idle: not fit
  /// for use then. One system call.
  virtual bool has_input() = 0;
  /// From now on a wait without any progress for this long ends as timed_out, whatever its deadline. Never by default.
  virtual void set_idle_limit(Duration limit) = 0;
  /// "127.0.0.1:9000", for messages.
  virtual std::string peer() const = 0;
  /// Ends both directions. Wakes whoever waits on it.
  virtual void close() = 0;
};

}  // namespace dray::net
