#include "aws/endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"

namespace dray::aws {
namespace {

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

Error bad_bucket(std::string_view bucket, std::string_view reason) {
  return make_error(ErrorKind::invalid_argument,
                    fmt::format("{} cannot be a bucket's name: {}", base::in_quotes(bucket), reason));
}

/// Four numbers with dots: the name would be taken for an IPv4 address in a host.
bool looks_like_ipv4(std::string_view text) {
  return std::count(text.begin(), text.end(), '.') == 3 && text.find_first_not_of("0123456789.") == text.npos;
}

bool is_ip_address(std::string_view host) { return looks_like_ipv4(host) || host.find(':') != host.npos; }

/// One label, so that the wildcard certificate *.s3.REGION.amazonaws.com covers it; not a dotted name.
bool is_dns_label(std::string_view bucket) {
  return !bucket.empty() && bucket.size() <= 63 && bucket.front() != '-' && bucket.back() != '-' &&
         std::all_of(bucket.begin(), bucket.end(), [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

/// Labels with dots between them.
bool is_dns_name(std::string_view bucket) {
  while (true) {
    const std::size_t dot = bucket.find('.');
    if (!is_dns_label(bucket.substr(0, dot))) return false;
    if (dot == bucket.npos) return true;
    bucket.remove_prefix(dot + 1);
  }
}

Result<void> check_region(std::string_view region, bool aws) {
  const bool fits = !region.empty() && region.size() <= 63 && std::all_of(region.begin(), region.end(), [aws](char c) {
    return is_lower_or_digit(c) || c == '-' || (!aws && ((c >= 'A' && c <= 'Z') || c == '_' || c == '.'));
  });
  if (fits) return {};
  return make_error(ErrorKind::invalid_argument, fmt::format("{} cannot be a region's name", base::in_quotes(region)));
}

/// The domain of a region's partition. aws-us-gov shares that of aws.
std::string_view aws_domain(std::string_view region) {
  if (region.starts_with("cn-")) return "amazonaws.com.cn";
  if (region.starts_with("us-isob-")) return "sc2s.sgov.gov";
  if (region.starts_with("us-iso-")) return "c2s.ic.gov";
  if (region.starts_with("eusc-")) return "amazonaws.eu";
  return "amazonaws.com";
}

base::Url aws_url(const EndpointChoice& choice) {
  std::string host = choice.fips ? "s3-fips." : "s3.";
  if (choice.dual_stack) host += "dualstack.";
  host += choice.region;
  host += '.';
  host += aws_domain(choice.region);
  return {"https", std::move(host), 0, ""};
}

/// A URL that somebody typed but that is AWS's S3 all the same: VPC endpoints, transfer acceleration, another region.
/// The domain alone is not enough: rented machines and load balancers are named under it too.
bool is_aws_host(std::string_view host) {
  if (!host.ends_with(".amazonaws.com") && !host.ends_with(".amazonaws.com.cn")) return false;
  return host.starts_with("s3.") || host.starts_with("s3-") || host.find(".s3.") != host.npos;
}

bool is_localhost(std::string_view host) { return host == "localhost" || host.ends_with(".localhost"); }

Result<bool> bucket_in_host(const EndpointChoice& choice, const base::Url& url, bool aws, std::string_view bucket) {
  switch (choice.addressing) {
    case Addressing::path:
      return false;
    case Addressing::auto_:
      return aws && is_dns_label(bucket);
    case Addressing::virtual_host:
      break;
  }
  if (is_ip_address(url.host)) {
    return make_error(ErrorKind::invalid_argument,
                      fmt::format("the bucket's name cannot stand in front of the address {}", url.host))
        .advise("use path addressing, or an endpoint with a name");
  }
  if (!is_dns_name(bucket)) return bad_bucket(bucket, "virtual-host addressing needs a DNS name");
  return true;
}

}  // namespace

Result<Addressing> addressing_from(std::string_view text) {
  if (text == "auto") return Addressing::auto_;
  if (text == "path") return Addressing::path;
  if (text == "virtual") return Addressing::virtual_host;
  return make_error(ErrorKind::invalid_argument,
                    fmt::format("{} is not an addressing style: auto, path or virtual", base::in_quotes(text)));
}

Result<void> check_bucket_name(std::string_view bucket, BucketRules rules) {
  if (bucket == "." || bucket == "..") return bad_bucket(bucket, "it is a path");
  if (rules == BucketRules::lenient) {
    if (bucket.empty() || bucket.size() > 255) return bad_bucket(bucket, "it must have 1 to 255 characters");
    const bool fits = std::all_of(bucket.begin(), bucket.end(), [](char c) {
      return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
    });
    if (!fits) return bad_bucket(bucket, "only letters, digits, dots, underscores and hyphens are allowed");
    return {};
  }
  if (bucket.size() < 3 || bucket.size() > 63) return bad_bucket(bucket, "it must have 3 to 63 characters");
  if (!is_dns_name(bucket)) {
    return bad_bucket(bucket,
                      "only lower-case letters, digits, dots and hyphens are allowed, with a letter or digit on both "
                      "sides of a dot and at both ends");
  }
  if (looks_like_ipv4(bucket)) return bad_bucket(bucket, "it looks like an IP address");
  return {};
}

Result<Endpoint> endpoint_for(const EndpointChoice& choice, std::string_view bucket) {
  const bool aws = !choice.url || is_aws_host(choice.url->host);
  DRAY_TRY(check_region(choice.region, !choice.url));
  const base::Url url = choice.url ? *choice.url : aws_url(choice);

  Endpoint endpoint{url, url.authority(), url.path};
  endpoint.connect.path.clear();
  while (endpoint.path_prefix.ends_with('/')) endpoint.path_prefix.pop_back();
  if (bucket.empty()) return endpoint;

  DRAY_TRY(check_bucket_name(bucket, choice.url ? BucketRules::lenient : BucketRules::aws));
  if (aws && bucket.ends_with("--x-s3")) {
    return make_error(ErrorKind::unsupported,
                      fmt::format("{} is a directory bucket (S3 Express One Zone), which dray cannot use yet",
                                  base::in_quotes(bucket)));
  }
  if (!DRAY_TRY(bucket_in_host(choice, url, aws, bucket))) {
    endpoint.path_prefix.append("/").append(bucket);
    return endpoint;
  }
  endpoint.host_header = std::string(bucket) + "." + endpoint.host_header;
  // "bucket.localhost" is this machine (RFC 6761 section 6.3), but not every resolver knows that.
  if (!is_localhost(url.host)) endpoint.connect.host = std::string(bucket) + "." + url.host;
  return endpoint;
}

}  // namespace dray::aws
