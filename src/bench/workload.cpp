#include "bench/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/bytes.h"
#include "base/units.h"
#include "file/file.h"

namespace dray::bench {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 16;  // a workload needs 3 levels
constexpr std::uint64_t kLargestFile = 64 * base::kMiB;
constexpr std::uint64_t kLargestObject = 50 * base::kTiB;

Error wrong(std::string message) { return make_error(ErrorKind::invalid_argument, std::move(message)); }

/// "[json.exception.parse_error.101] parse error at line 1, column 5: ..." without the library's own label.
std::string reason_of(const Json::exception& failure) {
  std::string_view text = failure.what();
  if (const std::size_t label = text.find("] "); text.starts_with('[') && label != text.npos) {
    text.remove_prefix(label + 2);
  }
  return base::printable(text);
}

/// Brackets that are open at once, at most, outside of texts. Looked at before the parser keeps anything.
int nesting_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_text && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest;
}

Result<Json> parse_json(std::string_view text) {
  if (nesting_of(text) > kDeepest) return wrong(fmt::format("nested deeper than {} levels", kDeepest));
  try {
    return Json::parse(text);
  } catch (const Json::exception& failure) {
    return wrong("not JSON: " + reason_of(failure));
  }
}

/// The member of an object; null counts as absent, as in the published files.
const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<std::uint64_t> whole_number(const Json& value, std::string_view where, std::uint64_t largest) {
  if (!value.is_number_unsigned()) {
    return wrong(fmt::format("{}: a whole number that is not negative was expected, not {}", where,
                             value.is_number() ? value.dump() : value.type_name()));
  }
  const auto number = value.get<std::uint64_t>();
  if (number > largest) return wrong(fmt::format("{}: {} is more than {}", where, number, largest));
  return number;
}

Result<std::string> text_of(const Json& value, std::string_view where) {
  if (!value.is_string()) return wrong(fmt::format("{}: a text was expected, not {}", where, value.type_name()));
  return value.get<std::string>();
}

Result<Task> parse_task(const Json& json, std::size_t index) {
  const std::string where = fmt::format("tasks[{}]", index);
  if (!json.is_object()) return wrong(fmt::format("{}: an object was expected, not {}", where, json.type_name()));
  Task task;
  const Json* action = member(json, "action");
  const Json* key = member(json, "key");
  const Json* size = member(json, "size");
  if (action == nullptr || key == nullptr || size == nullptr) {
    return wrong(where + ": action, key and size are needed");
  }
  const std::string verb = DRAY_TRY(text_of(*action, where + ".action"));
  if (verb != "upload" && verb != "download") {
    return wrong(fmt::format("{}.action: {} is neither upload nor download", where, base::in_quotes(verb)));
  }
  task.action = verb == "upload" ? Action::upload : Action::download;
  task.key = DRAY_TRY(text_of(*key, where + ".key"));
  if (task.key.empty()) return wrong(where + ".key: is empty");
  if (task.key.find('\0') != task.key.npos) return wrong(where + ".key: holds a zero byte");
  task.size = DRAY_TRY(whole_number(*size, where + ".size", kLargestObject));
  return task;
}

/// Before anything else is believed: another version may mean other things by the same names.
Result<void> check_version(const Json& json) {
  const Json* version = member(json, "version");
  if (version == nullptr) return wrong("version: is missing");
  if (!version->is_number_integer()) return wrong("version: a whole number was expected");
  if (*version == 2) return {};
  return make_error(ErrorKind::unsupported, fmt::format("workload version {} is not supported, 2 is", version->dump()));
}

}  // namespace

std::uint64_t Workload::total_size() const {
  std::uint64_t total = 0;
  for (const Task& task : tasks) total += task.size;
  return total;
}

std::uint64_t Workload::largest_size() const {
  std::uint64_t largest = 0;
  for (const Task& task : tasks) largest = std::max(largest, task.size);
  return largest;
}

bool Workload::has_downloads() const {
  return std::ranges::any_of(tasks, [](const Task& task) { return task.action == Action::download; });
}

Result<Workload> parse_workload(std::string_view text) {
  const Json json = DRAY_TRY(parse_json(text));
  if (!json.is_object()) return wrong(fmt::format("an object was expected, not {}", json.type_name()));
  DRAY_TRY_VOID(check_version(json));

  Workload workload;
  if (const Json* comment = member(json, "comment")) workload.comment = DRAY_TRY(text_of(*comment, "comment"));
  if (const Json* on_disk = member(json, "filesOnDisk")) {
    if (!on_disk->is_boolean()) return wrong("filesOnDisk: true or false was expected");
    workload.files_on_disk = on_disk->get<bool>();
  }
  if (const Json* checksum = member(json, "checksum")) {
    const std::string name = DRAY_TRY(text_of(*checksum, "checksum"));
    const std::optional<ChecksumKind> kind = checksum_kind_from(name);
    if (!kind) return wrong("checksum: " + base::in_quotes(name) + " is not known");
    workload.checksum = *kind;
  }
  if (const Json* count = member(json, "maxRepeatCount")) {
    const std::uint64_t repeats = DRAY_TRY(whole_number(*count, "maxRepeatCount", 1'000'000));
    if (repeats == 0) return wrong("maxRepeatCount: must be at least 1");
    workload.max_repeat_count = static_cast<std::uint32_t>(repeats);
  }
  if (const Json* seconds = member(json, "maxRepeatSecs")) {
    workload.max_repeat_seconds = DRAY_TRY(whole_number(*seconds, "maxRepeatSecs", 1'000'000'000));
  }

  const Json* tasks = member(json, "tasks");
  if (tasks == nullptr || !tasks->is_array() || tasks->empty()) return wrong("tasks: a list with a task was expected");
  std::uint64_t total = 0;
  for (const Json& entry : *tasks) {
    Task task = DRAY_TRY(parse_task(entry, workload.tasks.size()));
    if (task.size > std::numeric_limits<std::int64_t>::max() - total)
      return wrong("tasks: the sizes add up to too much");
    total += task.size;
    workload.tasks.push_back(std::move(task));
  }
  return workload;
}

Result<Workload> read_workload(const std::string& path) {
  const file::File file = DRAY_TRY(file::File::open(path));
  const file::FileStatus status = DRAY_TRY(file.status());
  const std::uint64_t size = status.identity.size;
  if (status.type != file::FileType::regular || size > kLargestFile) {
    return wrong(
        fmt::format("{}: a file of at most {} was expected", base::in_quotes(path), base::format_size(kLargestFile)));
  }
  std::string text(size, '\0');
  const std::size_t got = DRAY_TRY(file.read_at(0, std::as_writable_bytes(std::span(text))));
  text.resize(got);
  Result<Workload> workload = parse_workload(text);
  if (!workload) return std::move(workload).error().within(base::in_quotes(path));
  return workload;
}

}  // namespace dray::bench
