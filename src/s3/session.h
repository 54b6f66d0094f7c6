// Session: one worker's conversation with the store: it signs requests and sends them over a connection that it keeps.
//
// Owned by one fiber, one request at a time. It tries each request once, except on a kept connection that turns out to
// have been closed by the server meanwhile: then once more on a fresh one. All other retrying is the caller's policy.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aws/sigv4.h"
#include "base/time.h"
#include "base/uri.h"
#include "dray/result.h"
#include "http/client.h"
#include "s3/service.h"

namespace dray::s3 {

/// A request before it is addressed and signed.
struct Request {
  std::string_view operation;  ///< "UploadPart", for messages
  std::string_view method;
  std::string_view bucket;
  std::string_view key;
  base::Query query{};
  std::vector<std::pair<std::string, std::string>> headers{};  ///< names in lower case
  std::string_view payload_hash = aws::kUnsignedPayload;
};

struct Reply {
  http::ResponseHead head;
  std::string body;
};

class Session {
 public:
  explicit Session(Service& service);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Sends the request and reads the whole reply (at most 16 MiB of it). A reply with an error status is an Error with
  /// status, code and request id. Errors name the operation and its target.
  Result<Reply> exchange(const Request& request, http::BodySource* body, Deadline deadline);
  /// The same with a small body in memory, whose SHA-256 is signed.
  Result<Reply> exchange(Request request, std::string_view body, Deadline deadline);
  /// Whether the last exchange() sent its request a second time: the first may have been carried out all the same.
  bool sent_twice() const { return sent_twice_; }
  void disconnect();

 private:
  Result<void> connect(const aws::Endpoint& endpoint, Deadline deadline);
  Result<Reply> converse(const Request& request, http::BodySource* body, Deadline deadline);
  Result<Reply> attempt(const Request& request, const aws::Endpoint& endpoint, const aws::Credentials& credentials,
                        http::BodySource* body, Deadline deadline);
  void write_head(const Request& request, const aws::Endpoint& endpoint, const aws::Credentials& credentials,
                  std::uint64_t length);
  Result<const aws::Endpoint*> endpoint_of(std::string_view bucket);
  std::string_view amz_date();

  Service& service_;
  aws::Signer signer_;
  std::optional<http::ClientConnection> connection_;
  base::Url connected_to_;
  std::string head_;  // reused: the request as it goes out
  std::string path_;
  std::string endpoint_bucket_;
  std::optional<aws::Endpoint> endpoint_;
  bool sent_twice_ = false;
  std::int64_t date_second_ = -1;
  std::string date_;
};

}  // namespace dray::s3
