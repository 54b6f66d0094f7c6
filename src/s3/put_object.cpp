#include "s3/put_object.h"

namespace dray::s3 {

void add_checksum(Request& request, const hash::Checksum* checksum) {
  if (checksum == nullptr || checksum->kind == ChecksumKind::none) return;
  request.headers.emplace_back(hash::header_of(checksum->kind), checksum->text());
}

Result<void> check_reply_checksum(const Reply& reply, const hash::Checksum* checksum, std::string_view operation) {
  if (checksum == nullptr || checksum->kind == ChecksumKind::none) return {};
  const auto told = reply.head.headers.find(hash::header_of(checksum->kind));
  if (!told || *told == checksum->text()) return {};
  return make_error(ErrorKind::checksum_mismatch, std::string(operation) + ": the store reports checksum " +
                                                      base::printable(*told) + " where " + checksum->text() +
                                                      " was sent");
}

std::string unquote_etag(std::string_view etag) {
  if (etag.substr(0, 2) == "W/") etag.remove_prefix(2);
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') etag = etag.substr(1, etag.size() - 2);
  return std::string(etag);
}

Result<std::string> etag_of(const Reply& reply, std::string_view operation) {
  const std::string etag = unquote_etag(reply.head.headers.get("etag"));
  if (etag.empty()) {
    return make_error(ErrorKind::protocol, std::string(operation) + ": the store reports success without an ETag");
  }
  return etag;
}

Result<PutResult> put_object(Session& session, const PutObject& put, http::BodySource* body, Deadline deadline) {
  Request request{.operation = "PutObject", .method = "PUT", .bucket = put.bucket, .key = put.key};
  if (put.attributes != nullptr) put.attributes->add_to(request);
  add_checksum(request, put.checksum);
  if (put.if_none_match) request.headers.emplace_back("if-none-match", "*");
  const Reply reply = DRAY_TRY(session.exchange(request, body, deadline));
  DRAY_TRY_VOID(check_reply_checksum(reply, put.checksum, "PutObject"));
  PutResult result;
  result.etag = DRAY_TRY(etag_of(reply, "PutObject"));
  result.version_id = reply.head.headers.get("x-amz-version-id");
  return result;
}

}  // namespace dray::s3
