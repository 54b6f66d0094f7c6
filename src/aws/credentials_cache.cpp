#include "aws/credentials_cache.h"

#include <chrono>

namespace dray::aws {
namespace {

constexpr std::chrono::minutes kRefreshAhead{5};

bool fresh(const Credentials& credentials) {
  return !credentials.expires_at || *credentials.expires_at - kRefreshAhead > std::chrono::system_clock::now();
}

}  // namespace

std::shared_ptr<const Credentials> CredentialsCache::cached() {
  std::lock_guard lock(mutex_);
  return current_ != nullptr && fresh(*current_) ? current_ : nullptr;
}

Result<std::shared_ptr<const Credentials>> CredentialsCache::get(Deadline deadline) {
  if (auto found = cached()) return found;
  DRAY_TRY_VOID(lookup_.lock(deadline));
  auto found = cached();  // somebody else may have looked it up while we waited
  Result<Credentials> got = make_error(ErrorKind::internal, "");
  if (found == nullptr)
    got = offload_.run([provider = provider_, deadline] { return provider->get(deadline); }, deadline);
  lookup_.unlock();
  if (found != nullptr) return found;
  if (!got) return std::move(got).error();
  found = std::make_shared<const Credentials>(std::move(*got));
  std::lock_guard lock(mutex_);
  current_ = found;
  return found;
}

}  // namespace dray::aws
