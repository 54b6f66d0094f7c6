#include "aws/credentials.h"

namespace dray::aws {

CredentialsChain::CredentialsChain(std::vector<std::unique_ptr<CredentialsProvider>> providers)
    : providers_(std::move(providers)) {}

Result<Credentials> CredentialsChain::get(Deadline deadline) {
  std::string reasons;
  for (const auto& provider : providers_) {
    Result<Credentials> got = provider->get(deadline);
    if (got.ok()) return got;
    if (got.error().kind != ErrorKind::no_credentials) return std::move(got).error().within(provider->name());
    if (!reasons.empty()) reasons += "; ";
    reasons += std::string(provider->name()) + ": " + got.error().message;
  }
  return make_error(ErrorKind::no_credentials, "no credentials were found (" + reasons + ")")
      .advise(
          "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile with --profile, or use "
          "--no-sign-request for public data");
}

std::unique_ptr<CredentialsProvider> default_credentials(Environment environment, std::string profile) {
  std::vector<std::unique_ptr<CredentialsProvider>> providers;
  if (profile.empty()) providers.push_back(environment_credentials(environment));
  providers.push_back(profile_credentials(std::move(environment), std::move(profile)));
  return std::make_unique<CredentialsChain>(std::move(providers));
}

}  // namespace dray::aws
