// Folders and names: make, list, rename, remove; and files without a name.
//
// All of these but memory_file() block on a disk: run them on the offload pool, never on a loop.
#pragma once

#include <string>
#include <vector>

#include "dray/result.h"
#include "file/file.h"

namespace dray::file {

struct FolderEntry {
  std::string name;
  FileType type = FileType::other;  ///< `other` also where the file system does not tell
};

/// Success if it is there already. Its parent must exist.
Result<void> make_folder(const std::string& path);
/// Without "." and "..", in no order.
Result<std::vector<FolderEntry>> list_folder(const std::string& path);
/// After it the names made, replaced or removed in the folder are as durable as the disk makes them.
Result<void> sync_folder(const std::string& path);
/// Replaces `to` if it is there.
Result<void> rename_file(const std::string& from, const std::string& to);
/// ErrorKind::not_found if it is not there.
Result<void> remove_file(const std::string& path);
Result<void> remove_folder(const std::string& path);

/// Makes the file if need be and locks it (flock) until it is closed, or its process ends. ErrorKind::already_exists if
/// another one holds it.
Result<File> lock_file(const std::string& path);

/// A file that lives in memory only (memfd_create), for reading and writing.
Result<File> memory_file(const char* name);

}  // namespace dray::file
