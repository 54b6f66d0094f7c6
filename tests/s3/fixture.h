// A session with a canned store, for the tests of this room.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hash/checksum.h"
#include "s3/session.h"
#include "support/canned_server.h"
#include "support/with_loop.h"

namespace dray::s3 {

using test::Canned;
using test::CannedServer;
using test::far;
using test::outcome;
using test::reply;

struct Store {
  Store(fiber::Offload& offload, std::vector<Canned> replies, aws::Credentials keys = signing_keys())
      : server(std::move(replies)),
        credentials(aws::static_credentials(std::move(keys)), offload),
        dialer(offload, {}),
        service{.endpoint = {.url = base::Url{"http", "127.0.0.1", server.port(), ""}},
                .credentials = credentials,
                .dialer = dialer},
        session(service) {}

  static aws::Credentials signing_keys() { return {"AKID", "secret-of-akid", "", {}, "test"}; }

  CannedServer server;
  aws::CredentialsCache credentials;
  http::Dialer dialer;
  Service service;
  Session session;
};

/// Runs `body(store)` with a store that gives these replies.
template <class Body>
void with_store(std::vector<Canned> replies, Body body) {
  test::with_loop([&](fiber::Offload& offload) {
    Store store(offload, std::move(replies));
    body(store);
  });
}

/// A request's head with what changes from run to run taken out: "host: *", the date, the signature, the version.
inline std::string golden(const test::Asked& asked) {
  std::string text;
  for (std::string_view rest = asked.text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    const std::string_view name = line.substr(0, line.find(':'));
    const bool varies = name == "host" || name == "x-amz-date" || name == "authorization" || name == "user-agent";
    text.append(varies ? std::string(name) + ": *" : std::string(line)).append("\n");
  }
  return text;
}

/// An <Error> document.
inline std::string error_xml(std::string_view code, std::string_view message = "because") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + std::string(code) + "</Code><Message>" +
         std::string(message) + "</Message><RequestId>of-the-body</RequestId></Error>";
}

inline hash::Checksum crc64(std::string_view text) {
  return hash::checksum_of(ChecksumKind::crc64nvme, as_bytes(text));
}

}  // namespace dray::s3
