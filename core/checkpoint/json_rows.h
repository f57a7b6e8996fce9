#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/json_cursor.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

/// Lays the entries of a JSON object out as rows, in slices: objects and lists as containers, all else as values with
/// their text. The classes are Python's names of what json.loads makes of them.
class JsonRows {
 public:
  /// `text`, which is UTF-8 and begins with '{' after blanks, is laid out below `row`; both `text` and `builder` must
  /// outlive this. The walk ends before the value of the key `stop_at` of the outermost object.
  JsonRows(std::string_view text, std::string where, TreeBuilder& builder, std::uint32_t row,
           std::string_view stop_at = {});

  /// True at the end of the text, or where it stopped. Errors: no JSON, nested deeper than 64, more rows than a tree
  /// may have; with the byte offset.
  base::Result<bool> step(const base::Budget& budget);
  bool stopped() const { return stopped_; }
  /// Units: bytes of the text.
  std::size_t done() const { return cursor_.at(); }

 private:
  struct Level {
    std::uint32_t row;
    bool is_object;
    std::uint32_t count;
  };

  bool read_name();
  base::Result<void> add_entry();
  void open_level(std::uint32_t row, char opening);
  void close_level();

  std::string_view text_;
  std::string where_;
  TreeBuilder& builder_;
  std::uint32_t row_;
  std::string_view stop_at_;
  JsonCursor cursor_;
  std::vector<Level> levels_;
  std::string name_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace nns::checkpoint
