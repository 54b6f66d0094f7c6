// aws-chunked: the framing inside a streamed upload's body ("Transferring Payload in Multiple Chunks" in the S3 API
// reference), taken off piece by piece. Pure; one fiber.
//
//   5;chunk-signature=HEX\r\n hello \r\n 0;chunk-signature=HEX\r\n
//   x-amz-checksum-crc32:BASE64\r\n x-amz-trailer-signature:HEX\r\n \r\n
//
// Signatures only with STREAMING-AWS4-HMAC-SHA256-*, trailers only with *-TRAILER. A chunk's bytes are handed on before
// its signature can be checked: nothing may be made of them before ended().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aws/sigv4.h"
#include "base/bytes.h"
#include "dray/result.h"
#include "hash/digest.h"
#include "http/headers.h"

namespace dray::server {

class AwsChunkedDecoder {
 public:
  /// `seed` signs the chunks, and is borrowed for the decoder's life; null = they carry no signatures.
  explicit AwsChunkedDecoder(const aws::Verified* seed);

  struct Step {
    std::size_t taken = 0;  ///< bytes of the input that are done with; more than 0 if there was input
    Bytes data;             ///< of them, what belongs to the body
  };
  /// Takes some of `in`, which must not be empty. Errors: InvalidRequest (malformed), SignatureDoesNotMatch.
  Result<Step> next(Bytes in);
  /// Whether the last chunk and the trailers were seen whole.
  bool ended() const { return state_ == State::end; }
  const http::Headers& trailers() const { return trailers_; }

 private:
  enum class State { size_line, data, data_end, trailer_line, end };
  Result<Step> take_line(Bytes in);
  Result<void> on_line(std::string_view line);
  Result<void> on_size_line(std::string_view line);
  Result<void> on_trailer_line(std::string_view line);
  Result<void> check_chunk();
  Result<void> check_trailers();

  const aws::Verified* seed_;
  State state_ = State::size_line;
  std::string line_;        // of a line that has not ended yet
  std::uint64_t left_ = 0;  // of the current chunk
  std::optional<hash::Digest> chunk_hash_;
  std::string signature_, previous_signature_;
  http::Headers trailers_;
  std::string trailer_text_;  // as the trailer signature covers it
  bool trailer_signed_ = false;
};

}  // namespace dray::server
