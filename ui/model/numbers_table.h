#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/mirror.h"

/// The statistics of all tensors of a document as a table that sorts.
namespace nns::model {

enum class NumbersColumn : std::uint8_t {
  Name,
  Min,
  Max,
  Mean,
  Std,
  AbsMax,
  Zeros,
  NaN,
  Infinite,
  DeadRows,
  DeadColumns,
  Outliers
};
inline constexpr std::size_t kNumbersColumns = 12;

struct NumbersTitle {
  std::string_view title;
  std::string_view about;  ///< what it is, for a tooltip
};
const NumbersTitle& numbers_title(NumbersColumn column);

/// What the column sorts by: of zeros their share, of names the place in the tree. NaN where there is nothing.
double numbers_value(const live::DocumentView& document, const live::wire::TensorNumbers& numbers,
                     NumbersColumn column);
/// As the table shows it; of a tensor without values "".
std::string numbers_text(const live::wire::TensorNumbers& numbers, NumbersColumn column);

/// The order of the lines. Rows that come while it is sorted are put behind the others until sort() is called again,
/// so that nothing jumps under a person's eyes.
class NumbersTable {
 public:
  NumbersColumn column() const { return column_; }
  bool is_descending() const { return is_descending_; }
  bool is_sorted() const { return is_sorted_; }
  /// The tensor of each line.
  std::span<const std::uint32_t> lines() const { return lines_; }

  /// Sorts by a column; once more by the same turns it round, and then the file's order comes back. Largest first.
  void choose(const live::DocumentView& document, std::span<const live::wire::TensorNumbers> numbers,
              NumbersColumn column);
  /// Sorts as chosen. Cost: n log n.
  void sort(const live::DocumentView& document, std::span<const live::wire::TensorNumbers> numbers);
  /// Takes in what has come.
  void follow(std::span<const live::wire::TensorNumbers> numbers);

 private:
  NumbersColumn column_ = NumbersColumn::Name;
  bool is_descending_ = false;
  bool is_sorted_ = false;
  std::vector<std::uint32_t> lines_;
};

/// What is worth a look: how many tensors have NaN or infinite values, dead rows or columns, cannot be read.
struct NumbersSummary {
  std::uint32_t known = 0;
  std::uint32_t without_values = 0;
  std::uint32_t unreadable = 0;
  std::uint32_t not_finite = 0;
  std::uint32_t dead = 0;
  std::uint32_t outliers = 0;
};
NumbersSummary summarise_numbers(std::span<const live::wire::TensorNumbers> numbers);

}  // namespace nns::model
