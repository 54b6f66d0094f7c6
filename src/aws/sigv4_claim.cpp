#include "aws/sigv4_claim.h"

#include <algorithm>
#include <array>

#include "aws/canonical.h"

namespace dray::aws {
namespace {

/// Cuts `text` at the first `separator`: returns what is before it and leaves what is behind it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return before;
}

Error malformed(const SignatureClaim& claim, std::string_view detail) {
  std::string message =
      claim.presigned ? "Error parsing the X-Amz- query parameters; " : "The authorization header is malformed; ";
  message += detail;
  return refusal(400, claim.malformed_code(), std::move(message));
}

/// "AKID/20130524/us-east-1/s3/aws4_request"; an access key may hold slashes itself.
Result<void> read_credential(SignatureClaim& claim, std::string_view text) {
  std::array<std::string_view, 4> fields;  // terminator, service, region, date
  for (std::string_view& field : fields) {
    const std::size_t slash = text.rfind('/');
    if (slash == text.npos) {
      return malformed(claim, "the Credential must be \"<access key>/YYYYMMDD/<region>/<service>/aws4_request\"");
    }
    field = text.substr(slash + 1);
    text = text.substr(0, slash);
  }
  if (fields[0] != kTerminator) return malformed(claim, "the Credential must end in \"aws4_request\"");
  if (text.empty()) return malformed(claim, "the Credential has no access key");
  claim.access_key = text;
  claim.date = fields[3];
  claim.region = fields[2];
  claim.service = fields[1];
  return {};
}

Result<void> read_signed_headers(SignatureClaim& claim, std::string_view text) {
  while (!text.empty()) {
    const std::string_view name = take_until(text, ';');
    const bool lower = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (name.empty() || !lower || (!claim.signed_headers.empty() && name <= claim.signed_headers.back())) {
      return malformed(claim, "SignedHeaders must be lower-case names in ascending order, separated by semicolons");
    }
    claim.signed_headers.emplace_back(name);
  }
  if (claim.signed_headers.empty()) return malformed(claim, "SignedHeaders is empty");
  return {};
}

/// "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...", the fields in any order.
Result<void> read_authorization(SignatureClaim& claim, std::string_view value) {
  value = base::trim(value);
  if (take_until(value, ' ') != kAlgorithm) {
    return refusal(400, "InvalidRequest",
                   "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256");
  }
  std::optional<std::string_view> credential, signed_headers, signature;
  while (!value.empty()) {
    std::string_view field = base::trim(take_until(value, ','));
    const std::string_view name = take_until(field, '=');
    auto* slot = name == "Credential"      ? &credential
                 : name == "SignedHeaders" ? &signed_headers
                 : name == "Signature"     ? &signature
                                           : nullptr;
    if (slot == nullptr || *slot)
      return malformed(claim, "it must name Credential, SignedHeaders and Signature once each");
    *slot = field;
  }
  if (!credential || !signed_headers || !signature) {
    return malformed(claim, "it must name Credential, SignedHeaders and Signature once each");
  }
  DRAY_TRY(read_credential(claim, *credential));
  DRAY_TRY(read_signed_headers(claim, *signed_headers));
  claim.signature = *signature;
  return {};
}

bool is_payload_hash(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWords = {kUnsignedPayload, "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                                                      "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                                                      "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"};
  if (std::find(kWords.begin(), kWords.end(), text) != kWords.end()) return true;
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

Result<void> read_payload_hash(SignatureClaim& claim, std::string_view value) {
  if (!is_payload_hash(value)) {
    return refusal(400, "InvalidArgument",
                   "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
                   "STREAMING-AWS4-HMAC-SHA256-PAYLOAD[-TRAILER] or a lower-case SHA-256 value");
  }
  claim.payload_hash = value;
  return {};
}

/// x-amz-date, else Date, in the form that is signed.
Result<void> read_header_time(SignatureClaim& claim, const ReceivedRequest& request) {
  const std::string* date = find_header(request, "x-amz-date");
  if (date == nullptr) date = find_header(request, "date");
  if (date != nullptr) {
    const std::string_view text = base::trim(*date);
    Result<WallTime> time = base::from_amz_date(text);
    if (!time.ok()) time = base::from_http_date(text);
    if (time.ok()) {
      claim.signed_at = *time;
      claim.amz_date = base::to_amz_date(*time);
      return {};
    }
  }
  return refusal(403, "AccessDenied", "AWS authentication requires a valid Date or x-amz-date header");
}

Result<void> read_header_claim(SignatureClaim& claim, const ReceivedRequest& request, std::string_view authorization) {
  DRAY_TRY(read_authorization(claim, authorization));
  DRAY_TRY(read_header_time(claim, request));
  const std::string* hash = find_header(request, "x-amz-content-sha256");
  if (hash == nullptr) {
    return refusal(400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  }
  return read_payload_hash(claim, base::trim(*hash));
}

/// The only value of a parameter; an error if it is missing or given twice.
Result<std::string> only_parameter(const SignatureClaim& claim, std::string_view name) {
  const auto named = [name](const auto& parameter) { return parameter.first == name; };
  const auto found = std::find_if(claim.query.begin(), claim.query.end(), named);
  if (found == claim.query.end()) {
    return refusal(400, claim.malformed_code(),
                   "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, "
                   "X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders and X-Amz-Expires parameters");
  }
  if (std::any_of(found + 1, claim.query.end(), named)) {
    return refusal(400, claim.malformed_code(), std::string(name) + " is given more than once");
  }
  return found->second;
}

Result<void> read_expiry(SignatureClaim& claim) {
  const std::string text = DRAY_TRY(only_parameter(claim, "X-Amz-Expires"));
  const Result<std::uint64_t> seconds = base::parse_u64(text);
  if (!seconds.ok()) return refusal(400, claim.malformed_code(), "X-Amz-Expires must be a non-negative number");
  if (*seconds > kLongestPresignSeconds) {
    return refusal(400, claim.malformed_code(), "X-Amz-Expires must be at most a week (604800 seconds)");
  }
  claim.expires_seconds = static_cast<long>(*seconds);
  return {};
}

Result<void> read_query_claim(SignatureClaim& claim, const ReceivedRequest& request) {
  claim.presigned = true;
  if (DRAY_TRY(only_parameter(claim, "X-Amz-Algorithm")) != kAlgorithm) {
    return refusal(400, claim.malformed_code(), "X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\"");
  }
  const std::string credential = DRAY_TRY(only_parameter(claim, "X-Amz-Credential"));
  DRAY_TRY(read_credential(claim, credential));
  const std::string signed_headers = DRAY_TRY(only_parameter(claim, "X-Amz-SignedHeaders"));
  DRAY_TRY(read_signed_headers(claim, signed_headers));
  claim.signature = DRAY_TRY(only_parameter(claim, "X-Amz-Signature"));
  claim.amz_date = DRAY_TRY(only_parameter(claim, "X-Amz-Date"));
  const Result<WallTime> time = base::from_amz_date(claim.amz_date);
  if (!time.ok()) {
    return refusal(400, claim.malformed_code(),
                   "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  claim.signed_at = *time;
  DRAY_TRY(read_expiry(claim));
  // A payload hash may be signed as a header; clients that move headers into the query say UNSIGNED-PAYLOAD there.
  claim.payload_hash = kUnsignedPayload;
  const std::string* hash = find_header(request, "x-amz-content-sha256");
  if (hash != nullptr) DRAY_TRY(read_payload_hash(claim, base::trim(*hash)));
  std::erase_if(claim.query, [](const auto& parameter) { return parameter.first == "X-Amz-Signature"; });
  return {};
}

bool has_parameter(const base::Query& query, std::string_view name) {
  return std::any_of(query.begin(), query.end(), [name](const auto& parameter) { return parameter.first == name; });
}

}  // namespace

const std::string* find_header(const ReceivedRequest& request, std::string_view name) {
  for (const auto& [header, value] : request.headers) {
    if (header == name) return &value;
  }
  return nullptr;
}

Error refusal(int http_status, std::string_view code, std::string message) {
  Error error =
      make_error(http_status == 403 ? ErrorKind::access_denied : ErrorKind::invalid_argument, std::move(message));
  error.http_status = http_status;
  error.code = code;
  return error;
}

Result<SignatureClaim> read_claim(const ReceivedRequest& request) {
  SignatureClaim claim;
  Result<base::Query> query = base::parse_query(request.raw_query);
  if (!query.ok()) return refusal(400, "InvalidURI", "Couldn't parse the specified URI");
  claim.query = *std::move(query);

  const auto authorizations = std::count_if(request.headers.begin(), request.headers.end(),
                                            [](const auto& header) { return header.first == "authorization"; });
  const bool in_query = has_parameter(claim.query, "X-Amz-Algorithm") ||
                        has_parameter(claim.query, "X-Amz-Signature") || has_parameter(claim.query, "X-Amz-Credential");
  if (authorizations + (in_query ? 1 : 0) > 1) {
    return refusal(400, "InvalidArgument",
                   "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter or the Authorization "
                   "header should be specified");
  }
  if (authorizations == 1) {
    DRAY_TRY(read_header_claim(claim, request, *find_header(request, "authorization")));
  } else if (in_query) {
    DRAY_TRY(read_query_claim(claim, request));
  } else if (has_parameter(claim.query, "AWSAccessKeyId") && has_parameter(claim.query, "Signature")) {
    return refusal(400, "InvalidRequest",
                   "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256");
  } else {
    return refusal(403, "AccessDenied", "Access Denied: the request is not signed");
  }
  return claim;
}

}  // namespace dray::aws
