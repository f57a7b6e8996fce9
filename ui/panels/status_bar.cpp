#include "ui/panels/status_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

std::optional<Intent> draw_status_bar(Ui& ui, Rect area, const StatusModel& model) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  ui.open_group(ui.id("status"), area, host::Role::Status, "Status");
  ui.draw().AddLine(ImVec2(area.x, area.y), ImVec2(area.right(), area.y), theme.border);
  Rect row = area.inset(ui.px(12), 0);
  if (!model.jobs.empty()) {
    const RunningJob& job = model.jobs.back();
    ImGui::PushID(static_cast<int>(job.request));
    if (widgets::icon_button(ui, row.cut_right(ui.px(24)).middle(ui.px(24)), Icon::Close, "Cancel " + job.text)) {
      intent = CancelJob{job.request};
    }
    row.cut_right(ui.px(8));
    if (!job.is_held) {
      const Rect bar = row.cut_right(ui.px(120)).middle(ui.px(4));
      widgets::progress_bar(ui, bar, job.text, job.at);
      row.cut_right(ui.px(10));
    }
    std::string words = job.text;
    if (job.at >= 0) words += fmt::format("  {}%", static_cast<int>(job.at * 100));
    if (job.is_held) words += ", paused";
    if (model.jobs.size() > 1) words += fmt::format("  and {} more", model.jobs.size() - 1);
    const float width = std::min(row.width * 0.6F, ui.text_width(Type::Small, words) + 1);
    ui.paint_line(row.cut_right(width), Type::Small, theme.muted, words, 1);
    row.cut_right(ui.px(16));
    ImGui::PopID();
  }
  host::AccessNode node;
  node.role = host::Role::Text;
  node.name = model.counts;
  ui.describe(ui.id("##counts"), row, std::move(node));
  if (ui.paint_line(row, Type::Small, theme.muted, model.counts)) ui.tooltip_at(row, model.counts);
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
