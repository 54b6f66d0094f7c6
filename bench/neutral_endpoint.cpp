// A neutral S3 endpoint for measuring clients: takes any upload and throws it away without copying it, checks nothing.
//
//   neutral_endpoint PORT        one loop, so pin it to a core of its own
//
// It speaks just enough: PutObject, CreateMultipartUpload, UploadPart, CompleteMultipartUpload, anything else is 200.
#include <cstdio>
#include <cstdlib>

#include "fiber/runtime.h"
#include "http/server.h"
#include "net/tcp.h"

namespace {

using namespace dray;

constexpr std::string_view kEtag = "\"00000000000000000000000000000001\"";

std::string body_for(const http::RequestHead& head) {
  if (head.method != "POST") return {};
  if (head.query().find("uploads") == 0) {
    return "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>";
  }
  return "<CompleteMultipartUploadResult><ETag>\"00000000000000000000000000000001-1\"</ETag></"
         "CompleteMultipartUploadResult>";
}

void serve(int socket) {
  Result<std::unique_ptr<net::Stream>> stream = net::wrap_tcp(socket);
  if (!stream) return;
  http::ServerConnection connection(std::move(*stream));
  for (;;) {
    Result<std::optional<http::RequestHead>> head = connection.next(Deadline::never());
    if (!head || !*head) return;
    if (!connection.wants_body(Deadline::never())) return;
    if (!connection.input().discard_body(~std::uint64_t{0}, Deadline::never())) return;
    http::ResponseHead reply{.status = 200};
    reply.headers.add("etag", kEtag);
    if (!connection.respond(std::move(reply), body_for(**head), Deadline::never()) || !connection.keeps()) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: neutral_endpoint PORT\n");
    return 2;
  }
  auto runtime = fiber::Runtime::start({.loops = 1}).value();
  fiber::Loop& loop = runtime->loop(0);
  runtime->call(loop, [&] {
    const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
    net::Listener listener = net::Listener::listen(net::Address::parse("127.0.0.1", port).value()).value();
    std::printf("listening on http://%s\n", listener.address().text().c_str());
    std::fflush(stdout);
    for (;;) {
      const int socket = listener.accept(Deadline::never()).value();
      loop.spawn_root("connection", [socket] { serve(socket); });
    }
  });
}
