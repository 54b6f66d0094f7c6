#include "transfer/upload.h"

#include <fmt/format.h>

#include <algorithm>

#include "s3/create_multipart_upload.h"
#include "s3/head_object.h"
#include "s3/put_object.h"
#include "s3/upload_part.h"
#include "transfer/settle.h"
#include "transfer/upload_steps.h"

namespace dray::transfer {

Upload::Upload(Engine& engine, UploadRequest request)
    : engine_(engine),
      request_(std::move(request)),
      sequence_(engine.next_sequence()),
      started_(std::chrono::steady_clock::now()) {}

std::string Upload::target() const {
  return "s3://" + base::printable(request_.bucket) + "/" + base::printable(request_.key);
}

std::string Upload::name_of_part(s3::PartNumber number) const {
  const auto* file = std::get_if<FromFile>(&request_.from);
  return fmt::format("part {}{}", number, file != nullptr ? " of " + base::in_quotes(file->path) : "");
}

// ---- the way from a source to an object, in the order in which it happens ----

void Upload::begin(Worker& worker) {
  Result<void> opened = request_.attributes.check();
  if (opened) {
    Stoppable scope(*this);
    opened = open();
  }
  if (stopped()) return finish(stop_error());
  if (!opened) return finish(std::move(opened).error());
  if (!stream_ && plan_.single()) return put_whole(worker, 1);
  coordinated_ = true;
  fiber::Loop::current()->spawn_root("upload to " + target(), [self = shared_from_this()] {
    self->finish(self->stream_ ? self->from_stream() : self->in_parts());
  });
  // It asks for its first request before this worker looks for other work: opening is quick, and a worker that went on
  // would open all that wait.
  fiber::yield();
}

Result<void> Upload::open() {
  if (const auto* memory = std::get_if<FromMemory>(&request_.from)) {
    plan_ = DRAY_TRY(plan_parts(memory->bytes.size(), request_.part_size, request_.multipart_threshold));
    source_ = memory_source(engine_.tools(), memory->bytes);
  } else if (const auto* stream = std::get_if<FromStream>(&request_.from)) {
    DRAY_TRY(plan_parts(0, request_.part_size, 0));  // no more than the limits of a part's size can be checked yet
    stream_ = stream->descriptor;
    return {};
  } else {
    DRAY_TRY_VOID(open_file(std::get<FromFile>(request_.from).path));
    if (stream_) return {};
  }
  if (plan_.grown && request_.part_size != 0) {
    engine_.log().warning(
        fmt::format("{}: parts of {} bytes, more than asked for, so that 10,000 suffice", target(), plan_.part_size));
  }
  progress_.bytes_total = plan_.size;
  progress_.total_known = true;
  progress_.parts_total = std::max(1u, plan_.parts);
  return {};
}

Result<void> Upload::open_file(const std::string& path) {
  fiber::Offload& pool = engine_.tools().offload;
  Result<file::File> opened = file::File::open(path, file::Access::cached, file::Lookup::cached_only);
  if (!opened && opened.error().kind == ErrorKind::exhausted) {
    opened = pool.run([path] { return file::File::open(path); }, Deadline::never());
  }
  if (!opened) return std::move(opened).error();
  auto file = std::make_shared<const file::File>(std::move(*opened));
  const file::FileStatus status = DRAY_TRY(file->status());
  if (status.type == file::FileType::directory) {
    return make_error(ErrorKind::invalid_argument, base::in_quotes(path) + " is a directory")
        .advise("name the files to upload: whole directories are not supported yet");
  }
  bool has_size = status.type == file::FileType::regular;
  if (has_size && status.identity.size == 0) {
    // A size of 0 is not believed before something was read: /proc and some FUSE files have content all the same.
    const std::size_t got = DRAY_TRY(pool.run(
        [file]() -> Result<std::size_t> {
          std::byte byte[1];
          return file->read_at(0, byte);
        },
        Deadline::never()));
    has_size = got == 0;
  }
  if (!has_size) {
    if (status.type == file::FileType::block_device || status.type == file::FileType::other) {
      return make_error(ErrorKind::unsupported, base::in_quotes(path) + " is neither a file nor a stream");
    }
    DRAY_TRY(plan_parts(0, request_.part_size, 0));
    stream_file_ = file;
    stream_ = file->fd();
    return {};
  }
  plan_ = DRAY_TRY(plan_parts(status.identity.size, request_.part_size, request_.multipart_threshold));
  OpenedFile source{.file = file, .path = path, .identity = status.identity};
  ReadMode mode = request_.serial_reader ? ReadMode::serial : ReadMode::cached;
  if (request_.direct_io && mode == ReadMode::cached && !plan_.single()) {
    Result<file::File> direct =
        pool.run([path] { return file::File::open(path, file::Access::direct); }, Deadline::never());
    const bool aligned = plan_.part_size % file::PartBuffer::kAlignment == 0;
    if (direct && aligned) {
      source.direct = std::make_shared<const file::File>(std::move(*direct));
      mode = ReadMode::direct;
    } else {
      engine_.log().warning(base::in_quotes(path) + ": read through the page cache, since " +
                            (aligned ? direct.error().message : "the part size is no multiple of 4 KiB"));
    }
  }
  source_ = file_source(engine_.tools(), std::move(source), mode, plan_.single());
  return {};
}

void Upload::put_whole(Worker& worker, int tries) {
  Result<s3::PutResult> put = put_once(worker.session, tries);
  if (put) {
    engine_.note_reached();
    engine_.scheduler().moved(plan_.size);
    progress_.bytes_done = plan_.size;
    progress_.parts_done = 1;
    return finish(UploadSummary{
        .size = plan_.size, .etag = put->etag, .version_id = put->version_id, .checksum = whole_checksum_});
  }
  if (stopped()) return finish(stop_error());
  Error error = unless_source_changed(std::move(put).error());
  const std::optional<Duration> wait = engine_.retry_after(error, tries);
  if (!wait) return finish(std::move(error));
  note_retry(error);
  engine_.scheduler().add(
      {sequence_, kWhole}, [self = shared_from_this(), tries](Worker& next) { self->put_whole(next, tries + 1); },
      std::chrono::steady_clock::now() + *wait);
  if (stopped()) drop_queued();
}

Result<s3::PutResult> Upload::put_once(s3::Session& session, int tries) {
  Stoppable scope(*this);
  Part part = DRAY_TRY(source_->prepare({0, plan_.size}, request_.checksum, progress_.bytes_sent));
  if (plan_.size == 0) DRAY_TRY_VOID(source_->check_unchanged());
  whole_checksum_ = part.checksum;
  return put_settled(session, part, plan_.size, tries);
}

Result<s3::PutResult> Upload::put_settled(s3::Session& session, Part& part, std::uint64_t size, int tries) {
  const s3::PutObject put{.bucket = request_.bucket,
                          .key = request_.key,
                          .attributes = &request_.attributes,
                          .checksum = &part.checksum,
                          .if_none_match = request_.if_none_match};
  Result<s3::PutResult> result = s3::put_object(session, put, part.body.get(), Deadline::never());
  const bool again = tries > 1 || session.sent_twice();
  if (result || !may_refuse_repetition(result.error(), again)) return result;
  // Refused because it exists: perhaps our own first try made it and only its reply was lost.
  Result<s3::CompletedUpload> made = made_object(session, part.checksum, {}, size);
  if (made) return s3::PutResult{.etag = made->etag, .version_id = made->version_id};
  return RetryPolicy::may_pass(made.error()) ? std::move(made).error() : result;
}

Result<UploadSummary> Upload::in_parts() {
  DRAY_TRY_VOID(create([self = shared_from_this()] {
    // Parts are read and checksummed while the store makes up its mind.
    for (s3::PartNumber number = 1; number <= self->plan_.parts; ++number) {
      self->queue_part(number, [self, range = self->plan_.part(number)] {
        return self->source_->prepare(range, self->request_.checksum, self->progress_.bytes_sent);
      });
    }
  }));
  wait_for_parts();
  if (stopped()) return clean_up(stop_error());
  if (Result<void> same = source_->check_unchanged(); !same) return clean_up(std::move(same).error());
  return commit();
}

/// Makes the multipart upload; `meanwhile` runs once, on the worker, before the request goes out.
Result<void> Upload::create(std::function<void()> meanwhile) {
  auto once = std::make_shared<bool>(true);
  Result<std::string> id = on_a_worker<std::string>(
      [self = shared_from_this(), meanwhile, once](s3::Session& session) -> Result<std::string> {
        if (self->stopped()) return stopped_error();
        if (std::exchange(*once, false)) meanwhile();
        const s3::CreateMultipartUpload create{.bucket = self->request_.bucket,
                                               .key = self->request_.key,
                                               .attributes = &self->request_.attributes,
                                               .checksum = self->request_.checksum};
        return s3::create_multipart_upload(session, create, Deadline::never());
      });
  if (id) {
    upload_id_ = *id;
    id_known_.open();
    return {};
  }
  stop(std::move(id).error());
  wait_for_parts();
  return stop_error();
}

void Upload::queue_part(s3::PartNumber number, std::function<Result<Part>()> prepare) {
  {
    std::lock_guard lock(mutex_);
    if (stop_error_) return;
    ++parts_open_;
    if (parts_.size() < number) parts_.resize(number);
  }
  engine_.scheduler().add({sequence_, number}, [self = shared_from_this(), number, prepare](Worker& worker) {
    self->run_part(worker, number, prepare, 1);
  });
}

void Upload::run_part(Worker& worker, s3::PartNumber number, const std::function<Result<Part>()>& prepare, int tries) {
  if (stopped()) return part_ended();
  Result<s3::UploadedPart> part = send_part(worker.session, number, prepare);
  if (part) {
    engine_.note_reached();
    engine_.scheduler().moved(part->size);
    progress_.bytes_done += part->size;
    ++progress_.parts_done;
    {
      std::lock_guard lock(mutex_);
      parts_[number - 1] = std::move(*part);
    }
    return part_ended();
  }
  if (stopped()) return part_ended();
  Error error = unless_source_changed(std::move(part).error());
  const std::optional<Duration> wait = engine_.retry_after(error, tries);
  if (!wait) {
    stop(std::move(error).within(name_of_part(number)));
    return part_ended();
  }
  note_retry(error);
  engine_.scheduler().add(
      {sequence_, number},
      [self = shared_from_this(), number, prepare, tries](Worker& next) {
        self->run_part(next, number, prepare, tries + 1);
      },
      std::chrono::steady_clock::now() + *wait);
  if (stopped()) drop_queued();
}

Result<s3::UploadedPart> Upload::send_part(s3::Session& session, s3::PartNumber number,
                                           const std::function<Result<Part>()>& prepare) {
  Stoppable scope(*this);
  Part part = DRAY_TRY(prepare());
  DRAY_TRY_VOID(id_known_.wait(Deadline::never()));
  if (stopped()) return stopped_error();
  const s3::UploadPart upload{.bucket = request_.bucket,
                              .key = request_.key,
                              .upload_id = upload_id_,
                              .number = number,
                              .checksum = &part.checksum};
  return s3::upload_part(session, upload, *part.body, Deadline::never());
}

void Upload::part_ended() {
  std::lock_guard lock(mutex_);
  if (--parts_open_ == 0 && all_queued_) parts_ended_.open();
}

void Upload::wait_for_parts() {
  {
    std::lock_guard lock(mutex_);
    all_queued_ = true;
    if (parts_open_ == 0) return;
  }
  if (Result<void> waited = parts_ended_.wait(Deadline::never()); !waited) stop(std::move(waited).error());
}

Result<UploadSummary> Upload::commit() {
  hash::CombinedChecksum combined(request_.checksum, hash::multipart_type_of(request_.checksum));
  std::uint64_t size = 0;
  for (const s3::UploadedPart& part : parts_) {
    combined.add(part.checksum, part.size);
    size += part.size;
  }
  if (size != plan_.size) {
    return clean_up(make_error(ErrorKind::internal, fmt::format("{} of {} bytes were sent", size, plan_.size)));
  }
  const hash::Checksum checksum = combined.finish();
  Result<s3::CompletedUpload> done = complete(checksum);
  if (!done) return clean_up(stopped() ? stop_error() : std::move(done).error());
  return UploadSummary{.size = size,
                       .parts = static_cast<std::uint32_t>(parts_.size()),
                       .etag = done->etag,
                       .version_id = done->version_id,
                       .checksum = checksum};
}

/// Sent again until the store says what became of it. The object itself is asked only where that is left open: one of
/// equal content may be older than this upload.
Result<s3::CompletedUpload> Upload::complete(const hash::Checksum& checksum) {
  auto again = std::make_shared<bool>(false);
  Result<s3::CompletedUpload> result = on_a_worker<s3::CompletedUpload>(
      [self = shared_from_this(), checksum, again](s3::Session& session) -> Result<s3::CompletedUpload> {
        const s3::CompleteMultipartUpload complete{.bucket = self->request_.bucket,
                                                   .key = self->request_.key,
                                                   .upload_id = self->upload_id_,
                                                   .parts = self->parts_,
                                                   .checksum = checksum,
                                                   .object_size = self->plan_.size,
                                                   .if_none_match = self->request_.if_none_match};
        Result<s3::CompletedUpload> done = s3::complete_multipart_upload(session, complete, Deadline::never());
        *again = *again || session.sent_twice();
        if (done || !may_refuse_repetition(done.error(), std::exchange(*again, true))) return done;
        Result<s3::CompletedUpload> made = self->made_object(session, checksum, self->parts_, self->plan_.size);
        return made || RetryPolicy::may_pass(made.error()) ? made : done;
      });
  if (result || !leaves_outcome_open(result.error())) return result;
  Result<s3::CompletedUpload> made = on_a_worker<s3::CompletedUpload>(
      [self = shared_from_this(), checksum](s3::Session& session) -> Result<s3::CompletedUpload> {
        return self->made_object(session, checksum, self->parts_, self->plan_.size);
      });
  if (!made) return result;
  (void)abort();  // an equal object was there, and none of the requests has come through
  return made;
}

/// The object in the store, if it is the one that was sent.
Result<s3::CompletedUpload> Upload::made_object(s3::Session& session, const hash::Checksum& checksum,
                                                std::span<const s3::UploadedPart> parts, std::uint64_t size) const {
  const s3::ObjectHead head = DRAY_TRY(s3::head_object(session, request_.bucket, request_.key, Deadline::never()));
  if (!proves_same_object(head, checksum, parts, size)) {
    return make_error(ErrorKind::already_exists, target() + " is another object than the one that was sent");
  }
  return s3::CompletedUpload{.etag = head.etag, .version_id = head.version_id};
}

}  // namespace dray::transfer
