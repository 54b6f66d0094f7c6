#include <fmt/format.h>

#include "aws/config_file.h"
#include "aws/credentials.h"
#include "base/bytes.h"

namespace dray::aws {
namespace {

/// What a profile needs that is not served yet, in words; empty if its keys stand in the file.
std::string_view unserved_kind(const Profile& profile) {
  // A role goes before the static keys beside it, as in the AWS tools: those keys are another identity.
  if (profile.get("role_arn")) {
    return profile.get("web_identity_token_file") ? "assumes a role with a web identity (web_identity_token_file)"
                                                  : "assumes a role (role_arn)";
  }
  for (const char* key : {"sso_session", "sso_start_url", "sso_account_id"}) {
    if (profile.get(key)) return "signs in through IAM Identity Center (sso)";
  }
  if (profile.get("aws_access_key_id") || profile.get("aws_secret_access_key")) return {};
  if (profile.get("credential_process")) return "runs a program for its keys (credential_process)";
  return {};
}

class ProfileCredentials final : public CredentialsProvider {
 public:
  ProfileCredentials(Environment environment, std::string profile)
      : environment_(std::move(environment)), wanted_(std::move(profile)) {}
  std::string_view name() const override { return "profile"; }

  Result<Credentials> get(Deadline) override {
    const Profile profile = DRAY_TRY(load_profile(environment_, wanted_));
    const std::string quoted = fmt::format("profile '{}'", base::printable(profile.name));
    if (!profile.exists) return missing(profile, quoted);
    if (const std::string_view kind = unserved_kind(profile); !kind.empty()) {
      return make_error(ErrorKind::unsupported, fmt::format("{} {}, which dray cannot do yet", quoted, kind))
          .advise(
              fmt::format("export its temporary keys first: aws configure export-credentials --profile {} --format env",
                          base::printable(profile.name)));
    }
    const std::optional<std::string> access_key = profile.get("aws_access_key_id");
    const std::optional<std::string> secret_key = profile.get("aws_secret_access_key");
    if (!access_key && !secret_key) return make_error(ErrorKind::no_credentials, quoted + " has no aws_access_key_id");
    const std::string source = fmt::format("{} in {}", quoted, profile.keys_path);
    if (!access_key || !secret_key) {
      return make_error(
          ErrorKind::invalid_argument,
          fmt::format("{} has no {}", source, access_key ? "aws_secret_access_key" : "aws_access_key_id"));
    }
    Credentials credentials{*access_key, *secret_key, profile.get("aws_session_token").value_or(""), {}, source};
    if (Result<void> fit = check_credentials(credentials); !fit.ok()) return std::move(fit).error().within(source);
    return credentials;
  }

 private:
  /// Nobody has to have a default profile; one that was asked for by name must be there.
  Error missing(const Profile& profile, const std::string& quoted) const {
    if (profile.credentials_path.empty()) {
      return make_error(ErrorKind::no_credentials, "neither HOME nor AWS_SHARED_CREDENTIALS_FILE is set");
    }
    const bool asked = profile.name != "default";
    return make_error(asked ? ErrorKind::invalid_argument : ErrorKind::no_credentials,
                      fmt::format("there is no {} in {} or {}", quoted, profile.credentials_path, profile.config_path));
  }

  Environment environment_;
  std::string wanted_;
};

}  // namespace

std::unique_ptr<CredentialsProvider> profile_credentials(Environment environment, std::string profile) {
  return std::make_unique<ProfileCredentials>(std::move(environment), std::move(profile));
}

}  // namespace dray::aws
