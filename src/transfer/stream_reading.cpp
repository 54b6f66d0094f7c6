#include "transfer/stream_reading.h"

#include <algorithm>
#include <cstdlib>

#include "fiber/loop.h"

namespace dray::transfer {
namespace {

/// How long a job waits for input before it comes back to see whether anybody still wants it.
constexpr std::chrono::milliseconds kPatience{100};

std::string spool_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

Result<std::shared_ptr<StreamReading>> StreamReading::begin(SourceTools& tools, int fd, std::uint64_t size,
                                                            ChecksumKind kind) {
  std::shared_ptr<StreamReading> reading(new StreamReading(tools, fd, size, kind));
  if (tools.budget.fits_queue(size)) {
    reading->buffer_ = DRAY_TRY(tools.budget.take_for_queue(size, Deadline::never()));
    return reading;
  }
  reading->buffer_ = DRAY_TRY(tools.budget.take_for_queue(file::kSliceBytes, Deadline::never()));
  file::File spool =
      DRAY_TRY(tools.offload.run([] { return file::File::temporary(spool_folder()); }, Deadline::never()));
  reading->spool_ = std::make_shared<file::File>(std::move(spool));
  return reading;
}

Result<void> StreamReading::read_some() {
  while (length_ < size_ && !ended_) {
    const MutableBytes room = spool_ != nullptr ? buffer_.bytes() : buffer_.bytes().subspan(length_);
    const MutableBytes want = room.first(std::min<std::uint64_t>({room.size(), file::kSliceBytes, size_ - length_}));
    const std::optional<std::size_t> got = DRAY_TRY(file::read_stream(fd_, want, kPatience));
    if (!got) return {};
    ended_ = *got == 0;
    running_.update(want.first(*got));
    if (spool_ != nullptr) DRAY_TRY_VOID(spool_->write_at(length_, want.first(*got)));
    length_ += *got;
  }
  return {};
}

Result<void> StreamReading::fill(const std::function<bool()>& stop) {
  // Shielded, since the jobs use a borrowed descriptor; each of them ends soon after the input pauses.
  fiber::Shield shield;
  while (length_ < size_ && !ended_) {
    if (stop()) return make_error(ErrorKind::cancelled, "the upload was stopped");
    DRAY_TRY_VOID(tools_.offload.run([this] { return read_some(); }, Deadline::never()));
  }
  checksum_ = running_.finish();
  if (spool_ != nullptr) buffer_ = {};
  return {};
}

Part StreamReading::part(const std::shared_ptr<StreamReading>& self, std::atomic<std::uint64_t>& sent) {
  Part part;
  part.checksum = self->checksum_;
  if (self->spool_ != nullptr) {
    part.body = file_body(self->tools_, self->spool_, {0, self->length_}, nullptr, nullptr, sent);
  } else {
    part.body = memory_body(self->tools_, Bytes(self->buffer_.bytes()).first(self->length_), self, sent);
  }
  return part;
}

}  // namespace dray::transfer
