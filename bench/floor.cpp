// The least that an S3 client can do: one thread, epoll, keep-alive, no signature, no checksum. What the kernel charges
// on this machine, for comparing dray with.
//
//   floor sendfile|rw PORT CONNECTIONS FILE PART_BYTES      uploads FILE in parts by sendfile, or by pread and send
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kBuffer = 256 * 1024;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

struct Job {  // what there is to send
  int file;
  std::uint64_t size, part, next = 0, done = 0;
  bool by_sendfile;
};

class Connection {
 public:
  Connection(Job& job, int epoll, std::uint16_t port) : job_(job), buffer_(new char[kBuffer]) {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_port = htons(port);
    peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&peer), sizeof peer) != 0) fail("connect");
    const int one = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(socket_, F_SETFL, O_NONBLOCK);
    epoll_event interest{};
    interest.events = EPOLLIN | EPOLLOUT | EPOLLET;
    interest.data.ptr = this;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket_, &interest) != 0) fail("epoll_ctl");
    begin_part();
  }

  /// Goes on until it would block.
  void run() {
    while (busy_ && step()) {
    }
  }

 private:
  void begin_part() {
    busy_ = job_.next < job_.size;
    if (!busy_) return;
    offset_ = job_.next;
    length_ = left_ = std::min(job_.part, job_.size - job_.next);
    job_.next += length_;
    head_ =
        "PUT /b/k?partNumber=1&uploadId=1 HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: " + std::to_string(length_) +
        "\r\n\r\n";
    reply_.clear();
    have_ = at_ = 0;
  }

  bool step() {
    if (!head_.empty()) return sent_head();
    if (left_ > 0) return sent_body();
    return got_reply();
  }

  bool sent_head() {
    const ssize_t put = send(socket_, head_.data(), head_.size(), MSG_MORE | MSG_NOSIGNAL);
    if (put < 0) return would_block("send");
    head_.erase(0, static_cast<std::size_t>(put));
    return true;
  }

  bool sent_body() {
    ssize_t put;
    if (job_.by_sendfile) {
      off_t from = static_cast<off_t>(offset_);
      put = sendfile(socket_, job_.file, &from, left_);
    } else {
      if (at_ == have_) {
        const ssize_t got =
            pread(job_.file, buffer_.get(), std::min<std::uint64_t>(kBuffer, left_), static_cast<off_t>(offset_));
        if (got <= 0) fail("pread");
        have_ = static_cast<std::size_t>(got);
        at_ = 0;
      }
      put = send(socket_, buffer_.get() + at_, have_ - at_, MSG_NOSIGNAL);
      if (put > 0) at_ += static_cast<std::size_t>(put);
    }
    if (put < 0) return would_block("send");
    offset_ += static_cast<std::uint64_t>(put);
    left_ -= static_cast<std::uint64_t>(put);
    return true;
  }

  bool got_reply() {
    std::array<char, 4096> piece;
    const ssize_t got = recv(socket_, piece.data(), piece.size(), 0);
    if (got < 0) return would_block("recv");
    if (got == 0) fail("the server closed the connection");
    reply_.append(piece.data(), static_cast<std::size_t>(got));
    if (reply_.find("\r\n\r\n") == std::string::npos) return true;
    if (reply_.compare(9, 1, "2") != 0) fail(reply_.c_str());
    job_.done += length_;
    begin_part();
    return true;
  }

  static bool would_block(const char* what) {
    if (errno != EAGAIN) fail(what);
    return false;
  }

  Job& job_;
  int socket_ = -1;
  bool busy_ = false;
  std::uint64_t offset_ = 0, length_ = 0, left_ = 0;
  std::string head_, reply_;
  std::unique_ptr<char[]> buffer_;
  std::size_t have_ = 0, at_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc == 6 ? argv[1] : "";
  if (mode != "sendfile" && mode != "rw") {
    std::fprintf(stderr, "usage: floor sendfile|rw PORT CONNECTIONS FILE PART_BYTES\n");
    return 2;
  }
  const int file = open(argv[4], O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) fail(argv[4]);
  Job job{.file = file,
          .size = static_cast<std::uint64_t>(status.st_size),
          .part = std::strtoull(argv[5], nullptr, 10),
          .by_sendfile = mode == "sendfile"};
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    connections.push_back(std::make_unique<Connection>(job, epoll, static_cast<std::uint16_t>(std::atoi(argv[2]))));
  }
  std::array<epoll_event, 64> events;
  while (job.done < job.size) {
    const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr)->run();
  }
}
