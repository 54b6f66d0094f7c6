#include "s3/error.h"

#include <fmt/format.h>

#include <array>

#include "base/bytes.h"
#include "s3/xml.h"

namespace dray::s3 {
namespace {

constexpr std::size_t kMaxShownBytes = 1024;

/// From "Error responses" in the S3 API reference.
struct Known {
  std::string_view code;
  int status;
  ErrorKind kind;
  std::string_view advice;
};
constexpr std::array kKnown = std::to_array<Known>({
    {"NoSuchBucket", 404, ErrorKind::not_found, "check the bucket name and the endpoint, or make it with: dray mb"},
    {"NoSuchKey", 404, ErrorKind::not_found, ""},
    {"NoSuchUpload", 404, ErrorKind::not_found, ""},
    {"NoSuchVersion", 404, ErrorKind::not_found, ""},
    {"AccessDenied", 403, ErrorKind::access_denied, "check that these credentials may do this on this bucket"},
    {"InvalidAccessKeyId", 403, ErrorKind::access_denied, "check the access key: the store does not know it"},
    {"SignatureDoesNotMatch", 403, ErrorKind::access_denied, "check the secret key"},
    {"ExpiredToken", 400, ErrorKind::access_denied, "get a new session token"},
    {"InvalidToken", 400, ErrorKind::access_denied, "check the session token"},
    {"RequestTimeTooSkewed", 403, ErrorKind::server, "set this machine's clock"},
    {"AuthorizationHeaderMalformed", 400, ErrorKind::server, "check the region"},
    {"AllAccessDisabled", 403, ErrorKind::access_denied, ""},
    {"BadDigest", 400, ErrorKind::checksum_mismatch, ""},
    {"InvalidDigest", 400, ErrorKind::checksum_mismatch, ""},
    {"XAmzContentSHA256Mismatch", 400, ErrorKind::checksum_mismatch, ""},
    {"BucketAlreadyExists", 409, ErrorKind::already_exists,
     "choose another name: bucket names are shared by all users"},
    {"BucketAlreadyOwnedByYou", 409, ErrorKind::already_exists, ""},
    {"BucketNotEmpty", 409, ErrorKind::already_exists, ""},
    {"PreconditionFailed", 412, ErrorKind::already_exists, ""},
    {"ConditionalRequestConflict", 409, ErrorKind::server, ""},
    {"OperationAborted", 409, ErrorKind::server, ""},
    {"InvalidBucketName", 400, ErrorKind::invalid_argument, "3 to 63 lower-case letters, digits, dots and hyphens"},
    {"KeyTooLongError", 400, ErrorKind::invalid_argument, "a key has at most 1024 bytes"},
    {"InvalidArgument", 400, ErrorKind::server, ""},
    {"InvalidRequest", 400, ErrorKind::server, ""},
    {"InvalidPart", 400, ErrorKind::server, ""},
    {"InvalidPartOrder", 400, ErrorKind::server, ""},
    {"EntityTooSmall", 400, ErrorKind::server, "use a larger --part-size"},
    {"EntityTooLarge", 400, ErrorKind::server, "use a smaller --multipart-threshold or --part-size"},
    {"InvalidRange", 416, ErrorKind::server, ""},
    {"MalformedXML", 400, ErrorKind::server, ""},
    {"IncompleteBody", 400, ErrorKind::server, ""},
    {"RequestTimeout", 400, ErrorKind::server, ""},
    {"MissingContentLength", 411, ErrorKind::server, ""},
    {"MethodNotAllowed", 405, ErrorKind::unsupported, ""},
    {"NotImplemented", 501, ErrorKind::unsupported, ""},
    {"InternalError", 500, ErrorKind::server, ""},
    {"ServiceUnavailable", 503, ErrorKind::server, ""},
    {"SlowDown", 503, ErrorKind::server, ""},
    {"QuotaExceeded", 403, ErrorKind::no_space, "the store's quota is used up"},
    {"InsufficientStorage", 507, ErrorKind::no_space, "the store's disk is full"},
    {"InvalidObjectState", 403, ErrorKind::access_denied, "the object is archived: restore it first"},
});

/// A store's words are shown to people: no control characters, and not a whole page of them.
std::string shown(std::string_view text) { return base::printable(text.substr(0, kMaxShownBytes)); }

const Known* known(std::string_view code) {
  for (const Known& entry : kKnown) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

ErrorKind kind_of_status(int status) {
  switch (status) {
    case 401:
    case 403:
      return ErrorKind::access_denied;
    case 404:
      return ErrorKind::not_found;
    case 412:
      return ErrorKind::already_exists;
    case 501:
      return ErrorKind::unsupported;
    case 507:
      return ErrorKind::no_space;
    default:
      return ErrorKind::server;
  }
}

Error build(const http::ResponseHead& head, std::string_view body, std::string_view what) {
  Error error = make_error(kind_of_status(head.status), std::string(what) + ": ");
  error.http_status = head.status;
  error.request_id = head.headers.get("x-amz-request-id");
  if (Result<std::uint64_t> seconds = base::parse_u64(head.headers.get("retry-after")); seconds && *seconds < 86400) {
    error.retry_after_ms = static_cast<long>(*seconds * 1000);
  }
  Result<XmlElement> document = body.empty() ? make_error(ErrorKind::protocol, "") : parse_xml(body);
  std::string_view text;
  if (document && document->name == "Error") {
    error.code = shown(document->child_text("Code"));
    text = document->child_text("Message");
    if (error.request_id.empty()) error.request_id = shown(document->child_text("RequestId"));
  }
  if (const Known* entry = known(error.code)) {
    error.kind = entry->kind;
    error.advice = entry->advice;
  }
  if (!text.empty()) {
    error.message += shown(text);
  } else if (!error.code.empty()) {
    error.message += error.code;
  } else {
    error.message += fmt::format("the store answered {} {}", head.status,
                                 head.reason.empty() ? http::reason_of(head.status) : base::printable(head.reason));
  }
  return error;
}

}  // namespace

Error error_of(const http::ResponseHead& head, std::string_view body, std::string_view what) {
  return build(head, body, what);
}

Error error_in_success(const http::ResponseHead& head, std::string_view body, std::string_view what) {
  Error error = build(head, body, what);
  if (error.code.empty()) {
    error.kind = ErrorKind::protocol;
    error.message = fmt::format("{}: the store answered {} without a result", what, head.status);
  }
  return error;
}

int status_of(std::string_view code) {
  const Known* entry = known(code);
  return entry != nullptr ? entry->status : 400;
}

}  // namespace dray::s3
