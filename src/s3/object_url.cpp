#include "dray/object_url.h"

#include "base/bytes.h"

namespace dray {

Result<ObjectUrl> ObjectUrl::parse(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return make_error(ErrorKind::invalid_argument, base::in_quotes(text) + ": " + std::string(what))
        .advise("write s3://bucket/key");
  };
  if (!looks_like(text)) return wrong("an object's URL begins with s3://");
  const std::string_view rest = text.substr(5);
  const std::size_t slash = rest.find('/');
  ObjectUrl url;
  url.bucket = rest.substr(0, slash);
  if (slash != std::string_view::npos) url.key = rest.substr(slash + 1);
  if (url.bucket.empty()) return wrong("no bucket");
  for (char c : url.bucket) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f || c == '?' || c == '#') {
      return wrong("a bucket's name cannot have such characters");
    }
  }
  if (url.key.size() > 1024) return wrong("a key has at most 1024 bytes");
  if (!base::is_utf8(url.key)) return wrong("a key must be UTF-8");
  return url;
}

}  // namespace dray
