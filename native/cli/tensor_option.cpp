#include "native/cli/tensor_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nns::cli {

bool is_called(std::string_view name, std::string_view wanted) {
  const auto same = [](char a, char b) { return a == b || (a == '.' && b == '/') || (a == '/' && b == '.'); };
  return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(), same);
}

base::Result<base::TensorSlice> read_slice(const std::string& text, std::span<const std::int64_t> shape) {
  if (text.empty()) return base::whole_slice(shape);
  auto slice = base::parse_slice(text, shape);
  if (slice.ok()) return slice;
  base::Error error = slice.error();
  error.where = fmt::format("--slice {}, character {}", text, error.offset.value_or(0) + 1);
  error.expected += fmt::format(" (the shape is ({}{}))", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  error.offset.reset();
  return error;
}

}  // namespace nns::cli
