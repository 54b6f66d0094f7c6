#include "server/refusal.h"

#include "s3/error.h"

namespace dray::server {

Error refuse(std::string_view code, std::string message) {
  Error error = make_error(ErrorKind::server, std::move(message));
  error.code = code;
  error.http_status = s3::status_of(code);
  return error;
}

Error as_refusal(Error error) {
  if (!error.code.empty()) {
    if (error.http_status == 0) error.http_status = s3::status_of(error.code);
    return error;
  }
  switch (error.kind) {
    case ErrorKind::protocol:
      return refuse("InvalidRequest", std::move(error.message));
    case ErrorKind::timed_out:
      return refuse("RequestTimeout",
                    "Your socket connection to the server was not read from or written to within the timeout period.");
    case ErrorKind::network:
      return refuse("IncompleteBody", "You did not provide the number of bytes specified by the Content-Length header");
    case ErrorKind::no_space:
      return refuse("InsufficientStorage", "The server's disk is full.");
    case ErrorKind::exhausted:
    case ErrorKind::cancelled:
      return refuse("ServiceUnavailable", "Please reduce your request rate.");
    default:
      return refuse("InternalError", "We encountered an internal error. Please try again.");
  }
}

Error no_such_bucket() { return refuse("NoSuchBucket", "The specified bucket does not exist"); }
Error no_such_key() { return refuse("NoSuchKey", "The specified key does not exist."); }
Error no_such_upload() {
  return refuse(
      "NoSuchUpload",
      "The specified multipart upload does not exist. The upload ID might be invalid, or the multipart upload "
      "might have been aborted or completed.");
}
Error precondition_failed() {
  return refuse("PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
}
Error malformed_xml() {
  return refuse("MalformedXML",
                "The XML you provided was not well-formed or did not validate against our published schema");
}

}  // namespace dray::server
