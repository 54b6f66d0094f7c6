// URI encoding as S3 wants it: every byte but the unreserved ones is encoded, nothing is normalised. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/result.h"

namespace dray::base {

enum class Slash { keep, encode };

/// Percent-encodes all but A-Z a-z 0-9 - . _ ~ (and "/" with Slash::keep), hex in upper case: the form that SigV4 signs
/// ("Create a canonical request" in the IAM user guide), so that what is signed and what is sent are the same bytes.
std::string uri_encode(std::string_view text, Slash slash);
void append_uri_encoded(std::string& to, std::string_view text, Slash slash);
/// Fails on a cut or non-hex escape. "+" stays "+" unless `plus_is_space`.
Result<std::string> uri_decode(std::string_view text, bool plus_is_space = false);

/// Query parameters, decoded, in the order given. A name without "=" has an empty value, "+" is a space (SigV4 clients
/// send a plus as %2B), empty parameters ("a&&b") are skipped.
using Query = std::vector<std::pair<std::string, std::string>>;
Result<Query> parse_query(std::string_view text);
/// "a=1&b=2", encoded, sorted as SigV4 sorts (by encoded name, then value); a parameter with empty value is "name=".
std::string canonical_query(const Query& query);

/// "http://host:9000/prefix": scheme, host (IPv6 without brackets), port (0 = the scheme's), path ("" or "/...", as
/// written: encoded; a lone "/" becomes "", which means the same).
struct Url {
  std::string scheme;
  std::string host;
  int port = 0;
  std::string path;
  /// As a Host header: brackets round IPv6, the port if it is not the scheme's.
  std::string authority() const;
  int effective_port() const { return port != 0 ? port : scheme == "https" ? 443 : 80; }
  friend bool operator==(const Url&, const Url&) = default;
};
/// Accepts http and https; refuses credentials, queries and fragments; a missing scheme is an error that says so.
/// Scheme and host are put in lower case. Errors never show what may be a password or a signature.
Result<Url> parse_url(std::string_view text);

}  // namespace dray::base
