#include "aws/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/fake_home.h"

namespace dray::aws {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Every secret in these tests holds this word, so that no message may.
constexpr const char* kSecretWord = "hush";

Result<Credentials> get(const std::unique_ptr<CredentialsProvider>& provider) {
  return provider->get(Deadline::never());
}

void expect_error(const Result<Credentials>& result, ErrorKind kind, const std::string& text) {
  ASSERT_FALSE(result.ok()) << "served, but expected: " << text;
  EXPECT_EQ(name_of(result.error().kind), name_of(kind)) << result.error().message;
  EXPECT_THAT(result.error().message, HasSubstr(text));
  EXPECT_THAT(result.error().message + result.error().advice, Not(HasSubstr(kSecretWord)));
}

TEST(EnvironmentCredentialsTest, ReadsTheThreeVariables) {
  FakeHome home;
  home.set("AWS_ACCESS_KEY_ID", "AKID");
  home.set("AWS_SECRET_ACCESS_KEY", "hush/+=");
  home.set("AWS_SESSION_TOKEN", "token");
  home.set("AWS_CREDENTIAL_EXPIRATION", "2026-11-30T10:28:32Z");
  const Credentials credentials = get(environment_credentials(home.environment())).value();
  EXPECT_EQ(credentials.access_key, "AKID");
  EXPECT_EQ(credentials.secret_key, "hush/+=");
  EXPECT_EQ(credentials.session_token, "token");
  EXPECT_EQ(credentials.source, "environment");
  EXPECT_EQ(credentials.expires_at, base::from_iso8601("2026-11-30T10:28:32Z").value());
}

TEST(EnvironmentCredentialsTest, SaysWhichVariableIsMissing) {
  FakeHome home;
  expect_error(get(environment_credentials(home.environment())), ErrorKind::no_credentials,
               "AWS_ACCESS_KEY_ID is not set");
  home.set("AWS_SECRET_ACCESS_KEY", "hush");
  expect_error(get(environment_credentials(home.environment())), ErrorKind::no_credentials,
               "(AWS_SECRET_ACCESS_KEY is)");
  home.set("AWS_SECRET_ACCESS_KEY", "");
  home.set("AWS_ACCESS_KEY_ID", "AKID");
  expect_error(get(environment_credentials(home.environment())), ErrorKind::invalid_argument,
               "AWS_SECRET_ACCESS_KEY is not");
  expect_error(get(environment_credentials(Environment{})), ErrorKind::no_credentials, "AWS_ACCESS_KEY_ID");
}

TEST(EnvironmentCredentialsTest, RefusesAnOddExpiry) {
  FakeHome home;
  home.set("AWS_ACCESS_KEY_ID", "AKID");
  home.set("AWS_SECRET_ACCESS_KEY", "hush");
  home.set("AWS_CREDENTIAL_EXPIRATION", "soon");
  expect_error(get(environment_credentials(home.environment())), ErrorKind::invalid_argument,
               "AWS_CREDENTIAL_EXPIRATION");
}

TEST(StaticCredentialsTest, RefusesWhatCannotStandInAHeader) {
  struct Row {
    Credentials credentials;
    std::string text;
  };
  for (const Row& row : {
           Row{{"AK\r\nX-Evil: 1", "hush", "", {}, ""}, "access key"},
           Row{{"AKID", "hush ", "", {}, ""}, "secret key"},
           Row{{"AKID", "hush\n", "", {}, ""}, "secret key"},
           Row{{"AKID", "hush\xc3\xa9", "", {}, ""}, "secret key"},
           Row{{"AKID", "hush", "hush\thush", {}, ""}, "session token"},
           Row{{"AKID", "", "", {}, ""}, "no secret key"},
       }) {
    expect_error(get(static_credentials(row.credentials)), ErrorKind::invalid_argument, row.text);
  }
}

TEST(StaticCredentialsTest, ServesAnonymousOnes) {
  const Credentials credentials = get(static_credentials({})).value();
  EXPECT_TRUE(credentials.anonymous());
  EXPECT_EQ(credentials.source, "given keys");
}

TEST(ProfileCredentialsTest, ReadsStaticKeys) {
  FakeHome home;
  home.write(".aws/credentials",
             "[dev]\naws_access_key_id = AKID\naws_secret_access_key = hush\naws_session_token = token\n");
  const Credentials credentials = get(profile_credentials(home.environment(), "dev")).value();
  EXPECT_EQ(credentials.access_key, "AKID");
  EXPECT_EQ(credentials.secret_key, "hush");
  EXPECT_EQ(credentials.session_token, "token");
  EXPECT_EQ(credentials.source, "profile 'dev' in " + home.path() + "/.aws/credentials");
}

TEST(ProfileCredentialsTest, NamesTheConfigFileIfTheKeysAreThere) {
  FakeHome home;
  home.write(".aws/config", "[default]\naws_access_key_id = AKID\naws_secret_access_key = hush\n");
  EXPECT_EQ(get(profile_credentials(home.environment(), "")).value().source,
            "profile 'default' in " + home.path() + "/.aws/config");
}

TEST(ProfileCredentialsTest, SaysWhatIsMissing) {
  struct Row {
    std::string profile, credentials;
    ErrorKind kind;
    std::string text;
  };
  for (const Row& row : {
           Row{"", "", ErrorKind::no_credentials, "there is no profile 'default' in "},
           Row{"dev", "[default]\n", ErrorKind::invalid_argument, "there is no profile 'dev' in "},
           Row{"dev", "[dev]\nregion = x\n", ErrorKind::no_credentials, "profile 'dev' has no aws_access_key_id"},
           Row{"dev", "[dev]\naws_access_key_id = A\n", ErrorKind::invalid_argument, "has no aws_secret_access_key"},
           Row{"dev", "[dev]\naws_secret_access_key = hush\n", ErrorKind::invalid_argument, "has no aws_access_key_id"},
           Row{"dev", "[dev]\naws_access_key_id = A\naws_secret_access_key = hush hush\n", ErrorKind::invalid_argument,
               "the secret key has a blank"},
           Row{"dev", "[dev]\nhush\n", ErrorKind::invalid_argument, "/.aws/credentials: line 2 "},
       }) {
    FakeHome home;
    home.write(".aws/credentials", row.credentials);
    expect_error(get(profile_credentials(home.environment(), row.profile)), row.kind, row.text);
  }
}

TEST(ProfileCredentialsTest, NamesTheKindsItCannotServe) {
  struct Row {
    std::string config, text;
  };
  for (const Row& row : {
           Row{"role_arn = arn:aws:iam::1:role/x\nsource_profile = y\n", "assumes a role (role_arn)"},
           Row{"role_arn = x\nsource_profile = dev\naws_access_key_id = A\naws_secret_access_key = hush\n",
               "assumes a role (role_arn)"},
           Row{"role_arn = x\nweb_identity_token_file = /hush\n", "web identity"},
           Row{"sso_session = corp\nsso_account_id = 1\n", "IAM Identity Center (sso)"},
           Row{"sso_start_url = https://hush.example.org\n", "IAM Identity Center (sso)"},
           Row{"credential_process = /bin/keys --password hush\n", "(credential_process)"},
       }) {
    FakeHome home;
    home.write(".aws/config", "[profile dev]\n" + row.config);
    const Result<Credentials> result = get(profile_credentials(home.environment(), "dev"));
    expect_error(result, ErrorKind::unsupported, row.text);
    EXPECT_THAT(result.error().advice, HasSubstr("--profile dev"));
  }
}

TEST(ProfileCredentialsTest, StaticKeysGoBeforeCredentialProcess) {
  FakeHome home;
  home.write(".aws/config",
             "[default]\ncredential_process = x\naws_access_key_id = AKID\naws_secret_access_key = hush\n");
  EXPECT_EQ(get(profile_credentials(home.environment(), "")).value().access_key, "AKID");
}

TEST(CredentialsChainTest, EnvironmentGoesBeforeTheDefaultProfile) {
  FakeHome home;
  home.write(".aws/credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = hush\n");
  EXPECT_EQ(get(default_credentials(home.environment(), "")).value().access_key, "FILE");
  home.set("AWS_ACCESS_KEY_ID", "ENV");
  home.set("AWS_SECRET_ACCESS_KEY", "hush");
  EXPECT_EQ(get(default_credentials(home.environment(), "")).value().access_key, "ENV");
}

TEST(CredentialsChainTest, AnExplicitProfileGoesBeforeTheEnvironmentAndNeverFallsBackToIt) {
  FakeHome home;
  home.write(".aws/credentials",
             "[dev]\naws_access_key_id = FILE\naws_secret_access_key = hush\n[empty]\nregion = x\n");
  home.set("AWS_ACCESS_KEY_ID", "ENV");
  home.set("AWS_SECRET_ACCESS_KEY", "hush");
  EXPECT_EQ(get(default_credentials(home.environment(), "dev")).value().access_key, "FILE");
  expect_error(get(default_credentials(home.environment(), "empty")), ErrorKind::no_credentials, "profile 'empty'");
}

TEST(CredentialsChainTest, NamesEveryProviderAndItsReason) {
  FakeHome home;
  const Result<Credentials> result = get(default_credentials(home.environment(), ""));
  expect_error(result, ErrorKind::no_credentials, "environment: AWS_ACCESS_KEY_ID is not set; profile: there is no");
  EXPECT_THAT(result.error().advice, HasSubstr("--no-sign-request"));
}

TEST(CredentialsChainTest, ABrokenProviderEndsTheChain) {
  FakeHome home;
  home.set("AWS_ACCESS_KEY_ID", "ENV");
  home.write(".aws/credentials", "[default]\naws_access_key_id = FILE\naws_secret_access_key = hush\n");
  expect_error(get(default_credentials(home.environment(), "")), ErrorKind::invalid_argument,
               "environment: AWS_ACCESS_KEY_ID is set but");
}

TEST(EnvironmentTest, ProcessEnvironmentTakesEmptyForUnset) {
  ASSERT_EQ(::setenv("DRAY_TEST_VARIABLE", "x", 1), 0);
  EXPECT_EQ(process_environment()("DRAY_TEST_VARIABLE"), "x");
  ASSERT_EQ(::setenv("DRAY_TEST_VARIABLE", "", 1), 0);
  EXPECT_EQ(process_environment()("DRAY_TEST_VARIABLE"), std::nullopt);
  ASSERT_EQ(::unsetenv("DRAY_TEST_VARIABLE"), 0);
  EXPECT_EQ(process_environment()("DRAY_TEST_VARIABLE"), std::nullopt);
}

}  // namespace
}  // namespace dray::aws
