#include "server/listing.h"

#include <gtest/gtest.h>

namespace dray::server {
namespace {

ObjectMap objects_of(const std::vector<std::string>& keys) {
  ObjectMap objects;
  for (const std::string& key : keys) objects[key] = std::make_shared<ObjectRecord>(ObjectRecord{.key = key});
  return objects;
}

/// Keys as they are, common prefixes in brackets, each in its own order.
std::vector<std::string> shown(const ListPage& page) {
  std::vector<std::string> all;
  for (const auto& object : page.objects) all.push_back(object->key);
  for (const std::string& prefix : page.common_prefixes) all.push_back("[" + prefix + "]");
  return all;
}

using Names = std::vector<std::string>;

TEST(ListingTest, OrdersKeysByTheirBytes) {
  const ObjectMap objects = objects_of({"b", "a", "A", "é", "z", "a/b", "a-b", "a.b", "~", "\xf0\x9f\x98\x80"});
  EXPECT_EQ(shown(list_page(objects, {})),
            (Names{"A", "a", "a-b", "a.b", "a/b", "b", "z", "~", "é", "\xf0\x9f\x98\x80"}));
}

TEST(ListingTest, RollsUpAtTheDelimiter) {
  struct Row {
    std::string_view why;
    ListQuery query;
    Names expected;
  };
  const ObjectMap objects =
      objects_of({"/lead", "a", "a/", "a/1", "a/b/2", "a/b/3", "a//x", "ab", "b/./x", "b/../y", "c", "d e/f", "é/1"});
  const std::vector<Row> rows = {
      {"top", {.delimiter = "/"}, {"a", "ab", "c", "[/]", "[a/]", "[b/]", "[d e/]", "[é/]"}},
      {"a folder", {.prefix = "a/", .delimiter = "/"}, {"a/", "a/1", "[a//]", "[a/b/]"}},
      {"a prefix that is no folder", {.prefix = "a", .delimiter = "/"}, {"a", "ab", "[a/]"}},
      {"dots are names", {.prefix = "b/", .delimiter = "/"}, {"[b/../]", "[b/./]"}},
      {"empty folder name", {.prefix = "a//", .delimiter = "/"}, {"a//x"}},
      {"prefix alone", {.prefix = "a/b"}, {"a/b/2", "a/b/3"}},
      {"longer delimiter",
       {.delimiter = "/b/"},
       {"/lead", "a", "a/", "a//x", "a/1", "ab", "b/../y", "b/./x", "c", "d e/f", "é/1", "[a/b/]"}},
      {"no such prefix", {.prefix = "x"}, {}},
  };
  for (const Row& row : rows) EXPECT_EQ(shown(list_page(objects, row.query)), row.expected) << row.why;
}

TEST(ListingTest, BeginsAfterAKeyOrACommonPrefix) {
  const ObjectMap objects = objects_of({"a", "b/1", "b/2", "b/3", "c"});
  EXPECT_EQ(shown(list_page(objects, {.after = "a"})), (Names{"b/1", "b/2", "b/3", "c"}));
  EXPECT_EQ(shown(list_page(objects, {.after = "b/1"})), (Names{"b/2", "b/3", "c"}));
  EXPECT_EQ(shown(list_page(objects, {.after = "b/"})), (Names{"b/1", "b/2", "b/3", "c"}));
  EXPECT_EQ(shown(list_page(objects, {.after = "zz"})), Names{});
  EXPECT_EQ(shown(list_page(objects, {.prefix = "b/", .after = "a"})), (Names{"b/1", "b/2", "b/3"}));
  EXPECT_EQ(shown(list_page(objects, {.prefix = "b/", .after = "c"})), Names{});
  // A common prefix that was shown is over; a key under it was not shown as such.
  EXPECT_EQ(shown(list_page(objects, {.delimiter = "/", .after = "b/"})), (Names{"c"}));
  EXPECT_EQ(shown(list_page(objects, {.delimiter = "/", .after = "b/1"})), (Names{"c", "[b/]"}));
}

TEST(ListingTest, PagesShowEverythingOnceWhateverTheirSize) {
  const ObjectMap objects = objects_of({"/", "//", "a", "a/", "a/1", "a/2/3", "a0", "b/1", "b/2", "b\xff", "c",
                                        std::string("d\0e", 3), "é/1", "é/2", "\xff", "\xff\xff/1"});
  for (const std::string delimiter : {"", "/"}) {
    const ListPage everything = list_page(objects, {.delimiter = delimiter});
    for (std::size_t size = 1; size <= 17; ++size) {
      ListPage together;
      ListQuery query{.delimiter = delimiter, .max_keys = size};
      for (int pages = 0;; ++pages) {
        ASSERT_LT(pages, 20) << "does not advance";
        const ListPage page = list_page(objects, query);
        ASSERT_LE(page.count(), size);
        together.objects.insert(together.objects.end(), page.objects.begin(), page.objects.end());
        together.common_prefixes.insert(together.common_prefixes.end(), page.common_prefixes.begin(),
                                        page.common_prefixes.end());
        if (!page.truncated) break;
        ASSERT_EQ(page.count(), size);
        query.after = page.last;
      }
      EXPECT_EQ(shown(together), shown(everything)) << "pages of " << size;
    }
  }
}

TEST(ListingTest, IsNotTruncatedWhenThePageJustFits) {
  const ObjectMap objects = objects_of({"a", "b/1", "b/2"});
  EXPECT_FALSE(list_page(objects, {.max_keys = 3}).truncated);
  EXPECT_TRUE(list_page(objects, {.max_keys = 2}).truncated);
  EXPECT_FALSE(list_page(objects, {.delimiter = "/", .max_keys = 2}).truncated);
}

TEST(ListingTest, ShowsNothingForMaxKeysZero) {
  const ListPage page = list_page(objects_of({"a"}), {.max_keys = 0});
  EXPECT_EQ(page.count(), 0u);
  EXPECT_FALSE(page.truncated);
}

}  // namespace
}  // namespace dray::server
