#include "ui/panels/choice_dialog.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/widgets/dialog.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

std::optional<Intent> draw_choice_dialog(Ui& ui, const Rect& area, std::string_view title,
                                         std::span<const ChoiceLine> lines, ChoiceState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  const float width = std::min(ui.px(460), area.width - ui.px(32));
  const float height = std::min(area.height - ui.px(32), ui.px(64) + ui.px(34) * static_cast<float>(lines.size()));
  const Rect box{std::round(area.centre_x() - width / 2), std::round(area.y + std::min(ui.px(96), area.height * 0.1F)),
                 width, height};
  const widgets::Dialog dialog(ui, area, "##choice", box, std::string(title));
  Rect inside = box.inset(0, ui.px(8));
  const Rect head = inside.cut_top(ui.px(40)).inset(ui.px(16), 0);
  ui.paint_line(head, Type::Heading, theme.text, title);

  {
    widgets::RowListSpec spec;
    spec.name = title;
    spec.role = Role::Listbox;
    spec.row_height = 34;
    spec.count = static_cast<std::uint32_t>(lines.size());
    spec.cursor = state.cursor;
    spec.key = [](std::uint32_t index) { return index; };
    widgets::RowList list(ui, state.list, inside, std::move(spec));
    if (std::exchange(state.take_focus, false)) list.take_focus();
    if (list.moved_to()) state.cursor = *list.moved_to();
    for (std::uint32_t index = list.first(); index < list.end(); ++index) {
      const ChoiceLine& line = lines[index];
      AccessNode node;
      node.role = Role::Option;
      node.name = line.label;
      node.description = line.hint;
      node.position = static_cast<std::int32_t>(index + 1);
      node.set_size = static_cast<std::int32_t>(lines.size());
      Rect row;
      const widgets::RowEvents events = list.open_row(index, std::move(node), row);
      row = row.inset(ui.px(16), 0);
      const float hint = std::min(ui.text_width(Type::Small, line.hint), row.width / 2);
      ui.paint_line(row.cut_right(hint), Type::Small, theme.muted, line.hint, 1);
      row.cut_right(ui.px(12));
      ui.paint_line(row, Type::Body, theme.text, line.label);
      list.close_row();
      if (events.clicked) intent = Choose{index};
    }
  }
  if (dialog.is_pressed_outside()) intent = HideChoice{};
  return intent;
}

}  // namespace nns::panels
