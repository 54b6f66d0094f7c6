#include "cli/upload_flags.h"

#include <CLI/CLI.hpp>

#include "base/bytes.h"
#include "cli/option.h"

namespace dray::cli {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

void take_metadata(const std::vector<std::string>& texts, Metadata& metadata) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) {
      throw CLI::ValidationError("--metadata", base::in_quotes(text) + " is not NAME=VALUE");
    }
    metadata.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
}

}  // namespace

void declare_transfer_options(CLI::App& app, UploadOptions& options) {
  size_option(app, "--part-size", options.part_size,
              "of multipart uploads (8M, more for large files); larger parts cost more when retried");
  size_option(app, "--multipart-threshold", options.multipart_threshold, "files up to this are one request (one part)");
  flag(app, "--direct-io", options.direct_io, "read past the page cache (O_DIRECT): for files that are read once");
  readers_option(app, options.readers);
}

void declare_object_options(CLI::App& app, UploadFlags& flags) {
  checksum_option(
      app, [&flags](ChecksumKind kind) { flags.options.checksum = kind; },
      "crc64nvme (default), crc32, crc32c, sha1, sha256 or none");
  size_option(app, "--expected-size", flags.options.expected_size, "of a stream: sets the size of its parts");
  text_option(app, "--content-type", "TYPE", flags.options.content_type, "default: guessed from the name");
  app.add_option_function<std::vector<std::string>>(
         "--metadata",
         [&flags](const std::vector<std::string>& texts) { take_metadata(texts, flags.options.metadata); },
         "user metadata, x-amz-meta-NAME: VALUE; may be repeated")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  flag(app, "--if-none-match", flags.options.if_none_match, "fail rather than replace an object");
  flag(app, "-n,--no-clobber", flags.no_clobber, "skip what is there already");
  flag(app, "--dry-run", flags.dry_run, "print what would be done, upload nothing");
}

}  // namespace dray::cli
