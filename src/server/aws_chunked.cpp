#include "server/aws_chunked.h"

#include <algorithm>

#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kMaxTrailers = 16;
constexpr std::string_view kSignatureExtension = "chunk-signature=";
constexpr std::string_view kTrailerSignature = "x-amz-trailer-signature";

Error malformed(std::string_view what) {
  return refuse("InvalidRequest", "The aws-chunked body is malformed: " + std::string(what));
}

Result<std::uint64_t> parse_hex(std::string_view text) {
  if (text.empty() || text.size() > 15) return malformed("bad chunk size");
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = base::hex_value(c);
    if (digit < 0) return malformed("bad chunk size");
    value = value * 16 + static_cast<std::uint64_t>(digit);
  }
  return value;
}

Error wrong_signature() {
  return refuse("SignatureDoesNotMatch",
                "The chunk signature we calculated does not match the signature you provided.");
}

}  // namespace

AwsChunkedDecoder::AwsChunkedDecoder(const aws::Verified* seed) : seed_(seed) {
  if (seed_ == nullptr) return;
  chunk_hash_.emplace(hash::DigestKind::sha256);
  previous_signature_ = seed_->signature;
}

Result<AwsChunkedDecoder::Step> AwsChunkedDecoder::next(Bytes in) {
  switch (state_) {
    case State::data: {
      const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), left_));
      const Bytes data = in.first(take);
      if (chunk_hash_) chunk_hash_->update(data);
      left_ -= take;
      if (left_ == 0) state_ = State::data_end;
      return Step{take, data};
    }
    case State::end:
      return malformed("data after its end");
    default:
      return take_line(in);
  }
}

/// Collects up to a line break and acts on the line once it is whole.
Result<AwsChunkedDecoder::Step> AwsChunkedDecoder::take_line(Bytes in) {
  const std::string_view text = as_text(in);
  const std::size_t at = text.find('\n');
  const std::size_t take = at == std::string_view::npos ? text.size() : at + 1;
  if (line_.size() + take > kMaxLineBytes) return malformed("a line is too long");
  line_.append(text.substr(0, take));
  if (at != std::string_view::npos) {
    line_.pop_back();
    if (line_.ends_with('\r')) line_.pop_back();
    Result<void> done = on_line(line_);
    line_.clear();
    if (!done) return std::move(done).error();
  }
  return Step{take, {}};
}

Result<void> AwsChunkedDecoder::on_line(std::string_view line) {
  switch (state_) {
    case State::size_line:
      return on_size_line(line);
    case State::data_end:
      if (!line.empty()) return malformed("no line break after a chunk");
      state_ = State::size_line;
      return check_chunk();
    default:
      return on_trailer_line(line);
  }
}

Result<void> AwsChunkedDecoder::on_size_line(std::string_view line) {
  const std::size_t semicolon = line.find(';');
  left_ = DRAY_TRY(parse_hex(line.substr(0, semicolon)));
  if (seed_ != nullptr) {
    const std::string_view extension =
        semicolon == std::string_view::npos ? std::string_view{} : line.substr(semicolon + 1);
    if (!extension.starts_with(kSignatureExtension)) return malformed("a chunk without its signature");
    signature_ = extension.substr(kSignatureExtension.size());
  }
  if (left_ > 0) {
    state_ = State::data;
    return {};
  }
  state_ = State::trailer_line;
  return check_chunk();
}

/// Of the chunk that has ended (the last one is empty and signed like the others).
Result<void> AwsChunkedDecoder::check_chunk() {
  if (seed_ == nullptr) return {};
  const std::string expected =
      aws::chunk_signature_of_hash(*seed_, previous_signature_, base::to_hex(as_bytes(chunk_hash_->finish())));
  if (!hash::equal_in_constant_time(expected, signature_)) return wrong_signature();
  previous_signature_ = expected;
  return {};
}

Result<void> AwsChunkedDecoder::on_trailer_line(std::string_view line) {
  if (line.empty()) {
    // Some clients put an empty line between the trailers and their signature.
    if (seed_ != nullptr && trailers_.size() > 0 && !trailer_signed_) return {};
    state_ = State::end;
    return {};
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || trailers_.size() == kMaxTrailers || trailer_signed_) {
    return malformed("bad trailer");
  }
  const std::string name = base::to_lower(base::trim(line.substr(0, colon)));
  const std::string_view value = base::trim(line.substr(colon + 1));
  if (name == kTrailerSignature) {
    if (seed_ == nullptr) return malformed("a trailer signature without signed chunks");
    signature_ = value;
    trailer_signed_ = true;
    return check_trailers();
  }
  trailers_.add(name, value);
  trailer_text_.append(name).append(":").append(value).append("\n");
  return {};
}

Result<void> AwsChunkedDecoder::check_trailers() {
  const std::string expected = aws::trailer_signature(*seed_, previous_signature_, trailer_text_);
  if (!hash::equal_in_constant_time(expected, signature_)) return wrong_signature();
  return {};
}

}  // namespace dray::server
