// What a session sends, byte for byte, and what it does about connections that end.
#include "s3/session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "s3/fixture.h"

namespace dray::s3 {
namespace {

const Canned kFine = reply(200);
constexpr std::string_view kContent = "0123456789";

Request get(std::string_view key = "key") {
  return {.operation = "GetObject", .method = "GET", .bucket = "bucket", .key = key};
}
Request put(std::string_view key = "key") {
  return {.operation = "PutObject", .method = "PUT", .bucket = "bucket", .key = key};
}
Result<Reply> send(Store& store, const Request& request, std::string_view body = "") {
  http::BytesBody bytes(as_bytes(body));
  return store.session.exchange(request, body.empty() ? nullptr : &bytes, far());
}

/// Our own verifier, which published vectors have proven: does what came carry a signature that fits it?
Result<aws::Verified> verified(const test::Asked& asked) {
  aws::ReceivedRequest received{
      .method = asked.head.method, .raw_path = asked.head.path(), .raw_query = asked.head.query(), .headers = {}};
  for (std::size_t i = 0; i < asked.head.headers.size(); ++i) {
    const http::Headers::Field field = asked.head.headers.at(i);
    received.headers.emplace_back(field.name, field.value);
  }
  const auto secrets = [](std::string_view) { return std::optional<std::string>("secret-of-akid"); };
  return aws::verify(received, secrets, "us-east-1", std::chrono::system_clock::now());
}

TEST(SessionTest, SendsExactlyThis) {
  with_store({kFine, kFine}, [](Store& store) {
    Request request = put("a/key");
    request.query = {{"partNumber", "7"}, {"uploadId", "a+b/c="}};
    request.headers = {{"x-amz-meta-b", "2"}, {"content-type", "text/plain"}};
    EXPECT_TRUE(send(store, request, kContent).ok());
    EXPECT_EQ(golden(store.server.last()),
              "PUT /bucket/a/key?partNumber=7&uploadId=a%2Bb%2Fc%3D HTTP/1.1\n"
              "content-type: text/plain\n"
              "host: *\n"
              "x-amz-content-sha256: UNSIGNED-PAYLOAD\n"
              "x-amz-date: *\n"
              "x-amz-meta-b: 2\n"
              "authorization: *\n"
              "content-length: 10\n"
              "accept-encoding: identity\n"
              "user-agent: *\n"
              "\n");
    EXPECT_EQ(store.server.last().body, kContent);
    EXPECT_EQ(store.server.last().head.headers.get("host"), "127.0.0.1:" + std::to_string(store.server.port()));
    EXPECT_TRUE(verified(store.server.last()).ok()) << test::message_of(verified(store.server.last()));

    EXPECT_TRUE(send(store, get()).ok());  // no body, no length
    EXPECT_EQ(golden(store.server.last()),
              "GET /bucket/key HTTP/1.1\n"
              "host: *\n"
              "x-amz-content-sha256: UNSIGNED-PAYLOAD\n"
              "x-amz-date: *\n"
              "authorization: *\n"
              "accept-encoding: identity\n"
              "user-agent: *\n"
              "\n");
  });
}

TEST(SessionTest, SignsASmallBody) {
  with_store({kFine, kFine}, [](Store& store) {
    EXPECT_TRUE(store.session.exchange(put(), "hello", far()).ok());
    EXPECT_EQ(store.server.last().head.headers.get("x-amz-content-sha256"),
              "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    EXPECT_EQ(store.server.last().body, "hello");
    EXPECT_TRUE(verified(store.server.last()).ok());
    EXPECT_TRUE(store.session.exchange(put(), std::string_view{}, far()).ok());
    EXPECT_EQ(store.server.last().head.headers.get("x-amz-content-sha256"), aws::kEmptyPayloadHash);
    EXPECT_EQ(store.server.last().head.headers.get("content-length"), "0");
  });
}

TEST(SessionTest, EncodesKeysAndSignsWhatItSends) {
  const std::pair<std::string, std::string> rows[] = {
      {"plain-._~/09AZ", "plain-._~/09AZ"},
      {"a b", "a%20b"},
      {"a+b", "a%2Bb"},
      {"100%", "100%25"},
      {"a%20b", "a%2520b"},
      {"p//x", "p//x"},
      {"/lead", "/lead"},
      {"trail/", "trail/"},
      {"//", "//"},
      {"p/./x", "p/./x"},
      {"p/../../x", "p/../../x"},
      {"..", ".."},
      {".", "."},
      {"a?b#c&d=e;f", "a%3Fb%23c%26d%3De%3Bf"},
      {"*[1]{a}!()'", "%2A%5B1%5D%7Ba%7D%21%28%29%27"},
      {"\"<>\\^`|", "%22%3C%3E%5C%5E%60%7C"},
      {"s3://b/k@:$,", "s3%3A//b/k%40%3A%24%2C"},
      {"\t\r\n\x01\x7f", "%09%0D%0A%01%7F"},
      {std::string("a\0b", 3), "a%00b"},
      {"\xc3\xa4", "%C3%A4"},
      {"a\xcc\x88", "a%CC%88"},
      {"\xc2\xa0\xe2\x80\xa8", "%C2%A0%E2%80%A8"},
      {"\xf0\x9f\x9a\x9a", "%F0%9F%9A%9A"},
      {"\xff", "%FF"},
  };
  with_store(std::vector<Canned>(std::size(rows), kFine), [&](Store& store) {
    for (const auto& [key, path] : rows) {
      EXPECT_TRUE(send(store, get(key)).ok()) << path;
      EXPECT_EQ(store.server.last().head.target, "/bucket/" + path);
      EXPECT_TRUE(verified(store.server.last()).ok())
          << path << ": " << test::message_of(verified(store.server.last()));
    }
    EXPECT_EQ(store.server.connections(), 1);
  });
}

TEST(SessionTest, SendsTheSessionTokenSigned) {
  test::with_loop([](fiber::Offload& offload) {
    Store store(offload, {kFine}, {"AKID", "secret-of-akid", "token==", {}, "test"});
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_EQ(store.server.last().head.headers.get("x-amz-security-token"), "token==");
    EXPECT_NE(store.server.last().head.headers.get("authorization").find("x-amz-security-token"), std::string::npos);
    EXPECT_TRUE(verified(store.server.last()).ok());
  });
}

TEST(SessionTest, SendsNothingOfASignatureWithoutCredentials) {
  test::with_loop([](fiber::Offload& offload) {
    Store store(offload, {kFine}, {"", "", "", {}, "anonymous"});
    EXPECT_TRUE(send(store, put(), kContent).ok());
    EXPECT_EQ(golden(store.server.last()),
              "PUT /bucket/key HTTP/1.1\n"
              "host: *\n"
              "content-length: 10\n"
              "accept-encoding: identity\n"
              "user-agent: *\n"
              "\n");
  });
}

TEST(SessionTest, PutsTheBucketInTheHostWhenAsked) {
  test::with_loop([](fiber::Offload& offload) {
    Store store(offload, {kFine});
    store.service.endpoint.url->host = "localhost";
    store.service.endpoint.url->path = "/prefix";
    store.service.endpoint.addressing = aws::Addressing::virtual_host;
    EXPECT_TRUE(send(store, get("k")).ok());
    EXPECT_EQ(store.server.last().head.target, "/prefix/k");
    EXPECT_EQ(store.server.last().head.headers.get("host"), "bucket.localhost:" + std::to_string(store.server.port()));
    EXPECT_TRUE(verified(store.server.last()).ok());
  });
}

TEST(SessionTest, RefusesABucketThatWouldBeAPath) {
  with_store({}, [](Store& store) {
    for (const char* bucket : {"..", "a/b", "a?b", "a b", "a\r\nb"}) {
      Request request = get();
      request.bucket = bucket;
      EXPECT_EQ(outcome(send(store, request)), "invalid_argument") << bucket;
    }
    EXPECT_EQ(store.server.connections(), 0);
  });
}

TEST(SessionTest, KeepsItsConnectionAfterErrorsToo) {
  with_store({reply(404, "", error_xml("NoSuchKey")), reply(503), kFine}, [](Store& store) {
    EXPECT_EQ(outcome(send(store, get())), "not_found");
    EXPECT_EQ(outcome(send(store, get())), "server");
    EXPECT_EQ(outcome(send(store, get())), "ok");
    EXPECT_EQ(store.server.connections(), 1);
    EXPECT_EQ(store.service.connections, 1u);
    store.session.disconnect();
    EXPECT_EQ(store.service.connections, 0u);
    EXPECT_EQ(store.service.peak_connections, 1u);
  });
}

TEST(SessionTest, ConnectsAnewAfterAReplyThatSaysClose) {
  with_store({reply(200, "connection: close\r\n"), kFine}, [](Store& store) {
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_EQ(store.service.connections, 0u);
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_EQ(store.server.connections(), 2);
  });
}

TEST(SessionTest, ConnectsAnewWhenTheServerClosedMeanwhile) {
  with_store({{kFine.bytes, Canned::Then::close}, kFine}, [](Store& store) {
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_TRUE(send(store, put(), kContent).ok());
    EXPECT_EQ(store.server.connections(), 2);
    EXPECT_EQ(store.server.last().body, kContent);
    EXPECT_FALSE(store.session.sent_twice());  // the dead connection was seen before anything went out
  });
}

TEST(SessionTest, TriesOnceMoreWhenAKeptConnectionEndsUnderTheRequest) {
  with_store({kFine, {"", Canned::Then::close}, kFine, kFine}, [](Store& store) {
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_TRUE(send(store, put(), kContent).ok());
    ASSERT_EQ(store.server.asked().size(), 3u);
    EXPECT_EQ(store.server.asked()[1].connection, 1);
    EXPECT_EQ(store.server.asked()[2].connection, 2);
    EXPECT_EQ(store.server.asked()[2].body, kContent);  // from its beginning
    EXPECT_TRUE(store.session.sent_twice());
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_FALSE(store.session.sent_twice());
  });
}

TEST(SessionTest, TriesOnceMoreOnly) {
  with_store({kFine, {"", Canned::Then::close}, {"", Canned::Then::close}, kFine}, [](Store& store) {
    EXPECT_TRUE(send(store, get()).ok());
    const Result<Reply> second = send(store, put(), kContent);
    EXPECT_EQ(outcome(second), "network");
    EXPECT_NE(test::message_of(second).find("PutObject s3://bucket/key"), std::string::npos)
        << test::message_of(second);
    EXPECT_EQ(store.server.asked().size(), 3u);
  });
}

TEST(SessionTest, DoesNotTryAgainOnAFreshConnection) {
  with_store({{"", Canned::Then::close}, kFine}, [](Store& store) {
    EXPECT_EQ(outcome(send(store, get())), "network");
    EXPECT_EQ(store.server.asked().size(), 1u);
    EXPECT_EQ(store.service.connections, 0u);
  });
}

TEST(SessionTest, DoesNotTryAgainOnceAReplyHasBegun) {
  for (const char* begun : {"H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab",
                            "HTTP/1.1 100 Continue\r\n\r\n"}) {
    with_store({kFine, {begun, Canned::Then::close}, kFine}, [&](Store& store) {
      EXPECT_TRUE(send(store, get()).ok());
      EXPECT_EQ(outcome(send(store, put(), kContent)), "network") << begun;
      EXPECT_EQ(store.server.asked().size(), 2u) << begun;
    });
  }
}

TEST(SessionTest, BelievesARefusalWhoseExplanationWasCut) {
  with_store({{"HTTP/1.1 403 Forbidden\r\ncontent-length: 500\r\n\r\n<Error><Code>Acc", Canned::Then::close}, kFine},
             [](Store& store) {
               const Result<Reply> refused = send(store, put(), kContent);
               ASSERT_FALSE(refused.ok());
               EXPECT_EQ(refused.error().kind, ErrorKind::access_denied);
               EXPECT_EQ(refused.error().http_status, 403);
               EXPECT_TRUE(send(store, get()).ok());
               EXPECT_EQ(store.server.connections(), 2);
             });
}

TEST(SessionTest, GivesUpAtItsDeadlineAndConnectsAnew) {
  with_store({{""}, kFine}, [](Store& store) {
    EXPECT_EQ(outcome(store.session.exchange(get(), nullptr, Deadline::after(std::chrono::milliseconds(20)))),
              "timed_out");
    EXPECT_EQ(store.service.connections, 0u);
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_EQ(store.server.connections(), 2);
  });
}

TEST(SessionTest, RefusesWhatIsNotHttp) {
  with_store({{"SSH-2.0-OpenSSH_9.2\r\n\r\n"}, kFine}, [](Store& store) {
    EXPECT_EQ(outcome(send(store, get())), "protocol");
    EXPECT_TRUE(send(store, get()).ok());
    EXPECT_EQ(store.server.connections(), 2);
  });
}

TEST(SessionTest, RefusesAReplyWithoutEnd) {
  with_store({reply(200, "", std::string(17 << 20, 'x'))}, [](Store& store) {
    EXPECT_EQ(outcome(send(store, get())), "protocol");
    EXPECT_EQ(store.service.connections, 0u);
  });
}

TEST(SessionTest, SaysWhereItCouldNotConnect) {
  with_store({}, [](Store& store) {
    net::Listener gone = net::Listener::listen(net::Address::parse("127.0.0.1", 0).value()).value();
    store.service.endpoint.url->port = gone.address().port();
    gone.close();
    const Result<Reply> refused = send(store, put("a\nb"), kContent);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::connect);
    EXPECT_TRUE(refused.error().message.starts_with("PutObject s3://bucket/a\\nb: ")) << refused.error().message;
    EXPECT_NE(refused.error().message.find(gone.address().text()), std::string::npos) << refused.error().message;
    EXPECT_FALSE(refused.error().advice.empty());
  });
}

TEST(SessionTest, KeepsSecretsOutOfErrors) {
  with_store({reply(403, "", error_xml("SignatureDoesNotMatch")), {"garbage\r\n\r\n"}}, [](Store& store) {
    for (int i = 0; i < 2; ++i) {
      const Result<Reply> refused = send(store, put(), kContent);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().message.find("secret-of-akid"), std::string::npos);
      EXPECT_EQ(refused.error().message.find("Signature="), std::string::npos);
    }
  });
}

}  // namespace
}  // namespace dray::s3
