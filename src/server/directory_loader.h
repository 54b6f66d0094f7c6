// Reading a directory store back: all records into memory, leftovers of an unclean end removed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/log.h"
#include "server/file_segment.h"
#include "server/store.h"

namespace dray::server {

constexpr std::string_view kBucketRecordName = ".bucket";
constexpr std::string_view kUploadRecordName = "upload";

/// The file name of an object's record: the SHA-256 of its key, in hex. Pure.
std::string record_name_of(std::string_view key);

/// Everything under a folder and itself, as far as it can be removed. Blocks.
void remove_tree(const std::string& folder);

/// Blocks; at start, before anything else uses the folders. What cannot be read is reported to `log` and left alone.
Result<StoreContent> load_directory(const std::shared_ptr<const StoreFolders>& folders, const Log& log);

}  // namespace dray::server
