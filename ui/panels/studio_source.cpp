// The studio's source, with the line that runs.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "ui/panels/studio_panel.h"
#include "ui/widgets/code_line.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using StudioWhat = StudioAsk::What;

namespace {

constexpr float kSourceRow = 20;  // design units

}  // namespace

std::optional<Intent> draw_studio_source(Ui& ui, Rect area, const StudioPanelModel& model, StudioPanelState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  const StudioSource& source = *model.source;
  const Rect head = area.cut_top(ui.px(28)).inset(ui.px(12), 0);
  ui.paint_line(head, Type::SmallStrong, theme.muted, source.name);
  if (source.text == nullptr) return intent;
  const std::uint32_t count = source.text->line_count();
  // The line that runs is brought into sight once for each moment.
  const std::uint64_t revealed = (std::uint64_t{model.moment->event()} << 32U) | source.line;
  if (state.revealed != revealed && source.line != 0) {
    state.revealed = revealed;
    state.source_line = source.line - 1;
    state.source_list.reveal_cursor = true;
  }
  widgets::RowListSpec spec;
  spec.name = "Source";
  spec.role = Role::List;
  spec.row_height = kSourceRow;
  spec.count = count;
  spec.cursor = state.source_line;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, state.source_list, area, std::move(spec));
  // Who types meanwhile, as the answer of a lesson's question, goes on typing.
  if (state.source_focus.take() && !ui.is_typing()) list.take_focus();
  if (list.moved_to()) state.source_line = *list.moved_to();
  if (list.take_key(ImGuiKey_F9) && state.source_line < count) {
    intent = StudioAsk{StudioWhat::ToggleBreakpoint, state.source_line + 1};
  }
  if (list.take_key(ImGuiKey_Space)) intent = StudioAsk{StudioWhat::Play};
  const float digits = ui.text_width(Type::CodeSmall, fmt::format("{}", count)) + ui.px(8);
  const widgets::LetterGrid grid(ui, ui.font_size(Type::Code));
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const std::string_view text = source.text->line(index);
    const bool runs = index + 1 == source.line;
    const bool has_breakpoint = model.breakpoints->contains(index);
    AccessNode node;
    node.role = Role::ListItem;
    node.name = fmt::format("{}{}{}: {}", index + 1, has_breakpoint ? ", breakpoint" : "", runs ? ", runs" : "", text);
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(count);
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    if (runs) {
      ui.draw().AddRectFilled(ImVec2(row.x, row.y), ImVec2(row.right(), row.bottom()),
                              widgets::with_alpha(source.is_innermost ? theme.event : theme.muted, 0.16F));
    }
    const Rect gutter = row.cut_left(ui.px(22));
    if (has_breakpoint) {
      ui.draw().AddCircleFilled(ImVec2(gutter.centre_x(), gutter.centre_y()), ui.px(5), theme.danger);
    } else if (runs) {
      const float x = gutter.centre_x(), y = gutter.centre_y(), r = ui.px(5);
      ui.draw().AddTriangleFilled(ImVec2(x - r, y - r), ImVec2(x - r, y + r), ImVec2(x + r, y),
                                  source.is_innermost ? theme.event : theme.muted);
    }
    ui.paint_line(row.cut_left(digits), Type::CodeSmall, theme.muted, fmt::format("{}", index + 1), 1);
    row.cut_left(ui.px(12));
    ui.draw().PushClipRect(ImVec2(row.x, row.y), ImVec2(row.right(), row.bottom()), true);
    if (runs && source.end_column > source.begin_column && source.end_column <= text.size()) {
      const float from = row.x + grid.x_of(text, source.begin_column);
      const float to = row.x + grid.x_of(text, source.end_column);
      ui.draw().AddLine(ImVec2(from, row.bottom() - ui.px(2)), ImVec2(to, row.bottom() - ui.px(2)), theme.event,
                        ui.px(1.5F));
    }
    grid.paint_code(ui.draw(), theme, text, source.looks->line(index), row.x,
                    row.y + std::floor((row.height - grid.size_px()) / 2), row.right());
    ui.draw().PopClipRect();
    if (grid.x_of(text, static_cast<std::uint32_t>(text.size())) > row.width) ui.tooltip_at(row, text);
    list.close_row();
    if (events.clicked) {
      state.source_line = index;
      if (ImGui::GetIO().MousePos.x < gutter.right()) intent = StudioAsk{StudioWhat::ToggleBreakpoint, index + 1};
    }
    if (events.activated || events.double_clicked) intent = StudioAsk{StudioWhat::RunToLine, index + 1};
  }
  return intent;
}

}  // namespace nns::panels
