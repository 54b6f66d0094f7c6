#include "cli/copier.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "cli/content_type.h"
#include "file/file.h"

namespace dray::cli {
namespace {

using namespace std::chrono_literals;

/// Opens a FIFO and waits until its writer is there: read before that, it would look empty. Other uploads go on.
Result<file::File> open_fifo(const std::string& path, UploadQueue& queue) {
  file::File fifo = DRAY_TRY(file::File::open(path));
  pollfd wanted{.fd = fifo.fd(), .events = POLLIN, .revents = 0};
  constexpr int kPatience = 100;  // milliseconds, for a signal
  while (poll(&wanted, 1, kPatience) <= 0) {
    queue.look(0ms);
    if (queue.interrupted()) return make_error(ErrorKind::cancelled, "nobody wrote to " + base::in_quotes(path));
  }
  // The client reads streams where waiting is allowed.
  const int flags = fcntl(fifo.fd(), F_GETFL);
  if (flags < 0 || fcntl(fifo.fd(), F_SETFL, flags & ~O_NONBLOCK) < 0) {
    return os_error(errno, "prepare " + base::in_quotes(path) + " for reading");
  }
  return fifo;
}

}  // namespace

void Copier::start(const Source& source) {
  if (source.kind == Source::Kind::unusable) {
    end(source, source.state, source.error);
  } else if (queue_.interrupted()) {
    end(source, Outcome::State::failed, make_error(ErrorKind::cancelled, "interrupted before it began"));
  } else if (flags_.no_clobber && ends_early(source)) {
    return;
  } else if (flags_.dry_run) {
    queue_.report({.operation = source.operation, .dry_run = true}, source.size);
  } else {
    upload(source);
  }
}

void Copier::end(const Source& source, Outcome::State state, Error error) {
  queue_.report({.operation = source.operation, .state = state, .error = std::move(error)}, source.size);
}

/// --no-clobber asks first: not every store knows If-None-Match, and a long upload would be in vain.
bool Copier::ends_early(const Source& source) {
  Result<ObjectInfo> there = client_.head_object(source.target);
  if (there) {
    end(source, Outcome::State::skipped, make_error(ErrorKind::already_exists, "the object exists"));
  } else if (there.error().kind != ErrorKind::not_found) {
    end(source, Outcome::State::failed, std::move(there).error());
  } else {
    return false;
  }
  return true;
}

void Copier::upload(const Source& source) {
  UploadOptions options = flags_.options;
  if (flags_.no_clobber) options.if_none_match = true;
  if (options.content_type.empty()) {
    const bool nameless = source.kind == Source::Kind::standard_input;
    options.content_type = content_type_of(nameless ? source.target.key : source.path);
  }
  Upload started{.operation = source.operation, .size = source.size, .no_clobber = flags_.no_clobber};
  if (source.kind == Source::Kind::file) {
    queue_.add(std::move(started), client_.upload(source.path, source.target, std::move(options)));
    return;
  }
  int descriptor = STDIN_FILENO;
  if (source.kind == Source::Kind::fifo) {
    Result<file::File> fifo = open_fifo(source.path, queue_);
    if (!fifo) return queue_.report(not_sent(source.operation, std::move(fifo).error()));
    started.stream = *std::move(fifo);
    descriptor = started.stream.fd();
  }
  queue_.add(std::move(started), client_.upload_stream(descriptor, source.target, std::move(options)));
}

}  // namespace dray::cli
