#include "ui/panels/tree_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/model/format.h"
#include "ui/panels/row_look.h"
#include "ui/widgets/button.h"
#include "ui/widgets/colour_map.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Icon;
using widgets::Rect;
using widgets::RowList;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr std::string_view kTimes = "\xC3\x97";

/// Which columns fit the panel's width, and where. Units: pixels.
struct Columns {
  float type = 0;
  float parameters = 0;
  float bytes = 0;
  float share = 0;
  float indent = 0;       ///< of one level
  float most_indent = 0;  ///< however deep
};

constexpr float kBeforeName = 48;  // design units: margin, arrow, icon

std::uint32_t depth_of(const live::DocumentView& document, std::uint32_t row) {
  constexpr std::uint32_t kDeepest = 64;
  std::uint32_t depth = 0;
  for (std::uint32_t up = document.parent(row); up != live::kNone && depth < kDeepest; up = document.parent(up))
    ++depth;
  return depth;
}

/// Measured once, from rows all over the document: nothing moves when rows unfold or scroll.
void measure(const Ui& ui, const live::DocumentView& document, TreePanelState& state) {
  if (state.measured == &document && state.measured_scale == ui.px(1)) return;
  state.measured = &document;
  state.measured_scale = ui.px(1);
  state.name_px = state.type_px = 0;
  state.depth = 0;
  // A person waits for this frame: few rows tell, and most names cannot be the widest one.
  constexpr std::uint32_t kMostRows = 512;
  const float wide_letter = ui.font_size(Type::Body) * 0.7F;
  const std::uint32_t step = document.row_count() / kMostRows + 1;
  for (std::uint32_t row = 0; row < document.row_count(); row += step) {
    const std::uint32_t depth = depth_of(document, row);
    const float indent = ui.px(16) * static_cast<float>(depth);
    const bool is_value = document.kind(row) == live::RowKind::Value;
    const bool is_code = is_value || document.tensor(row) != live::kNone;
    const std::string_view name = row == 0 ? document.title() : document.name(row);
    // Values may be texts of any length: they take what is over.
    const float most_type = is_value ? ui.px(96) : FLT_MAX;
    state.depth = std::max(state.depth, depth);
    if (indent + wide_letter * static_cast<float>(name.size()) > state.name_px) {
      state.name_px = std::max(state.name_px, indent + ui.text_width(Type::Body, name));
    }
    state.type_px =
        std::max(state.type_px,
                 std::min(most_type, ui.text_width(is_code ? Type::CodeSmall : Type::Body, type_text(document, row))));
  }
}

Columns columns_of(const Ui& ui, float width, const TreePanelState& state) {
  Columns columns;
  if (width >= ui.px(300)) columns.bytes = ui.px(76);
  if (width >= ui.px(500)) columns.parameters = ui.px(84);
  const float margins = ui.px(32);
  const float named = state.name_px + ui.px(kBeforeName + 40);
  const float typed = state.type_px + ui.px(16);
  // The share is in the size, too: it stays away from names that need its place.
  const float share = ui.px(104);
  const float needed = margins + columns.bytes + columns.parameters + share + named + typed;
  if (width >= ui.px(640) && (needed <= width || width >= ui.px(1000))) columns.share = share;
  const float rest = width - margins - columns.bytes - columns.parameters - columns.share;
  float name = rest;
  if (width >= ui.px(380)) {
    // Types get what they need, at most two fifths; names get what they need of the rest; what is over is between both.
    const float type = std::min(typed, std::floor(rest * 0.4F));
    name = std::clamp(named, std::floor(rest * 0.36F), rest - type);
    columns.type = rest - name;
  }
  columns.most_indent = std::max(0.0F, (name - ui.px(kBeforeName)) / 2);
  columns.indent = std::clamp(columns.most_indent / static_cast<float>(state.depth + 1), ui.px(4), ui.px(16));
  return columns;
}

float indent_of(const Ui& ui, const Columns& columns, const model::TreeRow& line) {
  return ui.px(8) + std::min(columns.indent * static_cast<float>(line.depth), columns.most_indent);
}

struct Cells {
  Rect name, type, parameters, bytes, share;
};

Cells cut_cells(const Ui& ui, Rect row, const Columns& columns) {
  Cells cells;
  row.cut_right(ui.px(12));
  cells.share = row.cut_right(columns.share);
  cells.bytes = row.cut_right(columns.bytes);
  cells.parameters = row.cut_right(columns.parameters);
  cells.type = row.cut_right(columns.type);
  cells.name = row;
  return cells;
}

void draw_header(Ui& ui, const Rect& area, const Columns& columns) {
  ui.open_group(ui.id("##header"), area, Role::Group, "Columns");
  Rect row = area;
  row.cut_right(ui.px(10));
  row.cut_left(ui.px(16));
  const Cells cells = cut_cells(ui, row, columns);
  const auto head = [&](const Rect& rect, const char* text, float align) {
    if (rect.width <= 0) return;
    AccessNode node;
    node.role = Role::Text;
    node.name = text;
    ui.describe(ui.id(text), rect, std::move(node));
    ui.paint_line(rect, Type::Small, ui.theme().muted, text, align);
  };
  head(cells.name, "Name", 0);
  head(cells.type, "Type", 0);
  head(cells.parameters, "Parameters", 1);
  head(cells.bytes, "Size", 1);
  Rect share = cells.share;
  share.cut_left(ui.px(16));
  head(share, "Share", 0);
  ui.close_group();
}

/// The other names of what a row shows; empty if it is not tied.
std::vector<std::string> tied_names(const model::TreeModel& tree, std::uint32_t row, std::size_t most) {
  std::vector<std::string> names;
  const std::uint32_t group = tree.tied().group(row);
  if (group == model::TiedRows::kNoGroup) return names;
  const auto rows = tree.tied().rows(group);
  for (const std::uint32_t other : rows) {
    if (other == row) continue;
    if (names.size() == most) {
      names.push_back(fmt::format("and {} more", model::thousands(rows.size() - 1 - most)));
      break;
    }
    names.push_back(tree.document()->path(other));
  }
  return names;
}

std::string accessible_name(const model::TreeModel& tree, const model::TreeRow& line, const std::string& label) {
  const live::DocumentView& document = *tree.document();
  std::string name = label;
  const std::string type = type_text(document, line.row);
  if (!type.empty()) name.append(", ").append(type);
  if (line.is_fold()) name += fmt::format(", {} times", line.fold_count);
  if ((document.flags(line.row) & live::kSuspicious) != 0) name.append(", suspicious");
  if ((document.flags(line.row) & live::kShared) != 0) {
    constexpr std::size_t kMostNames = 3;
    const auto others = tied_names(tree, line.row, kMostNames);
    name +=
        others.empty() ? ", shares its storage" : fmt::format(", shares its storage with {}", fmt::join(others, ", "));
  }
  if (document.parameters(line.row) > 0 && document.tensor(line.row) == live::kNone) {
    name += fmt::format(", {} parameters", model::thousands(document.parameters(line.row) * line.fold_count));
  }
  return name;
}

void draw_share(Ui& ui, Rect cell, std::uint64_t part, std::uint64_t whole, widgets::Colour colour) {
  if (cell.width <= 0 || part == 0 || whole == 0) return;
  cell.cut_left(ui.px(16));
  const Rect text = cell.cut_right(ui.px(44));
  const Rect bar = cell.middle(ui.px(4));
  const float share = static_cast<float>(static_cast<double>(part) / static_cast<double>(whole));
  const float rounding = bar.height / 2;
  ui.draw().AddRectFilled(ImVec2(bar.x, bar.y), ImVec2(bar.right(), bar.bottom()), ui.theme().track, rounding);
  const float width = std::max(bar.height, bar.width * std::min(1.0F, share));
  ui.draw().AddRectFilled(ImVec2(bar.x, bar.y), ImVec2(bar.x + width, bar.bottom()), colour, rounding);
  ui.paint_line(text, Type::Small, ui.theme().muted, model::share_text(part, whole), 1);
}

/// The sign of tied weights, in the colour of their group: every row of a group has the same.
void draw_tied(Ui& ui, const Rect& place, const model::TreeModel& tree, std::uint32_t row) {
  constexpr std::size_t kMostNames = 12;
  const std::uint32_t group = tree.tied().group(row);
  const bool is_known = group != model::TiedRows::kNoGroup;
  paint_icon(
      ui, Icon::Link, place,
      is_known ? widgets::category_colour(group % widgets::kCategoryColours, ui.theme().is_dark) : ui.theme().event,
      13);
  std::string tip = "Shares its storage with another tensor (tied weights): counted once";
  if (is_known)
    tip += fmt::format("\nTied group {}: {}", group + 1, fmt::join(tied_names(tree, row, kMostNames), "\n"));
  ui.tooltip_at(place, tip);
}

void draw_name(Ui& ui, Rect cell, float indent, const model::TreeModel& tree, const model::TreeRow& line,
               const std::string& label) {
  const live::DocumentView& document = *tree.document();
  const widgets::Theme& theme = ui.theme();
  cell.cut_left(indent);
  const Rect arrow = cell.cut_left(ui.px(18));
  if (line.expandable) paint_icon(ui, line.expanded ? Icon::ChevronDown : Icon::ChevronRight, arrow, theme.muted, 14);
  paint_icon(ui, kind_icon(document.kind(line.row)), cell.cut_left(ui.px(18)),
             kind_colour(theme, document.kind(line.row)), 14);
  cell.cut_left(ui.px(4));
  cell.cut_right(ui.px(8));
  // Signs and the chip stand behind the label. When there is no room for all, the chip goes first.
  const std::uint8_t flags = document.flags(line.row);
  const bool is_suspicious = (flags & live::kSuspicious) != 0;
  const bool is_shared = (flags & live::kShared) != 0;
  Rect text = cell;
  text.width -= ui.px(20) * static_cast<float>(static_cast<int>(is_suspicious) + static_cast<int>(is_shared));
  const Type type = tree.is_filtered() && line.matches ? Type::Strong : Type::Body;
  const float label_px = ui.text_width(type, label);
  std::string chip;
  if (line.is_fold()) chip = fmt::format("{}{}", kTimes, model::thousands(line.fold_count));
  if (!chip.empty()) {
    const float chip_px = widgets::chip_width(ui, chip);
    if (label_px + ui.px(6) + chip_px <= text.width) {
      widgets::paint_chip(ui, text.x + label_px + ui.px(6), cell, chip, theme.module);
      cell.cut_left(ui.px(6) + chip_px);
    }
  }
  if (ui.paint_line(text, type, theme.text, label)) ui.tooltip_at(text, label);
  cell.cut_left(std::min(label_px, text.width) + ui.px(2));
  if (is_suspicious) {
    const Rect sign = cell.cut_left(ui.px(20));
    paint_icon(ui, Icon::Warning, sign, theme.warning, 14);
    ui.tooltip_at(sign, "Comes from a global outside the allow-list: see Safety");
  }
  if (is_shared) draw_tied(ui, cell.cut_left(ui.px(20)), tree, line.row);
}

void draw_cells(Ui& ui, const Rect& row, const Columns& columns, const model::TreeModel& tree,
                const model::TreeRow& line, const std::string& label) {
  const live::DocumentView& document = *tree.document();
  const widgets::Theme& theme = ui.theme();
  const Cells cells = cut_cells(ui, row, columns);
  draw_name(ui, cells.name, indent_of(ui, columns, line), tree, line, label);
  const bool is_tensor = document.tensor(line.row) != live::kNone;
  if (cells.type.width > 0) {
    Rect type = cells.type;
    type.cut_right(ui.px(8));
    std::string text = type_text(document, line.row);
    const bool is_code = is_tensor || document.kind(line.row) == live::RowKind::Value;
    const bool is_short = is_tensor && ui.text_width(Type::CodeSmall, text) > type.width;
    if (is_short) ui.tooltip_at(type, text);
    // A shape cut in its middle says something else.
    if (is_short && document.has_shape(document.tensor(line.row)) && document.preview(line.row).empty())
      text = model::shape_text(document.shape(document.tensor(line.row)));
    const bool cut = ui.paint_line(type, is_code ? Type::CodeSmall : Type::Body, theme.muted, text);
    const bool inferred = (document.flags(line.row) & live::kClassInferred) != 0;
    if (inferred) {
      ui.tooltip_at(type, std::string(document.class_name(line.row)) +
                              "\nWorked out from names and shapes: the file does not say the class");
    } else if (cut && !is_short) {
      ui.tooltip_at(type, is_tensor
                              ? text
                              : std::string(document.class_name(line.row)) + std::string(document.preview(line.row)));
    }
  }
  const std::uint64_t parameters = document.parameters(line.row) * line.fold_count;
  const std::uint64_t bytes = document.bytes(line.row) * line.fold_count;
  if (parameters > 0) {
    ui.paint_line(cells.parameters, Type::CodeSmall, theme.text, model::short_count(parameters), 1);
    if (cells.parameters.width > 0) ui.tooltip_at(cells.parameters, model::thousands(parameters) + " parameters");
  }
  if (bytes > 0) {
    ui.paint_line(cells.bytes, Type::CodeSmall, theme.text, model::short_bytes(bytes), 1);
    if (cells.bytes.width > 0) ui.tooltip_at(cells.bytes, model::thousands(bytes) + " bytes");
  }
  draw_share(ui, cells.share, bytes, document.get().total_bytes(), kind_colour(theme, document.kind(line.row)));
}

/// "12 matches · 1,234,567 parameters · 4.8 MB", or what is wrong with the query.
std::string filter_text(const model::TreeModel& tree) {
  if (tree.filter_error()) {
    return fmt::format("{}: expected {}", tree.filter_error()->found, tree.filter_error()->expected);
  }
  if (!tree.is_filtered()) return {};
  std::string text = tree.match_count() == 1 ? "1 match" : model::thousands(tree.match_count()) + " matches";
  if (tree.match_count() > 0) text += model::totals_text(tree.match_totals());
  return text;
}

std::optional<Intent> draw_filter(Ui& ui, Rect area, const model::TreeModel& tree, TreePanelState& state) {
  std::optional<Intent> intent;
  Rect row = area.inset(ui.px(12), 0).middle(ui.px(32));
  const Rect collapse = row.cut_right(ui.px(32));
  row.cut_right(ui.px(4));
  if (const std::string said = filter_text(tree); !said.empty()) {
    const bool is_wrong = tree.filter_error().has_value();
    // What the matches hold is said where there is room for it; a mistake takes half of the line.
    std::string shown = said;
    if (!is_wrong && row.width < ui.px(420)) shown = said.substr(0, said.find(" \xC2\xB7 "));
    const float width = std::min(ui.text_width(Type::Small, shown) + ui.px(8), row.width / 2);
    const Rect label = row.cut_right(width);
    if (ui.paint_line(label, Type::Small, is_wrong ? ui.theme().danger : ui.theme().muted, shown, 1) || shown != said) {
      ui.tooltip_at(label, said);
    }
    AccessNode node;
    node.role = Role::Status;
    node.name = said;
    ui.describe(ui.id("##matches"), label, std::move(node));
    row.cut_right(ui.px(8));
  }
  widgets::TextFieldSpec spec;
  spec.name = "Filter";
  spec.placeholder = "Filter: attn bf16 >1M shape:768,*";
  spec.icon = Icon::Search;
  spec.role = Role::Searchbox;
  spec.take_focus = std::exchange(state.focus_filter, false);
  const widgets::TextFieldResult typed = widgets::text_field(ui, row, state.filter, spec);
  if (typed.changed) intent = SetFilter{state.filter};
  if (typed.entered || (typed.is_active && ImGui::IsKeyPressed(ImGuiKey_DownArrow))) state.focus_tree = true;
  if (widgets::icon_button(ui, collapse, Icon::Minus, "Collapse all")) intent = CollapseAll{};
  return intent;
}

std::optional<Intent> tree_keys(RowList& list, Ui& ui, const model::TreeModel& tree, std::uint32_t cursor) {
  if (!list.has_focus() || cursor >= tree.rows().size() || ui.is_typing()) return std::nullopt;
  const model::TreeRow& line = tree.rows()[cursor];
  if (list.take_key(ImGuiKey_RightArrow)) {
    if (line.expandable && !line.expanded) return ExpandLine{cursor, true};
    if (line.expanded) return SelectLine{cursor + 1};
  }
  if (list.take_key(ImGuiKey_LeftArrow)) {
    if (line.expandable && line.expanded) return ExpandLine{cursor, false};
    if (const std::uint32_t parent = tree.parent_line(cursor); parent != model::TreeModel::kNoLine) {
      return SelectLine{parent};
    }
  }
  if (list.take_key(ImGuiKey_Space) && line.expandable) return ExpandLine{cursor, !line.expanded};
  if (ui.take_typed('*')) return ExpandBelow{cursor};
  return std::nullopt;
}

widgets::RowListSpec list_spec(const model::TreeModel& tree) {
  const live::DocumentView& document = *tree.document();
  widgets::RowListSpec spec;
  spec.name = "Modules";
  spec.role = Role::Tree;
  spec.count = static_cast<std::uint32_t>(tree.rows().size());
  spec.cursor = tree.selected_line();
  spec.key = [&tree](std::uint32_t index) {
    const model::TreeRow& line = tree.rows()[index];
    return line.is_fold() ? line.row | 0x80000000U : line.row;
  };
  spec.starts_with = [&tree, &document](std::uint32_t index, std::string_view text) {
    const std::string_view name = document.name(tree.rows()[index].row);
    return name.size() >= text.size() && std::equal(text.begin(), text.end(), name.begin(), [](char a, char b) {
             return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
           });
  };
  return spec;
}

}  // namespace

std::optional<Intent> draw_tree_panel(Ui& ui, Rect area, const model::TreeModel& tree, TreePanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  ui.open_group(ui.id("tree panel"), area, Role::Navigation,
                state.is_beside && tree.document() != nullptr
                    ? fmt::format("Module tree of {}", tree.document()->title())
                    : "Module tree");
  widgets::draw_plate(ui, area, ui.theme().surface);
  keep(draw_filter(ui, area.cut_top(ui.px(48)), tree, state));
  if (tree.document() != nullptr) measure(ui, *tree.document(), state);
  const Columns columns = columns_of(ui, area.width, state);
  draw_header(ui, area.cut_top(ui.px(24)), columns);

  if (tree.rows().empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    flow.empty_state(Icon::Search, "Nothing matches",
                     "Nothing in this document answers to all of it. Escape clears the filter.");
    ui.close_group();
    return intent;
  }
  const live::DocumentView& document = *tree.document();
  const std::uint32_t cursor = tree.selected_line();
  RowList list(ui, state.list, area, list_spec(tree));
  if (std::exchange(state.focus_tree, false)) list.take_focus();
  if (list.moved_to()) intent = SelectLine{*list.moved_to()};
  if (list.expand()) intent = ExpandLine{list.expand()->first, list.expand()->second};
  keep(tree_keys(list, ui, tree, cursor));
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const model::TreeRow& line = tree.rows()[index];
    std::string label = model::row_label(document, line);
    if (label.empty()) label = std::string("(").append(kind_text(document.kind(line.row))).append(")");
    AccessNode node;
    node.role = Role::TreeItem;
    node.name = accessible_name(tree, line, label);
    node.description = kind_text(document.kind(line.row));
    node.level = line.depth + 1;
    node.position = static_cast<std::int32_t>(line.position);
    node.set_size = static_cast<std::int32_t>(line.siblings);
    if (line.expandable) node.expanded = line.expanded ? 1 : 0;
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    draw_cells(ui, row, columns, tree, line, label);
    list.close_row();
    if (events.clicked) {
      const Rect arrow{row.x + indent_of(ui, columns, line), row.y, ui.px(18), row.height};
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      const bool on_arrow = !events.activated && arrow.contains(mouse.x, mouse.y);
      intent = SelectLine{index};
      if (line.expandable && (on_arrow || events.activated)) intent = ExpandLine{index, !line.expanded};
    }
    if (events.double_clicked && line.expandable) intent = ExpandLine{index, !line.expanded};
  }
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
