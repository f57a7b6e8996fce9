#include "ui/panels/summary_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ui/model/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Fact;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

struct Tile {
  std::string label;
  std::string value;
  std::string exact;
  widgets::Colour colour;
};

void draw_tiles(Flow& flow, const model::DocumentSummary& summary) {
  Ui& ui = flow.ui();
  const widgets::Theme& theme = ui.theme();
  const std::string parameters = model::parameters_text(summary);
  const std::string modules =
      fmt::format("{} {}", model::thousands(summary.modules), summary.modules == 1 ? "module" : "modules");
  const bool is_told = summary.unknown != 0 && summary.told_bytes;
  const std::string missing = summary.unknown == 0
                                  ? std::string()
                                  : fmt::format(", without {} of {} tensors, which are in missing files",
                                                model::thousands(summary.unknown), model::thousands(summary.tensors));
  const std::array<Tile, 4> tiles = {{
      {parameters == "1" ? "parameter" : "parameters", parameters, model::thousands(summary.parameters) + missing,
       theme.parameter},
      {"in buffers", model::buffers_text(summary), model::thousands(summary.buffers) + " elements" + missing,
       theme.buffer},
      {is_told ? "size by the index" : "size", model::size_text(summary),
       is_told ? model::thousands(*summary.told_bytes) + " bytes"
               : model::thousands(summary.bytes) + " bytes" + missing,
       theme.text},
      {summary.tensors == 1 ? "tensor" : "tensors", model::thousands(summary.tensors), modules, theme.text},
  }};
  const std::size_t columns = flow.width() >= ui.px(440) ? 4 : 2;
  const float gap = ui.px(8);
  const float width = std::floor((flow.width() - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  Rect row;
  for (std::size_t index = 0; index < tiles.size(); ++index) {
    if (index % columns == 0) {
      if (index > 0) flow.space(8);
      row = flow.take(72);
    }
    const Tile& tile = tiles[index];
    const Rect box = row.cut_left(width);
    row.cut_left(gap);
    ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.raised, ui.px(8));
    Rect inside = box.inset(ui.px(12), ui.px(10));
    ui.paint_line(inside.cut_top(ui.px(30)), Type::Title, tile.colour, tile.value);
    ui.paint_line(inside, Type::Small, theme.muted, tile.label);
    ui.tooltip_at(box, tile.exact);
    AccessNode node;
    node.role = Role::Text;
    node.name = fmt::format("{} {}", tile.value, tile.label);
    node.description = tile.exact;
    ui.describe(ui.id(tile.label), box, std::move(node));
  }
}

void draw_dtypes(Flow& flow, const model::DocumentSummary& summary) {
  Ui& ui = flow.ui();
  const widgets::Theme& theme = ui.theme();
  if (summary.dtypes.empty()) return;
  flow.heading("Element types");
  flow.space(8);
  ui.open_group(ui.id("##dtypes"), {flow.y(), 0, flow.width(), 0}, Role::List, "Element types");
  for (const model::DtypeLine& line : summary.dtypes) {
    Rect row = flow.take(24);
    const std::string tensors = model::thousands(line.tensors) + (line.tensors == 1 ? " tensor" : " tensors");
    const bool is_unknown = line.dtype == "unknown";
    const std::string bytes = is_unknown ? "unknown" : model::short_bytes(line.bytes);
    ui.open_group(ui.id(line.dtype), row, Role::ListItem, fmt::format("{}: {}, {}", line.dtype, tensors, bytes));
    // Where it is narrow the numbers need the room of the bar.
    const bool has_bar = row.width >= ui.px(400);
    const float name = has_bar ? ui.px(120) : std::min(ui.px(120), row.width - ui.px(52 + 76 + 92));
    ui.paint_line(row.cut_left(name), Type::Code, theme.text, line.dtype);
    const Rect share = row.cut_right(ui.px(52));
    const Rect size = row.cut_right(ui.px(76));
    const Rect count = row.cut_right(std::min(ui.px(120), has_bar ? row.width * 0.5F : row.width));
    Rect bar = row.middle(ui.px(4));
    bar.cut_right(ui.px(8));
    if (bar.width > ui.px(24) && summary.bytes > 0) {
      const auto part = static_cast<float>(static_cast<double>(line.bytes) / static_cast<double>(summary.bytes));
      ui.draw().AddRectFilled(ImVec2(bar.x, bar.y), ImVec2(bar.right(), bar.bottom()), theme.track, bar.height);
      ui.draw().AddRectFilled(ImVec2(bar.x, bar.y),
                              ImVec2(bar.x + std::max(bar.height, bar.width * std::min(part, 1.0F)), bar.bottom()),
                              theme.parameter, bar.height);
    }
    ui.paint_line(count, Type::Small, theme.muted, tensors, 1);
    ui.paint_line(size, Type::CodeSmall, theme.text, bytes, 1);
    if (!is_unknown) ui.paint_line(share, Type::Small, theme.muted, model::share_text(line.bytes, summary.bytes), 1);
    ui.close_group();
  }
  ui.close_group();
  flow.space(20);
}

}  // namespace

void draw_summary_panel(Ui& ui, const Rect& area, const model::DocumentSummary& summary, widgets::ScrollState& scroll,
                        bool with_title) {
  const std::uint32_t id = ui.id("summary");
  const Rect content = ui.begin_scroll(id, area, scroll);
  Flow flow(ui, content.inset(ui.px(20), 0));
  flow.space(8);
  if (with_title) {
    flow.heading(summary.title, Type::Title);
    flow.paragraph(summary.format, Type::Body, true);
    flow.space(12);
  }
  draw_tiles(flow, summary);
  flow.space(20);
  if (summary.safety.is_scanned) {
    const bool is_safe = summary.safety.dangerous + summary.safety.unknown == 0;
    const Rect start = flow.take_px(0);
    paint_icon(ui,
               is_safe                        ? Icon::Shield
               : summary.safety.dangerous > 0 ? Icon::Danger
                                              : Icon::Unknown,
               {start.x, start.y, ui.px(20), ui.px(20)},
               is_safe                        ? ui.theme().good
               : summary.safety.dangerous > 0 ? ui.theme().danger
                                              : ui.theme().warning,
               15);
    Flow words(ui, {start.x + ui.px(28), start.y, flow.width() - ui.px(28), 0});
    words.paragraph(summary.safety.headline.empty() ? "Safe: nothing in this file is a pickle that names a global."
                                                    : summary.safety.headline);
    flow.take_px(words.height());
    flow.space(20);
  }
  for (const std::string& note : summary.notes) {
    const Rect start = flow.take_px(0);
    paint_icon(ui, Icon::Info, {start.x, start.y, ui.px(20), ui.px(20)}, ui.theme().warning, 15);
    Flow words(ui, {start.x + ui.px(28), start.y, flow.width() - ui.px(28), 0});
    words.paragraph(note);
    flow.take_px(words.height());
    flow.space(8);
  }
  if (!summary.notes.empty()) flow.space(12);
  if (summary.tensors == 0) {
    flow.paragraph("There are no tensors in this file; the tree shows what else it holds.", Type::Body, true);
    flow.space(20);
  }
  if (summary.shared > 0) {
    flow.paragraph(
        fmt::format("{} {} storage with another tensor and {} counted once.", model::thousands(summary.shared),
                    summary.shared == 1 ? "tensor shares its" : "tensors share their",
                    summary.shared == 1 ? "is" : "are"),
        Type::Body, true);
    flow.space(20);
  }
  draw_dtypes(flow, summary);
  if (!summary.files.empty()) {
    flow.heading("Files");
    flow.space(8);
    std::vector<Fact> facts;
    for (const model::FileLine& file : summary.files) facts.push_back({file.name, file.size, {}, false});
    widgets::fact_table(flow, "Files", facts);
    flow.space(20);
  }
  if (!summary.metadata.empty()) {
    flow.heading("Metadata");
    flow.space(8);
    std::vector<Fact> facts;
    for (const auto& [key, value] : summary.metadata) facts.push_back({key, value, {}, false});
    widgets::fact_table(flow, "Metadata", facts);
    flow.space(20);
  }
  ui.end_scroll(flow.height());
}

}  // namespace nns::panels
