#include "support/fake_s3.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <future>
#include <tuple>

#include "base/bytes.h"
#include "base/uri.h"
#include "fiber/task_group.h"
#include "hash/digest.h"
#include "http/server.h"
#include "net/tcp.h"
#include "s3/xml.h"

namespace dray::test {
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::uint64_t kMinPart = 5 << 20;
constexpr std::string_view kMetadata = "x-amz-meta-";
constexpr std::array kKinds = {ChecksumKind::crc32, ChecksumKind::crc32c, ChecksumKind::crc64nvme, ChecksumKind::sha1,
                               ChecksumKind::sha256};

std::string md5_hex(std::string_view text) {
  const std::string raw = hash::digest(hash::DigestKind::md5, as_bytes(text));
  return base::to_hex(as_bytes(raw));
}

std::string error_xml(std::string_view code) {
  s3::XmlWriter xml;
  xml.open("Error").element("Code", code).element("Message", "the peer answers " + std::string(code)).close("Error");
  return xml.finish();
}

std::string unquoted(std::string_view etag) {
  if (etag.size() >= 2 && etag.front() == '"') etag = etag.substr(1, etag.size() - 2);
  return std::string(etag);
}

/// "bucket" and "key" of "/bucket/key", decoded.
std::pair<std::string, std::string> split_path(std::string_view path) {
  path.remove_prefix(1);
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string_view key = slash < path.size() ? path.substr(slash + 1) : std::string_view{};
  return {base::uri_decode(path.substr(0, slash)).value(), base::uri_decode(key).value()};
}

}  // namespace

/// One connection: requests, one after the other, and their replies.
class FakeS3::Conversation {
 public:
  Conversation(FakeS3& peer, int socket, std::unique_ptr<net::Stream> stream)
      : peer_(peer), socket_(socket), connection_(std::move(stream)) {}

  void run() {
    for (bool goes_on = true; goes_on;) {
      Result<std::optional<http::RequestHead>> head = connection_.next(Deadline::never());
      if (!head || !*head) return;
      head_ = **std::move(head);
      goes_on = one() && connection_.keeps();
    }
  }

 private:
  struct Answer {
    int status = 200;
    http::Headers headers{};
    std::string body{};
  };

  /// False = the connection is done for.
  bool one() {
    std::tie(bucket_, key_) = split_path(head_.path());
    query_ = base::parse_query(head_.query()).value();
    operation_ = name_of_operation();
    arrive();
    if (head_.headers.find("transfer-encoding")) peer_.complain(operation_ + " with a transfer coding");
    if (fault_.misdeed == Misdeed::hold && !peer_.released_.wait(Deadline::never())) return false;
    if (fault_.misdeed == Misdeed::reset_at_once) return reset();
    if (fault_.misdeed == Misdeed::refuse_early) return reply(refusal());
    if (!take_body()) return false;
    peer_.run_hooks(operation_, nth_, Moment::body_taken);
    if (fault_.misdeed == Misdeed::refuse) return reply(refusal());
    if (fault_.misdeed == Misdeed::error_in_success) return reply({.body = error_xml(fault_.code)});
    if (fault_.misdeed == Misdeed::empty_success) return reply({});
    Answer answer = carry_out();
    peer_.run_hooks(operation_, nth_, Moment::before_reply);
    if (fault_.misdeed == Misdeed::lose_reply) return reset();
    if (fault_.misdeed == Misdeed::close_unanswered) return false;
    if (fault_.misdeed == Misdeed::no_etag) answer.headers.remove("etag");
    if (fault_.misdeed == Misdeed::wrong_checksum) falsify(answer);
    return reply(std::move(answer));
  }

  void arrive() {
    {
      std::lock_guard lock(peer_.mutex_);
      nth_ = ++peer_.requests_[operation_];
      if (head_.headers.find("authorization")) ++peer_.signed_;
      fault_ = {.misdeed = Misdeed::none};
      for (const Fault& fault : peer_.faults_) {
        const bool due = nth_ >= fault.first && nth_ - fault.first < fault.times;
        if (due && (fault.operation.empty() || fault.operation == operation_)) fault_ = fault;
      }
      peer_.changed_.notify_all();
    }
    peer_.run_hooks(operation_, nth_, Moment::arrived);
  }

  std::string parameter(std::string_view name) const {
    for (const auto& [have, value] : query_) {
      if (have == name) return value;
    }
    return {};
  }
  bool has_parameter(std::string_view name) const {
    return std::any_of(query_.begin(), query_.end(), [&](const auto& entry) { return entry.first == name; });
  }

  std::string name_of_operation() const {
    const std::string& method = head_.method;
    if (key_.empty()) return method == "PUT" ? "CreateBucket" : method == "HEAD" ? "HeadBucket" : "Unknown";
    if (method == "PUT") return has_parameter("partNumber") ? "UploadPart" : "PutObject";
    if (method == "HEAD") return "HeadObject";
    if (method == "POST" && has_parameter("uploads")) return "CreateMultipartUpload";
    if (method == "POST" && has_parameter("uploadId")) return "CompleteMultipartUpload";
    if (method == "DELETE" && has_parameter("uploadId")) return "AbortMultipartUpload";
    return "Unknown";
  }

  bool take_body() {
    body_.clear();
    const auto length = head_.headers.find("content-length");
    if (!length) return true;
    body_.resize(base::parse_u64(*length).value());
    for (std::size_t at = 0; at < body_.size();) {
      std::size_t want = std::min<std::size_t>(body_.size() - at, 256 << 10);
      if (fault_.misdeed == Misdeed::cut_body) {
        if (at >= fault_.bytes) return reset();
        want = std::min<std::size_t>(want, fault_.bytes - at);
      }
      const MutableBytes room(reinterpret_cast<std::byte*>(body_.data() + at), want);
      const Result<std::size_t> got = connection_.input().read_body(room, Deadline::never());
      if (!got || *got == 0) return false;
      at += *got;
    }
    std::lock_guard lock(peer_.mutex_);
    peer_.body_bytes_ += body_.size();
    return true;
  }

  bool reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    connection_.stream().close();
    return false;
  }

  bool reply(Answer answer) {
    http::ResponseHead head{.status = answer.status, .headers = std::move(answer.headers)};
    head.headers.add("x-amz-request-id", fmt::format("{}-{}", operation_, nth_));
    return connection_.respond(std::move(head), answer.body, Deadline::never()).ok();
  }

  Answer refusal() const {
    Answer answer = refused(fault_.status, fault_.code);
    if (!fault_.retry_after.empty()) answer.headers.add("retry-after", fault_.retry_after);
    return answer;
  }
  static Answer refused(int status, std::string_view code) { return {.status = status, .body = error_xml(code)}; }
  /// For what a correct client never provokes unless a test asks for it.
  Answer refused_with_complaint(int status, std::string_view code, std::string_view why) const {
    peer_.complain(fmt::format("{} of {}: {}", operation_, key_, why));
    return refused(status, code);
  }

  static void falsify(Answer& answer) {
    for (ChecksumKind kind : kKinds) {
      if (!answer.headers.find(hash::header_of(kind))) continue;
      answer.headers.set(hash::header_of(kind), hash::checksum_of(kind, as_bytes("something else")).text());
      return;
    }
    const std::string element(hash::element_of(ChecksumKind::crc64nvme));
    const std::size_t at = answer.body.find("<" + element + ">");
    if (at != std::string::npos) answer.body.replace(at + element.size() + 2, 4, "AAAA");
  }

  Answer carry_out() {
    if (operation_ == "PutObject") return put_object();
    if (operation_ == "HeadObject") return head_object();
    if (operation_ == "CreateMultipartUpload") return create_upload();
    if (operation_ == "UploadPart") return upload_part();
    if (operation_ == "CompleteMultipartUpload") return complete_upload();
    if (operation_ == "AbortMultipartUpload") return abort_upload();
    if (operation_ == "CreateBucket" || operation_ == "HeadBucket") return {};
    return refused_with_complaint(405, "MethodNotAllowed", "an operation that nobody knows");
  }

  /// The checksum that came with the body, if it is right; false = it is wrong.
  bool checked_body(hash::Checksum& checksum) const {
    for (ChecksumKind kind : kKinds) {
      const auto told = head_.headers.find(hash::header_of(kind));
      if (!told) continue;
      checksum = hash::checksum_of(kind, as_bytes(body_));
      return *told == checksum.text();
    }
    return true;
  }

  bool exists_and_must_not() const {
    return head_.headers.get("if-none-match") == "*" && peer_.objects_.contains({bucket_, key_});
  }

  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t i = 0; i < head_.headers.size(); ++i) {
      const http::Headers::Field field = head_.headers.at(i);
      if (field.name.starts_with(kMetadata)) found.emplace_back(field.name.substr(kMetadata.size()), field.value);
    }
    return found;
  }

  Answer put_object() {
    StoredObject object{
        .etag = md5_hex(body_), .content_type = std::string(head_.headers.get("content-type")), .metadata = metadata()};
    if (!checked_body(object.checksum)) return refused(400, "BadDigest");
    object.content = std::move(body_);
    Answer answer = described(object);
    std::lock_guard lock(peer_.mutex_);
    if (exists_and_must_not()) return refused(412, "PreconditionFailed");
    peer_.objects_[{bucket_, key_}] = std::move(object);
    return answer;
  }

  static Answer described(const StoredObject& object) {
    Answer answer;
    answer.headers.add("etag", "\"" + object.etag + "\"");
    if (object.checksum.kind != ChecksumKind::none) {
      answer.headers.add(hash::header_of(object.checksum.kind), object.checksum.text());
      answer.headers.add("x-amz-checksum-type", hash::name_of(object.checksum.type));
    }
    return answer;
  }

  Answer head_object() {
    std::lock_guard lock(peer_.mutex_);
    const auto found = peer_.objects_.find({bucket_, key_});
    if (found == peer_.objects_.end()) return {.status = 404};
    StoredObject shown = found->second;
    if (head_.headers.get("x-amz-checksum-mode") != "ENABLED") shown.checksum = {};
    Answer answer = described(shown);
    answer.headers.add("content-length", std::to_string(shown.content.size()));
    if (!shown.content_type.empty()) answer.headers.add("content-type", shown.content_type);
    for (const auto& [name, value] : shown.metadata) answer.headers.add(std::string(kMetadata) + name, value);
    return answer;
  }

  Answer create_upload() {
    OpenUpload upload{.bucket = bucket_,
                      .key = key_,
                      .content_type = std::string(head_.headers.get("content-type")),
                      .metadata = metadata(),
                      .parts = {}};
    if (const auto algorithm = head_.headers.find("x-amz-checksum-algorithm")) {
      for (ChecksumKind kind : kKinds) {
        if (hash::algorithm_of(kind) == *algorithm) upload.kind = kind;
      }
      if (head_.headers.get("x-amz-checksum-type") != hash::name_of(hash::multipart_type_of(upload.kind))) {
        return refused_with_complaint(400, "InvalidRequest", "the wrong checksum type");
      }
    }
    std::lock_guard lock(peer_.mutex_);
    const std::string id = fmt::format("upload-{}", peer_.next_upload_++);
    peer_.uploads_.emplace(id, std::move(upload));
    s3::XmlWriter xml;
    xml.open_s3("InitiateMultipartUploadResult").element("UploadId", id).close("InitiateMultipartUploadResult");
    return {.body = xml.finish()};
  }

  Answer upload_part() {
    const std::uint64_t number = base::parse_u64(parameter("partNumber")).value();
    if (number < 1 || number > 10'000) return refused_with_complaint(400, "InvalidArgument", "no such part number");
    Part part{.content = {}, .etag = md5_hex(body_)};
    if (!checked_body(part.checksum)) return refused(400, "BadDigest");
    part.content = std::move(body_);
    Answer answer;
    answer.headers.add("etag", "\"" + part.etag + "\"");
    if (part.checksum.kind != ChecksumKind::none) {
      answer.headers.add(hash::header_of(part.checksum.kind), part.checksum.text());
    }
    std::unique_lock lock(peer_.mutex_);
    const auto upload = peer_.uploads_.find(parameter("uploadId"));
    if (upload == peer_.uploads_.end()) return refused(404, "NoSuchUpload");
    if (upload->second.kind != part.checksum.kind) {
      lock.unlock();
      return refused_with_complaint(400, "InvalidRequest", "a part without the upload's checksum");
    }
    upload->second.parts[static_cast<std::uint32_t>(number)] = std::move(part);
    return answer;
  }

  Answer complete_upload() {
    const Result<s3::XmlElement> list = s3::parse_xml(body_);
    if (!list) return refused_with_complaint(400, "MalformedXML", "a part list that is not XML");
    std::unique_lock lock(peer_.mutex_);
    const auto found = peer_.uploads_.find(parameter("uploadId"));
    if (found == peer_.uploads_.end()) return refused(404, "NoSuchUpload");
    if (exists_and_must_not()) return refused(412, "PreconditionFailed");
    StoredObject object;
    const std::string wrong = assemble(found->second, *list, object);
    if (!wrong.empty()) {
      lock.unlock();
      return refused_with_complaint(400, wrong, "a part list that does not fit: " + wrong);
    }
    s3::XmlWriter xml;
    xml.open_s3("CompleteMultipartUploadResult").element("ETag", "\"" + object.etag + "\"");
    if (object.checksum.kind != ChecksumKind::none) {
      xml.element(hash::element_of(object.checksum.kind), object.checksum.text());
    }
    xml.close("CompleteMultipartUploadResult");
    peer_.objects_[{bucket_, key_}] = std::move(object);
    peer_.uploads_.erase(found);
    return {.body = xml.finish()};
  }

  /// Puts the object together as the list says; the error code if S3 would refuse it, else "".
  std::string assemble(OpenUpload& upload, const s3::XmlElement& list, StoredObject& object) const {
    if (upload.bucket != bucket_ || upload.key != key_) return "NoSuchUpload";
    hash::CombinedChecksum combined(upload.kind, hash::multipart_type_of(upload.kind));
    std::string digests;
    std::uint64_t last_number = 0;
    const auto entries = list.children_named("Part");
    if (entries.empty()) return "MalformedXML";
    for (const s3::XmlElement* entry : entries) {
      const std::uint64_t number = base::parse_u64(entry->child_text("PartNumber")).value();
      if (number <= last_number) return "InvalidPartOrder";
      last_number = number;
      const auto part = upload.parts.find(static_cast<std::uint32_t>(number));
      if (part == upload.parts.end() || part->second.etag != unquoted(entry->child_text("ETag"))) return "InvalidPart";
      if (upload.kind != ChecksumKind::none &&
          entry->child_text(hash::element_of(upload.kind)) != part->second.checksum.text()) {
        return "InvalidPart";
      }
      if (entry != entries.back() && part->second.content.size() < kMinPart) return "EntityTooSmall";
      combined.add(part->second.checksum, part->second.content.size());
      digests += base::from_hex(part->second.etag).value();
      object.content += part->second.content;
    }
    object.checksum = combined.finish();
    object.parts = static_cast<std::uint32_t>(entries.size());
    object.etag = fmt::format("{}-{}", md5_hex(digests), entries.size());
    object.content_type = upload.content_type;
    object.metadata = upload.metadata;
    if (head_.headers.get("x-amz-mp-object-size") != std::to_string(object.content.size())) return "InvalidRequest";
    if (upload.kind != ChecksumKind::none) {
      if (head_.headers.get("x-amz-checksum-type") != hash::name_of(object.checksum.type)) return "InvalidRequest";
      // A composite value may be left out: it follows from the list.
      const auto told = head_.headers.find(hash::header_of(upload.kind));
      const bool may_lack = object.checksum.type == hash::ChecksumType::composite;
      if (told ? *told != object.checksum.text() : !may_lack) return "BadDigest";
    }
    return {};
  }

  Answer abort_upload() {
    std::lock_guard lock(peer_.mutex_);
    if (peer_.uploads_.erase(parameter("uploadId")) == 0) return refused(404, "NoSuchUpload");
    return {.status = 204};
  }

  FakeS3& peer_;
  const int socket_;  // the connection's, for its options
  http::ServerConnection connection_;
  http::RequestHead head_;
  base::Query query_;
  std::string bucket_, key_, operation_, body_;
  std::size_t nth_ = 0;
  Fault fault_;
};

FakeS3::FakeS3() : runtime_(fiber::Runtime::start({.loops = 1, .offload = {.threads = 1}}).value()) {
  std::promise<std::uint16_t> port;
  std::future<std::uint16_t> known = port.get_future();
  runtime_->loop(0).spawn_root("peer accept", [this, &port] {
    net::Listener listener = net::Listener::listen(net::Address::parse("127.0.0.1", 0).value()).value();
    port.set_value(listener.address().port());
    for (;;) {
      Result<int> socket = listener.accept(Deadline::never());
      if (!socket) return;
      fiber::Loop::current()->spawn_root("peer connection", [this, socket = *socket] { serve(socket); });
    }
  });
  port_ = known.get();
}

FakeS3::~FakeS3() { runtime_.reset(); }

void FakeS3::serve(int socket) {
  {
    std::lock_guard lock(mutex_);
    ++accepted_;
    peak_ = std::max(peak_, ++connections_);
  }
  if (Result<std::unique_ptr<net::Stream>> stream = net::wrap_tcp(socket)) {
    Conversation(*this, socket, *std::move(stream)).run();
  }
  std::lock_guard lock(mutex_);
  --connections_;
  changed_.notify_all();
}

std::string FakeS3::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void FakeS3::plan(Fault fault) {
  std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FakeS3::at(std::string operation, std::size_t nth, Moment moment, std::function<void()> call) {
  std::lock_guard lock(mutex_);
  hooks_.push_back({std::move(operation), nth, moment, std::move(call)});
}

void FakeS3::release() { released_.open(); }

void FakeS3::run_hooks(const std::string& operation, std::size_t nth, Moment moment) {
  std::vector<std::function<void()>> due;
  {
    std::lock_guard lock(mutex_);
    for (const Hook& hook : hooks_) {
      if (hook.operation == operation && hook.nth == nth && hook.moment == moment) due.push_back(hook.call);
    }
  }
  for (const auto& call : due) call();
}

void FakeS3::complain(std::string what) {
  std::lock_guard lock(mutex_);
  complaints_.push_back(std::move(what));
}

std::optional<StoredObject> FakeS3::object(const std::string& bucket, const std::string& key) const {
  std::lock_guard lock(mutex_);
  const auto found = objects_.find({bucket, key});
  return found == objects_.end() ? std::nullopt : std::optional(found->second);
}

void FakeS3::put(const std::string& bucket, const std::string& key, StoredObject object) {
  std::lock_guard lock(mutex_);
  objects_[{bucket, key}] = std::move(object);
}

std::size_t FakeS3::objects() const {
  std::lock_guard lock(mutex_);
  return objects_.size();
}
std::size_t FakeS3::open_uploads() const {
  std::lock_guard lock(mutex_);
  return uploads_.size();
}
std::size_t FakeS3::requests(const std::string& operation) const {
  std::lock_guard lock(mutex_);
  const auto found = requests_.find(operation);
  return found == requests_.end() ? 0 : found->second;
}
std::size_t FakeS3::signed_requests() const {
  std::lock_guard lock(mutex_);
  return signed_;
}
std::size_t FakeS3::connections() const {
  std::lock_guard lock(mutex_);
  return connections_;
}
std::size_t FakeS3::accepted() const {
  std::lock_guard lock(mutex_);
  return accepted_;
}
std::size_t FakeS3::peak_connections() const {
  std::lock_guard lock(mutex_);
  return peak_;
}
std::uint64_t FakeS3::body_bytes() const {
  std::lock_guard lock(mutex_);
  return body_bytes_;
}
std::vector<std::string> FakeS3::complaints() const {
  std::lock_guard lock(mutex_);
  return complaints_;
}

bool FakeS3::wait_for_requests(const std::string& operation, std::size_t n) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] {
    const auto found = requests_.find(operation);
    return found != requests_.end() && found->second >= n;
  });
}

bool FakeS3::wait_for_no_connections() const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return connections_ == 0; });
}

}  // namespace dray::test
