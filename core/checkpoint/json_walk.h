#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/checkpoint/json_cursor.h"

namespace nns::checkpoint {

/// Walks the values of one JSON text by views of it, without making a tree of them. Errors name the text's place and
/// the byte offset in it.
class JsonWalk {
 public:
  /// `text` must outlive the walk; `where` is what it is called in errors. Views that the methods take lie in it.
  void start(std::string_view text, std::string where) {
    text_ = text;
    where_ = std::move(where);
  }
  std::string_view text() const { return text_; }

  base::Error error(const char* place, std::string found, std::string expected) const {
    return {std::move(found), std::move(expected), where_, static_cast<std::uint64_t>(place - text_.data())};
  }
  base::Error error(std::string_view text, const JsonCursor& json) const {
    return error(text.data() + json.failure().at, std::string(json.failure().found),
                 std::string(json.failure().expected));
  }

  /// Calls visit(key, text of the value) for each entry of an object; `visit` gives a Result.
  template <class Visit>
  base::Result<void> each_entry(std::string_view text, Visit&& visit) const {
    JsonCursor json(text);
    bool is_first = true;
    if (!json.expect('{')) return error(text, json);
    while (!json.accept('}')) {
      std::string_view key;
      if ((!is_first && !json.expect(',')) || !json.string(key)) return error(text, json);
      is_first = false;
      const std::string name(key);
      if (!json.expect(':')) return error(text, json);
      json.skip_space();
      const std::size_t begin = json.at();
      if (!json.skip_value()) return error(text, json);
      NNS_TRY(visit(std::string_view(name), text.substr(begin, json.at() - begin)));
    }
    return {};
  }
  /// Calls visit(text of the item) for each item of a list.
  template <class Visit>
  base::Result<void> each_item(std::string_view text, Visit&& visit) const {
    JsonCursor json(text);
    bool is_first = true;
    if (!json.expect('[')) return error(text, json);
    while (!json.accept(']')) {
      if (!is_first && !json.expect(',')) return error(text, json);
      is_first = false;
      json.skip_space();
      const std::size_t begin = json.at();
      if (!json.skip_value()) return error(text, json);
      NNS_TRY(visit(text.substr(begin, json.at() - begin)));
    }
    return {};
  }
  base::Result<std::string> read_string(std::string_view text) const {
    JsonCursor json(text);
    std::string_view value;
    if (!json.string(value)) return error(text, json);
    return std::string(value);
  }
  base::Result<std::uint64_t> read_number(std::string_view text) const {
    JsonCursor json(text);
    std::uint64_t value = 0;
    if (!json.number(value)) return error(text, json);
    return value;
  }

 private:
  std::string_view text_;
  std::string where_;
};

}  // namespace nns::checkpoint
