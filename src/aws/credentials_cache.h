// CredentialsCache: one set of credentials for all workers, looked up once.
#pragma once

#include <memory>
#include <mutex>

#include "aws/credentials.h"
#include "base/time.h"
#include "dray/result.h"
#include "fiber/offload.h"
#include "fiber/sync.h"

namespace dray::aws {

/// From fibers of any loop. The provider runs on the offload pool (it reads files); only one look-up at a time, the
/// others wait for it. A failed look-up is not remembered.
class CredentialsCache {
 public:
  CredentialsCache(std::shared_ptr<CredentialsProvider> provider, fiber::Offload& offload)
      : provider_(std::move(provider)), offload_(offload) {}
  /// Never null. Anonymous credentials mean: do not sign.
  Result<std::shared_ptr<const Credentials>> get(Deadline deadline);

 private:
  std::shared_ptr<const Credentials> cached();
  std::shared_ptr<CredentialsProvider> provider_;
  fiber::Offload& offload_;
  fiber::Mutex lookup_;
  std::mutex mutex_;  // guards current_
  std::shared_ptr<const Credentials> current_;
};

}  // namespace dray::aws
