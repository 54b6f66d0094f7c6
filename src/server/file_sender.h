// Sending a stretch of an open file by sendfile, to a client that may speak before its end.
#pragma once

#include <cstdint>

#include "file/file.h"
#include "net/stream.h"

namespace dray::server {

/// Sends `length` bytes from `offset`, which must be in memory (a memfd, or the page cache): a miss blocks the loop.
/// Stream::send_file stops when the peer speaks, as a client that pipelines does; the rest is then read and written.
/// ErrorKind::io if the file is shorter.
Result<void> send_from_file(net::Stream& stream, const file::File& file, std::uint64_t offset, std::uint64_t length,
                            Deadline deadline);

}  // namespace dray::server
