// ObjectUrl: "s3://bucket/key". A vocabulary header: the standard library only.
#pragma once

#include <string>
#include <string_view>

#include "dray/result.h"

namespace dray {

/// A bucket and a key, both as they are (not percent-encoded). A value.
struct ObjectUrl {
  std::string bucket;
  std::string key;  ///< empty = the bucket itself

  /// "s3://bucket/any key//at all": everything after the first slash is the key, byte for byte. The error says what is
  /// wrong with it.
  static Result<ObjectUrl> parse(std::string_view text);
  /// Whether a command line argument means S3.
  static bool looks_like(std::string_view text) { return text.substr(0, 5) == "s3://"; }
  std::string text() const { return "s3://" + bucket + "/" + key; }
  friend bool operator==(const ObjectUrl&, const ObjectUrl&) = default;
};

}  // namespace dray
