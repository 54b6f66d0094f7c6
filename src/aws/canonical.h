// The texts that a SigV4 signature is made of, shared by signing and verifying ("Signature Calculations for the
// Authorization Header" in the S3 API reference). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "aws/sha256.h"
#include "aws/sigv4.h"

namespace dray::aws {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kTerminator = "aws4_request";

/// "20261130/eu-west-1/s3/aws4_request".
std::string credential_scope(std::string_view date, std::string_view region, std::string_view service);
/// "host;x-amz-date": the names of the request's headers.
void append_signed_headers(std::string& to, const SignableRequest& request);
/// Runs of spaces in header values become one space, as all SDKs and S3 do it.
void append_canonical_request(std::string& to, const SignableRequest& request);
void append_hex(std::string& to, Bytes bytes);
/// Appends the signature of a canonical request, 64 hex digits.
void append_signature(std::string& to, const HmacKey& key, std::string_view amz_date, std::string_view scope,
                      std::string_view canonical_request);

}  // namespace dray::aws
