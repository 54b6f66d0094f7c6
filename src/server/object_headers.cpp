#include "server/object_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxMetadataBytes = 2048;
constexpr std::string_view kMetadataPrefix = "x-amz-meta-";

constexpr std::array kKept = std::to_array<std::string_view>({
    "content-type",
    "content-encoding",
    "content-disposition",
    "content-language",
    "cache-control",
    "expires",
    "x-amz-storage-class",
    "x-amz-website-redirect-location",
});
constexpr std::array kRefusedPrefixes = std::to_array<std::string_view>({
    "x-amz-server-side-encryption-customer",
    "x-amz-object-lock",
    "x-amz-tagging",
    "x-amz-write-offset",
});

/// aws-chunked tells how the body travelled, not what it is.
std::string without_aws_chunked(std::string_view codings) {
  std::string kept;
  while (!codings.empty()) {
    const std::size_t comma = codings.find(',');
    const std::string_view coding = base::trim(codings.substr(0, comma));
    if (!base::equals_ignoring_case(coding, "aws-chunked") && !coding.empty()) {
      if (!kept.empty()) kept += ",";
      kept += coding;
    }
    codings = comma == std::string_view::npos ? std::string_view{} : codings.substr(comma + 1);
  }
  return kept;
}

}  // namespace

Result<KeptHeaders> kept_headers(const http::Headers& request) {
  KeptHeaders kept;
  std::size_t metadata_bytes = 0;
  for (std::size_t i = 0; i < request.size(); ++i) {
    const http::Headers::Field field = request.at(i);
    for (const std::string_view prefix : kRefusedPrefixes) {
      if (field.name.starts_with(prefix)) {
        return refuse("NotImplemented", fmt::format("A header you provided implies functionality that is not "
                                                    "implemented: {}",
                                                    base::printable(field.name)));
      }
    }
    if (field.name.starts_with(kMetadataPrefix)) {
      metadata_bytes += field.name.size() - kMetadataPrefix.size() + field.value.size();
      if (metadata_bytes > kMaxMetadataBytes) {
        return refuse("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size");
      }
    } else if (std::find(kKept.begin(), kKept.end(), field.name) == kKept.end()) {
      continue;
    }
    std::string value(field.value);
    if (field.name == "content-encoding") value = without_aws_chunked(field.value);
    if (field.name == "content-encoding" && value.empty()) continue;
    const auto same =
        std::find_if(kept.begin(), kept.end(), [&](const auto& pair) { return pair.first == field.name; });
    if (same == kept.end()) {
      kept.emplace_back(field.name, std::move(value));
    } else {
      same->second.append(",").append(value);  // as S3 does it with metadata that came twice
    }
  }
  return kept;
}

Result<WriteCondition> write_condition(const http::Headers& request) {
  WriteCondition condition;
  if (const auto none_match = request.find("if-none-match")) {
    if (base::trim(*none_match) != "*") {
      return refuse("NotImplemented", "If-None-Match on writes takes \"*\" only.");
    }
    condition.must_be_new = true;
  }
  if (const auto match = request.find("if-match")) condition.must_match = unquoted(base::trim(*match));
  return condition;
}

std::string quoted(std::string_view etag) { return fmt::format("\"{}\"", etag); }

std::string_view unquoted(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') return etag.substr(1, etag.size() - 2);
  return etag;
}

std::string etag_of(const BodyDigests& digests) {
  return digests.md5.empty() ? fmt::format("{:032x}", digests.size) : base::to_hex(as_bytes(digests.md5));
}

void add_checksum(http::Headers& to, const hash::Checksum& checksum) {
  if (checksum.kind == ChecksumKind::none) return;
  to.add(hash::header_of(checksum.kind), checksum.text());
  to.add("x-amz-checksum-type", hash::name_of(checksum.type));
}

}  // namespace dray::server
