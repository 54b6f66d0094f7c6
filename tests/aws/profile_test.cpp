#include <gtest/gtest.h>

#include "aws/config_file.h"
#include "aws/fake_home.h"

namespace dray::aws {
namespace {

TEST(ProfileTest, NameComesFromTheCallerThenTheEnvironmentThenDefault) {
  FakeHome home;
  EXPECT_EQ(profile_name(home.environment(), ""), "default");
  home.set("AWS_DEFAULT_PROFILE", "second");
  EXPECT_EQ(profile_name(home.environment(), ""), "second");
  home.set("AWS_PROFILE", "first");
  EXPECT_EQ(profile_name(home.environment(), ""), "first");
  EXPECT_EQ(profile_name(home.environment(), "asked"), "asked");
  home.set("AWS_PROFILE", "");
  EXPECT_EQ(profile_name(home.environment(), ""), "second");
}

TEST(ProfileTest, MissingFilesAreEmptyOnes) {
  FakeHome home;
  const Profile profile = load_profile(home.environment(), "").value();
  EXPECT_FALSE(profile.exists);
  EXPECT_EQ(profile.name, "default");
  EXPECT_EQ(profile.credentials_path, home.path() + "/.aws/credentials");
  EXPECT_EQ(profile.config_path, home.path() + "/.aws/config");
}

TEST(ProfileTest, WithoutAHomeThereIsNothing) {
  FakeHome home;
  home.unset("HOME");
  const Profile profile = load_profile(home.environment(), "").value();
  EXPECT_FALSE(profile.exists);
  EXPECT_EQ(profile.credentials_path, "");
  EXPECT_FALSE(load_profile(Environment{}, "").value().exists);
}

TEST(ProfileTest, MergesBothFiles) {
  FakeHome home;
  home.write(".aws/config", "[profile dev]\nregion = eu-west-1\noutput = json\n[dev]\nregion = wrong\n");
  home.write(".aws/credentials", "[dev]\naws_access_key_id = AKID\naws_secret_access_key = secret\noutput = text\n");
  const Profile profile = load_profile(home.environment(), "dev").value();
  EXPECT_TRUE(profile.exists);
  EXPECT_EQ(profile.get("region"), "eu-west-1");
  EXPECT_EQ(profile.get("aws_access_key_id"), "AKID");
  EXPECT_EQ(profile.get("output"), "text");
  EXPECT_EQ(profile.keys_path, profile.credentials_path);
}

TEST(ProfileTest, NeverMixesTheKeysOfTwoFiles) {
  FakeHome home;
  home.write(".aws/config",
             "[default]\naws_access_key_id = OLD\naws_secret_access_key = old\naws_session_token = old-token\n");
  home.write(".aws/credentials", "[default]\naws_access_key_id = NEW\naws_secret_access_key = new\n");
  const Profile profile = load_profile(home.environment(), "").value();
  EXPECT_EQ(profile.get("aws_access_key_id"), "NEW");
  EXPECT_EQ(profile.get("aws_session_token"), std::nullopt);
}

TEST(ProfileTest, DefaultMayBeWrittenInBothWays) {
  FakeHome home;
  home.write(".aws/config", "[default]\nregion = a\n");
  EXPECT_EQ(load_profile(home.environment(), "").value().get("region"), "a");
  home.write(".aws/config", "[default]\nregion = a\n[profile default]\nregion = b\n");
  EXPECT_EQ(load_profile(home.environment(), "").value().get("region"), "b");
}

TEST(ProfileTest, FilesMayBeElsewhere) {
  FakeHome home;
  home.write("my-config", "[default]\nregion = here\n");
  home.set("AWS_CONFIG_FILE", "~/my-config");
  home.set("AWS_SHARED_CREDENTIALS_FILE", home.path() + "/my-credentials");
  home.write("my-credentials", "[default]\naws_access_key_id = AKID\n");
  const Profile profile = load_profile(home.environment(), "").value();
  EXPECT_EQ(profile.get("region"), "here");
  EXPECT_EQ(profile.get("aws_access_key_id"), "AKID");
  EXPECT_EQ(profile.config_path, home.path() + "/my-config");
}

TEST(ProfileTest, BrokenFileIsAnErrorWithItsPathAndLine) {
  FakeHome home;
  home.write(".aws/config", "[default]\nnonsense\n");
  const Result<Profile> profile = load_profile(home.environment(), "");
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().message.find(home.path() + "/.aws/config: line 2 "), 0u) << profile.error().message;
}

TEST(ProfileTest, FolderInPlaceOfAFileIsAnError) {
  FakeHome home;
  home.set("AWS_CONFIG_FILE", home.path());
  const Result<Profile> profile = load_profile(home.environment(), "");
  ASSERT_FALSE(profile.ok());
  EXPECT_NE(profile.error().message.find(home.path()), std::string::npos);
}

TEST(ProfileTest, FileThatNeverEndsIsAnError) {
  FakeHome home;
  home.set("AWS_CONFIG_FILE", "/dev/zero");
  const Result<Profile> profile = load_profile(home.environment(), "");
  ASSERT_FALSE(profile.ok());
  EXPECT_NE(profile.error().message.find("1 MiB"), std::string::npos) << profile.error().message;
}

TEST(ProfileTest, HoldsTheServicesSectionItNames) {
  FakeHome home;
  home.write(".aws/config",
             "[profile dev]\nservices = local\n[services local]\ns3 =\n  endpoint_url = http://localhost:9000\n");
  const Profile profile = load_profile(home.environment(), "dev").value();
  EXPECT_EQ(profile.services.at("s3.endpoint_url"), "http://localhost:9000");
}

TEST(ProfileTest, MissingServicesSectionIsAnError) {
  FakeHome home;
  home.write(".aws/config", "[profile dev]\nservices = local\n");
  const Result<Profile> profile = load_profile(home.environment(), "dev");
  ASSERT_FALSE(profile.ok());
  EXPECT_NE(profile.error().message.find("'local'"), std::string::npos);
}

}  // namespace
}  // namespace dray::aws
