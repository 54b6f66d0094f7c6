// Errors as values: the vocabulary of every layer and of the public API.
//
// A function that can fail for a reason outside the program returns Result<T>. Exceptions are for broken promises
// inside it (a bug, no memory). Each layer that knows something new adds it once with Error::within("part 7 of ...").
// Everything here is a plain value: copyable, movable, usable from any thread that owns its copy.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dray {

/// What went wrong, as far as a caller may want to act on it. Whether it is retried is decided in one place
/// (transfer::RetryPolicy), never by comparing texts.
enum class ErrorKind {
  invalid_argument,   ///< the caller asked for something that cannot be (bad URL, bad size, bad option)
  not_found,          ///< no such file, bucket, key or upload
  access_denied,      ///< refused by the file system or the store
  no_credentials,     ///< no provider had credentials
  io,                 ///< a local file, disk or pipe failed
  source_changed,     ///< the source was altered, replaced or removed while it was read
  no_space,           ///< a disk or quota is full
  resolve,            ///< a host name has no address
  connect,            ///< no connection could be made
  network,            ///< an established connection broke
  timed_out,          ///< a deadline passed
  cancelled,          ///< somebody asked for an end
  protocol,           ///< the peer sent something that is not HTTP or not what S3 sends
  server,             ///< the store answered with an error status (see http_status and code)
  checksum_mismatch,  ///< content and checksum disagree
  unsupported,        ///< the store, the file system or this build cannot do it
  already_exists,     ///< the target exists and must not be replaced
  exhausted,          ///< a bound was met (queue, memory, descriptors, stacks)
  internal,           ///< a bug in dray
};

/// The name of a kind as it stands in JSON output ("not_found"). Never fails.
std::string_view name_of(ErrorKind kind);

/// One failure. `message` is a whole sentence without a final stop: what was tried and what happened.
struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  std::string advice;                    ///< what to do about it; may be empty
  std::string code;                      ///< the store's error code ("NoSuchBucket"), empty if there was none
  std::string request_id;                ///< x-amz-request-id of the reply, empty if there was none
  std::string left_behind;               ///< what could not be cleaned up; empty = nothing
  int http_status = 0;                   ///< 0 = no reply was read
  int os_error = 0;                      ///< errno, 0 = not from the system
  std::optional<long> retry_after_ms{};  ///< the server's Retry-After, milliseconds

  /// Adds one layer's knowledge in front: "context: message".
  Error within(std::string_view context) &&;
  /// The same error with advice, unless it already has some.
  Error advise(std::string_view text) &&;
};

Error make_error(ErrorKind kind, std::string message);
/// From errno (pass a copy: a wait in between changes it). "open /a/b: Permission denied". The kind follows errno.
Error os_error(int error_number, std::string what);

/// A value or an Error. value() on an error is a bug and ends the program with the message.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return check(), std::get<0>(state_); }
  const T& value() const& { return check(), std::get<0>(state_); }
  T&& value() && { return check(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void check() const;
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  void value() const;
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

/// Prints the message and aborts: a promise inside the program was broken.
[[noreturn]] void die(std::string_view what);

template <class T>
void Result<T>::check() const {
  if (state_.index() != 0) die("Result::value() of an error: " + std::get<1>(state_).message);
}

}  // namespace dray

/// Takes the value out of a Result, or returns its error from the enclosing function.
///   File file = DRAY_TRY(File::open(path));
/// Only as a whole initialiser or assignment, never as an argument beside temporaries: g++ 12 does not destroy those
/// when the statement expression returns early.
#define DRAY_TRY(expression)                                              \
  __extension__({                                                         \
    auto dray_try_result = (expression);                                  \
    if (!dray_try_result.ok()) return std::move(dray_try_result).error(); \
    std::move(dray_try_result).value();                                   \
  })

/// The same for Result<void>.
#define DRAY_TRY_VOID(expression)                                         \
  do {                                                                    \
    auto dray_try_result = (expression);                                  \
    if (!dray_try_result.ok()) return std::move(dray_try_result).error(); \
  } while (false)
