// Prepare: makes the files that a workload uploads. What is there already, with the right size, is left as it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "bench/voice.h"
#include "bench/workload.h"
#include "dray/result.h"

namespace dray::bench {

/// A file that is missing or of another size.
struct MissingFile {
  std::string path;
  std::uint64_t size = 0;      ///< bytes it shall have
  std::uint64_t old_size = 0;  ///< bytes that making it anew frees
};

/// Looks at every file of the upload tasks, each path once. Fails for a key that would lead out of `folder`, for two
/// tasks that want one file with two sizes, and for a path that is something else than a file.
Result<std::vector<MissingFile>> missing_files(const Workload& workload, const std::string& folder);

/// Makes them. First checks that the file system of `folder` has the room (ErrorKind::no_space with both numbers).
/// Blocks on the disk. A file that could not be finished is removed.
Result<void> make_files(const std::vector<MissingFile>& files, const std::string& folder, const Voice& voice);

/// Bytes that do not compress, at memory speed; the same for the same seed.
void fill_random(MutableBytes out, std::uint64_t seed);

}  // namespace dray::bench
