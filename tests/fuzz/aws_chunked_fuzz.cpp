// The aws-chunked decoder over any body: whole and cut in two it must say the same, take what it says it took, and end.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/aws_chunked.h"

namespace {

struct Outcome {
  std::string data;
  bool ended = false, failed = false;
  std::size_t trailers = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

bool feed(dray::server::AwsChunkedDecoder& decoder, std::string_view piece, std::string& data) {
  while (!piece.empty()) {
    const auto step = decoder.next(dray::as_bytes(piece));
    if (!step.ok()) return false;
    if (step->taken == 0 || step->taken > piece.size() || step->data.size() > step->taken) __builtin_trap();
    data += dray::as_text(step->data);
    piece.remove_prefix(step->taken);
  }
  return true;
}

Outcome decode(std::string_view first, std::string_view second, const dray::aws::Verified* seed) {
  dray::server::AwsChunkedDecoder decoder(seed);
  Outcome outcome;
  outcome.failed = !feed(decoder, first, outcome.data) || !feed(decoder, second, outcome.data);
  outcome.ended = decoder.ended();
  outcome.trailers = decoder.trailers().size();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::size_t cut = body.empty() ? 0 : data[0] % body.size();
  const bool with_signatures = (data[1] & 1) != 0;
  dray::aws::Verified seed;
  seed.signature.assign(64, '0');
  const dray::aws::Verified* from = with_signatures ? &seed : nullptr;
  if (decode(body, {}, from) != decode(body.substr(0, cut), body.substr(cut), from)) __builtin_trap();
  return 0;
}
