#include "server/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "s3/xml.h"
#include "server/body_verifier.h"
#include "server/object_headers.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::uint64_t kMinPartBytes = 5 * base::kMiB;
constexpr std::size_t kMaxParts = 10'000;

Error invalid_part() {
  return refuse("InvalidPart",
                "One or more of the specified parts could not be found. The part may not have been uploaded, or the "
                "specified entity tag may not match the part's entity tag.");
}

Result<ClaimedPart> parse_part(const s3::XmlElement& element) {
  ClaimedPart part;
  const Result<std::uint64_t> number = base::parse_u64(element.child_text("PartNumber"));
  if (!number || *number < 1 || *number > kMaxParts || element.child("ETag") == nullptr) return malformed_xml();
  part.number = static_cast<int>(*number);
  part.etag = unquoted(base::trim(element.child_text("ETag")));
  for (const ChecksumKind kind : kChecksumKinds) {
    const s3::XmlElement* value = element.child(hash::element_of(kind));
    if (value == nullptr) continue;
    Result<hash::Checksum> checksum = hash::Checksum::parse(kind, base::trim(value->text));
    if (!checksum) {
      return refuse("InvalidRequest",
                    fmt::format("Value for {} of part {} is invalid.", hash::element_of(kind), part.number));
    }
    part.checksum = *std::move(checksum);
  }
  return part;
}

Result<void> check_part(const UploadRecord& upload, const ClaimedPart& claimed, const PartRecord& part, bool last) {
  if (claimed.etag != part.etag) return invalid_part();
  if (!last && part.size < kMinPartBytes) {
    return refuse("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
  }
  if (claimed.checksum.kind != ChecksumKind::none) {
    if (claimed.checksum != part.checksum) return invalid_part();
  } else if (upload.checksum_kind != ChecksumKind::none && upload.checksum_type == hash::ChecksumType::composite) {
    return refuse("InvalidRequest",
                  fmt::format("The upload was created using a {} checksum. The complete request must include the "
                              "checksum for each part. It was missing for part {} in the request.",
                              name_of(upload.checksum_kind), claimed.number));
  }
  return {};
}

/// The whole object's checksum as the head claims it; of kind none if it does not.
Result<hash::Checksum> claimed_whole(const http::Headers& headers) {
  hash::Checksum whole;
  for (const ChecksumKind kind : kChecksumKinds) {
    const auto text = headers.find(hash::header_of(kind));
    if (!text) continue;
    Result<hash::Checksum> parsed = hash::Checksum::parse(kind, base::trim(*text));
    if (!parsed) {
      return refuse("InvalidRequest", fmt::format("Value for {} header is invalid.", hash::header_of(kind)));
    }
    whole = *std::move(parsed);
  }
  return whole;
}

/// `made` is of kind none for an upload without checksums. The "-N" of a composite one may be left out.
Result<void> check_whole(const http::Headers& headers, const UploadRecord& upload, const hash::Checksum& made) {
  const std::string_view type = headers.get("x-amz-checksum-type");
  if (!type.empty() && (upload.checksum_kind == ChecksumKind::none || type != hash::name_of(upload.checksum_type))) {
    return refuse("InvalidRequest", fmt::format("The upload was created with the {} checksum mode. The complete "
                                                "request must use the same checksum mode.",
                                                hash::name_of(upload.checksum_type)));
  }
  const hash::Checksum claimed = DRAY_TRY(claimed_whole(headers));
  if (claimed.kind == ChecksumKind::none) return {};
  if (claimed.kind != made.kind) {
    return refuse("InvalidRequest", fmt::format("The upload was created using {} checksums, not {}.",
                                                name_of(made.kind), name_of(claimed.kind)));
  }
  if (claimed.raw != made.raw || (claimed.parts != 0 && claimed.parts != made.parts)) {
    return refuse("BadDigest", fmt::format("The {} you specified did not match the calculated checksum.",
                                           hash::algorithm_of(made.kind)));
  }
  return {};
}

}  // namespace

Result<std::vector<ClaimedPart>> parse_completion(std::string_view text) {
  const Result<s3::XmlElement> document = s3::parse_xml(text);
  if (!document || document->name != "CompleteMultipartUpload") return malformed_xml();
  std::vector<ClaimedPart> parts;
  for (const s3::XmlElement* element : document->children_named("Part")) {
    parts.push_back(DRAY_TRY(parse_part(*element)));
  }
  if (parts.empty() || parts.size() > kMaxParts) return malformed_xml();
  return parts;
}

Result<ObjectRecord> assemble(const UploadView& upload, const std::vector<ClaimedPart>& claimed,
                              const http::Headers& headers, PartDigests digests) {
  const UploadRecord& record = *upload.record;
  ObjectRecord object{.key = record.key, .headers = record.headers, .checksum = {}, .upload_id = record.id};
  std::string part_md5s;
  bool all_have_checksums = true;
  hash::CombinedChecksum combined(record.checksum_kind, record.checksum_type);
  const auto not_after = [](const ClaimedPart& a, const ClaimedPart& b) { return a.number >= b.number; };
  if (std::adjacent_find(claimed.begin(), claimed.end(), not_after) != claimed.end()) {
    return refuse("InvalidPartOrder",
                  "The list of parts was not in ascending order. Parts must be ordered by part number.");
  }
  for (std::size_t i = 0; i < claimed.size(); ++i) {
    const auto found = upload.parts.find(claimed[i].number);
    if (found == upload.parts.end()) return invalid_part();
    const PartRecord& part = *found->second;
    DRAY_TRY_VOID(check_part(record, claimed[i], part, i + 1 == claimed.size()));
    const Result<std::string> md5 = base::from_hex(part.etag);
    if (md5) part_md5s += *md5;
    object.size += part.size;
    object.segments.push_back(part.segment);
    if (part.checksum.kind == record.checksum_kind && record.checksum_kind != ChecksumKind::none) {
      combined.add(part.checksum, part.size);
    } else {
      all_have_checksums = false;
    }
  }
  if (const auto expected = headers.find("x-amz-mp-object-size")) {
    const Result<std::uint64_t> size = base::parse_u64(base::trim(*expected));
    if (!size || *size != object.size) {
      return refuse("InvalidRequest", fmt::format("The provided 'x-amz-mp-object-size' header does not match what was "
                                                  "computed: {} bytes.",
                                                  object.size));
    }
  }
  const std::string digest = hash::digest(hash::DigestKind::md5, as_bytes(part_md5s));
  object.etag = fmt::format("{}-{}", base::to_hex(as_bytes(digest)), claimed.size());
  if (!all_have_checksums && digests == PartDigests::stand_in) {
    object.checksum = DRAY_TRY(claimed_whole(headers));  // what the client claims is all there is
    return object;
  }
  if (all_have_checksums) object.checksum = combined.finish();
  DRAY_TRY_VOID(check_whole(headers, record, object.checksum));
  return object;
}

}  // namespace dray::server
