// What a request says about its own signature, read from its Authorization header or its query, before anything is
// believed. Only the syntax is checked here; sigv4_verify.cpp decides. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aws/sigv4.h"

namespace dray::aws {

struct SignatureClaim {
  bool presigned = false;
  std::string access_key, date, region, service;  ///< from Credential
  std::vector<std::string> signed_headers;        ///< lower case, ascending, no duplicates
  std::string signature;
  std::string amz_date;
  WallTime signed_at{};
  long expires_seconds = 0;  ///< presigned only
  std::string payload_hash;
  base::Query query;  ///< decoded, without X-Amz-Signature

  /// The S3 code of a fault in this kind of signature.
  std::string_view malformed_code() const {
    return presigned ? "AuthorizationQueryParametersError" : "AuthorizationHeaderMalformed";
  }
};

Result<SignatureClaim> read_claim(const ReceivedRequest& request);

/// The only header of this name, or the first; nothing if there is none.
const std::string* find_header(const ReceivedRequest& request, std::string_view name);
/// An error as S3 would answer it.
Error refusal(int http_status, std::string_view code, std::string message);

}  // namespace dray::aws
