#include "cli/outcome.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"

namespace dray::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view heading_of(Outcome::State state) {
  switch (state) {
    case Outcome::State::failed:
      return "ERROR";
    case Outcome::State::warned:
      return "WARNING";
    default:
      return "SKIPPED";
  }
}

/// " (NoSuchBucket, request 4442587FB7D0A2F9)", or nothing.
std::string store_says(const Error& error) {
  const std::string id = error.request_id.empty() ? "" : "request " + error.request_id;
  if (error.code.empty() && id.empty()) return "";
  return " (" + error.code + (error.code.empty() || id.empty() ? "" : ", ") + id + ")";
}

Json metadata_json(const std::vector<std::pair<std::string, std::string>>& metadata) {
  Json object = Json::object();
  for (const auto& [name, value] : metadata) object[name] = value;
  return object;
}

void add_checksum(Json& object, ChecksumKind kind, const std::string& value) {
  if (kind == ChecksumKind::none || value.empty()) return;
  object["checksum_algorithm"] = name_of(kind);
  object["checksum"] = value;
}

Json object_json(const Summary& made) {
  Json object = {{"size", made.size}, {"etag", made.etag}};
  add_checksum(object, made.checksum_kind, made.checksum);
  if (!made.version_id.empty()) object["version_id"] = made.version_id;
  object["parts"] = made.parts;
  object["retries"] = made.retries;
  object["seconds"] = made.seconds;
  return object;
}

Json object_json(const ObjectInfo& info) {
  Json object = {{"size", info.size},
                 {"etag", info.etag},
                 {"content_type", info.content_type},
                 {"last_modified", info.last_modified}};
  if (!info.storage_class.empty()) object["storage_class"] = info.storage_class;
  if (!info.version_id.empty()) object["version_id"] = info.version_id;
  add_checksum(object, info.checksum_kind, info.checksum);
  if (!info.checksum_type.empty()) object["checksum_type"] = info.checksum_type;
  object["metadata"] = metadata_json(info.metadata);
  return object;
}

Json error_json(const Error& error) {
  return {{"kind", name_of(error.kind)},      {"message", error.message},       {"code", error.code},
          {"http_status", error.http_status}, {"request_id", error.request_id}, {"advice", error.advice},
          {"left_behind", error.left_behind}};
}

}  // namespace

std::string Operation::title() const {
  std::string text = name;
  for (const std::string* argument : {&source, &destination}) {
    if (!argument->empty()) text += " " + base::printable(*argument);
  }
  return text;
}

std::string to_text(const Outcome& outcome) {
  const std::string title = outcome.operation.title();
  if (outcome.state == Outcome::State::done) return title;
  const Error& error = outcome.error;
  std::string text = fmt::format("{} \"{}\": {}{}", heading_of(outcome.state), title, error.message, store_says(error));
  if (!error.advice.empty()) text += ": " + error.advice;
  if (!error.left_behind.empty()) text += "; left behind: " + error.left_behind;
  // Parts of it came from a server or a file system.
  return base::printable(text);
}

std::string to_json(const Outcome& outcome) {
  const bool done = outcome.state == Outcome::State::done;
  const bool skipped = outcome.state == Outcome::State::skipped || outcome.state == Outcome::State::warned;
  Json json = {{"operation", outcome.operation.name}, {"success", done || outcome.state == Outcome::State::skipped}};
  if (skipped) json["skipped"] = true;
  if (outcome.dry_run) json["dry_run"] = true;
  if (!outcome.operation.source.empty()) json["source"] = outcome.operation.source;
  if (!outcome.operation.destination.empty()) json["destination"] = outcome.operation.destination;
  if (const auto* made = std::get_if<Summary>(&outcome.object)) json["object"] = object_json(*made);
  if (const auto* info = std::get_if<ObjectInfo>(&outcome.object)) json["object"] = object_json(*info);
  if (outcome.state == Outcome::State::skipped) json["reason"] = outcome.error.message;
  if (outcome.state == Outcome::State::failed || outcome.state == Outcome::State::warned) {
    json["error"] = error_json(outcome.error);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dray::cli
