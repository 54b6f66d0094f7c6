// Endpoint rules: which server a bucket's requests go to, what stands in Host, and how a path begins. Pure; any thread.
// ("Methods for accessing a general purpose bucket" and "Bucket naming rules" in the S3 user guide.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/config_file.h"
#include "aws/credentials.h"
#include "base/uri.h"
#include "dray/result.h"

namespace dray::aws {

/// Where the bucket's name stands: in the path ("host/bucket/key") or in the host ("bucket.host/key").
/// auto_: in the host at AWS if the name is a DNS label, else in the path.
enum class Addressing { auto_, path, virtual_host };
/// "auto", "path", "virtual".
Result<Addressing> addressing_from(std::string_view text);

enum class BucketRules {
  aws,      ///< 3 to 63 lower-case letters, digits, dots and hyphens
  lenient,  ///< 1 to 255 of A-Z a-z 0-9 . _ -: other stores, and old buckets
};
/// Under both rules the name is safe in a path: never ".", ".." or with a slash.
Result<void> check_bucket_name(std::string_view bucket, BucketRules rules);

/// What a user may say about the store.
struct EndpointChoice {
  std::string region = "us-east-1";
  std::optional<base::Url> url;  ///< none = AWS, by region
  Addressing addressing = Addressing::auto_;
  bool fips = false;        ///< AWS only (AWS_USE_FIPS_ENDPOINT)
  bool dual_stack = false;  ///< AWS only (AWS_USE_DUALSTACK_ENDPOINT)
};

/// Where a bucket's requests go.
struct Endpoint {
  base::Url connect;        ///< scheme, host and port; its path is empty
  std::string host_header;  ///< as sent and signed; differs from the host connected to only for "bucket.localhost"
  std::string path_prefix;  ///< encoded, before "/key": "", "/bucket", "/prefix/bucket"
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Fails for a region or a bucket name that cannot be, and for a bucket in the host where that cannot work.
/// An empty bucket is the service itself (ListBuckets).
Result<Endpoint> endpoint_for(const EndpointChoice& choice, std::string_view bucket);

/// What the environment and the profile say, flags apart (they go before). URL: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
/// S3_ENDPOINT_URL, the profile's services section, its endpoint_url; AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true or
/// ignore_configured_endpoint_urls leaves all of them out. An error names the setting, not its value.
Result<std::optional<base::Url>> configured_endpoint(const Environment& environment, const Profile& profile);
/// AWS_REGION, AWS_DEFAULT_REGION, the profile's region, else us-east-1.
std::string configured_region(const Environment& environment, const Profile& profile);
/// Region, URL, FIPS, dual stack and the profile's s3.addressing_style together.
Result<EndpointChoice> configured_choice(const Environment& environment, const Profile& profile);

}  // namespace dray::aws
