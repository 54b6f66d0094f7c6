#include "server/body_input.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "server/aws_chunked.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kRawBytes = 64 * 1024;
constexpr std::uint64_t kMaxContentBytes = 5 * base::kGiB;

/// The body's bytes, whatever they are wrapped in.
class BodyReader {
 public:
  BodyReader(Exchange& exchange, const BodyClaims& claims) : input_(exchange.connection.input()) {
    if (!claims.aws_chunked) return;
    decoder_.emplace(claims.signed_chunks ? &exchange.identity : nullptr);
    raw_.resize(kRawBytes);
  }

  /// Fills as much of `out` as it can without waiting for more than the first byte; 0 = the end.
  Result<std::size_t> read(MutableBytes out) {
    if (!decoder_) return input_.read_body(out, Deadline::never());
    for (;;) {
      while (begin_ < end_) {
        const Bytes have = Bytes(raw_).subspan(begin_, std::min(end_ - begin_, out.size()));
        const AwsChunkedDecoder::Step step = DRAY_TRY(decoder_->next(have));
        begin_ += step.taken;
        if (step.data.empty()) continue;
        // A copy: chunk headers stand between the bytes, which must come together.
        std::memcpy(out.data(), step.data.data(), step.data.size());
        return step.data.size();
      }
      begin_ = 0;
      end_ = DRAY_TRY(input_.read_body(raw_, Deadline::never()));
      if (end_ > 0) continue;
      if (!decoder_->ended()) return refuse("IncompleteBody", "The aws-chunked body ended before its last chunk.");
      return std::size_t{0};
    }
  }
  const http::Headers& trailers() const { return decoder_ ? decoder_->trailers() : none_; }

 private:
  http::Input& input_;
  std::optional<AwsChunkedDecoder> decoder_;
  std::vector<std::byte> raw_;
  std::size_t begin_ = 0, end_ = 0;
  http::Headers none_;
};

/// The size of the content if the head tells, else nothing.
std::optional<std::uint64_t> announced_size(const Request& request, const BodyClaims& claims) {
  if (claims.aws_chunked) return claims.decoded_length;
  const Result<std::uint64_t> length = base::parse_u64(request.header("content-length"));
  if (!length) return std::nullopt;
  return *length;
}

Result<ReceivedBody> discard_content(Exchange& exchange, const BodyClaims& claims) {
  const std::uint64_t received =
      DRAY_TRY(exchange.connection.input().discard_body(std::numeric_limits<std::uint64_t>::max(), Deadline::never()));
  exchange.service.counters.received(received);
  ReceivedBody body;
  body.digests.size = claims.decoded_length.value_or(received);
  body.digests.checksum = claims.checksum;
  body.segment = exchange.service.catalog.store().stand_in(body.digests.size);
  return body;
}

}  // namespace

Result<ReceivedBody> receive_content(Exchange& exchange, ChecksumKind wanted) {
  const Request& request = exchange.request;
  const BodyClaims claims = DRAY_TRY(read_claims(request.head.headers, exchange.identity.payload_hash));
  const std::optional<std::uint64_t> announced = announced_size(request, claims);
  if (!announced && !request.head.headers.find("transfer-encoding")) {
    return refuse("MissingContentLength", "You must provide the Content-Length HTTP header.");
  }
  if (announced.value_or(0) > kMaxContentBytes) {
    return refuse("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size");
  }
  DRAY_TRY_VOID(exchange.connection.wants_body(Deadline::never()));
  Store& store = exchange.service.catalog.store();
  if (store.discards()) return discard_content(exchange, claims);

  const std::unique_ptr<Draft> draft = DRAY_TRY(store.begin_body(announced.value_or(0)));
  BodyVerifier verifier(claims, wanted);
  BodyReader reader(exchange, claims);
  std::uint64_t left = announced.value_or(kMaxContentBytes);
  for (bool ended = false; !ended;) {
    // One byte more than is announced: reading it is what meets the end.
    Piece piece = Piece::with_capacity(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, left + 1)));
    while (piece.size < piece.capacity) {
      const std::size_t got = DRAY_TRY(reader.read(piece.room()));
      ended = got == 0;
      if (ended) break;
      piece.size += got;
    }
    if (piece.size > left) {
      return announced ? refuse("IncompleteBody", "The request has more bytes than it announced.")
                       : refuse("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size");
    }
    left -= piece.size;
    if (piece.size == 0) break;
    verifier.update(piece.bytes());
    exchange.service.counters.received(piece.size);
    DRAY_TRY_VOID(draft->append(std::move(piece), Deadline::never()));
  }
  ReceivedBody body;
  body.digests = DRAY_TRY(verifier.finish(reader.trailers()));
  body.segment = DRAY_TRY(draft->finish(Deadline::never()));
  return body;
}

Result<std::string> receive_text(Exchange& exchange, std::size_t limit, ChecksumCovers covers) {
  const BodyClaims claims =
      DRAY_TRY(read_claims(exchange.request.head.headers, exchange.identity.payload_hash, covers));
  DRAY_TRY_VOID(exchange.connection.wants_body(Deadline::never()));
  BodyVerifier verifier(claims, ChecksumKind::none);
  BodyReader reader(exchange, claims);
  std::string text;
  std::vector<std::byte> piece(16 * 1024);
  for (;;) {
    const std::size_t got = DRAY_TRY(reader.read(piece));
    if (got == 0) break;
    if (text.size() + got > limit) return malformed_xml();
    const Bytes bytes = Bytes(piece).first(got);
    verifier.update(bytes);
    text.append(as_text(bytes));
  }
  DRAY_TRY(verifier.finish(reader.trailers()));
  return text;
}

}  // namespace dray::server
