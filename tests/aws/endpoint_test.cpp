#include "aws/endpoint.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aws/fake_home.h"

namespace dray::aws {
namespace {

/// "https://host:port Host=... prefix=...", or the kind of the error.
std::string show(const Result<Endpoint>& endpoint) {
  if (!endpoint.ok()) return std::string(name_of(endpoint.error().kind));
  return endpoint->connect.scheme + "://" + endpoint->connect.authority() + endpoint->connect.path +
         " Host=" + endpoint->host_header + " prefix=" + endpoint->path_prefix;
}

EndpointChoice at(const std::string& url, Addressing addressing = Addressing::auto_) {
  EndpointChoice choice;
  choice.url = base::parse_url(url).value();
  choice.addressing = addressing;
  return choice;
}

EndpointChoice in(std::string region, Addressing addressing = Addressing::auto_) {
  EndpointChoice choice;
  choice.region = std::move(region);
  choice.addressing = addressing;
  return choice;
}

TEST(EndpointTest, AwsByRegionAndAddressing) {
  struct Row {
    EndpointChoice choice;
    std::string bucket, shown;
  };
  EndpointChoice fips = in("us-gov-west-1"), dual = in("eu-west-1"), both = in("us-east-2");
  fips.fips = both.fips = true;
  dual.dual_stack = both.dual_stack = true;
  for (const Row& row : {
           Row{in("us-east-1"), "data",
               "https://data.s3.us-east-1.amazonaws.com Host=data.s3.us-east-1.amazonaws.com prefix="},
           Row{in("eu-west-1"), "my.data",
               "https://s3.eu-west-1.amazonaws.com Host=s3.eu-west-1.amazonaws.com prefix=/my.data"},
           Row{in("eu-west-1", Addressing::path), "data",
               "https://s3.eu-west-1.amazonaws.com Host=s3.eu-west-1.amazonaws.com prefix=/data"},
           Row{in("eu-west-1", Addressing::virtual_host), "my.data",
               "https://my.data.s3.eu-west-1.amazonaws.com Host=my.data.s3.eu-west-1.amazonaws.com prefix="},
           Row{in("cn-north-1"), "data",
               "https://data.s3.cn-north-1.amazonaws.com.cn Host=data.s3.cn-north-1.amazonaws.com.cn prefix="},
           Row{fips, "data",
               "https://data.s3-fips.us-gov-west-1.amazonaws.com Host=data.s3-fips.us-gov-west-1.amazonaws.com "
               "prefix="},
           Row{dual, "",
               "https://s3.dualstack.eu-west-1.amazonaws.com Host=s3.dualstack.eu-west-1.amazonaws.com prefix="},
           Row{both, "",
               "https://s3-fips.dualstack.us-east-2.amazonaws.com Host=s3-fips.dualstack.us-east-2.amazonaws.com "
               "prefix="},
           Row{in("us-gov-west-1"), "",
               "https://s3.us-gov-west-1.amazonaws.com Host=s3.us-gov-west-1.amazonaws.com prefix="},
           Row{in("eu-west-1"), "Data_1", "invalid_argument"},
           Row{in("evil.org/"), "data", "invalid_argument"},
           Row{in("EU-WEST-1"), "data", "invalid_argument"},
           Row{in(""), "data", "invalid_argument"},
           Row{in("us-east-1"), "name--use1-az4--x-s3", "unsupported"},
       }) {
    EXPECT_EQ(show(endpoint_for(row.choice, row.bucket)), row.shown) << row.choice.region << " " << row.bucket;
  }
}

TEST(EndpointTest, CustomEndpoint) {
  struct Row {
    EndpointChoice choice;
    std::string bucket, shown;
  };
  constexpr Addressing kVirtual = Addressing::virtual_host;
  for (const Row& row : {
           Row{at("http://127.0.0.1:9000"), "data", "http://127.0.0.1:9000 Host=127.0.0.1:9000 prefix=/data"},
           Row{at("http://[::1]:9000"), "data", "http://[::1]:9000 Host=[::1]:9000 prefix=/data"},
           Row{at("https://store.example.org"), "data",
               "https://store.example.org Host=store.example.org prefix=/data"},
           Row{at("https://store.example.org"), "Old_Name..x",
               "https://store.example.org Host=store.example.org prefix=/Old_Name..x"},
           Row{at("https://store.example.org/s3/"), "data",
               "https://store.example.org Host=store.example.org prefix=/s3/data"},
           Row{at("https://store.example.org/s3"), "", "https://store.example.org Host=store.example.org prefix=/s3"},
           Row{at("https://store.example.org"), "", "https://store.example.org Host=store.example.org prefix="},
           Row{at("https://store.example.org:8443/p", kVirtual), "data",
               "https://data.store.example.org:8443 Host=data.store.example.org:8443 prefix=/p"},
           Row{at("http://localhost:9000", kVirtual), "data", "http://localhost:9000 Host=data.localhost:9000 prefix="},
           Row{at("http://127.0.0.1:9000", kVirtual), "data", "invalid_argument"},
           Row{at("http://[::1]:9000", kVirtual), "data", "invalid_argument"},
           Row{at("https://store.example.org", kVirtual), "Old_Name", "invalid_argument"},
           Row{at("https://store.example.org"), "..", "invalid_argument"},
           Row{at("https://store.example.org"), "a/b", "invalid_argument"},
           Row{at("https://s3-accelerate.amazonaws.com"), "data",
               "https://data.s3-accelerate.amazonaws.com Host=data.s3-accelerate.amazonaws.com prefix="},
           Row{at("https://ec2-3-4-5-6.compute-1.amazonaws.com"), "data",
               "https://ec2-3-4-5-6.compute-1.amazonaws.com Host=ec2-3-4-5-6.compute-1.amazonaws.com prefix=/data"},
       }) {
    EXPECT_EQ(show(endpoint_for(row.choice, row.bucket)), row.shown) << row.choice.url->host << " " << row.bucket;
  }
}

TEST(EndpointTest, CustomEndpointMayHaveAnyRegionThatCanBeSigned) {
  EndpointChoice choice = at("http://store.example.org");
  for (const std::string& region : std::vector<std::string>{"auto", "RegionOne", "garage", "fr-par", "a_b.c"}) {
    choice.region = region;
    EXPECT_TRUE(endpoint_for(choice, "data").ok()) << region;
  }
  for (const std::string& region : std::vector<std::string>{"", "a/b", "a b", "a\nb"}) {
    choice.region = region;
    EXPECT_FALSE(endpoint_for(choice, "data").ok()) << region;
  }
}

TEST(BucketNameTest, AwsRules) {
  for (const std::string& name : std::vector<std::string>{"abc", "a-b", "a.b.c", "123", "0-0", std::string(63, 'a')}) {
    EXPECT_TRUE(check_bucket_name(name, BucketRules::aws).ok()) << name;
  }
  for (const std::string& name :
       std::vector<std::string>{"", "ab", std::string(64, 'a'), "Abc", "a_b", "-ab", "ab-", ".ab", "ab.", "a..b",
                                "a.-b", "a-.b", "1.2.3.4", "a/b", "a b", "a\nb", "..", "\xc3\xa9-b"}) {
    EXPECT_FALSE(check_bucket_name(name, BucketRules::aws).ok()) << name;
  }
}

TEST(BucketNameTest, LenientRules) {
  for (const std::string& name :
       std::vector<std::string>{"a", "A_b", "a..b", "-", "...", "1.2.3.4", std::string(255, 'a')}) {
    EXPECT_TRUE(check_bucket_name(name, BucketRules::lenient).ok()) << name;
  }
  for (const std::string& name :
       std::vector<std::string>{"", ".", "..", "a/b", "a b", "a%2Fb", "a?b", "a\nb", std::string(256, 'a')}) {
    EXPECT_FALSE(check_bucket_name(name, BucketRules::lenient).ok()) << name;
  }
}

TEST(AddressingTest, HasThreeNames) {
  EXPECT_EQ(addressing_from("auto").value(), Addressing::auto_);
  EXPECT_EQ(addressing_from("path").value(), Addressing::path);
  EXPECT_EQ(addressing_from("virtual").value(), Addressing::virtual_host);
  EXPECT_FALSE(addressing_from("dns").ok());
}

TEST(ConfiguredEndpointTest, TheMoreSpecialSettingWins) {
  FakeHome home;
  Profile profile;
  const auto host = [&] {
    const auto url = configured_endpoint(home.environment(), profile).value();
    return url ? url->host : "none";
  };
  EXPECT_EQ(host(), "none");
  profile.values["endpoint_url"] = "http://profile";
  EXPECT_EQ(host(), "profile");
  profile.services["s3.endpoint_url"] = "http://services";
  EXPECT_EQ(host(), "services");
  home.set("S3_ENDPOINT_URL", "http://s3-env");
  EXPECT_EQ(host(), "s3-env");
  home.set("AWS_ENDPOINT_URL", "http://aws-env");
  EXPECT_EQ(host(), "aws-env");
  home.set("AWS_ENDPOINT_URL_S3", "http://aws-s3-env");
  EXPECT_EQ(host(), "aws-s3-env");
  home.set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "True");
  EXPECT_EQ(host(), "none");
  home.set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false");
  profile.values["ignore_configured_endpoint_urls"] = "true";
  EXPECT_EQ(host(), "aws-s3-env");
  home.unset("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  EXPECT_EQ(host(), "none");
}

TEST(ConfiguredEndpointTest, ErrorNamesTheSettingAndNotItsValue) {
  FakeHome home;
  home.set("AWS_ENDPOINT_URL", "http://user:hush@store.example.org");
  const auto url = configured_endpoint(home.environment(), {});
  ASSERT_FALSE(url.ok());
  EXPECT_NE(url.error().message.find("AWS_ENDPOINT_URL"), std::string::npos);
  EXPECT_EQ((url.error().message + url.error().advice).find("hush"), std::string::npos);
}

TEST(ConfiguredEndpointTest, RegionComesFromTheEnvironmentThenTheProfile) {
  FakeHome home;
  Profile profile;
  EXPECT_EQ(configured_region(home.environment(), profile), "us-east-1");
  profile.values["region"] = "profile-1";
  EXPECT_EQ(configured_region(home.environment(), profile), "profile-1");
  home.set("AWS_DEFAULT_REGION", "default-1");
  EXPECT_EQ(configured_region(home.environment(), profile), "default-1");
  home.set("AWS_REGION", "first-1");
  EXPECT_EQ(configured_region(home.environment(), profile), "first-1");
}

TEST(ConfiguredEndpointTest, ChoiceHoldsTheSwitchesToo) {
  FakeHome home;
  Profile profile;
  home.set("AWS_USE_FIPS_ENDPOINT", "true");
  profile.values["use_dualstack_endpoint"] = "TRUE";
  profile.values["s3.addressing_style"] = "path";
  const EndpointChoice choice = configured_choice(home.environment(), profile).value();
  EXPECT_TRUE(choice.fips);
  EXPECT_TRUE(choice.dual_stack);
  EXPECT_EQ(choice.addressing, Addressing::path);
  profile.values["s3.addressing_style"] = "sideways";
  EXPECT_FALSE(configured_choice(home.environment(), profile).ok());
}

}  // namespace
}  // namespace dray::aws
