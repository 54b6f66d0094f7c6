// Receiving the body of a request: framing taken off, checked against the head, kept in a draft or as text.
#pragma once

#include <memory>
#include <string>

#include "dray/result.h"
#include "server/body_verifier.h"
#include "server/exchange.h"
#include "server/segment.h"

namespace dray::server {

struct ReceivedBody {
  std::shared_ptr<const Segment> segment;
  BodyDigests digests;
};

/// The content of an object or a part, into the store (not yet visible: drop it and it is gone). If the client claims
/// no checksum, one of kind `wanted` is computed. A store that discards gets no byte, and believes what the head says.
Result<ReceivedBody> receive_content(Exchange& exchange, ChecksumKind wanted);

/// An XML document; MalformedXML if it is longer than `limit`.
Result<std::string> receive_text(Exchange& exchange, std::size_t limit, ChecksumCovers covers = ChecksumCovers::body);

}  // namespace dray::server
