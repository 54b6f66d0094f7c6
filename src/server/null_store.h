// The store that keeps names and sizes only: to measure clients against.
//
// Bodies are thrown away unread and uncopied; what is read back is generated: one fixed pattern of 8 MiB, again and
// again. A key that ends in ".szN" exists with N bytes without having been put. ETags and checksums of what was put are
// not real; the CRC64NVME of generated objects is.
#pragma once

#include <map>
#include <mutex>

#include "file/file.h"
#include "server/store.h"

namespace dray::server {

class NullStore final : public Store {
 public:
  static Result<std::unique_ptr<NullStore>> create();

  Result<std::unique_ptr<Draft>> begin_body(std::uint64_t expected) override;
  bool discards() const override { return true; }
  std::shared_ptr<const Segment> stand_in(std::uint64_t size) override;
  std::shared_ptr<const ObjectRecord> generated(std::string_view key) override;

 private:
  explicit NullStore(std::shared_ptr<const file::File> pattern, std::uint64_t crc, WallTime started)
      : pattern_(std::move(pattern)), pattern_crc_(crc), started_(started) {}
  std::uint64_t crc_of_size(std::uint64_t size);

  std::shared_ptr<const file::File> pattern_;
  std::uint64_t pattern_crc_;
  WallTime started_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> crcs_;  // by size; bounded
};

/// The size that a key's name gives: "dir/a.sz1048576" -> 1048576. Pure.
std::optional<std::uint64_t> size_in_name(std::string_view key);

}  // namespace dray::server
