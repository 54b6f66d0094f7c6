#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "s3/xml.h"
#include "server/body_input.h"
#include "server/completion.h"
#include "server/handlers.h"
#include "server/object_headers.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxCompletionBytes = 4 << 20;
constexpr int kMaxPartNumber = 10'000;

/// Not to be guessed, and fit for a file name.
std::string new_upload_id() {
  std::random_device random;
  const auto word = [&random] { return (std::uint64_t{random()} << 32) | random(); };
  return fmt::format("{:016x}{:016x}", word(), word());
}

Result<int> part_number_of(const Request& request) {
  const Result<std::uint64_t> number = base::parse_u64(request.parameter("partNumber").value_or(""));
  if (!number || *number < 1 || *number > kMaxPartNumber) {
    return refuse("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
  }
  return static_cast<int>(*number);
}

Result<std::shared_ptr<const UploadRecord>> upload_of(Exchange& exchange) {
  const Request& request = exchange.request;
  return exchange.service.catalog.upload_record(request.bucket, request.key,
                                                request.parameter("uploadId").value_or(""));
}

/// x-amz-checksum-algorithm and x-amz-checksum-type, with S3's rules of which go together.
Result<void> read_checksum_choice(const Request& request, UploadRecord& upload) {
  const std::string_view algorithm = request.header("x-amz-checksum-algorithm");
  const std::string_view type = request.header("x-amz-checksum-type");
  if (algorithm.empty()) {
    if (type.empty()) return {};
    return refuse("InvalidRequest", "The x-amz-checksum-type header can only be used with x-amz-checksum-algorithm.");
  }
  const std::optional<ChecksumKind> kind = checksum_kind_from(algorithm);
  if (!kind || *kind == ChecksumKind::none) {
    return refuse("InvalidRequest",
                  "Checksum algorithm provided is unsupported. Please try again with any of the "
                  "valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]");
  }
  using hash::ChecksumType;
  upload.checksum_kind = *kind;
  const bool only_full = *kind == ChecksumKind::crc64nvme;
  const bool only_composite = *kind == ChecksumKind::sha1 || *kind == ChecksumKind::sha256;
  upload.checksum_type = only_full ? ChecksumType::full_object : ChecksumType::composite;
  if (type.empty()) return {};
  const bool full = base::equals_ignoring_case(type, hash::name_of(ChecksumType::full_object));
  if (!full && !base::equals_ignoring_case(type, hash::name_of(ChecksumType::composite))) {
    return refuse("InvalidRequest", "Value for x-amz-checksum-type header is invalid.");
  }
  if ((full && only_composite) || (!full && only_full)) {
    return refuse("InvalidRequest", fmt::format("The {} checksum type cannot be used with the {} checksum algorithm.",
                                                full ? "FULL_OBJECT" : "COMPOSITE", hash::algorithm_of(*kind)));
  }
  upload.checksum_type = full ? ChecksumType::full_object : ChecksumType::composite;
  return {};
}

}  // namespace

Result<Reply> create_multipart_upload(Exchange& exchange) {
  const Request& request = exchange.request;
  UploadRecord upload{.id = new_upload_id(), .bucket = request.bucket, .key = request.key};
  upload.initiated = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  upload.headers = DRAY_TRY(kept_headers(request.head.headers));
  DRAY_TRY_VOID(read_checksum_choice(request, upload));

  s3::XmlWriter xml;
  xml.open_s3("InitiateMultipartUploadResult")
      .element("Bucket", upload.bucket)
      .element("Key", upload.key)
      .element("UploadId", upload.id)
      .close("InitiateMultipartUploadResult");
  Reply reply = Reply::xml(xml.finish());
  if (upload.checksum_kind != ChecksumKind::none) {
    reply.headers.add("x-amz-checksum-algorithm", hash::algorithm_of(upload.checksum_kind));
    reply.headers.add("x-amz-checksum-type", hash::name_of(upload.checksum_type));
  }
  DRAY_TRY_VOID(exchange.service.catalog.create_upload(std::move(upload)));
  return reply;
}

Result<Reply> upload_part(Exchange& exchange) {
  const Request& request = exchange.request;
  if (request.head.headers.find("x-amz-copy-source")) {
    return refuse("NotImplemented", "This server does not implement UploadPartCopy.");
  }
  PartRecord part;
  part.number = DRAY_TRY(part_number_of(request));
  const std::shared_ptr<const UploadRecord> upload = DRAY_TRY(upload_of(exchange));
  const ChecksumKind wanted = upload->checksum_kind;
  ReceivedBody body = DRAY_TRY(receive_content(exchange, wanted));
  part.checksum = body.digests.checksum;
  if (wanted != ChecksumKind::none && part.checksum.kind != wanted && part.checksum.kind != ChecksumKind::none) {
    return refuse("InvalidRequest", fmt::format("Checksum Type mismatch occurred, expected checksum Type: {}, actual "
                                                "checksum Type: {}",
                                                name_of(wanted), name_of(part.checksum.kind)));
  }
  part.size = body.digests.size;
  part.etag = etag_of(body.digests);
  part.segment = std::move(body.segment);

  Reply reply;
  reply.headers.add("etag", quoted(part.etag));
  if (part.checksum.kind != ChecksumKind::none) {
    reply.headers.add(hash::header_of(part.checksum.kind), part.checksum.text());
  }
  DRAY_TRY_VOID(exchange.service.catalog.put_part(upload->id, std::move(part)));
  return reply;
}

Result<Reply> complete_multipart_upload(Exchange& exchange) {
  const Request& request = exchange.request;
  Catalog& catalog = exchange.service.catalog;
  const std::shared_ptr<const UploadRecord> record = DRAY_TRY(upload_of(exchange));
  const std::string text = DRAY_TRY(receive_text(exchange, kMaxCompletionBytes, ChecksumCovers::object));
  const std::vector<ClaimedPart> claimed = DRAY_TRY(parse_completion(text));
  const WriteCondition condition = DRAY_TRY(write_condition(request.head.headers));
  const UploadView upload = DRAY_TRY(catalog.upload(request.bucket, request.key, record->id));
  const PartDigests digests = catalog.store().discards() ? PartDigests::stand_in : PartDigests::real;
  ObjectRecord object = DRAY_TRY(assemble(upload, claimed, request.head.headers, digests));

  s3::XmlWriter xml;
  xml.open_s3("CompleteMultipartUploadResult")
      .element("Location", "/" + base::uri_encode(request.bucket + "/" + request.key, base::Slash::keep))
      .element("Bucket", request.bucket)
      .element("Key", request.key)
      .element("ETag", quoted(object.etag));
  if (object.checksum.kind != ChecksumKind::none) {
    xml.element(hash::element_of(object.checksum.kind), object.checksum.text())
        .element("ChecksumType", hash::name_of(object.checksum.type));
  }
  xml.close("CompleteMultipartUploadResult");
  DRAY_TRY_VOID(catalog.complete_upload(record->id, std::move(object), condition));
  return Reply::xml(xml.finish());
}

Result<Reply> abort_multipart_upload(Exchange& exchange) {
  const std::shared_ptr<const UploadRecord> upload = DRAY_TRY(upload_of(exchange));
  DRAY_TRY_VOID(exchange.service.catalog.abort_upload(upload->id));
  Reply reply;
  reply.status = 204;
  return reply;
}

}  // namespace dray::server
