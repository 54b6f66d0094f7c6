#include "http/headers.h"

#include <algorithm>

#include "base/bytes.h"

namespace dray::http {

void Headers::add(std::string_view name, std::string_view value) {
  Place place{.name = static_cast<std::uint32_t>(text_.size()),
              .name_size = static_cast<std::uint32_t>(name.size()),
              .value = static_cast<std::uint32_t>(text_.size() + name.size()),
              .value_size = static_cast<std::uint32_t>(value.size())};
  for (char c : name) text_.push_back(base::to_lower(c));
  text_.append(value);
  fields_.push_back(place);
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Place& place) {
    return base::equals_ignoring_case(std::string_view(text_).substr(place.name, place.name_size), name);
  });
}

void Headers::clear() {
  text_.clear();
  fields_.clear();
}

Headers::Field Headers::at(std::size_t index) const {
  const Place& place = fields_[index];
  const std::string_view text = text_;
  return {text.substr(place.name, place.name_size), text.substr(place.value, place.value_size)};
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field field = at(i);
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) count += at(i).name == name ? 1 : 0;
  return count;
}

}  // namespace dray::http
