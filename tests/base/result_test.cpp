#include "dray/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <set>

namespace dray {
namespace {

using testing::IsEmpty;

struct ErrnoCase {
  int error_number;
  ErrorKind kind;
};

constexpr ErrnoCase kErrnoCases[] = {
    {ENOENT, ErrorKind::not_found},
    {ENOTDIR, ErrorKind::not_found},
    {EACCES, ErrorKind::access_denied},
    {EPERM, ErrorKind::access_denied},
    {EROFS, ErrorKind::access_denied},
    {ENOSPC, ErrorKind::no_space},
    {EDQUOT, ErrorKind::no_space},
    {EFBIG, ErrorKind::no_space},
    {ECONNREFUSED, ErrorKind::connect},
    {EHOSTUNREACH, ErrorKind::connect},
    {ENETUNREACH, ErrorKind::connect},
    {ECONNRESET, ErrorKind::network},
    {EPIPE, ErrorKind::network},
    {ENOTCONN, ErrorKind::network},
    {ETIMEDOUT, ErrorKind::timed_out},
    {ECANCELED, ErrorKind::cancelled},
    {EMFILE, ErrorKind::exhausted},
    {ENFILE, ErrorKind::exhausted},
    {ENOMEM, ErrorKind::exhausted},
    {EAGAIN, ErrorKind::exhausted},
    {EOPNOTSUPP, ErrorKind::unsupported},
    {ENOSYS, ErrorKind::unsupported},
    {EEXIST, ErrorKind::already_exists},
    {EINVAL, ErrorKind::invalid_argument},
    {ENAMETOOLONG, ErrorKind::invalid_argument},
    {ELOOP, ErrorKind::invalid_argument},
    {EIO, ErrorKind::io},
    {EISDIR, ErrorKind::io},
    {0, ErrorKind::io},
    {-1, ErrorKind::io},
    {99999, ErrorKind::io},
};

TEST(OsErrorTest, KindFollowsErrno) {
  for (const auto& [error_number, kind] : kErrnoCases) {
    const Error error = os_error(error_number, "open");
    EXPECT_EQ(error.kind, kind) << error.message;
    EXPECT_EQ(error.os_error, error_number);
    EXPECT_GT(error.message.size(), std::string_view("open: ").size()) << error_number;
  }
}

TEST(OsErrorTest, MessageSaysWhatWasTriedAndWhatHappened) {
  const Error error = os_error(EACCES, "open /a/b");
  EXPECT_EQ(error.message, "open /a/b: Permission denied");
  EXPECT_EQ(error.http_status, 0);
  EXPECT_THAT(error.advice, IsEmpty());
}

TEST(ErrorTest, MadeErrorHasNothingButKindAndMessage) {
  const Error error = make_error(ErrorKind::protocol, "no status line");
  EXPECT_EQ(error.kind, ErrorKind::protocol);
  EXPECT_EQ(error.message, "no status line");
  EXPECT_THAT(error.code, IsEmpty());
  EXPECT_EQ(error.os_error, 0);
  EXPECT_FALSE(error.retry_after_ms);
}

TEST(ErrorTest, WithinPutsContextInFrontAndKeepsTheRest) {
  Error error = os_error(ECONNRESET, "read");
  error.http_status = 503;
  error = std::move(error).within("part 7").within("upload a");
  EXPECT_EQ(error.message, "upload a: part 7: read: Connection reset by peer");
  EXPECT_EQ(error.kind, ErrorKind::network);
  EXPECT_EQ(error.http_status, 503);
  EXPECT_EQ(error.os_error, ECONNRESET);
}

TEST(ErrorTest, FirstAdviceWins) {
  const Error error = make_error(ErrorKind::io, "x").advise("near").advise("far");
  EXPECT_EQ(error.advice, "near");
}

TEST(ErrorKindTest, EachKindHasItsOwnName) {
  std::set<std::string_view> names;
  const int last = static_cast<int>(ErrorKind::internal);
  for (int kind = 0; kind <= last; ++kind) names.insert(name_of(static_cast<ErrorKind>(kind)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last + 1));
  EXPECT_EQ(name_of(ErrorKind::invalid_argument), "invalid_argument");
  EXPECT_EQ(name_of(ErrorKind::not_found), "not_found");
  EXPECT_EQ(name_of(ErrorKind::internal), "internal");
}

Result<int> half(int number) {
  if (number % 2 != 0) return make_error(ErrorKind::invalid_argument, "odd");
  return number / 2;
}

Result<std::string> quarter(int number) {
  const int once = DRAY_TRY(half(number));
  return std::to_string(DRAY_TRY(half(once)));
}

Result<void> need_even(int number) {
  DRAY_TRY(half(number));
  return {};
}

Result<int> after_need_even(int number) {
  DRAY_TRY(need_even(number));
  return 1;
}

TEST(ResultTest, TryTakesTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12).value(), "3");
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_EQ(quarter(5).error().kind, ErrorKind::invalid_argument);
}

TEST(ResultTest, TryWorksWithoutAValue) {
  EXPECT_TRUE(after_need_even(2).ok());
  EXPECT_EQ(after_need_even(3).error().message, "odd");
}

Result<std::unique_ptr<int>> boxed(int number) { return std::make_unique<int>(number); }

Result<int> unboxed(int number) {
  const std::unique_ptr<int> box = DRAY_TRY(boxed(number));
  return *box;
}

TEST(ResultTest, CarriesValuesThatOnlyMove) { EXPECT_EQ(unboxed(4).value(), 4); }

TEST(ResultTest, HoldsAValueOfTypeStringApartFromAnError) {
  const Result<std::string> text = std::string("value");
  EXPECT_TRUE(text);
  EXPECT_EQ(*text, "value");
  EXPECT_EQ(text->size(), 5u);
}

TEST(ResultDeathTest, ValueOfAnErrorEndsTheProgramWithItsMessage) {
  const Result<int> none = make_error(ErrorKind::io, "the disk is gone");
  EXPECT_DEATH(static_cast<void>(none.value()), "the disk is gone");
  const Result<void> nothing = make_error(ErrorKind::io, "the pipe is gone");
  EXPECT_DEATH(nothing.value(), "the pipe is gone");
}

}  // namespace
}  // namespace dray
