#include "aws/canonical.h"

#include <initializer_list>

namespace dray::aws {
namespace {

void append(std::string& to, std::initializer_list<std::string_view> pieces) {
  for (const std::string_view piece : pieces) to += piece;
}

void append_collapsed(std::string& to, std::string_view value) {
  for (std::size_t run = value.find("  "); run != value.npos; run = value.find("  ")) {
    to += value.substr(0, run + 1);
    const std::size_t next = value.find_first_not_of(' ', run);
    value.remove_prefix(next == value.npos ? value.size() : next);
  }
  to += value;
}

}  // namespace

std::string credential_scope(std::string_view date, std::string_view region, std::string_view service) {
  std::string scope;
  append(scope, {date, "/", region, "/", service, "/", kTerminator});
  return scope;
}

void append_signed_headers(std::string& to, const SignableRequest& request) {
  bool first = true;
  for (const auto& [name, value] : request.headers) {
    if (!first) to += ';';
    to += name;
    first = false;
  }
}

void append_canonical_request(std::string& to, const SignableRequest& request) {
  append(to, {request.method, "\n", request.path, "\n", request.query, "\n"});
  for (const auto& [name, value] : request.headers) {
    append(to, {name, ":"});
    append_collapsed(to, value);
    to += '\n';
  }
  to += '\n';
  append_signed_headers(to, request);
  append(to, {"\n", request.payload_hash});
}

void append_hex(std::string& to, Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::byte b : bytes) {
    to += kDigits[std::to_integer<unsigned>(b) >> 4];
    to += kDigits[std::to_integer<unsigned>(b) & 15];
  }
}

void append_signature(std::string& to, const HmacKey& key, std::string_view amz_date, std::string_view scope,
                      std::string_view canonical_request) {
  std::string text;
  text.reserve(192);
  append(text, {kAlgorithm, "\n", amz_date, "\n", scope, "\n"});
  append_hex(text, sha256_of_short(as_bytes(canonical_request)));
  append_hex(to, key.mac(as_bytes(text)));
}

}  // namespace dray::aws
