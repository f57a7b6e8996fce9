#include "ui/panels/command_palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

char lower(char character) { return static_cast<char>(std::tolower(static_cast<unsigned char>(character))); }

std::optional<Intent> draw_lines(Ui& ui, const Rect& area, std::span<const PaletteLine> lines, PaletteState& state) {
  std::optional<Intent> intent;
  widgets::RowListSpec spec;
  spec.name = "Commands";
  spec.role = Role::List;
  spec.row_height = 32;
  spec.count = static_cast<std::uint32_t>(lines.size());
  spec.cursor = state.cursor;
  spec.key = [&lines](std::uint32_t index) { return lines[index].number; };
  widgets::RowList list(ui, state.list, area, std::move(spec));
  if (list.moved_to()) state.cursor = *list.moved_to();
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const PaletteLine& line = lines[index];
    AccessNode node;
    node.role = Role::ListItem;
    node.name = line.title;
    node.description = line.keys;
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(lines.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    row = row.inset(ui.px(16), 0);
    ui.paint_line(row, Type::CodeSmall, ui.theme().muted, line.keys, 1);
    row.cut_right(ui.text_width(Type::CodeSmall, line.keys) + ui.px(16));
    ui.paint_line(row, Type::Body, ui.theme().text, line.title);
    list.close_row();
    if (events.clicked) intent = RunCommand{line.number};
  }
  return intent;
}

}  // namespace

bool matches_fuzzily(std::string_view title, std::string_view text) {
  std::size_t at = 0;
  for (const char character : text) {
    if (character == ' ') continue;
    while (at < title.size() && lower(title[at]) != lower(character)) ++at;
    if (at == title.size()) return false;
    ++at;
  }
  return true;
}

std::optional<Intent> draw_command_palette(Ui& ui, const Rect& area, std::span<const PaletteLine> lines,
                                           PaletteState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  ImGui::SetNextWindowPos(ImVec2(area.x, area.y));
  ImGui::SetNextWindowSize(ImVec2(area.width, area.height));
  ImGui::Begin("##commands", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  ui.draw().AddRectFilled(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()),
                          widgets::with_alpha(theme.shadow, 0.6F));
  std::vector<PaletteLine> shown;
  for (const PaletteLine& line : lines) {
    if (matches_fuzzily(line.title, state.text)) shown.push_back(line);
  }
  // What begins with the text is most likely meant.
  std::stable_partition(shown.begin(), shown.end(), [&](const PaletteLine& line) {
    return matches_fuzzily(line.title.substr(0, state.text.size()), state.text);
  });
  const float width = std::min(ui.px(520), area.width - ui.px(32));
  const float height = std::min(area.height - ui.px(32), ui.px(440));
  Rect box{std::round(area.centre_x() - width / 2), std::round(area.y + std::min(ui.px(96), area.height * 0.1F)), width,
           height};
  const std::uint32_t dialog = ui.open_group(ui.id("dialog"), box, Role::Dialog, "Commands");
  ui.access().set_modal(dialog);
  ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.overlay, ui.px(12));
  ui.draw().AddRect(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.border, ui.px(12));
  Rect inside = box.inset(0, ui.px(12));

  widgets::TextFieldSpec spec;
  spec.name = "Command";
  spec.placeholder = "Type what you want to do";
  spec.icon = Icon::ChevronRight;
  spec.role = Role::Searchbox;
  spec.take_focus = std::exchange(state.focus_text, false);
  const auto last = static_cast<std::int64_t>(shown.size()) - 1;
  if (ui.is_typing() && last >= 0) {
    // The field has the keyboard; these keys are the list's all the same.
    std::int64_t cursor = std::clamp<std::int64_t>(state.cursor, 0, last);
    if (ui.take_key(ImGuiKey_DownArrow)) cursor = std::min(last, cursor + 1);
    if (ui.take_key(ImGuiKey_UpArrow)) cursor = std::max<std::int64_t>(0, cursor - 1);
    if (cursor != static_cast<std::int64_t>(state.cursor)) state.list.reveal_cursor = true;
    state.cursor = static_cast<std::uint32_t>(cursor);
  }
  const widgets::TextFieldResult typed =
      widgets::text_field(ui, inside.cut_top(ui.px(36)).inset(ui.px(12), 0), state.text, spec);
  inside.cut_top(ui.px(8));
  if (typed.changed) state.cursor = 0;
  if (typed.entered && state.cursor < shown.size()) intent = RunCommand{shown[state.cursor].number};
  if (typed.escaped) intent = HideCommands{};
  if (shown.empty()) {
    ui.paint_line(inside.cut_top(ui.px(32)).inset(ui.px(16), 0), Type::Body, theme.muted,
                  "No command has these letters");
  } else if (std::optional<Intent> asked = draw_lines(ui, inside, shown, state)) {
    intent = std::move(asked);
  }
  ui.close_group();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !box.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered()) {
    intent = HideCommands{};
  }
  ImGui::End();
  return intent;
}

}  // namespace nns::panels
