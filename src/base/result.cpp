#include "dray/result.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace dray {
namespace {

// strerror_r comes in two shapes: glibc returns the text, POSIX (musl) fills the buffer and returns a status.
[[maybe_unused]] const char* text_of(const char* text, const char*) { return text; }
[[maybe_unused]] const char* text_of(int status, const char* buffer) { return status == 0 ? buffer : "unknown error"; }

ErrorKind kind_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorKind::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorKind::access_denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorKind::no_space;
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return ErrorKind::connect;
    case ECONNRESET:
    case EPIPE:
    case ENOTCONN:
      return ErrorKind::network;
    case ETIMEDOUT:
      return ErrorKind::timed_out;
    case ECANCELED:
      return ErrorKind::cancelled;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
      return ErrorKind::exhausted;
    case EOPNOTSUPP:
    case ENOSYS:
      return ErrorKind::unsupported;
    case EEXIST:
      return ErrorKind::already_exists;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return ErrorKind::invalid_argument;
    default:
      return ErrorKind::io;
  }
}

}  // namespace

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return "invalid_argument";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::access_denied:
      return "access_denied";
    case ErrorKind::no_credentials:
      return "no_credentials";
    case ErrorKind::io:
      return "io";
    case ErrorKind::source_changed:
      return "source_changed";
    case ErrorKind::no_space:
      return "no_space";
    case ErrorKind::resolve:
      return "resolve";
    case ErrorKind::connect:
      return "connect";
    case ErrorKind::network:
      return "network";
    case ErrorKind::timed_out:
      return "timed_out";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::protocol:
      return "protocol";
    case ErrorKind::server:
      return "server";
    case ErrorKind::checksum_mismatch:
      return "checksum_mismatch";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::already_exists:
      return "already_exists";
    case ErrorKind::exhausted:
      return "exhausted";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";  // a number that is no ErrorKind is a bug as well
}

Error Error::within(std::string_view context) && {
  message.insert(0, ": ").insert(0, context);
  return std::move(*this);
}

Error Error::advise(std::string_view text) && {
  if (advice.empty()) advice = text;
  return std::move(*this);
}

Error make_error(ErrorKind kind, std::string message) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  return error;
}

Error os_error(int error_number, std::string what) {
  char buffer[128] = "";
  what.append(": ").append(text_of(strerror_r(error_number, buffer, sizeof buffer), buffer));
  Error error = make_error(kind_of(error_number), std::move(what));
  error.os_error = error_number;
  return error;
}

void Result<void>::value() const {
  if (error_) die("Result::value() of an error: " + error_->message);
}

void die(std::string_view what) {
  std::fprintf(stderr, "dray: internal error: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace dray
