#include "bench/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>

#include "base/units.h"
#include "file/file.h"

namespace dray::bench {
namespace {

constexpr std::size_t kBlock = base::kMiB;

/// A key becomes a path below the folder, nothing else: a workload file may come from anywhere.
Result<void> check_path(const std::string& key) {
  const auto refuse = [&](std::string_view why) {
    return make_error(ErrorKind::invalid_argument,
                      fmt::format("key {} cannot be a file here: {}", base::in_quotes(key), why));
  };
  if (key.starts_with('/')) return refuse("it begins with a slash");
  std::string_view rest = key;
  for (bool last = false; !last;) {
    const std::size_t slash = rest.find('/');
    last = slash == rest.npos;
    const std::string_view segment = rest.substr(0, slash);
    if (segment.empty() || segment == "." || segment == "..") return refuse("it has an empty, '.' or '..' segment");
    if (!last) rest.remove_prefix(slash + 1);
  }
  return {};
}

Result<void> check_room(const std::vector<MissingFile>& files, const std::string& folder) {
  std::uint64_t needed = 0;
  std::uint64_t freed = 0;
  for (const MissingFile& file : files) needed += file.size, freed += file.old_size;
  std::error_code failed;
  const std::filesystem::space_info space = std::filesystem::space(folder, failed);
  if (failed) return os_error(failed.value(), "ask how much room " + base::in_quotes(folder) + " has");
  const std::uint64_t room = space.available + freed;
  if (needed <= room) return {};
  return make_error(ErrorKind::no_space,
                    fmt::format("the workload's files need {}, the disk of {} has {}", base::format_size(needed),
                                base::in_quotes(folder), base::format_size(room)))
      .advise("free some space, change to a folder on another disk, or take a smaller workload");
}

Result<void> write_file(const file::File& file, std::uint64_t size, std::uint64_t seed) {
  std::vector<std::byte> block(kBlock);
  for (std::uint64_t offset = 0; offset < size; offset += block.size()) {
    block.resize(std::min<std::uint64_t>(kBlock, size - offset));
    fill_random(block, seed + offset);
    DRAY_TRY_VOID(file.write_at(offset, block));
  }
  return {};
}

Result<void> make_file(const MissingFile& wanted) {
  std::error_code failed;
  const std::filesystem::path path = wanted.path;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), failed);
    if (failed) return os_error(failed.value(), "make the folder of " + base::in_quotes(wanted.path));
  }
  std::filesystem::remove(path, failed);
  if (failed) return os_error(failed.value(), "remove the old " + base::in_quotes(wanted.path));
  file::File file = DRAY_TRY(file::File::create(wanted.path));
  Result<void> written = write_file(file, wanted.size, std::hash<std::string>{}(wanted.path));
  if (written) written = file.close();
  if (!written) {
    std::filesystem::remove(path, failed);
    return std::move(written).error().within("write " + base::in_quotes(wanted.path));
  }
  return {};
}

}  // namespace

Result<std::vector<MissingFile>> missing_files(const Workload& workload, const std::string& folder) {
  std::map<std::string_view, std::uint64_t> seen;
  std::vector<MissingFile> missing;
  for (const Task& task : workload.tasks) {
    if (task.action != Action::upload) continue;
    DRAY_TRY_VOID(check_path(task.key));
    const auto [known, is_new] = seen.emplace(task.key, task.size);
    if (!is_new && known->second != task.size) {
      return make_error(ErrorKind::invalid_argument, fmt::format("{} is wanted with {} and with {} bytes",
                                                                 base::in_quotes(task.key), known->second, task.size));
    }
    if (!is_new) continue;
    MissingFile file{.path = folder + "/" + task.key, .size = task.size};
    const Result<file::FileStatus> status = file::status_of(file.path);
    if (!status && status.error().kind != ErrorKind::not_found) return status.error();
    if (status && status->type != file::FileType::regular) {
      return make_error(ErrorKind::invalid_argument, base::in_quotes(file.path) + " is there and is no file");
    }
    if (status && status->identity.size == task.size) continue;
    if (status) file.old_size = status->identity.size;
    missing.push_back(std::move(file));
  }
  return missing;
}

Result<void> make_files(const std::vector<MissingFile>& files, const std::string& folder, const Voice& voice) {
  if (files.empty()) return {};
  DRAY_TRY_VOID(check_room(files, folder));
  std::uint64_t total = 0;
  for (const MissingFile& file : files) total += file.size;
  voice.note(fmt::format("making {} file{}, {}", files.size(), files.size() == 1 ? "" : "s", base::format_size(total)));
  for (const MissingFile& file : files) DRAY_TRY_VOID(make_file(file));
  return {};
}

void fill_random(MutableBytes out, std::uint64_t seed) {
  // splitmix64: eight bytes for a few instructions.
  std::uint64_t state = seed * 0x9e3779b97f4a7c15;
  for (std::size_t at = 0; at < out.size(); at += sizeof state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t word = state;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    word ^= word >> 31;
    std::memcpy(out.data() + at, &word, std::min(sizeof word, out.size() - at));
  }
}

}  // namespace dray::bench
