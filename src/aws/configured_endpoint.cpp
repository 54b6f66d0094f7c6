// What the environment and the profile say about the endpoint.
#include <fmt/format.h>

#include "aws/endpoint.h"
#include "base/bytes.h"

namespace dray::aws {
namespace {

/// "true" in any case, as the AWS tools read their switches.
bool is_on(const std::optional<std::string>& value) { return value && base::equals_ignoring_case(*value, "true"); }

bool is_on(const Environment& environment, std::string_view name, const Profile& profile, const std::string& key) {
  const std::optional<std::string> value = variable(environment, name);
  return is_on(value ? value : profile.get(key));
}

Result<std::optional<base::Url>> url_of(const std::string& text, const std::string& setting) {
  Result<base::Url> url = base::parse_url(text);
  if (url.ok()) return std::optional<base::Url>(*std::move(url));
  // The value is not repeated: people do put passwords into URLs.
  return make_error(ErrorKind::invalid_argument, setting + " is not a usable endpoint")
      .advise("write it as http://host:port or https://host, without user, password or query");
}

}  // namespace

Result<std::optional<base::Url>> configured_endpoint(const Environment& environment, const Profile& profile) {
  if (is_on(environment, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", profile, "ignore_configured_endpoint_urls")) {
    return std::optional<base::Url>();
  }
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "S3_ENDPOINT_URL"}) {
    if (const std::optional<std::string> value = variable(environment, name)) return url_of(*value, name);
  }
  const std::string of_profile = fmt::format("endpoint_url of profile '{}'", base::printable(profile.name));
  if (const auto found = profile.services.find("s3.endpoint_url");
      found != profile.services.end() && !found->second.empty()) {
    return url_of(found->second, "the services section's " + of_profile);
  }
  if (const std::optional<std::string> value = profile.get("endpoint_url")) return url_of(*value, of_profile);
  return std::optional<base::Url>();
}

std::string configured_region(const Environment& environment, const Profile& profile) {
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (std::optional<std::string> value = variable(environment, name)) return *value;
  }
  return profile.get("region").value_or("us-east-1");
}

Result<EndpointChoice> configured_choice(const Environment& environment, const Profile& profile) {
  EndpointChoice choice;
  choice.region = configured_region(environment, profile);
  choice.url = DRAY_TRY(configured_endpoint(environment, profile));
  choice.fips = is_on(environment, "AWS_USE_FIPS_ENDPOINT", profile, "use_fips_endpoint");
  choice.dual_stack = is_on(environment, "AWS_USE_DUALSTACK_ENDPOINT", profile, "use_dualstack_endpoint");
  if (const std::optional<std::string> style = profile.get("s3.addressing_style")) {
    Result<Addressing> addressing = addressing_from(*style);
    if (!addressing.ok()) return std::move(addressing).error().within("s3.addressing_style");
    choice.addressing = *addressing;
  }
  return choice;
}

}  // namespace dray::aws
