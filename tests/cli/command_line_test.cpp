#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iterator>
#include <sstream>

#include "base/bytes.h"

namespace dray::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

std::vector<std::string> split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

CommandLine parse(const std::string& text) {
  auto parsed = parse_command_line(split(text));
  if (const auto* usage = std::get_if<Usage>(&parsed)) {
    ADD_FAILURE() << text << ": " << usage->text;
    return {};
  }
  return std::get<CommandLine>(std::move(parsed));
}

template <class T>
T parse_as(const std::string& text) {
  CommandLine line = parse(text);
  if (!std::holds_alternative<T>(line.command)) {
    ADD_FAILURE() << text << ": became another command";
    return {};
  }
  return std::get<T>(std::move(line.command));
}

Usage refuse(const std::vector<std::string>& words) {
  auto parsed = parse_command_line(words);
  if (auto* usage = std::get_if<Usage>(&parsed)) return *usage;
  ADD_FAILURE() << "was taken";
  return {};
}

TEST(CommandLineTest, CpTakesSourcesAndADestination) {
  EXPECT_THAT(parse_as<CpCommand>("cp a.txt s3://b/k").paths, ElementsAre("a.txt", "s3://b/k"));
  EXPECT_THAT(parse_as<CpCommand>("cp a b c s3://b/p/").paths, ElementsAre("a", "b", "c", "s3://b/p/"));
  EXPECT_THAT(parse_as<CpCommand>("cp - s3://b/k").paths, ElementsAre("-", "s3://b/k"));
}

TEST(CommandLineTest, NamesThatBeginWithADashComeAfterTwoDashes) {
  EXPECT_THAT(parse_as<CpCommand>("cp -- -odd --odder s3://b/").paths, ElementsAre("-odd", "--odder", "s3://b/"));
  EXPECT_THAT(parse_as<CpCommand>("cp -n -- -odd s3://b/").paths, ElementsAre("-odd", "s3://b/"));
}

TEST(CommandLineTest, NamesWithBlanksStayWhole) {
  const auto parsed = parse_command_line({"cp", "a b\n", "s3://b/k k"});
  ASSERT_TRUE(std::holds_alternative<CommandLine>(parsed));
  EXPECT_THAT(std::get<CpCommand>(std::get<CommandLine>(parsed).command).paths, ElementsAre("a b\n", "s3://b/k k"));
}

TEST(CommandLineTest, GlobalOptionsComeBeforeOrAfterTheCommand) {
  for (const char* text : {"--json --region eu-west-3 cp a s3://b/k", "cp --json --region eu-west-3 a s3://b/k",
                           "cp a s3://b/k --region=eu-west-3 --json", "--json cp a --region eu-west-3 s3://b/k"}) {
    const CommandLine line = parse(text);
    EXPECT_TRUE(line.global.json) << text;
    EXPECT_EQ(line.global.region, "eu-west-3") << text;
    EXPECT_THAT(std::get<CpCommand>(line.command).paths, ElementsAre("a", "s3://b/k")) << text;
  }
}

TEST(CommandLineTest, TheLastOfSeveralOccurrencesCounts) {
  EXPECT_EQ(parse("--region one cp --region two a s3://b/k").global.region, "two");
  EXPECT_EQ(parse_as<CpCommand>("cp --part-size 5M --part-size 6M a s3://b/k").upload.options.part_size,
            6 * base::kMiB);
  EXPECT_TRUE(parse("-q cp -q a s3://b/k").global.quiet);
}

TEST(CommandLineTest, EveryGlobalOptionIsUnderstood) {
  const GlobalOptions o =
      parse(
          "cp a s3://b/k --endpoint-url http://h:1 --region r --profile p --addressing path "
          "--no-sign-request --concurrency 12 --memory-limit 64M --bandwidth-limit 1.5M --retries 0 "
          "--timeout 7 --progress lines --no-progress --quiet --only-show-errors --log-level debug "
          "--stats")
          .global;
  EXPECT_EQ(o.endpoint_url, "http://h:1");
  EXPECT_EQ(o.region, "r");
  EXPECT_EQ(o.profile, "p");
  EXPECT_EQ(o.addressing, "path");
  EXPECT_TRUE(o.no_sign_request);
  EXPECT_EQ(o.concurrency, 12u);
  EXPECT_EQ(o.memory_limit, 64 * base::kMiB);
  EXPECT_EQ(o.bandwidth_limit, 3 * base::kMiB / 2);
  EXPECT_EQ(o.retries, 0);
  EXPECT_EQ(o.timeout, 7s);
  EXPECT_EQ(o.progress, ProgressMode::lines);
  EXPECT_TRUE(o.no_progress);
  EXPECT_TRUE(o.quiet);
  EXPECT_TRUE(o.only_show_errors);
  EXPECT_EQ(o.log_level, LogLevel::debug);
  EXPECT_TRUE(o.stats);
}

TEST(CommandLineTest, WhatIsNotGivenIsLeftOpen) {
  const GlobalOptions o = parse("cp a s3://b/k").global;
  EXPECT_EQ(o.concurrency, 0u);
  EXPECT_FALSE(o.retries.has_value());
  EXPECT_FALSE(o.timeout.has_value());
  EXPECT_FALSE(o.json);
  const UploadOptions u = parse_as<CpCommand>("cp a s3://b/k").upload.options;
  EXPECT_EQ(u.checksum, ChecksumKind::crc64nvme);
  EXPECT_EQ(u.part_size, 0u);
  EXPECT_EQ(u.readers, Readers::parallel);
}

TEST(CommandLineTest, ConcurrencyMayBeAutoAndHasAnotherName) {
  EXPECT_EQ(parse("cp --concurrency auto a s3://b/k").global.concurrency, 0u);
  EXPECT_EQ(parse("cp --numworkers 7 a s3://b/k").global.concurrency, 7u);
}

TEST(CommandLineTest, EveryUploadOptionIsUnderstood) {
  for (const char* begin : {"cp - s3://b/k", "pipe s3://b/k"}) {
    const CommandLine line = parse(std::string(begin) +
                                   " --checksum sha256 --part-size 16M --multipart-threshold 1G --expected-size 10G "
                                   "--direct-io --readers serial --content-type text/x --metadata a=b --metadata c=d=e "
                                   "--if-none-match -n --dry-run");
    const auto* cp = std::get_if<CpCommand>(&line.command);
    const UploadFlags& flags = cp != nullptr ? cp->upload : std::get<PipeCommand>(line.command).upload;
    EXPECT_EQ(flags.options.checksum, ChecksumKind::sha256);
    EXPECT_EQ(flags.options.part_size, 16 * base::kMiB);
    EXPECT_EQ(flags.options.multipart_threshold, base::kGiB);
    EXPECT_EQ(flags.options.expected_size, 10 * base::kGiB);
    EXPECT_TRUE(flags.options.direct_io);
    EXPECT_EQ(flags.options.readers, Readers::serial);
    EXPECT_EQ(flags.options.content_type, "text/x");
    EXPECT_THAT(flags.options.metadata, ElementsAre(Pair("a", "b"), Pair("c", "d=e")));
    EXPECT_TRUE(flags.options.if_none_match);
    EXPECT_TRUE(flags.no_clobber);
    EXPECT_TRUE(flags.dry_run);
  }
}

TEST(CommandLineTest, MetadataTakesOneValueEach) {
  const CpCommand cp = parse_as<CpCommand>("cp --metadata a=b file s3://b/k");
  EXPECT_THAT(cp.paths, ElementsAre("file", "s3://b/k"));
  EXPECT_THAT(cp.upload.options.metadata, ElementsAre(Pair("a", "b")));
}

TEST(CommandLineTest, StatIsHead) {
  EXPECT_EQ(parse_as<HeadCommand>("stat s3://b/k").url, "s3://b/k");
  EXPECT_EQ(parse_as<HeadCommand>("head s3://b/k").url, "s3://b/k");
}

TEST(CommandLineTest, ServeTakesItsOptions) {
  const ServeCommand serve =
      parse_as<ServeCommand>("serve store --address ::1 --port 9000 --access-key AK --secret-key SK --region r");
  EXPECT_EQ(serve.directory, "store");
  EXPECT_EQ(serve.address, "::1");
  EXPECT_EQ(serve.port, 9000);
  EXPECT_EQ(serve.access_key, "AK");
  EXPECT_EQ(serve.secret_key, "SK");
  EXPECT_TRUE(parse_as<ServeCommand>("serve --memory").memory);
  EXPECT_TRUE(parse_as<ServeCommand>("serve --null --port 0").null);
}

TEST(CommandLineTest, BenchTakesWhatThePublishedRunnersAreGiven) {
  const BenchCommand bench = parse_as<BenchCommand>("bench w.run.json bucket us-west-2 100.0");
  EXPECT_EQ(bench.workload, "w.run.json");
  EXPECT_EQ(bench.bucket, "bucket");
  EXPECT_EQ(bench.region, "us-west-2");
  EXPECT_EQ(bench.target_gbps, 100.0);
  EXPECT_FALSE(bench.checksum.has_value());
  EXPECT_FALSE(bench.cold);
}

TEST(CommandLineTest, BenchTakesItsOptions) {
  const BenchCommand bench = parse_as<BenchCommand>(
      "bench w b r 1 --readers serial --cold --prepare --prepare-only --direct-io --part-size 8M --checksum none");
  EXPECT_EQ(bench.upload.readers, Readers::serial);
  EXPECT_TRUE(bench.cold);
  EXPECT_TRUE(bench.prepare);
  EXPECT_TRUE(bench.prepare_only);
  EXPECT_TRUE(bench.upload.direct_io);
  EXPECT_EQ(bench.upload.part_size, 8 * base::kMiB);
  EXPECT_EQ(bench.checksum, ChecksumKind::none);
}

TEST(CommandLineTest, VersionIsACommandAndAnOption) {
  parse_as<VersionCommand>("version");
  parse_as<VersionCommand>("--version");
}

TEST(CommandLineTest, HelpGoesToStdoutAndNamesEveryCommand) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"help"}, {"--help"}, {"-h"}}) {
    const Usage usage = refuse(words);
    EXPECT_EQ(usage.exit_code, 0);
    for (const char* command : {"cp", "pipe", "mb", "head", "serve", "bench", "version"}) {
      EXPECT_THAT(usage.text, HasSubstr(std::string("\n  ") + command));
    }
  }
}

TEST(CommandLineTest, HelpOfACommandNamesItsOptionsAndTheGlobalOnes) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"cp", "--help"}, {"help", "cp"}}) {
    const Usage usage = refuse(words);
    EXPECT_EQ(usage.exit_code, 0);
    for (const char* text : {"Usage: dray cp SRC... DST", "--part-size SIZE", "--endpoint-url URL", "--checksum"}) {
      EXPECT_THAT(usage.text, HasSubstr(text));
    }
  }
}

struct WrongCase {
  std::vector<std::string> words;
  std::string says;
};

const WrongCase kWrong[] = {
    {{}, "Usage: dray"},
    {{"frobnicate"}, "unknown command 'frobnicate'"},
    {{"frobnicate", "--json", "a"}, "unknown command 'frobnicate'"},
    {{"--frobnicate", "cp", "a", "s3://b/k"}, "--frobnicate"},
    {{"--json"}, "Usage: dray"},
    {{"cp"}, "SRC and DST"},
    {{"cp", "only-one"}, "SRC and DST"},
    {{"cp", "--frobnicate", "a", "s3://b/k"}, "--frobnicate"},
    {{"cp", "--part-size", "lots", "a", "s3://b/k"}, "lots"},
    {{"cp", "--part-size", "-5", "a", "s3://b/k"}, "--part-size"},
    {{"cp", "--concurrency", "-3", "a", "s3://b/k"}, "-3"},
    {{"cp", "--concurrency", "0", "a", "s3://b/k"}, "auto"},
    {{"cp", "--retries", "many", "a", "s3://b/k"}, "many"},
    {{"cp", "--timeout", "0", "a", "s3://b/k"}, "too short"},
    {{"cp", "--checksum", "md4", "a", "s3://b/k"}, "crc64nvme"},
    {{"cp", "--readers", "some", "a", "s3://b/k"}, "serial"},
    {{"cp", "--progress", "loud", "a", "s3://b/k"}, "lines"},
    {{"cp", "--log-level", "loud", "a", "s3://b/k"}, "warning"},
    {{"cp", "--addressing", "dotted", "a", "s3://b/k"}, "virtual"},
    {{"cp", "--metadata", "novalue", "a", "s3://b/k"}, "NAME=VALUE"},
    {{"cp", "--metadata", "=v", "a", "s3://b/k"}, "NAME=VALUE"},
    {{"cp", "a", "s3://b/k", "--region"}, "--region"},
    {{"pipe"}, "URL"},
    {{"pipe", "s3://b/k", "extra"}, "extra"},
    {{"mb"}, "URL"},
    {{"head"}, "URL"},
    {{"serve", "--memory", "--port", "65536"}, "65535"},
    {{"serve", "--memory", "--port", "http"}, "http"},
    {{"bench", "w", "b", "r"}, "TARGET_GBPS"},
    {{"bench", "w", "b", "r", "fast"}, "fast"},
    {{"bench", "w", "b", "r", "0"}, "above 0"},
    {{"bench", "w", "b", "r", "nan"}, "nan"},
    {{"version", "extra"}, "extra"},
};

TEST(CommandLineTest, WrongUsageExitsWith2AndSaysWhat) {
  for (const WrongCase& wrong : kWrong) {
    const Usage usage = refuse(wrong.words);
    EXPECT_EQ(usage.exit_code, 2) << usage.text;
    EXPECT_THAT(usage.text, HasSubstr(wrong.says));
  }
}

TEST(CommandLineTest, WhatWasTypedCannotForgeALine) {
  EXPECT_THAT(refuse({"x\ny\x1b[31m"}).text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(refuse({"cp", "--x\x1b[31m", "a", "s3://b/k"}).text, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace dray::cli
