#include "ui/panels/tensor_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/model/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/slider.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using model::AxisRole;
using widgets::Flow;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

std::optional<base::TensorSlice> draw_axis(Flow& flow, Rect line, std::span<const std::int64_t> shape,
                                           const base::TensorSlice& slice, std::size_t axis) {
  Ui& ui = flow.ui();
  std::optional<base::TensorSlice> changed;
  const std::string name = fmt::format("Axis {}", axis);
  const base::AxisRange& range = slice.axes[axis];
  const auto size = static_cast<std::uint64_t>(shape[axis]);
  const Rect label = line.cut_left(ui.px(96));
  std::string words = model::thousands(size);
  if (slice.stays(axis) && range.count != size) {
    words = fmt::format("{} of {}", model::thousands(range.count), words);
  }
  const float name_width = ui.text_width(Type::Small, name);
  ui.paint_line(label, Type::Small, ui.theme().text, name);
  Rect numbers = label;
  numbers.cut_left(name_width + ui.px(8));
  ui.paint_line(numbers, Type::CodeSmall, ui.theme().muted, words);
  const AxisRole role = model::axis_role(slice, axis);
  const float width = widgets::segmented_width(ui, {"Rows", "Columns", "Index"});
  if (const auto chosen = widgets::segmented(ui, line.cut_left(std::min(width, line.width)), fmt::format("{} is", name),
                                             {"Rows", "Columns", "Index"}, static_cast<std::size_t>(role))) {
    changed = model::with_role(slice, shape, axis, static_cast<AxisRole>(*chosen));
  }
  line.cut_left(ui.px(8));
  if (role == AxisRole::Index && line.width >= ui.px(80)) {
    const auto index = widgets::index_slider(ui, line.cut_left(std::min(line.width, ui.px(220))),
                                             fmt::format("Index of axis {}", axis), range.start, size);
    if (index) changed = model::with_index(slice, axis, *index);
  }
  return changed;
}

}  // namespace

std::optional<Intent> draw_tensor_part(Flow& flow, std::span<const std::int64_t> shape, const base::TensorSlice& slice,
                                       const model::SliceView& view, TensorPartState& state) {
  Ui& ui = flow.ui();
  std::optional<Intent> intent;
  if (state.shown != view.text) {
    // Another part came from the controls, a link or another tensor; what was typed to get here stays as it is.
    const auto typed = base::parse_slice(state.text, shape);
    if (state.text.empty() || !typed.ok() || *typed != slice) state.text = view.text;
    state.shown = view.text;
    state.wrong.clear();
  }
  Rect line = flow.take(30);
  if (slice.order.size() > 1) {
    const char* swap = "Transpose";
    if (widgets::button(ui, line.cut_right(widgets::button_width(ui, swap, false)), swap, widgets::ButtonStyle::Plain,
                        std::nullopt, false, "Rows become columns")) {
      intent = SetSlice{model::transposed(slice)};
    }
    line.cut_right(ui.px(8));
  }
  if (!view.is_whole) {
    const char* all = "All";
    if (widgets::button(ui, line.cut_right(widgets::button_width(ui, all, false)), all, widgets::ButtonStyle::Plain,
                        std::nullopt, false, "The whole tensor")) {
      intent = SetSlice{base::whole_slice(shape)};
    }
    line.cut_right(ui.px(8));
  }
  widgets::TextFieldSpec field;
  field.name = "Part of the tensor";
  field.placeholder = "[:, 3, ::2, -1]";
  const widgets::TextFieldResult typed = widgets::text_field(ui, line, state.text, field);
  if (typed.changed) {
    const auto read = base::parse_slice(state.text, shape);
    state.wrong.clear();
    if (read.ok()) {
      if (!(*read == slice)) intent = SetSlice{*read};
    } else {
      const base::Error& error = read.error();
      state.wrong = fmt::format("Character {}: {}; {} would be right", error.offset.value_or(0) + 1, error.found,
                                error.expected.empty() ? "something else" : error.expected);
    }
  }
  if (!state.wrong.empty()) {
    flow.space(4);
    flow.paragraph(state.wrong, Type::Small);
  }
  if (shape.size() > 1) {
    flow.space(6);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      Rect row = flow.take(26);
      if (auto changed = draw_axis(flow, row, shape, slice, axis)) intent = SetSlice{std::move(*changed)};
      flow.space(4);
      // Where the line has no room for it the index is below.
      const bool fits =
          row.width - ui.px(104) - widgets::segmented_width(ui, {"Rows", "Columns", "Index"}) >= ui.px(80);
      if (!fits && model::axis_role(slice, axis) == AxisRole::Index) {
        const auto index = widgets::index_slider(ui, flow.take(26), fmt::format("Index of axis {}", axis),
                                                 slice.axes[axis].start, static_cast<std::uint64_t>(shape[axis]));
        if (index) intent = SetSlice{model::with_index(slice, axis, *index)};
        flow.space(4);
      }
    }
  }
  flow.space(2);
  flow.paragraph(
      fmt::format("Shape {}, strides {}, storage offset {}", view.shape, view.strides, model::thousands(view.offset)),
      Type::Small, true);
  return intent;
}

}  // namespace nns::panels
