#include "ui/panels/keys_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/widgets/button.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

std::optional<Intent> draw_keys_overlay(Ui& ui, const Rect& area, std::span<const KeyLine> lines,
                                        widgets::ScrollState& scroll) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  const float width = std::min(ui.px(520), area.width - ui.px(32));
  const float height = std::min(area.height - ui.px(32), ui.px(640));
  Rect box{std::round(area.centre_x() - width / 2), std::round(area.centre_y() - height / 2), width, height};
  const widgets::Dialog dialog(ui, area, "##keys", box, "Keys");
  Rect inside = box.inset(ui.px(24), ui.px(16));
  Rect head = inside.cut_top(ui.px(32));
  if (widgets::icon_button(ui, head.cut_right(ui.px(32)), Icon::Close, "Close", "Esc")) intent = ShowKeys{false};
  Flow title(ui, head);
  title.heading("Keys", Type::Title);
  inside.cut_top(ui.px(8));

  const Rect content = ui.begin_scroll(ui.id("scroll"), inside, scroll);
  Flow flow(ui, {content.x, content.y, content.width - ui.px(14), content.height});
  std::string_view group;
  for (const KeyLine& line : lines) {
    if (line.group != group) {
      if (!group.empty()) {
        ui.close_group();
        flow.space(12);
      }
      group = line.group;
      flow.heading(group, Type::SmallStrong);
      flow.space(4);
      ui.open_group(ui.id(group), {content.x, flow.y(), content.width, 0}, host::Role::List, std::string(group));
    }
    Rect row = flow.take(26);
    host::AccessNode node;
    node.role = host::Role::ListItem;
    node.name = fmt::format("{}: {}", line.title, line.keys);
    ui.describe(ui.id(line.title), row, std::move(node));
    // Two spaces part the keys from one another and from the word between them; each key has a cap of its own.
    std::string_view rest = line.keys;
    while (!rest.empty()) {
      const std::size_t gap = rest.rfind("  ");
      const std::string_view key = gap == std::string_view::npos ? rest : rest.substr(gap + 2);
      const bool is_word =
          key == "or" || (key == "/" && gap != std::string_view::npos && rest.size() < line.keys.size());
      rest = gap == std::string_view::npos ? std::string_view() : rest.substr(0, gap);
      const Type type = is_word ? Type::Small : Type::CodeSmall;
      const Rect cap = row.cut_right(ui.text_width(type, key) + ui.px(12)).middle(ui.px(20));
      if (!is_word) {
        ui.draw().AddRectFilled(ImVec2(cap.x, cap.y), ImVec2(cap.right(), cap.bottom()), theme.raised, ui.px(4));
      }
      ui.paint_line(cap, type, is_word ? theme.muted : theme.text, key, 0.5F);
      if (!is_word) row.cut_right(ui.px(2));
    }
    ui.paint_line(row, Type::Body, theme.muted, line.title);
  }
  if (!group.empty()) ui.close_group();
  ui.end_scroll(flow.height());
  if (dialog.is_pressed_outside()) intent = ShowKeys{false};
  return intent;
}

}  // namespace nns::panels
