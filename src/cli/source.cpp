#include "cli/source.h"

#include <utility>

#include "base/bytes.h"
#include "file/file.h"

namespace dray::cli {
namespace {

Source unusable(Source source, Outcome::State state, Error error) {
  source.kind = Source::Kind::unusable;
  source.state = state;
  source.error = std::move(error);
  return source;
}

}  // namespace

Source look_at(const PlannedCopy& copy) {
  Source source{.operation = {"cp", copy.source, copy.target.text()}, .path = copy.source, .target = copy.target};
  if (copy.source == "-") {
    source.kind = Source::Kind::standard_input;
    return source;
  }
  const std::string name = base::in_quotes(copy.source);
  if (copy.named_by_source && !base::is_utf8(copy.target.key)) {
    return unusable(std::move(source), Outcome::State::warned,
                    make_error(ErrorKind::invalid_argument, name + " is not UTF-8, as a key must be")
                        .advise("rename it, or copy it alone to a key written in full"));
  }
  const Result<file::FileStatus> status = file::status_of(copy.source);
  if (!status) {
    Outcome outcome = not_sent({}, status.error());
    return unusable(std::move(source), outcome.state, std::move(outcome.error));
  }
  switch (status->type) {
    case file::FileType::regular:
      source.size = status->identity.size;
      return source;
    case file::FileType::fifo:
      source.kind = Source::Kind::fifo;
      return source;
    case file::FileType::directory:
      return unusable(std::move(source), Outcome::State::failed,
                      make_error(ErrorKind::unsupported, name + " is a folder, and copying folders is not built yet")
                          .advise("name the files in it"));
    default:
      return unusable(std::move(source), Outcome::State::warned,
                      make_error(ErrorKind::unsupported, name + " is neither a file nor a FIFO")
                          .advise("read it with another program, into 'dray pipe'"));
  }
}

std::optional<std::uint64_t> total_size(const std::vector<Source>& sources) {
  std::uint64_t total = 0;
  for (const Source& source : sources) {
    if (source.kind == Source::Kind::fifo || source.kind == Source::Kind::standard_input) return std::nullopt;
    total += source.size;
  }
  return total;
}

Outcome not_sent(Operation operation, Error error) {
  const bool local = error.http_status == 0 && error.os_error != 0;
  const bool skip = local && error.kind == ErrorKind::access_denied;
  return {.operation = std::move(operation),
          .state = skip ? Outcome::State::warned : Outcome::State::failed,
          .error = std::move(error)};
}

}  // namespace dray::cli
