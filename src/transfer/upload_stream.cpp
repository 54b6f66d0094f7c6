// The way of a stream (pipe, FIFO, terminal) to an object: read in order, sent in parallel.
#include <utility>

#include "transfer/stream_reading.h"
#include "transfer/upload_steps.h"

namespace dray::transfer {

Result<UploadSummary> Upload::from_stream() {
  const auto no_longer_wanted = [this] { return stopped(); };
  const auto begin_part = [&](s3::PartNumber number) {
    Stoppable scope(*this);  // other streams may have the buffers for long
    return StreamReading::begin(engine_.tools(), *stream_, stream_part_bytes(number), request_.checksum);
  };
  const auto read_part = [&](s3::PartNumber number) -> Result<std::shared_ptr<StreamReading>> {
    auto reading = DRAY_TRY(begin_part(number));
    DRAY_TRY_VOID(reading->fill(no_longer_wanted));
    return reading;
  };
  Result<std::shared_ptr<StreamReading>> reading = read_part(1);
  if (!reading) return stopped() ? stop_error() : std::move(reading).error();
  if ((*reading)->stream_ended()) return put_stream(*reading);

  DRAY_TRY_VOID(create([] {}));
  for (s3::PartNumber number = 1;; ++number) {
    std::shared_ptr<StreamReading> part = *std::move(reading);
    const bool ended = part->stream_ended();
    plan_.size += part->length();
    progress_.parts_total = number;
    Result<fiber::Units> room = fiber::Units::acquire(spool_room_, part->spooled() ? 1 : 0, Deadline::never());
    if (!room) {
      stop(std::move(room).error());
      break;
    }
    // Only the queued task holds buffer and room, until its part has been sent: the next reading may wait for them.
    queue_part(number,
               [self = shared_from_this(), part = std::move(part),
                held = std::make_shared<fiber::Units>(std::move(*room))]() -> Result<Part> {
                 return StreamReading::part(part, self->progress_.bytes_sent);
               });
    if (ended || stopped()) break;
    if (number == s3::kMaxParts) {
      stop(make_error(ErrorKind::invalid_argument, "the stream is longer than 10,000 parts of the sizes used")
               .advise("give --expected-size or a larger --part-size"));
      break;
    }
    reading = read_part(number + 1);
    if (!reading) {
      stop(std::move(reading).error());
      break;
    }
    if ((*reading)->length() == 0) break;  // it had ended exactly where the part did
  }
  reading = Result<std::shared_ptr<StreamReading>>(stopped_error());  // lets go of the last buffer
  wait_for_parts();
  if (stopped()) return clean_up(stop_error());
  return commit();
}

Result<UploadSummary> Upload::put_stream(std::shared_ptr<StreamReading> reading) {
  const std::uint64_t size = reading->length();
  progress_.parts_total = 1;
  auto tries = std::make_shared<int>(0);
  Result<s3::PutResult> put = on_a_worker<s3::PutResult>(
      [self = shared_from_this(), reading, size, tries](s3::Session& session) -> Result<s3::PutResult> {
        Stoppable scope(*self);
        Part part = StreamReading::part(reading, self->progress_.bytes_sent);
        return self->put_settled(session, part, size, ++*tries);
      });
  if (!put) return stopped() ? stop_error() : std::move(put).error();
  progress_.bytes_done = size;
  progress_.parts_done = 1;
  return UploadSummary{.size = size, .etag = put->etag, .version_id = put->version_id, .checksum = reading->checksum()};
}

std::uint64_t Upload::stream_part_bytes(s3::PartNumber number) const {
  std::uint64_t base = request_.part_size != 0 ? request_.part_size : kDefaultPartBytes;
  if (request_.expected_size != 0) {
    if (Result<PartPlan> plan = plan_parts(request_.expected_size, request_.part_size, 0)) base = plan->part_size;
  }
  return request_.equal_parts ? base : stream_part_size(number, base);
}

}  // namespace dray::transfer
