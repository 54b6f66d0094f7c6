// Exchange: one request on its way through the server, and Reply: what comes back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "aws/sigv4.h"
#include "base/log.h"
#include "base/uri.h"
#include "http/head.h"
#include "http/server.h"
#include "server/catalog.h"
#include "server/counters.h"
#include "server/operation.h"
#include "server/record.h"

namespace dray::server {

/// What all requests share; owned by the Server, outlives every connection. Any thread.
struct Service {
  explicit Service(std::unique_ptr<Store> store) : catalog(std::move(store)) {}
  Catalog catalog;
  std::string region, access_key, secret_key;
  CounterBoard counters;
  Log log;
};

/// A request, taken apart. `target_of` in exchange.cpp says what is refused.
struct Request {
  http::RequestHead head;
  base::Query query;  ///< decoded
  std::string bucket, key;
  std::string id;  ///< x-amz-request-id of the reply

  Resource resource() const {
    return bucket.empty() ? Resource::service : key.empty() ? Resource::bucket : Resource::object;
  }
  std::string_view header(std::string_view name) const { return head.headers.get(name); }
  /// The parameter's value; nothing if it is not there.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

/// Fills query, bucket and key from the request line. The key is what the path says after the bucket, decoded and
/// otherwise untouched ("//", "." and ".." are part of it). InvalidURI, KeyTooLongError.
Result<void> read_target(Request& request);

/// Either a text or an object's bytes. Headers common to all replies are added by the connection.
struct Reply {
  int status = 200;
  http::Headers headers;
  std::string text;
  std::shared_ptr<const ObjectRecord> object;  ///< null = `text` is the body
  std::uint64_t first = 0, length = 0;         ///< of the object

  static Reply xml(std::string document);
};

/// Owned by the connection's fiber.
struct Exchange {
  Service& service;
  http::ServerConnection& connection;
  Request request;
  aws::Verified identity{};
};

}  // namespace dray::server
