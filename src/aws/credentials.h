// Credentials and who provides them. A provider is one file; the chain asks them in the order people expect.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "dray/result.h"

namespace dray::aws {

/// A key pair as it signs requests. Never logged; `secret_key` and `session_token` never appear in a message.
struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  ///< empty = none
  std::optional<WallTime> expires_at{};
  std::string source;  ///< for people: "environment", "profile 'default' in ~/.aws/credentials"
  bool anonymous() const { return access_key.empty(); }
};

/// Refuses what cannot be sent in a header: blanks, control characters, bytes beyond ASCII, an access key without its
/// secret. The message says which of the three it is, never its value.
Result<void> check_credentials(const Credentials& credentials);

/// Looks a variable up; injected so that tests need no process environment. An empty value counts as unset.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;
Environment process_environment();
/// The variable's value; nothing if it is unset or empty, or if there is no environment at all.
std::optional<std::string> variable(const Environment& environment, std::string_view name);

/// Something that may have credentials. get() may wait (files, later HTTP), so it runs where waiting is allowed.
class CredentialsProvider {
 public:
  virtual ~CredentialsProvider() = default;
  virtual std::string_view name() const = 0;
  /// ErrorKind::no_credentials with the reason if this provider does not serve ("AWS_ACCESS_KEY_ID is not set");
  /// any other kind if it should have but is broken ("... has no AWS_SECRET_ACCESS_KEY"), which ends the chain.
  virtual Result<Credentials> get(Deadline deadline) = 0;
};

std::unique_ptr<CredentialsProvider> static_credentials(Credentials credentials);
/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
std::unique_ptr<CredentialsProvider> environment_credentials(Environment environment);
/// The profile of the shared credentials and config files (static keys; other kinds are named in the error).
/// `profile` empty: AWS_PROFILE, AWS_DEFAULT_PROFILE, then "default".
std::unique_ptr<CredentialsProvider> profile_credentials(Environment environment, std::string profile);

/// Asks each in turn; the first that serves wins. If none does, the error names every provider and its reason.
class CredentialsChain final : public CredentialsProvider {
 public:
  explicit CredentialsChain(std::vector<std::unique_ptr<CredentialsProvider>> providers);
  std::string_view name() const override { return "chain"; }
  Result<Credentials> get(Deadline deadline) override;

 private:
  std::vector<std::unique_ptr<CredentialsProvider>> providers_;
};
/// Environment, then profile. An explicit `profile` is asked alone, as the AWS tools do it: whoever names a profile
/// must not get the identity that happens to be in the environment.
std::unique_ptr<CredentialsProvider> default_credentials(Environment environment, std::string profile);

}  // namespace dray::aws
