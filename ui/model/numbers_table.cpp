#include "ui/model/numbers_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ui/model/format.h"

namespace nns::model {

namespace wire = live::wire;

namespace {

constexpr std::array<NumbersTitle, kNumbersColumns> kNumbersTitles = {{
    {"Tensor", "In the tree's order"},
    {"Min", "Smallest finite value"},
    {"Max", "Largest finite value"},
    {"Mean", "Of the finite values"},
    {"Std", "Population standard deviation of the finite values"},
    {"|Max|", "Largest magnitude"},
    {"Zeros", "Share of values that are zero"},
    {"NaN", "Values that are no number"},
    {"Inf", "Infinite values of both signs"},
    {"Dead rows", "Indices of the first axis whose values are all zero"},
    {"Dead cols", "Indices of the second axis whose values are all zero"},
    {"Outliers", "Values more than 6 standard deviations away from the mean"},
}};

}  // namespace

const NumbersTitle& numbers_title(NumbersColumn column) { return kNumbersTitles[static_cast<std::size_t>(column)]; }

double numbers_value(const live::DocumentView& document, const wire::TensorNumbers& numbers, NumbersColumn column) {
  if (column == NumbersColumn::Name) return static_cast<double>(document.node(numbers.tensor()));
  if (numbers.state() != wire::NumbersState::Known) return std::numeric_limits<double>::quiet_NaN();
  switch (column) {
    case NumbersColumn::Name:
      break;
    case NumbersColumn::Min:
      return numbers.min();
    case NumbersColumn::Max:
      return numbers.max();
    case NumbersColumn::Mean:
      return numbers.mean();
    case NumbersColumn::Std:
      return numbers.std();
    case NumbersColumn::AbsMax:
      return numbers.absmax();
    case NumbersColumn::Zeros:
      return static_cast<double>(numbers.zeros()) / static_cast<double>(numbers.count());
    case NumbersColumn::NaN:
      return static_cast<double>(numbers.nan());
    case NumbersColumn::Infinite:
      return static_cast<double>(numbers.infinite());
    case NumbersColumn::DeadRows:
      return static_cast<double>(numbers.dead_rows());
    case NumbersColumn::DeadColumns:
      return static_cast<double>(numbers.dead_columns());
    case NumbersColumn::Outliers:
      return static_cast<double>(numbers.outliers());
  }
  return 0;
}

std::string numbers_text(const wire::TensorNumbers& numbers, NumbersColumn column) {
  if (numbers.state() != wire::NumbersState::Known || numbers.count() == 0) return {};
  switch (column) {
    case NumbersColumn::Name:
      return {};
    case NumbersColumn::Min:
      return value_text(numbers.min());
    case NumbersColumn::Max:
      return value_text(numbers.max());
    case NumbersColumn::Mean:
      return value_text(numbers.mean());
    case NumbersColumn::Std:
      return value_text(numbers.std());
    case NumbersColumn::AbsMax:
      return value_text(numbers.absmax());
    case NumbersColumn::Zeros:
      return numbers.zeros() == 0 ? "0" : share_text(numbers.zeros(), numbers.count());
    case NumbersColumn::NaN:
      return thousands(numbers.nan());
    case NumbersColumn::Infinite:
      return thousands(numbers.infinite());
    case NumbersColumn::DeadRows:
      return numbers.rows() == 0 ? "" : thousands(numbers.dead_rows());
    case NumbersColumn::DeadColumns:
      return numbers.columns() == 0 ? "" : thousands(numbers.dead_columns());
    case NumbersColumn::Outliers:
      return thousands(numbers.outliers());
  }
  return {};
}

void NumbersTable::choose(const live::DocumentView& document, std::span<const wire::TensorNumbers> numbers,
                          NumbersColumn column) {
  const bool falls_first = column != NumbersColumn::Name;
  if (!is_sorted_ || column != column_) {
    is_sorted_ = true;
    is_descending_ = falls_first;
  } else if (is_descending_ == falls_first) {
    is_descending_ = !falls_first;
  } else {
    is_sorted_ = false;
  }
  column_ = column;
  sort(document, numbers);
}

void NumbersTable::sort(const live::DocumentView& document, std::span<const wire::TensorNumbers> numbers) {
  lines_.resize(numbers.size());
  std::iota(lines_.begin(), lines_.end(), 0U);
  if (!is_sorted_) return;
  // One number a line first: working it out in each comparison would cost more than the sort.
  std::vector<double> keys(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double value = numbers_value(document, numbers[i], column_);
    // What has no number stands last either way.
    keys[i] = std::isnan(value) ? std::numeric_limits<double>::infinity() : is_descending_ ? -value : value;
  }
  std::stable_sort(lines_.begin(), lines_.end(),
                   [&keys](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
}

void NumbersTable::follow(std::span<const wire::TensorNumbers> numbers) {
  if (numbers.size() < lines_.size()) lines_.clear();
  while (lines_.size() < numbers.size()) lines_.push_back(static_cast<std::uint32_t>(lines_.size()));
}

NumbersSummary summarise_numbers(std::span<const wire::TensorNumbers> numbers) {
  NumbersSummary summary;
  for (const wire::TensorNumbers& tensor : numbers) {
    if (tensor.state() == wire::NumbersState::NoValues) ++summary.without_values;
    if (tensor.state() == wire::NumbersState::Unreadable) ++summary.unreadable;
    if (tensor.state() != wire::NumbersState::Known) continue;
    ++summary.known;
    if (tensor.nan() + tensor.infinite() != 0) ++summary.not_finite;
    if (tensor.dead_rows() + tensor.dead_columns() != 0) ++summary.dead;
    if (tensor.outliers() != 0) ++summary.outliers;
  }
  return summary;
}

}  // namespace nns::model
