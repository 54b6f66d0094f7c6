// A server on a loopback port and a client that signs, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aws/sigv4.h"
#include "base/uri.h"
#include "fiber/runtime.h"
#include "http/client.h"
#include "net/tcp.h"
#include "s3/xml.h"
#include "server/server.h"

namespace dray::server {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// A request before it is signed. `key` is not encoded.
struct Call {
  std::string method = "GET";
  std::string bucket, key;
  base::Query query{};
  Fields headers{};
  std::string body{};
  std::string payload_hash = std::string(aws::kUnsignedPayload);
};

struct Answer {
  int status = 0;
  http::Headers headers;
  std::string body;
  std::string error;  ///< of the exchange itself; empty = there was a reply

  /// <Code> of an error document.
  std::string code() const {
    const Result<s3::XmlElement> document = s3::parse_xml(body);
    return document && document->name == "Error" ? std::string(document->child_text("Code")) : "";
  }
  /// The document; lives as long as the answer.
  const s3::XmlElement& xml() const {
    if (!document_) {
      Result<s3::XmlElement> document = s3::parse_xml(body);
      document_ = document ? *std::move(document) : s3::XmlElement{.name = "not XML: " + body};
    }
    return *document_;
  }

 private:
  mutable std::optional<s3::XmlElement> document_;
};

/// Head and body as they go over the wire, and what the signature of a streamed body starts from.
struct Wire {
  std::string head;
  std::string body;
  aws::Verified seed{};
};

inline std::string target_of(const Call& call) {
  std::string target = "/";
  if (!call.bucket.empty()) target += base::uri_encode(call.bucket, base::Slash::keep);
  if (!call.key.empty()) target += "/" + base::uri_encode(call.key, base::Slash::keep);
  return target;
}

class ServerTest : public testing::Test {
 protected:
  void SetUp() override { start({}); }
  void TearDown() override { stop(); }

  void start(ServerOptions options) {
    options.access_key = "AKID";
    options.secret_key = "secret-of-akid";
    runtime_ = fiber::Runtime::start({.loops = 2, .offload = {.threads = 8}}).value();
    Result<std::unique_ptr<Server>> server = Server::start(*runtime_, options);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = *std::move(server);
  }
  void stop() {
    server_.reset();
    runtime_.reset();
  }

  Wire sign(const Call& call, WallTime now = std::chrono::system_clock::now(),
            std::string_view secret = "secret-of-akid") const {
    Wire wire;
    wire.body = call.body;
    const std::string path = target_of(call), query = base::canonical_query(call.query);
    Fields headers = call.headers;
    const std::string date = base::to_amz_date(now);
    headers.emplace_back("host", host());
    headers.emplace_back("x-amz-date", date);
    headers.emplace_back("x-amz-content-sha256", call.payload_hash);
    std::sort(headers.begin(), headers.end());
    aws::SignableRequest signable{call.method, path, query, {}, call.payload_hash};
    for (const auto& [name, value] : headers) signable.headers.emplace_back(name, value);
    const aws::Credentials keys{"AKID", std::string(secret), "", {}, "test"};
    aws::Signer signer(server_->region());
    const std::string authorization = signer.authorization(signable, keys, date);
    headers.emplace_back("authorization", authorization);

    wire.seed.amz_date = date;
    wire.seed.scope = date.substr(0, 8) + "/" + server_->region() + "/s3/aws4_request";
    wire.seed.signature = authorization.substr(authorization.find("Signature=") + 10);
    wire.seed.key = aws::derive_signing_key(secret, date.substr(0, 8), server_->region(), "s3");
    wire.head = call.method + " " + path + (query.empty() ? "" : "?" + query) + " HTTP/1.1\r\n";
    for (const auto& [name, value] : headers) wire.head += name + ": " + value + "\r\n";
    return wire;
  }

  /// Adds the framing of the body and sends it all over a connection of its own.
  Answer exchange(Wire wire) {
    if (wire.head.find("transfer-encoding") == std::string::npos &&
        wire.head.find("\r\ncontent-length") == std::string::npos) {
      wire.head += "content-length: " + std::to_string(wire.body.size()) + "\r\n";
    }
    wire.head += "\r\n";
    return runtime_->call(runtime_->loop(0), [&]() -> Answer {
      Answer answer;
      Result<std::unique_ptr<net::Stream>> stream = net::connect_tcp(address(), patience());
      if (!stream) {
        answer.error = stream.error().message;
        return answer;
      }
      http::ClientConnection connection(*std::move(stream));
      return exchange_on(connection, wire);
    });
  }
  /// On a fiber; `wire` complete.
  Answer exchange_on(http::ClientConnection& connection, const Wire& wire) {
    Answer answer;
    http::BytesBody body(as_bytes(wire.body));
    const std::string method = wire.head.substr(0, wire.head.find(' '));
    Result<http::ResponseHead> head =
        connection.exchange(method, wire.head, wire.body.empty() ? nullptr : &body, patience());
    if (!head) {
      answer.error = head.error().message;
      return answer;
    }
    answer.status = head->status;
    answer.headers = std::move(head->headers);
    Result<std::string> text = connection.input().read_body_text(256 << 20, patience());
    if (text) {
      answer.body = *std::move(text);
    } else {
      answer.error = text.error().message;
    }
    return answer;
  }

  Answer send(const Call& call) { return exchange(sign(call)); }
  Answer put(const std::string& key, const std::string& body, const Fields& headers = {}) {
    return send({.method = "PUT", .bucket = "bucket", .key = key, .headers = headers, .body = body});
  }
  Answer get(const std::string& key, const Fields& headers = {}) {
    return send({.method = "GET", .bucket = "bucket", .key = key, .headers = headers});
  }
  Answer head(const std::string& key, const Fields& headers = {}) {
    return send({.method = "HEAD", .bucket = "bucket", .key = key, .headers = headers});
  }
  Answer remove(const std::string& key) { return send({.method = "DELETE", .bucket = "bucket", .key = key}); }
  void make_bucket(const std::string& name = "bucket") {
    const Answer answer = send({.method = "PUT", .bucket = name});
    ASSERT_EQ(answer.status, 200) << answer.body << answer.error;
  }
  std::vector<std::string> keys(const std::string& bucket = "bucket") {
    const Answer answer = send({.bucket = bucket, .query = {{"list-type", "2"}, {"encoding-type", "url"}}});
    std::vector<std::string> found;
    for (const s3::XmlElement* object : answer.xml().children_named("Contents")) {
      found.push_back(base::uri_decode(object->child_text("Key")).value());
    }
    return found;
  }

  net::Address address() const { return net::Address::parse("127.0.0.1", server_->port()).value(); }
  std::string host() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  static Deadline patience() { return Deadline::after(std::chrono::seconds(30)); }

  std::unique_ptr<fiber::Runtime> runtime_;
  std::unique_ptr<Server> server_;
};

/// A refusal as a test states it.
inline void expect_refused(const Answer& answer, int status, std::string_view code, std::string_view why = "") {
  EXPECT_EQ(answer.status, status) << why << answer.body << answer.error;
  EXPECT_EQ(answer.code(), code) << why << answer.body << answer.error;
}

/// `size` bytes that do not repeat soon.
inline std::string some_bytes(std::size_t size, unsigned seed = 1) {
  std::string bytes(size, '\0');
  std::uint64_t state = 0x9E3779B97F4A7C15 + seed;
  for (char& c : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    c = static_cast<char>(state >> 56);
  }
  return bytes;
}

}  // namespace dray::server
