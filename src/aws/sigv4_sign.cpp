// Signing: the client's half of sigv4.h.
#include "aws/canonical.h"
#include "aws/sigv4.h"

namespace dray::aws {

SigningKey derive_signing_key(std::string_view secret_key, std::string_view date, std::string_view region,
                              std::string_view service) {
  std::string first = "AWS4";
  first += secret_key;
  SigningKey key = HmacKey(as_bytes(first)).mac(as_bytes(date));
  hash::cleanse(first);
  for (const std::string_view step : {region, service, kTerminator}) key = HmacKey(key).mac(as_bytes(step));
  return key;
}

Signer::Signer(std::string region, std::string service) : region_(std::move(region)), service_(std::move(service)) {}

void Signer::set_region(std::string region) {
  if (region == region_) return;
  region_ = std::move(region);
  cached_date_.clear();
}

void Signer::refresh_key(const Credentials& credentials, std::string_view date) {
  if (date == cached_date_ && credentials.secret_key == cached_secret_) return;
  hash::cleanse(cached_secret_);
  cached_secret_ = credentials.secret_key;
  cached_date_ = date;
  cached_scope_ = credential_scope(date, region_, service_);
  cached_key_ = HmacKey(derive_signing_key(credentials.secret_key, date, region_, service_));
}

std::string Signer::authorization(const SignableRequest& request, const Credentials& credentials,
                                  std::string_view amz_date) {
  std::string value;
  if (credentials.anonymous()) return value;
  refresh_key(credentials, amz_date.substr(0, 8));
  canonical_.clear();
  append_canonical_request(canonical_, request);

  value.reserve(320);
  value += kAlgorithm;
  value += " Credential=";
  value += credentials.access_key;
  value += '/';
  value += cached_scope_;
  value += ",SignedHeaders=";
  append_signed_headers(value, request);
  value += ",Signature=";
  append_signature(value, cached_key_, amz_date, cached_scope_, canonical_);
  return value;
}

std::string Signer::presign(std::string_view method, std::string_view path, const base::Query& query,
                            std::string_view host, const Credentials& credentials, WallTime now, long expires_seconds) {
  if (expires_seconds < 1 || expires_seconds > kLongestPresignSeconds)
    die("presign: the expiry must be 1 to 604800 seconds");
  if (credentials.anonymous()) return base::canonical_query(query);
  const std::string amz_date = base::to_amz_date(now);
  refresh_key(credentials, std::string_view(amz_date).substr(0, 8));

  base::Query all = query;
  all.emplace_back("X-Amz-Algorithm", kAlgorithm);
  all.emplace_back("X-Amz-Credential", credentials.access_key + '/' + cached_scope_);
  all.emplace_back("X-Amz-Date", amz_date);
  all.emplace_back("X-Amz-Expires", std::to_string(expires_seconds));
  all.emplace_back("X-Amz-SignedHeaders", "host");
  if (!credentials.session_token.empty()) all.emplace_back("X-Amz-Security-Token", credentials.session_token);

  std::string signed_query = base::canonical_query(all);
  const SignableRequest request{method, path, signed_query, {{"host", host}}, kUnsignedPayload};
  canonical_.clear();
  append_canonical_request(canonical_, request);
  signed_query += "&X-Amz-Signature=";
  append_signature(signed_query, cached_key_, amz_date, cached_scope_, canonical_);
  return signed_query;
}

}  // namespace dray::aws
