// One connection's fiber: requests in, replies out, one after the other.
#pragma once

#include <memory>

#include "net/stream.h"
#include "server/exchange.h"

namespace dray::server {

/// Serves until the client closes, misbehaves or idles for long. Returns when the connection is done with.
void serve_connection(Service& service, std::unique_ptr<net::Stream> stream);

}  // namespace dray::server
