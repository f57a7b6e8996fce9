#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace nns::capture {

/// A value of a file that says what it likes: what is not there, or of another kind, is empty.
struct Json {
  simdjson::dom::element value;

  std::optional<Json> at(std::string_view key) const {
    simdjson::dom::element found;
    if (value[key].get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
    return Json{found};
  }
  std::string_view text() const {
    std::string_view found;
    return value.get(found) == simdjson::SUCCESS ? found : std::string_view();
  }
  std::string_view text(std::string_view key) const {
    std::string_view found;
    return value[key].get(found) == simdjson::SUCCESS ? found : std::string_view();
  }
  std::int64_t number(std::string_view key, std::int64_t other = 0) const {
    std::int64_t found = 0;
    return value[key].get(found) == simdjson::SUCCESS ? found : other;
  }
  /// Calls use(item) for each of a list.
  template <class Use>
  void each_item(Use use) const {
    simdjson::dom::array list;
    if (value.get(list) != simdjson::SUCCESS) return;
    for (const simdjson::dom::element item : list) use(Json{item});
  }
  template <class Use>
  void each_item(std::string_view key, Use use) const {
    if (const auto list = at(key)) list->each_item(use);
  }
  /// Calls use(name, value) for each of an object.
  template <class Use>
  void each_field(Use use) const {
    simdjson::dom::object fields;
    if (value.get(fields) != simdjson::SUCCESS) return;
    for (const simdjson::dom::key_value_pair field : fields) use(field.key, Json{field.value});
  }
  template <class Use>
  void each_field(std::string_view key, Use use) const {
    if (const auto fields = at(key)) fields->each_field(use);
  }
};

}  // namespace nns::capture
