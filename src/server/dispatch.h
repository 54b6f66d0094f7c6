// Dispatch: the one place that every request passes: authenticate, find the operation, call its handler.
#pragma once

#include "server/exchange.h"

namespace dray::server {

/// Always a reply: errors become S3's XML. On the connection's fiber.
Reply dispatch(Exchange& exchange);

/// S3's error document with its status.
Reply error_reply(Error error, const Request& request);

}  // namespace dray::server
