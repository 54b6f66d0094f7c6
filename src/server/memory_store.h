// The store that keeps everything in memory and forgets it at the end.
#pragma once

#include "server/store.h"

namespace dray::server {

class MemoryStore final : public Store {
 public:
  Result<std::unique_ptr<Draft>> begin_body(std::uint64_t expected) override;
};

}  // namespace dray::server
