// The public API: values in, values out; everything else is transfer's.
#include "dray/client.h"

#include "aws/config_file.h"
#include "aws/endpoint.h"
#include "fiber/fork_check.h"
#include "s3/bucket.h"
#include "s3/head_object.h"
#include "transfer/engine.h"
#include "transfer/upload.h"

namespace dray {
namespace {

std::string_view name_of_level(LogLevel level) {
  switch (level) {
    case LogLevel::warning:
    case LogLevel::error:
      return "warning";
    case LogLevel::info:
      return "info";
    default:
      return "debug";
  }
}

Log log_from(const Config& config) {
  if (!config.log) return {};
  return Log(LogLevel::debug,
             [sink = config.log](LogLevel level, std::string_view text) { sink(name_of_level(level), text); });
}

Result<aws::EndpointChoice> endpoint_from(const Config& config, const aws::Environment& environment) {
  const aws::Profile profile = DRAY_TRY(aws::load_profile(environment, config.profile));
  aws::EndpointChoice choice = DRAY_TRY(aws::configured_choice(environment, profile));
  if (!config.region.empty()) choice.region = config.region;
  if (!config.endpoint_url.empty()) choice.url = DRAY_TRY(base::parse_url(config.endpoint_url));
  if (!config.addressing.empty()) choice.addressing = DRAY_TRY(aws::addressing_from(config.addressing));
  return choice;
}

std::shared_ptr<aws::CredentialsProvider> credentials_from(const Config& config, const aws::Environment& environment) {
  if (!config.sign_requests) return aws::static_credentials({.source = "none: requests are not signed"});
  if (!config.access_key.empty()) {
    return aws::static_credentials({.access_key = config.access_key,
                                    .secret_key = config.secret_key,
                                    .session_token = config.session_token,
                                    .source = "the program"});
  }
  return aws::default_credentials(environment, config.profile);
}

/// R2 refuses multipart uploads whose parts differ in size.
bool wants_equal_parts(const aws::EndpointChoice& endpoint) {
  constexpr std::string_view kR2 = ".r2.cloudflarestorage.com";
  if (!endpoint.url) return false;
  const std::string& host = endpoint.url->host;
  return host.size() > kR2.size() && host.ends_with(kR2);
}

}  // namespace

struct Transfer::State {
  std::shared_ptr<transfer::Upload> upload;  // null = failed before it began
  Error error;
  fiber::ForkCheck process;

  /// Whether there is an upload to ask.
  bool reachable() const { return upload != nullptr && process.check().ok(); }
};

struct Client::State {
  fiber::ForkCheck process;
  std::unique_ptr<transfer::Engine> engine;
  bool equal_parts = false;

  Result<void> check_process() const { return process.check(); }
  template <class R>
  Result<R> request(std::function<Result<R>(s3::Session&)> body) {
    DRAY_TRY_VOID(check_process());
    return engine->runtime().call(engine->runtime().loop(0), [&] {
      return engine->on_a_worker<R>({engine->next_sequence(), 0}, std::move(body));
    });
  }
};

Result<Config> Config::from_environment(std::string_view profile) {
  const aws::Environment environment = aws::process_environment();
  const aws::Profile loaded = DRAY_TRY(aws::load_profile(environment, profile));
  const aws::EndpointChoice choice = DRAY_TRY(aws::configured_choice(environment, loaded));
  Config config;
  config.profile = profile;
  config.region = choice.region;
  if (choice.url) config.endpoint_url = choice.url->scheme + "://" + choice.url->authority() + choice.url->path;
  if (const std::optional<std::string> attempts = aws::variable(environment, "AWS_MAX_ATTEMPTS")) {
    Result<std::uint64_t> count = base::parse_u64(*attempts);
    if (!count || *count < 1 || *count > 1000) {
      return make_error(ErrorKind::invalid_argument, "AWS_MAX_ATTEMPTS is not a number from 1 to 1000");
    }
    config.retries = static_cast<int>(*count) - 1;
  }
  return config;
}

Result<Client> Client::open(Config config) {
  const aws::Environment environment = aws::process_environment();
  if (config.access_key.empty() != config.secret_key.empty()) {
    return make_error(ErrorKind::invalid_argument, "an access key and a secret key go together: only one was given");
  }
  auto state = std::make_unique<State>();
  transfer::EngineOptions options;
  options.endpoint = DRAY_TRY(endpoint_from(config, environment));
  state->equal_parts = wants_equal_parts(options.endpoint);
  options.credentials = credentials_from(config, environment);
  options.concurrency = config.concurrency;
  options.memory_limit = config.memory_limit;
  options.bandwidth_limit = config.bandwidth_limit;
  options.retry.retries = config.retries;
  options.dialer = {.connect_timeout = config.connect_timeout, .idle_timeout = config.idle_timeout};
  options.log = log_from(config);
  state->engine = DRAY_TRY(transfer::Engine::start(std::move(options)));
  return Client(std::move(state));
}

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}

Client::~Client() {
  // In a forked child there is nothing to stop: the threads are the parent's.
  if (state_ != nullptr && !state_->check_process()) (void)state_.release();
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&& other) noexcept {
  const Client old(std::move(*this));  // ends as ~Client says
  state_ = std::move(other.state_);
  return *this;
}

namespace {

transfer::UploadRequest request_from(ObjectUrl target, UploadOptions options) {
  transfer::UploadRequest request;
  request.bucket = std::move(target.bucket);
  request.key = std::move(target.key);
  request.attributes = {.content_type = std::move(options.content_type), .metadata = std::move(options.metadata)};
  request.checksum = options.checksum;
  request.part_size = options.part_size;
  request.multipart_threshold = options.multipart_threshold;
  request.expected_size = options.expected_size;
  request.direct_io = options.direct_io;
  request.serial_reader = options.readers == Readers::serial;
  request.if_none_match = options.if_none_match;
  return request;
}

}  // namespace

Transfer Client::upload(std::string path, ObjectUrl target, UploadOptions options) {
  return begin(transfer::FromFile{std::move(path)}, std::move(target), std::move(options));
}
Transfer Client::upload_stream(int descriptor, ObjectUrl target, UploadOptions options) {
  return begin(transfer::FromStream{descriptor}, std::move(target), std::move(options));
}
Transfer Client::upload_bytes(std::span<const std::byte> bytes, ObjectUrl target, UploadOptions options) {
  return begin(transfer::FromMemory{bytes}, std::move(target), std::move(options));
}

template <class From>
Transfer Client::begin(From from, ObjectUrl target, UploadOptions options) {
  auto transfer_state = std::make_shared<Transfer::State>();
  if (Result<void> ours = state_->check_process(); !ours) {
    transfer_state->error = std::move(ours).error();
  } else if (target.key.empty()) {
    transfer_state->error = make_error(ErrorKind::invalid_argument, target.text() + ": an object needs a key");
  } else {
    transfer::UploadRequest request = request_from(std::move(target), std::move(options));
    request.from = std::move(from);
    request.equal_parts = state_->equal_parts;
    transfer_state->upload = std::make_shared<transfer::Upload>(*state_->engine, std::move(request));
    state_->engine->start(transfer_state->upload);
  }
  return Transfer(std::move(transfer_state));
}

Result<void> Client::make_bucket(const std::string& bucket) {
  const std::string region = state_->engine->service().endpoint.region;
  Result<bool> made = state_->request<bool>([bucket, region](s3::Session& session) -> Result<bool> {
    DRAY_TRY_VOID(s3::create_bucket(session, bucket, region, Deadline::never()));
    return true;
  });
  if (!made) return std::move(made).error();
  return {};
}

Result<void> Client::head_bucket(const std::string& bucket) {
  Result<bool> exists = state_->request<bool>([bucket](s3::Session& session) -> Result<bool> {
    DRAY_TRY_VOID(s3::head_bucket(session, bucket, Deadline::never()));
    return true;
  });
  if (!exists) return std::move(exists).error();
  return {};
}

Result<ObjectInfo> Client::head_object(const ObjectUrl& object) {
  s3::ObjectHead head = DRAY_TRY(state_->request<s3::ObjectHead>([object](s3::Session& session) {
    return s3::head_object(session, object.bucket, object.key, Deadline::never());
  }));
  ObjectInfo info;
  info.size = head.size;
  info.etag = std::move(head.etag);
  info.content_type = std::move(head.content_type);
  info.last_modified = std::move(head.last_modified);
  info.storage_class = std::move(head.storage_class);
  info.version_id = std::move(head.version_id);
  if (head.checksum.kind != ChecksumKind::none) {
    info.checksum_kind = head.checksum.kind;
    info.checksum = head.checksum.text();
    info.checksum_type = hash::name_of(head.checksum.type);
  }
  info.metadata = std::move(head.metadata);
  return info;
}

std::size_t Client::connections() const { return state_->engine->service().connections; }
std::size_t Client::peak_connections() const { return state_->engine->service().peak_connections; }
void Client::cancel_all() {
  if (state_->check_process()) state_->engine->cancel_all();
}

Transfer::Transfer() = default;
Transfer::~Transfer() = default;
Transfer::Transfer(const Transfer&) = default;
Transfer& Transfer::operator=(const Transfer&) = default;
Transfer::Transfer(Transfer&&) noexcept = default;
Transfer& Transfer::operator=(Transfer&&) noexcept = default;
Transfer::Transfer(std::shared_ptr<State> state) : state_(std::move(state)) {}

Result<Summary> Transfer::wait() const {
  if (state_ == nullptr) return make_error(ErrorKind::invalid_argument, "this Transfer stands for no transfer");
  if (state_->upload == nullptr) return state_->error;
  DRAY_TRY_VOID(state_->process.check());
  const transfer::UploadSummary done = DRAY_TRY(state_->upload->wait());
  return Summary{.size = done.size,
                 .parts = done.parts,
                 .etag = done.etag,
                 .checksum_kind = done.checksum.kind,
                 .checksum = done.checksum.kind != ChecksumKind::none ? done.checksum.text() : std::string(),
                 .version_id = done.version_id,
                 .retries = done.retries,
                 .seconds = done.seconds};
}

bool Transfer::wait_for(std::chrono::nanoseconds duration) const {
  return state_ == nullptr || !state_->reachable() || state_->upload->wait_for(duration);
}

Progress Transfer::progress() const {
  Progress progress;
  if (state_ == nullptr || state_->upload == nullptr) return progress;
  const transfer::UploadProgress& from = state_->upload->progress();
  progress.bytes_done = from.bytes_done;
  progress.bytes_sent = from.bytes_sent;
  if (from.total_known) progress.bytes_total = from.bytes_total.load();
  progress.parts_done = from.parts_done;
  progress.parts_total = from.parts_total;
  progress.retries = from.retries;
  return progress;
}

void Transfer::cancel() const {
  if (state_ != nullptr && state_->reachable()) state_->upload->cancel();
}

}  // namespace dray
