#include "cli/copy_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::cli {
namespace {

using testing::HasSubstr;

struct NameCase {
  std::string source;
  std::string destination;
  std::string becomes;
};

const NameCase kNames[] = {
    {"a.txt", "s3://b/k", "s3://b/k"},
    {"d/a.txt", "s3://b/k.txt", "s3://b/k.txt"},
    {"a.txt", "s3://b", "s3://b/a.txt"},
    {"a.txt", "s3://b/", "s3://b/a.txt"},
    {"a.txt", "s3://b/p/", "s3://b/p/a.txt"},
    {"d/e/a.txt", "s3://b/p/", "s3://b/p/a.txt"},
    {"/d/a.txt", "s3://b/p/q/", "s3://b/p/q/a.txt"},
    {"d/", "s3://b/p/", "s3://b/p/d"},
    {"a b%2F?.txt", "s3://b/p/", "s3://b/p/a b%2F?.txt"},
    {"-", "s3://b/k", "s3://b/k"},
    {"a", "s3://b/p//", "s3://b/p//a"},
};

TEST(CopyPlanTest, OneSourceTakesTheNameOrKeepsItsOwn) {
  for (const NameCase& name : kNames) {
    const auto copies = plan_copies({name.source}, name.destination);
    ASSERT_TRUE(copies.ok()) << copies.error().message;
    ASSERT_EQ(copies->size(), 1u);
    EXPECT_EQ(copies->front().target.text(), name.becomes);
    EXPECT_EQ(copies->front().source, name.source);
  }
}

TEST(CopyPlanTest, TellsWhetherTheSourceNamesTheObject) {
  EXPECT_TRUE(plan_copies({"a"}, "s3://b/p/")->front().named_by_source);
  EXPECT_FALSE(plan_copies({"a"}, "s3://b/p")->front().named_by_source);
}

TEST(CopyPlanTest, SeveralSourcesKeepTheirNamesAndOrder) {
  const auto copies = plan_copies({"z", "d/a", "m"}, "s3://b/p/");
  ASSERT_TRUE(copies.ok()) << copies.error().message;
  std::vector<std::string> targets;
  for (const PlannedCopy& copy : *copies) targets.push_back(copy.target.text());
  EXPECT_THAT(targets, testing::ElementsAre("s3://b/p/z", "s3://b/p/a", "s3://b/p/m"));
}

TEST(CopyPlanTest, SeveralSourcesForOneNameAreRefused) {
  const auto copies = plan_copies({"a", "b"}, "s3://b/k");
  ASSERT_FALSE(copies.ok());
  EXPECT_EQ(copies.error().kind, ErrorKind::already_exists);
  EXPECT_THAT(copies.error().advice, HasSubstr("slash"));
}

TEST(CopyPlanTest, SourcesWithOneNameAreRefusedByName) {
  const auto copies = plan_copies({"d/a", "c", "e/a"}, "s3://b/p/");
  ASSERT_FALSE(copies.ok());
  EXPECT_EQ(copies.error().kind, ErrorKind::already_exists);
  EXPECT_THAT(copies.error().message, HasSubstr("'d/a' and 'e/a'"));
}

struct WrongCase {
  std::vector<std::string> sources;
  std::string destination;
  ErrorKind kind;
  std::string says;
};

const WrongCase kWrong[] = {
    {{"-"}, "s3://b/p/", ErrorKind::invalid_argument, "standard input has no name"},
    {{"-"}, "s3://b", ErrorKind::invalid_argument, "standard input has no name"},
    {{"a"}, "b", ErrorKind::invalid_argument, "neither side is remote"},
    {{"a"}, "-", ErrorKind::invalid_argument, "neither side is remote"},
    {{"a"}, "s3://", ErrorKind::invalid_argument, "s3://"},
    {{""}, "s3://b/k", ErrorKind::invalid_argument, "empty"},
    {{"s3://b/k"}, "a", ErrorKind::unsupported, "not built yet"},
    {{"s3://b/k"}, "s3://c/k", ErrorKind::unsupported, "not built yet"},
    {{"a", "s3://b/k"}, "s3://c/p/", ErrorKind::unsupported, "not built yet"},
};

TEST(CopyPlanTest, WrongUsageSaysWhat) {
  for (const WrongCase& wrong : kWrong) {
    const auto copies = plan_copies(wrong.sources, wrong.destination);
    ASSERT_FALSE(copies.ok()) << wrong.sources[0] << " " << wrong.destination;
    EXPECT_EQ(copies.error().kind, wrong.kind) << copies.error().message;
    EXPECT_THAT(copies.error().message, HasSubstr(wrong.says));
  }
}

TEST(CopyPlanTest, ObjectUrlNeedsAKey) {
  EXPECT_TRUE(parse_object_url("s3://b/k").ok());
  EXPECT_FALSE(parse_object_url("s3://b").ok());
  EXPECT_FALSE(parse_object_url("s3://b/").ok());
  EXPECT_FALSE(parse_object_url("b/k").ok());
}

}  // namespace
}  // namespace dray::cli
