#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/terminal.h"

namespace nns::cli {

/// Lines in columns. Numbers stand on the right of theirs, words on the left; a column that nothing is in is left out.
/// On a terminal that is narrower the widest columns of words are cut with "…".
class Table {
 public:
  struct Column {
    std::string_view title;
    bool is_number = false;
  };
  /// `painted`: the text with its colours; empty: as it is.
  struct Cell {
    std::string text = {};
    std::string painted = {};
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One cell a column.
  void add(std::vector<Cell> line) { lines_.push_back(std::move(line)); }
  void print(std::FILE* out, const Terminal& terminal) const;

 private:
  void fit(std::vector<std::size_t>& widths, std::size_t columns) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> lines_;
};

}  // namespace nns::cli
