#include "server/record_text.h"

#include <fmt/format.h>

#include <initializer_list>

#include "base/bytes.h"
#include "base/uri.h"
#include "hash/crc.h"

namespace dray::server {
namespace {

std::string seal_of(std::string_view text) { return fmt::format("{:016x}", hash::crc64nvme(0, as_bytes(text))); }

class Writer {
 public:
  explicit Writer(std::string_view kind) { line(kind, {"1"}); }
  Writer& line(std::string_view name, std::initializer_list<std::string_view> values) {
    text_ += name;
    for (const std::string_view value : values) {
      text_ += ' ';
      base::append_uri_encoded(text_, value, base::Slash::encode);
    }
    text_ += '\n';
    return *this;
  }
  Writer& number(std::string_view name, std::uint64_t value) { return line(name, {std::to_string(value)}); }
  Writer& time(std::string_view name, WallTime value) {
    return number(name, static_cast<std::uint64_t>(
                            std::chrono::duration_cast<std::chrono::seconds>(value.time_since_epoch()).count()));
  }
  Writer& headers(const KeptHeaders& headers) {
    for (const auto& [name, value] : headers) line("header", {name, value});
    return *this;
  }
  Writer& checksum(const hash::Checksum& checksum) {
    if (checksum.kind == ChecksumKind::none) return *this;
    return line("checksum", {name_of(checksum.kind), checksum.text()});
  }
  Writer& segment(const StoredSegment& segment) { return line("segment", {segment.id, std::to_string(segment.size)}); }
  std::string finish() {
    text_ += "end " + seal_of(text_) + "\n";
    return std::move(text_);
  }

 private:
  std::string text_;
};

Error bad(std::string_view what) { return make_error(ErrorKind::protocol, "a damaged record: " + std::string(what)); }

struct Line {
  std::string name;
  std::vector<std::string> values;
};

/// Checks the seal and the kind; gives the lines between.
Result<std::vector<Line>> read_lines(std::string_view text, std::string_view kind) {
  const std::size_t seal = text.rfind("end ");
  if (seal == std::string_view::npos || text.substr(seal) != "end " + seal_of(text.substr(0, seal)) + "\n") {
    return bad("its seal is missing or wrong");
  }
  text = text.substr(0, seal);
  const std::string first = std::string(kind) + " 1\n";
  if (!text.starts_with(first)) return bad("not a \"" + std::string(kind) + " 1\"");
  text.remove_prefix(first.size());
  std::vector<Line> lines;
  while (!text.empty()) {
    std::string_view rest = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), rest.size() + 1));
    Line& line = lines.emplace_back();
    line.name = rest.substr(0, rest.find(' '));
    rest.remove_prefix(line.name.size());
    while (!rest.empty()) {
      rest.remove_prefix(1);  // the space
      const std::string_view value = rest.substr(0, rest.find(' '));
      line.values.push_back(DRAY_TRY(base::uri_decode(value)));
      rest.remove_prefix(value.size());
    }
  }
  return lines;
}

Result<std::uint64_t> number_of(const Line& line, std::size_t index) {
  if (line.values.size() <= index) return bad(line.name);
  return base::parse_u64(line.values[index]);
}

Result<WallTime> time_of(const Line& line) {
  const std::uint64_t seconds = DRAY_TRY(number_of(line, 0));
  return WallTime(std::chrono::seconds(seconds));
}

Result<hash::Checksum> checksum_of(const Line& line) {
  if (line.values.size() != 2) return bad("checksum");
  const std::optional<ChecksumKind> kind = checksum_kind_from(line.values[0]);
  if (!kind) return bad("checksum kind");
  return hash::Checksum::parse(*kind, line.values[1]);
}

Result<StoredSegment> segment_of(const Line& line) {
  const std::uint64_t size = DRAY_TRY(number_of(line, 1));
  return StoredSegment{line.values[0], size};
}

Result<void> read_header(const Line& line, KeptHeaders& into) {
  if (line.values.size() != 2) return bad("header");
  into.emplace_back(line.values[0], line.values[1]);
  return {};
}

}  // namespace

std::string to_text(const BucketRecord& bucket) {
  return Writer("dray-bucket").line("name", {bucket.name}).time("created", bucket.created).finish();
}

std::string to_text(const ObjectRecord& object, const std::vector<StoredSegment>& segments) {
  Writer writer("dray-object");
  writer.line("key", {object.key}).number("size", object.size).line("etag", {object.etag});
  writer.time("modified", object.modified).headers(object.headers).checksum(object.checksum);
  if (!object.upload_id.empty()) writer.line("upload", {object.upload_id});
  for (const StoredSegment& segment : segments) writer.segment(segment);
  return writer.finish();
}

std::string to_text(const UploadRecord& upload) {
  Writer writer("dray-upload");
  writer.line("id", {upload.id}).line("bucket", {upload.bucket}).line("key", {upload.key});
  writer.time("initiated", upload.initiated).headers(upload.headers);
  if (upload.checksum_kind != ChecksumKind::none) {
    writer.line("checksum-algorithm", {name_of(upload.checksum_kind), hash::name_of(upload.checksum_type)});
  }
  return writer.finish();
}

std::string to_text(const PartRecord& part, const StoredSegment& segment) {
  Writer writer("dray-part");
  writer.number("number", static_cast<std::uint64_t>(part.number)).number("size", part.size);
  writer.line("etag", {part.etag}).time("modified", part.modified).checksum(part.checksum).segment(segment);
  return writer.finish();
}

Result<BucketRecord> bucket_from_text(std::string_view text) {
  BucketRecord bucket;
  const std::vector<Line> lines = DRAY_TRY(read_lines(text, "dray-bucket"));
  for (const Line& line : lines) {
    if (line.values.empty()) return bad(line.name);
    if (line.name == "name") bucket.name = line.values[0];
    if (line.name == "created") bucket.created = DRAY_TRY(time_of(line));
  }
  return bucket;
}

Result<StoredObject> object_from_text(std::string_view text) {
  StoredObject stored;
  ObjectRecord& object = stored.record;
  const std::vector<Line> lines = DRAY_TRY(read_lines(text, "dray-object"));
  for (const Line& line : lines) {
    if (line.values.empty()) return bad(line.name);
    if (line.name == "key") object.key = line.values[0];
    if (line.name == "size") object.size = DRAY_TRY(number_of(line, 0));
    if (line.name == "etag") object.etag = line.values[0];
    if (line.name == "modified") object.modified = DRAY_TRY(time_of(line));
    if (line.name == "header") DRAY_TRY_VOID(read_header(line, object.headers));
    if (line.name == "checksum") object.checksum = DRAY_TRY(checksum_of(line));
    if (line.name == "upload") object.upload_id = line.values[0];
    if (line.name == "segment") stored.segments.push_back(DRAY_TRY(segment_of(line)));
  }
  std::uint64_t total = 0;
  for (const StoredSegment& segment : stored.segments) total += segment.size;
  if (object.key.empty() || total != object.size) return bad("its segments do not add up");
  return stored;
}

Result<UploadRecord> upload_from_text(std::string_view text) {
  UploadRecord upload;
  const std::vector<Line> lines = DRAY_TRY(read_lines(text, "dray-upload"));
  for (const Line& line : lines) {
    if (line.values.empty()) return bad(line.name);
    if (line.name == "id") upload.id = line.values[0];
    if (line.name == "bucket") upload.bucket = line.values[0];
    if (line.name == "key") upload.key = line.values[0];
    if (line.name == "initiated") upload.initiated = DRAY_TRY(time_of(line));
    if (line.name == "header") DRAY_TRY_VOID(read_header(line, upload.headers));
    if (line.name == "checksum-algorithm") {
      const std::optional<ChecksumKind> kind = checksum_kind_from(line.values[0]);
      if (!kind || line.values.size() != 2) return bad("checksum algorithm");
      upload.checksum_kind = *kind;
      upload.checksum_type = line.values[1] == hash::name_of(hash::ChecksumType::composite)
                                 ? hash::ChecksumType::composite
                                 : hash::ChecksumType::full_object;
    }
  }
  if (upload.id.empty() || upload.bucket.empty() || upload.key.empty()) return bad("no id, bucket or key");
  return upload;
}

Result<StoredPart> part_from_text(std::string_view text) {
  StoredPart stored;
  PartRecord& part = stored.record;
  const std::vector<Line> lines = DRAY_TRY(read_lines(text, "dray-part"));
  for (const Line& line : lines) {
    if (line.values.empty()) return bad(line.name);
    if (line.name == "number") part.number = static_cast<int>(DRAY_TRY(number_of(line, 0)));
    if (line.name == "size") part.size = DRAY_TRY(number_of(line, 0));
    if (line.name == "etag") part.etag = line.values[0];
    if (line.name == "modified") part.modified = DRAY_TRY(time_of(line));
    if (line.name == "checksum") part.checksum = DRAY_TRY(checksum_of(line));
    if (line.name == "segment") stored.segment = DRAY_TRY(segment_of(line));
  }
  if (part.number < 1 || part.size != stored.segment.size) return bad("part number or size");
  return stored;
}

}  // namespace dray::server
