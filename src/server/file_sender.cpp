#include "server/file_sender.h"

#include <algorithm>
#include <vector>

namespace dray::server {

Result<void> send_from_file(net::Stream& stream, const file::File& file, std::uint64_t offset, std::uint64_t length,
                            Deadline deadline) {
  const auto cut = [] { return make_error(ErrorKind::io, "a stored file is shorter than its record says"); };
  const net::Sent sent = DRAY_TRY(stream.send_file(file.fd(), offset, length, net::More::no, deadline));
  if (sent.end == net::SendEnd::source_end) return cut();
  offset += sent.bytes;
  length -= sent.bytes;
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(length, 64 * 1024)));
  while (length > 0) {
    const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>(length, buffer.size()));
    const std::size_t got = DRAY_TRY(file.read_at(offset, MutableBytes(buffer).first(want)));
    if (got == 0) return cut();
    DRAY_TRY_VOID(stream.write(Bytes(buffer).first(got), net::More::no, deadline));
    offset += got;
    length -= got;
  }
  return {};
}

}  // namespace dray::server
