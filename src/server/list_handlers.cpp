#include <algorithm>

#include "s3/xml.h"
#include "server/handlers.h"
#include "server/object_headers.h"
#include "server/refusal.h"

namespace dray::server {
namespace {

constexpr std::size_t kMaxPage = 1000;

/// max-keys, max-uploads, max-parts: never more than 1000 are shown.
Result<std::size_t> page_limit(const Request& request, std::string_view name) {
  const auto text = request.parameter(name);
  if (!text || text->empty()) return kMaxPage;
  const Result<std::uint64_t> number = base::parse_u64(*text);
  if (!number || *number > 0x7FFFFFFF) {
    return refuse("InvalidArgument", "Provided " + std::string(name) + " not an integer or within integer range");
  }
  return static_cast<std::size_t>(std::min<std::uint64_t>(*number, kMaxPage));
}

/// How names are written: as they are, or percent-encoded (encoding-type=url).
class NameWriter {
 public:
  static Result<NameWriter> of(const Request& request) {
    const auto type = request.parameter("encoding-type");
    if (type && *type != "url") return refuse("InvalidArgument", "Invalid Encoding Method specified in Request");
    return NameWriter(type.has_value());
  }
  std::string operator()(std::string_view name) const {
    return encodes_ ? base::uri_encode(name, base::Slash::keep) : std::string(name);
  }
  void write_type(s3::XmlWriter& xml) const {
    if (encodes_) xml.element("EncodingType", "url");
  }

 private:
  explicit NameWriter(bool encodes) : encodes_(encodes) {}
  bool encodes_;
};

void write_checksum_algorithm(s3::XmlWriter& xml, const hash::Checksum& checksum) {
  if (checksum.kind == ChecksumKind::none) return;
  xml.element("ChecksumAlgorithm", hash::algorithm_of(checksum.kind));
  xml.element("ChecksumType", hash::name_of(checksum.type));
}

void write_owner(s3::XmlWriter& xml, std::string_view element, const Service& service) {
  xml.open(element).element("ID", service.access_key).element("DisplayName", "dray").close(element);
}

void write_page(s3::XmlWriter& xml, const ListPage& page, const NameWriter& name, const Service* owner) {
  for (const auto& object : page.objects) {
    xml.open("Contents")
        .element("Key", name(object->key))
        .element("LastModified", base::to_iso8601(object->modified))
        .element("ETag", quoted(object->etag));
    write_checksum_algorithm(xml, object->checksum);
    xml.element("Size", object->size);
    if (owner != nullptr) write_owner(xml, "Owner", *owner);
    xml.element("StorageClass", "STANDARD").close("Contents");
  }
  for (const std::string& prefix : page.common_prefixes) {
    xml.open("CommonPrefixes").element("Prefix", name(prefix)).close("CommonPrefixes");
  }
}

/// Opaque to clients, so that they cannot come to rely on its form.
std::string to_token(std::string_view last) { return base::to_base64(as_bytes(last)); }

Result<std::string> from_token(std::string_view token) {
  Result<std::string> last = base::from_base64(token);
  if (!last || last->empty()) return refuse("InvalidArgument", "The continuation token provided is incorrect");
  return last;
}

Result<Reply> list_objects_v1(Exchange& exchange, ListQuery query, const NameWriter& name) {
  const Request& request = exchange.request;
  query.after = request.parameter("marker").value_or("");
  const ListPage page = DRAY_TRY(exchange.service.catalog.list(request.bucket, query));
  s3::XmlWriter xml;
  xml.open_s3("ListBucketResult")
      .element("Name", request.bucket)
      .element("Prefix", name(query.prefix))
      .element("Marker", name(query.after))
      .element("MaxKeys", query.max_keys);
  if (!query.delimiter.empty()) xml.element("Delimiter", name(query.delimiter));
  name.write_type(xml);
  xml.element("IsTruncated", page.truncated ? "true" : "false");
  // S3 sends NextMarker only with a delimiter: without one the last key says as much.
  if (page.truncated && !query.delimiter.empty()) xml.element("NextMarker", name(page.last));
  write_page(xml, page, name, &exchange.service);
  xml.close("ListBucketResult");
  return Reply::xml(xml.finish());
}

Result<Reply> list_objects_v2(Exchange& exchange, ListQuery query, const NameWriter& name) {
  const Request& request = exchange.request;
  const auto token = request.parameter("continuation-token");
  const auto start_after = request.parameter("start-after");
  query.after = start_after.value_or("");
  if (token) query.after = DRAY_TRY(from_token(*token));
  const ListPage page = DRAY_TRY(exchange.service.catalog.list(request.bucket, query));
  s3::XmlWriter xml;
  xml.open_s3("ListBucketResult").element("Name", request.bucket).element("Prefix", name(query.prefix));
  if (token) xml.element("ContinuationToken", *token);
  if (start_after) xml.element("StartAfter", name(*start_after));
  xml.element("KeyCount", page.count()).element("MaxKeys", query.max_keys);
  if (!query.delimiter.empty()) xml.element("Delimiter", name(query.delimiter));
  name.write_type(xml);
  xml.element("IsTruncated", page.truncated ? "true" : "false");
  if (page.truncated) xml.element("NextContinuationToken", to_token(page.last));
  write_page(xml, page, name, request.parameter("fetch-owner") == "true" ? &exchange.service : nullptr);
  xml.close("ListBucketResult");
  return Reply::xml(xml.finish());
}

}  // namespace

Result<Reply> list_objects(Exchange& exchange) {
  const Request& request = exchange.request;
  const NameWriter name = DRAY_TRY(NameWriter::of(request));
  ListQuery query;
  query.prefix = request.parameter("prefix").value_or("");
  query.delimiter = request.parameter("delimiter").value_or("");
  query.max_keys = DRAY_TRY(page_limit(request, "max-keys"));
  const auto type = request.parameter("list-type");
  if (!type) return list_objects_v1(exchange, std::move(query), name);
  if (*type != "2") return refuse("InvalidArgument", "Invalid List Type specified in Request");
  return list_objects_v2(exchange, std::move(query), name);
}

Result<Reply> list_multipart_uploads(Exchange& exchange) {
  const Request& request = exchange.request;
  const NameWriter name = DRAY_TRY(NameWriter::of(request));
  const std::size_t limit = DRAY_TRY(page_limit(request, "max-uploads"));
  const std::string prefix(request.parameter("prefix").value_or(""));
  const std::string key_marker(request.parameter("key-marker").value_or(""));
  const std::string id_marker(request.parameter("upload-id-marker").value_or(""));
  const auto uploads = DRAY_TRY(exchange.service.catalog.uploads(request.bucket));

  // After the marker: later keys, and with an upload id also what follows it under the same key.
  bool marker_met = false;
  const auto follows = [&](const UploadRecord& upload) {
    if (upload.key != key_marker) return upload.key > key_marker;
    if (key_marker.empty() || id_marker.empty()) return false;
    const bool follow = marker_met;
    marker_met = marker_met || upload.id == id_marker;
    return follow;
  };
  std::vector<std::shared_ptr<const UploadRecord>> shown;
  bool truncated = false;
  for (const auto& upload : uploads) {
    if (!upload->key.starts_with(prefix) || !follows(*upload)) continue;
    truncated = shown.size() == limit;
    if (truncated) break;
    shown.push_back(upload);
  }

  s3::XmlWriter xml;
  xml.open_s3("ListMultipartUploadsResult")
      .element("Bucket", request.bucket)
      .element("KeyMarker", name(key_marker))
      .element("UploadIdMarker", id_marker)
      .element("Prefix", name(prefix))
      .element("MaxUploads", limit);
  name.write_type(xml);
  xml.element("IsTruncated", truncated ? "true" : "false");
  if (truncated && !shown.empty()) {
    xml.element("NextKeyMarker", name(shown.back()->key)).element("NextUploadIdMarker", shown.back()->id);
  }
  for (const auto& upload : shown) {
    xml.open("Upload").element("Key", name(upload->key)).element("UploadId", upload->id);
    write_owner(xml, "Initiator", exchange.service);
    write_owner(xml, "Owner", exchange.service);
    xml.element("StorageClass", "STANDARD").element("Initiated", base::to_iso8601(upload->initiated));
    write_checksum_algorithm(xml, {.kind = upload->checksum_kind, .type = upload->checksum_type});
    xml.close("Upload");
  }
  xml.close("ListMultipartUploadsResult");
  return Reply::xml(xml.finish());
}

Result<Reply> list_parts(Exchange& exchange) {
  const Request& request = exchange.request;
  const std::size_t limit = DRAY_TRY(page_limit(request, "max-parts"));
  const Result<std::uint64_t> marker = base::parse_u64(request.parameter("part-number-marker").value_or("0"));
  if (!marker || *marker > 0x7FFFFFFF) return refuse("InvalidArgument", "Argument part-number-marker is not valid.");
  const UploadView upload = DRAY_TRY(
      exchange.service.catalog.upload(request.bucket, request.key, request.parameter("uploadId").value_or("")));
  const UploadRecord& record = *upload.record;

  auto at = upload.parts.upper_bound(static_cast<int>(*marker));
  std::vector<std::shared_ptr<const PartRecord>> shown;
  for (; at != upload.parts.end() && shown.size() < limit; ++at) shown.push_back(at->second);
  const bool truncated = at != upload.parts.end() && limit > 0;

  s3::XmlWriter xml;
  xml.open_s3("ListPartsResult")
      .element("Bucket", record.bucket)
      .element("Key", record.key)
      .element("UploadId", record.id)
      .element("PartNumberMarker", *marker)
      .element("NextPartNumberMarker", static_cast<std::uint64_t>(shown.empty() ? 0 : shown.back()->number))
      .element("MaxParts", limit)
      .element("IsTruncated", truncated ? "true" : "false");
  write_checksum_algorithm(xml, {.kind = record.checksum_kind, .type = record.checksum_type});
  write_owner(xml, "Initiator", exchange.service);
  write_owner(xml, "Owner", exchange.service);
  xml.element("StorageClass", "STANDARD");
  for (const auto& part : shown) {
    xml.open("Part")
        .element("PartNumber", static_cast<std::uint64_t>(part->number))
        .element("LastModified", base::to_iso8601(part->modified))
        .element("ETag", quoted(part->etag))
        .element("Size", part->size);
    if (part->checksum.kind != ChecksumKind::none) {
      xml.element(hash::element_of(part->checksum.kind), part->checksum.text());
    }
    xml.close("Part");
  }
  xml.close("ListPartsResult");
  return Reply::xml(xml.finish());
}

}  // namespace dray::server
