// Service: what all sessions with one store share. Built once, then only read (its members guard themselves).
#pragma once

#include <atomic>
#include <memory>

#include "aws/credentials_cache.h"
#include "aws/endpoint.h"
#include "base/log.h"
#include "http/dialer.h"

namespace dray::s3 {

struct Service {
  aws::EndpointChoice endpoint;
  aws::CredentialsCache& credentials;
  http::Dialer& dialer;
  Log log{};

  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> peak_connections{0};
};

}  // namespace dray::s3
