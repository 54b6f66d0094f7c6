#include "aws/credentials.h"

namespace dray::aws {
namespace {

class EnvironmentCredentials final : public CredentialsProvider {
 public:
  explicit EnvironmentCredentials(Environment environment) : environment_(std::move(environment)) {}
  std::string_view name() const override { return "environment"; }

  Result<Credentials> get(Deadline) override {
    const std::optional<std::string> access_key = variable(environment_, "AWS_ACCESS_KEY_ID");
    const std::optional<std::string> secret_key = variable(environment_, "AWS_SECRET_ACCESS_KEY");
    if (!access_key) {
      return make_error(ErrorKind::no_credentials, secret_key
                                                       ? "AWS_ACCESS_KEY_ID is not set (AWS_SECRET_ACCESS_KEY is)"
                                                       : "AWS_ACCESS_KEY_ID is not set");
    }
    if (!secret_key) {
      return make_error(ErrorKind::invalid_argument, "AWS_ACCESS_KEY_ID is set but AWS_SECRET_ACCESS_KEY is not")
          .advise("set both or neither");
    }
    Credentials credentials{
        *access_key, *secret_key, variable(environment_, "AWS_SESSION_TOKEN").value_or(""), {}, "environment"};
    if (const std::optional<std::string> expiry = variable(environment_, "AWS_CREDENTIAL_EXPIRATION")) {
      const Result<WallTime> time = base::from_iso8601(*expiry);
      if (!time.ok()) {
        return make_error(ErrorKind::invalid_argument, "AWS_CREDENTIAL_EXPIRATION is not an RFC 3339 time");
      }
      credentials.expires_at = *time;
    }
    DRAY_TRY(check_credentials(credentials));
    return credentials;
  }

 private:
  Environment environment_;
};

}  // namespace

std::unique_ptr<CredentialsProvider> environment_credentials(Environment environment) {
  return std::make_unique<EnvironmentCredentials>(std::move(environment));
}

}  // namespace dray::aws
