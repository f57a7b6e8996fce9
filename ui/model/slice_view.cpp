#include "ui/model/slice_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::model {

namespace {

template <class Numbers>
std::string tuple_of(const Numbers& numbers) {
  return fmt::format("({}{})", fmt::join(numbers, ", "), numbers.size() == 1 ? "," : "");
}

}  // namespace

AxisRole axis_role(const base::TensorSlice& slice, std::size_t axis) {
  if (!slice.stays(axis)) return AxisRole::Index;
  return slice.order.back() == axis ? AxisRole::Columns : AxisRole::Rows;
}

base::TensorSlice with_role(base::TensorSlice slice, std::span<const std::int64_t> shape, std::size_t axis,
                            AxisRole role) {
  const AxisRole now = axis_role(slice, axis);
  if (now == role || shape[axis] <= 0) return slice;
  std::vector<std::uint8_t>& order = slice.order;
  if (role == AxisRole::Index) {
    std::erase(order, static_cast<std::uint8_t>(axis));
    slice.axes[axis] = {0, 1, 1};
    return slice;
  }
  if (now == AxisRole::Index) {
    slice.axes[axis] = {0, static_cast<std::uint64_t>(shape[axis]), 1};
    // Beside the columns; rows keep the order in which the tensor has them where nobody changed it.
    const auto behind = std::find_if(order.begin(), order.empty() ? order.end() : order.end() - 1,
                                     [axis](std::uint8_t other) { return other > axis; });
    order.insert(behind, static_cast<std::uint8_t>(axis));
    if (axis_role(slice, axis) == role) return slice;
  }
  if (role == AxisRole::Columns) {
    std::erase(order, static_cast<std::uint8_t>(axis));
    order.push_back(static_cast<std::uint8_t>(axis));
  } else if (order.size() > 1) {
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  }
  return slice;
}

base::TensorSlice with_index(base::TensorSlice slice, std::size_t axis, std::uint64_t index) {
  slice.axes[axis] = {index, 1, 1};
  return slice;
}

base::TensorSlice transposed(base::TensorSlice slice) {
  if (slice.order.size() > 1) std::swap(slice.order[slice.order.size() - 1], slice.order[slice.order.size() - 2]);
  return slice;
}

SliceView view_slice(const base::TensorSlice& slice, std::span<const std::int64_t> shape,
                     std::span<const std::int64_t> strides, std::uint64_t storage_offset, std::string_view dtype) {
  SliceView view;
  view.text = base::slice_text(slice, shape);
  view.per_item = dtype == "float4_e2m1fn_x2" ? 2 : 1;
  view.is_whole = slice == base::whole_slice(shape);
  const std::vector<std::int64_t> sizes = base::slice_shape(slice);
  std::vector<std::int64_t> steps;
  view.offset = storage_offset;
  for (std::size_t axis = 0; axis < slice.axes.size(); ++axis) {
    view.offset += slice.axes[axis].start * static_cast<std::uint64_t>(strides[axis]);
  }
  for (const std::uint8_t axis : slice.order) {
    // Unsigned, because a tensor that nobody can read may have strides of any size.
    steps.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(strides[axis]) * slice.axes[axis].step));
  }
  view.shape = tuple_of(sizes);
  view.strides = tuple_of(steps);
  view.rows = 1;
  view.columns = view.per_item;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    (i + 1 == sizes.size() ? view.columns : view.rows) *= static_cast<std::uint64_t>(sizes[i]);
  }
  return view;
}

std::string cell_text(const base::TensorSlice& slice, const SliceView& view, std::uint64_t row, std::uint64_t column) {
  const std::vector<std::uint64_t> index =
      base::slice_index(slice, row * (view.columns / view.per_item) + column / view.per_item);
  std::string text = fmt::format("[{}]", fmt::join(index, ", "));
  if (view.per_item == 2) text += column % 2 == 0 ? " low" : " high";
  return text;
}

}  // namespace nns::model
