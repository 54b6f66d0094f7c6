#include "http/input.h"

#include <algorithm>
#include <cstring>

namespace dray::http {
namespace {

constexpr std::size_t kBufferBytes = 16 * 1024;
constexpr std::size_t kMaxTrailerFields = 64;
constexpr std::size_t kMaxLineBytes = 8192;

Error bad_chunk(const char* what) {
  return make_error(ErrorKind::protocol, std::string("malformed chunked body: ") + what);
}

Result<std::uint64_t> parse_chunk_size(std::string_view line) {
  // An extension with a lone LF in it is the end of the line to others: they would see another body than we do.
  for (char c : line) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') return bad_chunk("control characters beside a chunk size");
  }
  line = base::trim(line.substr(0, line.find(';')));
  if (line.empty() || line.size() > 15) return bad_chunk("bad chunk size");
  std::uint64_t size = 0;
  for (char c : line) {
    const char lower = base::to_lower(c);
    if (lower >= '0' && lower <= '9') {
      size = size * 16 + static_cast<std::uint64_t>(lower - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      size = size * 16 + static_cast<std::uint64_t>(lower - 'a' + 10);
    } else {
      return bad_chunk("bad chunk size");
    }
  }
  return size;
}

}  // namespace

Result<void> Input::fill(Deadline deadline) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == buffer_.size()) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    } else {
      if (buffer_.size() >= kMaxHeadBytes) return make_error(ErrorKind::protocol, "the HTTP head is too long");
      buffer_.resize(std::max(kBufferBytes, buffer_.size() * 2));
    }
  }
  const MutableBytes room(reinterpret_cast<std::byte*>(buffer_.data() + end_), buffer_.size() - end_);
  const std::size_t got = DRAY_TRY(stream_.read(room, deadline));
  if (got == 0)
    return make_error(ErrorKind::network, stream_.peer() + " closed the connection in the middle of a message");
  end_ += got;
  return {};
}

Result<std::string_view> Input::read_head(Deadline deadline) {
  std::size_t searched = 0;
  for (;;) {
    const std::string_view have(buffer_.data() + begin_, end_ - begin_);
    const std::size_t at = have.find("\r\n\r\n", searched > 3 ? searched - 3 : 0);
    if (at != std::string_view::npos) {
      begin_ += at + 4;
      return have.substr(0, at + 4);
    }
    searched = have.size();
    if (searched >= kMaxHeadBytes) return make_error(ErrorKind::protocol, "the HTTP head is too long");
    const bool nothing_yet = have.empty();
    Result<void> filled = fill(deadline);
    if (!filled) {
      if (nothing_yet && filled.error().kind == ErrorKind::network && filled.error().os_error == 0) {
        return std::string_view{};
      }
      return std::move(filled).error();
    }
  }
}

void Input::begin_body(Framing framing) {
  framing_ = framing;
  left_ = framing.kind == Framing::Kind::length ? framing.length : 0;
  ended_ = framing.kind == Framing::Kind::none || (framing.kind == Framing::Kind::length && left_ == 0);
  in_chunk_ = false;
  trailers_.clear();
}

std::size_t Input::take_buffered(MutableBytes out) {
  const std::size_t take = std::min(out.size(), end_ - begin_);
  std::memcpy(out.data(), buffer_.data() + begin_, take);
  begin_ += take;
  return take;
}

Result<std::string_view> Input::read_line(Deadline deadline) {
  for (;;) {
    const std::string_view have(buffer_.data() + begin_, end_ - begin_);
    const std::size_t at = have.find("\r\n");
    if (std::min(at, have.size()) > kMaxLineBytes) return bad_chunk("a line is too long");
    if (at != std::string_view::npos) {
      begin_ += at + 2;
      return have.substr(0, at);
    }
    DRAY_TRY_VOID(fill(deadline));
  }
}

Result<void> Input::next_chunk(Deadline deadline) {
  const std::string_view size_line = DRAY_TRY(read_line(deadline));
  left_ = DRAY_TRY(parse_chunk_size(size_line));
  if (left_ > 0) {
    in_chunk_ = true;
    return {};
  }
  for (;;) {
    const std::string_view line = DRAY_TRY(read_line(deadline));
    if (line.empty()) break;
    const Result<Headers::Field> field = parse_field(line);
    if (!field || trailers_.size() == kMaxTrailerFields) return bad_chunk("bad trailer");
    trailers_.add(field->name, field->value);
  }
  ended_ = true;
  return {};
}

Result<void> Input::after_chunk_data(Deadline deadline) {
  in_chunk_ = false;
  const std::string_view line = DRAY_TRY(read_line(deadline));
  if (!line.empty()) return bad_chunk("no line break after a chunk");
  return {};
}

Result<std::size_t> Input::read_body(MutableBytes out, Deadline deadline) {
  if (ended_ || out.empty()) return std::size_t{0};
  if (framing_.kind == Framing::Kind::chunked && !in_chunk_) {
    DRAY_TRY_VOID(next_chunk(deadline));
    if (ended_) return std::size_t{0};
  }
  if (framing_.kind != Framing::Kind::until_close) {
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_)));
  }
  const std::size_t got = buffered() > 0 ? take_buffered(out) : DRAY_TRY(stream_.read(out, deadline));
  if (got == 0) {
    if (framing_.kind == Framing::Kind::until_close) {
      ended_ = true;
      return std::size_t{0};
    }
    return make_error(ErrorKind::network, stream_.peer() + " closed the connection in the middle of a body");
  }
  if (framing_.kind == Framing::Kind::until_close) return got;
  left_ -= got;
  if (left_ == 0) {
    if (framing_.kind == Framing::Kind::length) {
      ended_ = true;
    } else {
      DRAY_TRY_VOID(after_chunk_data(deadline));
    }
  }
  return got;
}

Result<std::string> Input::read_body_text(std::size_t limit, Deadline deadline) {
  std::string text;
  char piece[4096];
  for (;;) {
    const MutableBytes room(reinterpret_cast<std::byte*>(piece), sizeof piece);
    const std::size_t got = DRAY_TRY(read_body(room, deadline));
    if (got == 0) return text;
    if (text.size() + got > limit) return make_error(ErrorKind::protocol, "the body of a reply is too long");
    text.append(piece, got);
  }
}

Result<std::uint64_t> Input::discard_body(std::uint64_t limit, Deadline deadline) {
  std::uint64_t total = 0;
  std::byte scrap[4096];
  while (!ended_) {
    std::uint64_t got;
    if (framing_.kind == Framing::Kind::length && buffered() == 0) {
      got = DRAY_TRY(stream_.discard(left_, deadline));
      if (got == 0) {
        return make_error(ErrorKind::network, stream_.peer() + " closed the connection in the middle of a body");
      }
      left_ -= got;
      ended_ = left_ == 0;
    } else {
      got = DRAY_TRY(read_body(scrap, deadline));
    }
    total += got;
    if (total > limit) return make_error(ErrorKind::protocol, "too much body to throw away");
  }
  return total;
}

}  // namespace dray::http
