// Chunked bodies of any bytes: Input must make the same of them whole, byte by byte and in pieces of odd sizes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../support/scripted_stream.h"
#include "http/input.h"

namespace {

using namespace dray;

/// The body, its trailers, the kind of the error if there was one, and what lies behind the body.
std::string read_all(test::Pieces pieces) {
  test::ScriptedStream stream(std::move(pieces));
  http::Input input(stream);
  input.begin_body({.kind = http::Framing::Kind::chunked});
  std::string all;
  std::byte room[97];
  for (;;) {
    const Result<std::size_t> got = input.read_body(room, Deadline::never());
    // What came before an error depends on the pieces: a chunk's end is only looked at when its last byte is there.
    if (!got) return "error " + std::string(name_of(got.error().kind));
    if (*got == 0) break;
    all += as_text(Bytes(room, *got));
  }
  if (!input.body_ended()) __builtin_trap();
  for (std::size_t i = 0; i < input.trailers().size(); ++i) {
    const http::Headers::Field field = input.trailers().at(i);
    if (field.name.empty() || field.value.find_first_of("\r\n") != field.value.npos) __builtin_trap();
    all.append("\n").append(field.name).append(":").append(field.value);
  }
  input.begin_body({.kind = http::Framing::Kind::until_close});
  return all + "\nrest " + input.read_body_text(1 << 20, Deadline::never()).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = read_all(test::whole(text));
  if (read_all(test::byte_by_byte(text)) != whole) __builtin_trap();
  test::Pieces pieces;
  for (std::size_t at = 0, step = 1; at < text.size(); at += step, step = step * 3 % 101) {
    pieces.emplace_back(text.substr(at, step));
  }
  if (read_all(std::move(pieces)) != whole) __builtin_trap();
  return 0;
}
