// Headers: the fields of a message head, in the order they came. Names are kept in lower case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dray::http {

/// Owns one block of text and offsets into it, so that a head with twenty fields costs two allocations. A value; views
/// that it returns live until it is changed or destroyed.
class Headers {
 public:
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  void add(std::string_view name, std::string_view value);
  /// Replaces all fields of that name.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);
  void clear();

  /// The first field of that name (lower case); nothing if there is none.
  std::optional<std::string_view> find(std::string_view name) const;
  std::string_view get(std::string_view name) const { return find(name).value_or(std::string_view{}); }
  std::size_t count(std::string_view name) const;
  std::size_t size() const { return fields_.size(); }
  Field at(std::size_t index) const;

 private:
  struct Place {
    std::uint32_t name, name_size, value, value_size;
  };
  std::string text_;
  std::vector<Place> fields_;
};

}  // namespace dray::http
