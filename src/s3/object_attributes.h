// ObjectAttributes: what is stored with an object besides its bytes. Shared by PutObject and CreateMultipartUpload.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "s3/session.h"

namespace dray::s3 {

struct ObjectAttributes {
  std::string content_type;                                   ///< empty = the store's default
  std::vector<std::pair<std::string, std::string>> metadata;  ///< names without "x-amz-meta-"

  /// Refuses names and values that cannot stand in a header.
  Result<void> check() const;
  void add_to(Request& request) const;
};

}  // namespace dray::s3
