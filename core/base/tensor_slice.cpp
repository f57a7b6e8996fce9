#include "core/base/tensor_slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::base {

namespace {

// Text is read from left to right; the first thing that cannot be understood ends it.
class Reader {
 public:
  Reader(std::string_view text, std::span<const std::int64_t> shape) : text_(text), shape_(shape) {}

  Result<TensorSlice> read() {
    slice_.axes = whole_slice(shape_).axes;
    const bool has_bracket = take('[');
    if (!at_suffix() && !at_end() && peek() != ']') {
      if (!read_items()) return error_;
    }
    if (has_bracket && !take(']')) return fail("the bracket is not closed", "]");
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      if (!is_index_[axis]) slice_.order.push_back(static_cast<std::uint8_t>(axis));
    }
    while (take('.')) {
      if (!read_suffix()) return error_;
    }
    if (!at_end()) return fail(fmt::format("\"{}\" behind the index", text_.substr(at_)), "nothing more");
    return slice_;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() { return peek() == '\0'; }
  bool at_suffix() { return peek() == '.' && !text_.substr(at_).starts_with("..."); }
  bool take(char character) {
    if (peek() != character) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  Error fail(std::string found, std::string expected) { return fail_at(at_, std::move(found), std::move(expected)); }
  Error fail_at(std::size_t place, std::string found, std::string expected) {
    error_ = {std::move(found), std::move(expected), {}, place};
    return error_;
  }
  bool refuse(std::size_t place, std::string found, std::string expected) {
    fail_at(place, std::move(found), std::move(expected));
    return false;
  }

  // A whole number if there is one; false if there is none, and failed_ if it does not fit.
  bool read_number(std::int64_t& number) {
    skip_blanks();
    const std::size_t begin = at_;
    std::size_t at = at_;
    const bool is_negative = at < text_.size() && text_[at] == '-';
    if (at < text_.size() && (text_[at] == '-' || text_[at] == '+')) ++at;
    const std::size_t digits = at;
    std::int64_t value = 0;
    for (; at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; ++at) {
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at] - '0', &value)) {
        failed_ = !refuse(begin, "a number that does not fit", "a number below 2^63");
        return false;
      }
    }
    if (at == digits) return false;
    number = is_negative ? -value : value;
    at_ = at;
    return true;
  }

  // The axes that the items name; "..." stands for those that nobody names.
  bool read_items() {
    std::size_t named = 0;
    std::size_t dots = 0;
    for (std::size_t at = at_; at < text_.size() && text_[at] != ']' && !is_suffix(at);) {
      if (text_.substr(at).starts_with("...")) {
        ++dots;
        at += 3;
      } else {
        ++at;
      }
    }
    std::size_t commas = 0;
    bool is_blank = true;  // behind the last comma
    for (std::size_t at = at_; at < text_.size() && text_[at] != ']' && !is_suffix(at); ++at) {
      if (text_[at] == ',') {
        ++commas;
        is_blank = true;
      } else if (text_[at] != ' ' && text_[at] != '\t') {
        is_blank = false;
        if (text_.substr(at).starts_with("...")) at += 2;
      }
    }
    named = commas + (is_blank ? 0 : 1) - dots;
    if (dots > 1) return refuse(at_, "more than one \"...\"", "one at most");
    for (std::size_t axis = 0;;) {
      if (at_end() || peek() == ']' || at_suffix()) return true;
      if (take_word("...")) {
        axis += shape_.size() > named ? shape_.size() - named : 0;
      } else {
        if (axis >= shape_.size()) {
          return refuse(at_, fmt::format("too many indices for a tensor of {} dimensions", shape_.size()),
                        fmt::format("at most {}", shape_.size()));
        }
        if (!read_item(axis++)) return false;
      }
      if (!take(',')) return true;
    }
  }
  bool is_suffix(std::size_t at) const {
    if (text_[at] != '.' || text_.substr(at).starts_with("...")) return false;
    return at == 0 || text_[at - 1] != '.';
  }

  bool read_item(std::size_t axis) {
    skip_blanks();
    const std::size_t begin = at_;
    const std::int64_t size = shape_[axis];
    AxisRange& range = slice_.axes[axis];
    std::int64_t start = 0;
    const bool has_start = read_number(start);
    if (failed_) return false;
    if (!take(':')) {
      if (!has_start) return refuse(begin, unknown(begin), "an index, a slice (start:stop:step) or \"...\"");
      if (start < -size || start >= size) {
        return refuse(begin, fmt::format("index {} is outside axis {}, which has {}", start, axis, size),
                      size == 0 ? "a slice" : fmt::format("{} to {}", -size, size - 1));
      }
      range = {static_cast<std::uint64_t>(start < 0 ? start + size : start), 1, 1};
      is_index_[axis] = true;
      return true;
    }
    std::int64_t stop = size;
    std::int64_t step = 1;
    read_number(stop);
    if (failed_) return false;
    if (take(':')) {
      skip_blanks();
      const std::size_t place = at_;
      read_number(step);
      if (failed_) return false;
      if (step <= 0) return refuse(place, fmt::format("a step of {}", step), "a step above 0, as in PyTorch");
    }
    // Bounds outside the axis are taken to its ends, as Python does.
    const auto bound = [size](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
    start = bound(start);
    stop = bound(stop);
    range.start = static_cast<std::uint64_t>(start);
    range.step = static_cast<std::uint64_t>(step);
    range.count = stop > start ? (static_cast<std::uint64_t>(stop - start) - 1) / range.step + 1 : 0;
    if (range.count == 0) range.start = 0;
    if (range.count <= 1) range.step = 1;
    return true;
  }
  std::string unknown(std::size_t begin) const {
    if (begin >= text_.size()) return "the text ends";
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != ',' && text_[end] != ']') ++end;
    return fmt::format("\"{}\"", text_.substr(begin, std::max(end, begin + 1) - begin));
  }

  bool read_suffix() {
    const std::size_t begin = at_;
    const std::size_t rank = slice_.order.size();
    if (take_word("permute")) return read_permute(begin);
    if (take_word("transpose")) {
      std::int64_t axes[2] = {};
      if (!take('(') || !read_number(axes[0]) || !take(',') || !read_number(axes[1]) || !take(')')) {
        return failed_ ? false : refuse(at_, "no two axes", "transpose(a, b)");
      }
      for (std::int64_t& axis : axes) {
        if (!wrap(begin, axis, rank)) return false;
      }
      std::swap(slice_.order[static_cast<std::size_t>(axes[0])], slice_.order[static_cast<std::size_t>(axes[1])]);
      return true;
    }
    if (take_word("mT")) {
      if (rank < 2) return refuse(begin, fmt::format("mT of {} dimensions", rank), "at least 2");
      std::swap(slice_.order[rank - 1], slice_.order[rank - 2]);
      return true;
    }
    if (take_word("T")) {
      std::reverse(slice_.order.begin(), slice_.order.end());
      return true;
    }
    return refuse(begin, unknown(begin), "permute(...), transpose(a, b), T or mT");
  }
  bool wrap(std::size_t place, std::int64_t& axis, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
      return refuse(place, fmt::format("axis {} of {} dimensions", axis, rank),
                    rank == 0 ? "no axis" : fmt::format("{} to {}", -count, count - 1));
    }
    if (axis < 0) axis += count;
    return true;
  }
  bool read_permute(std::size_t place) {
    if (!take('(')) return refuse(at_, "permute without axes", "permute(1, 0)");
    std::vector<std::uint8_t> order;
    while (!take(')')) {
      skip_blanks();
      const std::size_t begin = at_;
      std::int64_t axis = 0;
      if (!read_number(axis)) return failed_ ? false : refuse(begin, unknown(begin), "an axis or \")\"");
      if (!wrap(begin, axis, slice_.order.size())) return false;
      const std::uint8_t chosen = slice_.order[static_cast<std::size_t>(axis)];
      if (std::find(order.begin(), order.end(), chosen) != order.end()) {
        return refuse(begin, fmt::format("axis {} twice", axis), "each axis once");
      }
      order.push_back(chosen);
      take(',');
    }
    if (order.size() != slice_.order.size()) {
      return refuse(place, fmt::format("{} axes to permute", order.size()), fmt::format("all {}", slice_.order.size()));
    }
    slice_.order = std::move(order);
    return true;
  }

  std::string_view text_;
  std::span<const std::int64_t> shape_;
  std::size_t at_ = 0;
  TensorSlice slice_;
  std::vector<bool> is_index_ = std::vector<bool>(shape_.size(), false);
  bool failed_ = false;
  Error error_;
};

}  // namespace

bool TensorSlice::stays(std::size_t axis) const {
  return std::find(order.begin(), order.end(), static_cast<std::uint8_t>(axis)) != order.end();
}

TensorSlice whole_slice(std::span<const std::int64_t> shape) {
  TensorSlice slice;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    slice.axes.push_back({0, static_cast<std::uint64_t>(std::max<std::int64_t>(shape[axis], 0)), 1});
    slice.order.push_back(static_cast<std::uint8_t>(axis));
  }
  return slice;
}

std::vector<std::int64_t> slice_shape(const TensorSlice& slice) {
  std::vector<std::int64_t> shape;
  for (const std::uint8_t axis : slice.order) shape.push_back(static_cast<std::int64_t>(slice.axes[axis].count));
  return shape;
}

std::string slice_text(const TensorSlice& slice, std::span<const std::int64_t> shape) {
  std::string text = "[";
  std::vector<std::uint8_t> natural;
  for (std::size_t axis = 0; axis < slice.axes.size(); ++axis) {
    const AxisRange& range = slice.axes[axis];
    const auto size = static_cast<std::uint64_t>(shape[axis]);
    if (axis != 0) text += ", ";
    if (!slice.stays(axis)) {
      text += fmt::format("{}", range.start);
      continue;
    }
    natural.push_back(static_cast<std::uint8_t>(axis));
    const std::uint64_t stop = range.count == 0 ? range.start : range.start + (range.count - 1) * range.step + 1;
    // A stop is left out where the next index would lie outside anyway.
    const bool to_end = range.count == 0 ? size == 0 : size - stop < range.step;
    if (range.start != 0) text += fmt::format("{}", range.start);
    text += ":";
    if (!to_end) text += fmt::format("{}", stop);
    if (range.step != 1) text += fmt::format(":{}", range.step);
  }
  text += "]";
  if (slice.order == natural) return text;
  text += ".permute(";
  for (std::size_t i = 0; i < slice.order.size(); ++i) {
    const auto place = std::find(natural.begin(), natural.end(), slice.order[i]) - natural.begin();
    text += fmt::format("{}{}", i == 0 ? "" : ", ", place);
  }
  return text + ")";
}

Result<TensorSlice> parse_slice(std::string_view text, std::span<const std::int64_t> shape) {
  return Reader(text, shape).read();
}

Result<void> check_slice(const TensorSlice& slice, std::span<const std::int64_t> shape) {
  const auto refuse = [](std::string found, std::string expected) {
    return Error{std::move(found), std::move(expected), {}, std::nullopt};
  };
  if (slice.axes.size() != shape.size() || shape.size() > 255) {
    return refuse(fmt::format("a slice of {} axes", slice.axes.size()), fmt::format("{} axes", shape.size()));
  }
  std::vector<bool> stays(shape.size(), false);
  for (const std::uint8_t axis : slice.order) {
    if (axis >= shape.size() || stays[axis]) {
      return refuse(fmt::format("axis {} in a slice", axis), "each axis of the tensor once at most");
    }
    stays[axis] = true;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const AxisRange& range = slice.axes[axis];
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(shape[axis], 0));
    const bool fits = range.count == 0 || (range.step != 0 && range.start < size &&
                                           (range.count - 1) <= (size - 1 - range.start) / range.step);
    if (!fits || (!stays[axis] && range.count != 1)) {
      return refuse(
          fmt::format("{} indices from {} on, {} apart, of axis {}", range.count, range.start, range.step, axis),
          fmt::format("indices below {}", size));
    }
  }
  return {};
}

std::vector<std::uint64_t> slice_index(const TensorSlice& slice, std::uint64_t flat) {
  std::vector<std::uint64_t> index(slice.axes.size());
  for (std::size_t axis = 0; axis < slice.axes.size(); ++axis) index[axis] = slice.axes[axis].start;
  for (std::size_t i = slice.order.size(); i-- > 0;) {
    const AxisRange& range = slice.axes[slice.order[i]];
    const std::uint64_t count = std::max<std::uint64_t>(range.count, 1);
    index[slice.order[i]] += flat % count * range.step;
    flat /= count;
  }
  return index;
}

}  // namespace nns::base
