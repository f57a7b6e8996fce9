#include "ui/panels/capture_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/live/message.h"
#include "ui/widgets/button.h"
#include "ui/widgets/code_line.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/tabs.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::text_of;
using model::CaptureLine;
using model::CapturePart;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using Kind = CaptureLine::Kind;
using CaptureWhat = CaptureAsk::What;

namespace {

constexpr float kCaptureMargin = 20;  // design units
constexpr float kWide = 780;          // from here on the source stands beside the other parts
constexpr float kLowCapture = 280;    // a panel that is lower is scrolled
constexpr float kIndent = 30;

std::optional<Intent> draw_fields(Ui& ui, Rect& area, const CapturePanelModel& model, CapturePanelState& state) {
  std::optional<Intent> intent;
  const bool is_capturing = model.request != 0;
  const char* label = is_capturing ? "Cancel" : "Capture";
  Rect line = area.cut_top(ui.px(40)).inset(ui.px(kCaptureMargin), ui.px(3));
  const Rect button = line.cut_right(widgets::button_width(ui, label, false));
  line.cut_right(ui.px(8));
  Rect call = line, inputs = line;
  if (line.width < ui.px(420) && area.height > ui.px(kLowCapture + 40)) {
    inputs = area.cut_top(ui.px(40)).inset(ui.px(kCaptureMargin), ui.px(3));
  } else {
    call = inputs.cut_left(line.width * 0.45F);
    inputs.cut_left(ui.px(8));
  }
  const bool is_changed = std::exchange(state.fields_changed, false);
  widgets::TextFieldSpec spec;
  spec.name = "Module or function to compile";
  spec.placeholder = "the whole program";
  spec.type = Type::Code;
  spec.take_focus = std::exchange(state.take_focus, false);
  spec.changed = is_changed;
  const widgets::TextFieldResult named = widgets::text_field(ui, call, state.call, spec);
  ui.tooltip_at(call, "Empty: the program runs from its beginning, and what it compiles is shown");
  if (named.changed) intent = CaptureAsk{CaptureWhat::EditCall};
  widgets::TextFieldSpec given;
  given.name = "Inputs";
  given.placeholder = "1,3,224,224; mask=None";
  given.type = Type::Code;
  given.changed = is_changed;
  const widgets::TextFieldResult typed = widgets::text_field(ui, inputs, state.inputs, given);
  ui.tooltip_at(inputs, "What it is called with: sizes of zeros (1,16:long), expressions, keywords; \";\" between two");
  ImGui::PushID("capture");
  if (is_capturing) {
    if (widgets::button(ui, button, label)) intent = CancelJob{model.request};
  } else {
    const std::string_view tip = model.is_running ? "The program is running" : "Enter in one of the fields";
    const bool is_pressed =
        widgets::button(ui, button, label, widgets::ButtonStyle::Primary, std::nullopt, model.is_running, tip);
    if (is_pressed || ((named.entered || typed.entered) && !model.is_running)) intent = CaptureAsk{CaptureWhat::Run};
  }
  ImGui::PopID();
  return intent;
}

void status(Ui& ui, const Rect& line, std::string_view words, bool is_bad) {
  if (words.empty()) return;
  if (ui.paint_line(line, Type::Body, is_bad ? ui.theme().danger : ui.theme().text, words)) ui.tooltip_at(line, words);
  AccessNode node;
  node.role = Role::Status;
  node.name = words;
  ui.describe(ui.id("##status"), line, std::move(node));
}

// Which frame of how many, and the way to the others.
std::optional<Intent> draw_frame_line(Ui& ui, Rect line, const CapturePanelModel& model, CapturePanelState& state) {
  std::optional<Intent> intent;
  const model::CaptureView& view = *model.view;
  line = line.inset(ui.px(kCaptureMargin), 0);
  if (model.of == CaptureOf::Program) {
    constexpr std::string_view kByInstance = "By instance";
    const Rect place = line.cut_right(widgets::button_width(ui, kByInstance, false)).middle(ui.px(26));
    if (widgets::toggle(ui, "by instance", place, kByInstance, "Follow modules by instance", state.by_instance,
                        "inline_inbuilt_nn_modules=False: modules of torch.nn become call_module nodes")) {
      state.by_instance = !state.by_instance;
    }
    line.cut_right(ui.px(12));
  }
  const live::wire::Capture* const capture = view.capture();
  if (model.of == CaptureOf::Package && capture == nullptr) {
    const bool is_reading = model.request != 0;
    const char* const label = is_reading ? "Cancel" : "Read the programs";
    const Rect place = line.cut_right(widgets::button_width(ui, label, false)).middle(ui.px(28));
    if (widgets::button(ui, place, label)) {
      if (is_reading) {
        intent = CancelJob{model.request};
      } else {
        intent = CaptureAsk{CaptureWhat::Run};
      }
    }
    line.cut_right(ui.px(12));
  }
  const std::uint32_t count = capture == nullptr ? 0 : capture->frames()->size();
  if (count > 0) {
    const std::uint32_t now = view.frame_number();
    const auto step = [&](Icon icon, std::string_view name, std::string_view key, std::uint32_t to, bool is_off) {
      const Rect place = line.cut_left(ui.px(28)).middle(ui.px(26));
      if (widgets::icon_button(ui, place, icon, name, key, is_off)) intent = CaptureAsk{CaptureWhat::ChooseFrame, to};
    };
    step(Icon::ArrowLeft, "Frame before", ",", now - 1, now == 0);
    step(Icon::ArrowRight, "Next frame", ".", now + 1, now + 1 >= count);
    if (now > 0 && ui.take_typed(',')) intent = CaptureAsk{CaptureWhat::ChooseFrame, now - 1};
    if (now + 1 < count && ui.take_typed('.')) intent = CaptureAsk{CaptureWhat::ChooseFrame, now + 1};
    line.cut_left(ui.px(8));
  }
  const bool has_failed = model.request == 0 && !model.error->empty();
  const bool has_raised = model.request == 0 && capture != nullptr && capture->error()->size() > 0;
  std::string words;
  if (has_failed || has_raised) {
    words = has_failed ? *model.error : std::string(text_of(capture->error()));
  } else if (model.request != 0) {
    words = model.of == CaptureOf::Package ? "Reading the programs\u2026" : "Capturing\u2026";
  } else if (count > 0) {
    words = fmt::format("{} of {}: {}", view.frame_number() + 1, count, view.frame_title(view.frame_number()));
    if (capture->call()->size() > 0 && capture->first_new() >= count) {
      words = "All guards held: what was compiled before ran, nothing new";
    }
  } else if (capture != nullptr) {
    words = "Nothing was compiled: no call of what torch.compile gives";
  }
  status(ui, line, words, has_failed || has_raised);
  return intent;
}

widgets::Colour colour_of(const widgets::Theme& theme, Kind kind) {
  switch (kind) {
    case Kind::Break:
    case Kind::Cut:
      return theme.danger;
    case Kind::Reason:
      return theme.warning;
    case Kind::Note:
      return theme.muted;
    default:
      return theme.text;
  }
}

// How much of the width each column of a part has; narrow ones show fewer.
std::array<float, model::kCaptureColumns> shares_of(CapturePart part, float units) {
  std::array<float, model::kCaptureColumns> shares = {0.22F, 0.28F, 0.32F, 0.18F};
  if (part == CapturePart::Guards) shares = {0.26F, 0.36F, 0.16F, 0.22F};
  if (part == CapturePart::Modules) shares = {0.36F, 0.34F, 0.15F, 0.15F};
  constexpr float kTwo = 420, kThree = 620;
  if (units < kThree) shares[3] = 0;
  if (units < kTwo) shares[2] = 0;
  float sum = 0;
  for (const float share : shares) sum += share;
  for (float& share : shares) share /= sum;
  return shares;
}

std::optional<Intent> open_line(const CapturePanelModel& model, CapturePart part, const CaptureLine& line) {
  switch (part) {
    case CapturePart::Frames:
      if (line.frame != model.view->frame_number()) return CaptureAsk{CaptureWhat::ChooseFrame, line.frame};
      return line.index != 0 && line.kind != Kind::Frame
                 ? std::optional<Intent>(CaptureAsk{CaptureWhat::ChooseLine, line.index})
                 : std::nullopt;
    case CapturePart::Nodes:
      if (const auto body = model.view->body_of(line.index)) return CaptureAsk{CaptureWhat::ChooseGraph, *body};
      return CaptureAsk{CaptureWhat::OpenModuleOfNode, line.index};
    case CapturePart::Guards:
      if (line.kind == Kind::Reason) return CaptureAsk{CaptureWhat::ChooseFrame, line.frame};
      return CaptureAsk{CaptureWhat::ChooseLine, model.view->frame()->guards()->Get(line.index)->line()};
    case CapturePart::Modules:
      return CaptureAsk{CaptureWhat::OpenModuleOfRow, line.index};
    default:
      return CaptureAsk{CaptureWhat::ChooseLine, line.index};
  }
}

void draw_heads(Ui& ui, Rect line, CapturePart part, std::span<const float> shares) {
  const auto titles = model::CaptureView::titles(part);
  if (titles[0].empty()) return;
  const float width = line.width;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (shares[i] == 0) continue;
    ui.paint_line(line.cut_left(width * shares[i]).inset(ui.px(6), 0), Type::SmallStrong, ui.theme().muted, titles[i]);
  }
}

std::optional<Intent> draw_list(Ui& ui, Rect area, const CapturePanelModel& model, CapturePanelState& state,
                                CapturePart part) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  const model::CaptureView& view = *model.view;
  const auto lines = view.lines(part);
  const auto number = static_cast<std::size_t>(part);
  const bool is_source = part == CapturePart::Source;
  if (lines.empty()) {
    widgets::Flow flow(ui, area.inset(ui.px(kCaptureMargin), ui.px(8)));
    flow.paragraph(is_source ? "The source is not known." : "There are none.", Type::Body, true);
    return intent;
  }
  Rect head = area;
  const bool has_head = !model::CaptureView::titles(part)[0].empty();
  if (has_head) head = area.cut_top(ui.px(24)).inset(ui.px(8), 0);
  const auto shares = shares_of(part, area.width / ui.px(1));
  head.width -= ui.px(10);
  if (has_head) draw_heads(ui, head, part, shares);
  std::uint32_t& chosen = state.lines[number];
  widgets::RowListSpec spec;
  spec.name = model::capture_part_name(part);
  spec.role = Role::List;
  spec.row_height = is_source ? 20 : 26;
  spec.count = static_cast<std::uint32_t>(lines.size());
  if (chosen < lines.size()) spec.cursor = chosen;
  spec.key = [](std::uint32_t index) { return index; };
  widgets::RowList list(ui, state.lists[number], area, std::move(spec));
  state.is_in_content = state.is_in_content || list.has_focus();
  if (part == state.part && std::exchange(state.focus_content, false)) list.take_focus();
  const auto choose = [&](std::uint32_t index) {
    chosen = index;
    const CaptureLine& line = lines[index];
    if (part == CapturePart::Nodes) intent = CaptureAsk{CaptureWhat::ChooseNode, line.index};
    if (part == CapturePart::Frames && line.frame != view.frame_number()) {
      intent = CaptureAsk{CaptureWhat::ChooseFrame, line.frame};
    }
  };
  if (list.moved_to()) choose(*list.moved_to());
  const std::uint32_t node_line = is_source && view.node() != UINT32_MAX ? view.line_of_node(view.node()) : 0;
  const float digits = is_source ? ui.text_width(Type::CodeSmall, fmt::format("{}", lines.back().index)) + ui.px(8) : 0;
  const widgets::LetterGrid grid(ui, ui.font_size(Type::Code));
  for (std::uint32_t index = list.first(); index < list.end(); ++index) {
    const CaptureLine& line = lines[index];
    const auto cells = view.cells(part, line);
    const std::string remark = is_source ? std::string() : view.remark(part, line);
    const std::uint32_t nodes = line.kind == Kind::Code ? view.nodes_of_line(line.index) : 0;
    AccessNode node;
    node.role = Role::ListItem;
    node.name = line.kind == Kind::Code
                    ? fmt::format("{}{}: ", line.index,
                                  nodes == 0 ? "" : fmt::format(", {} node{}", nodes, nodes == 1 ? "" : "s"))
                : line.kind == Kind::Cut ? "Graph break, "
                                         : "";
    for (const std::string& cell : cells) {
      if (cell.empty()) continue;
      if (&cell != cells.data()) node.name += ", ";
      node.name += cell;
    }
    if (part == CapturePart::Modules) node.description = remark;
    if (line.kind == Kind::Frame && line.frame == view.frame_number()) node.name += ", shown";
    node.position = static_cast<std::int32_t>(index + 1);
    node.set_size = static_cast<std::int32_t>(lines.size());
    Rect row;
    const widgets::RowEvents events = list.open_row(index, std::move(node), row);
    const ImVec2 low(row.x, row.y), high(row.right(), row.bottom());
    const Rect whole = row;
    if (is_source && line.kind != Kind::Code) {
      ui.draw().AddRectFilled(low, high, widgets::with_alpha(theme.danger, 0.1F));
      if (line.kind == Kind::Cut) ui.draw().AddLine(low, ImVec2(high.x, low.y), theme.danger, ui.px(2));
    }
    if (node_line != 0 && line.kind == Kind::Code && line.index == node_line) {
      ui.draw().AddRectFilled(low, high, widgets::with_alpha(theme.event, 0.18F));
    }
    if (part == CapturePart::Nodes && view.is_marked(line.index)) {
      ui.draw().AddRectFilled(low, ImVec2(low.x + ui.px(3), high.y), theme.module);
    }
    bool is_cut = false;
    if (line.kind == Kind::Code) {
      // How many nodes the line made: a bar in the gutter.
      const Rect gutter = row.cut_left(ui.px(14));
      if (nodes > 0) {
        ui.draw().AddRectFilled(ImVec2(gutter.x + ui.px(4), gutter.y), ImVec2(gutter.x + ui.px(8), gutter.bottom()),
                                theme.event);
      }
      ui.paint_line(row.cut_left(digits), Type::CodeSmall, theme.muted, fmt::format("{}", line.index), 1);
      row.cut_left(ui.px(10));
      ui.draw().PushClipRect(ImVec2(row.x, row.y), ImVec2(row.right(), row.bottom()), true);
      std::span<const text::TokenSpan> spans;
      if (model.looks != nullptr) spans = model.looks->line(line.index - 1);
      grid.paint_code(ui.draw(), theme, line.text, spans, row.x, row.y + std::floor((row.height - grid.size_px()) / 2),
                      row.right());
      ui.draw().PopClipRect();
      is_cut = grid.x_of(line.text, static_cast<std::uint32_t>(line.text.size())) > row.width;
    } else if (line.kind == Kind::Plain) {
      row = row.inset(ui.px(2), 0);
      const float width = row.width;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (shares[i] == 0) continue;
        const Rect cell = row.cut_left(width * shares[i]).inset(ui.px(6), 0);
        is_cut = ui.paint_line(cell, Type::CodeSmall, i == 0 ? theme.text : theme.muted, cells[i]) || is_cut;
      }
    } else {
      row.cut_left(is_source ? ui.px(24) + digits : line.kind == Kind::Frame ? ui.px(12) : ui.px(kIndent));
      const bool is_strong = line.kind == Kind::Frame && line.frame == view.frame_number();
      is_cut = ui.paint_line(row,
                             is_strong   ? Type::Strong
                             : is_source ? Type::Small
                                         : Type::Body,
                             colour_of(theme, line.kind), cells[0]);
    }
    if (!remark.empty() && (is_cut || part == CapturePart::Modules || part == CapturePart::Nodes)) {
      ui.tooltip_at(whole, remark);
    } else if (is_cut) {
      ui.tooltip_at(whole, fmt::format("{}", fmt::join(cells, "  ")));
    }
    list.close_row();
    if (events.clicked) choose(index);
    if (events.activated || events.double_clicked) intent = open_line(model, part, line);
  }
  return intent;
}

std::optional<Intent> draw_part(Ui& ui, Rect area, const CapturePanelModel& model, CapturePanelState& state,
                                CapturePart part) {
  const live::wire::CaptureFrame* const frame = model.view->frame();
  if (part != CapturePart::Graph && part != CapturePart::Nodes) return draw_list(ui, area, model, state, part);
  std::optional<Intent> intent;
  if (model.view->graph() == nullptr) {
    widgets::Flow flow(ui, area.inset(ui.px(kCaptureMargin), ui.px(8)));
    flow.paragraph("This compilation made no graph.", Type::Body, true);
    return intent;
  }
  // Of a log the same frame has a graph for each stage of the compiler; and there are those inside of another.
  const std::uint32_t count = frame->graphs()->size();
  if (count > 1) {
    Rect line = area.cut_top(ui.px(30)).inset(ui.px(kCaptureMargin - 8), 0);
    const std::uint32_t now = model.view->graph_number();
    const auto step = [&](Icon icon, std::string_view name, std::uint32_t to, bool is_off) {
      if (widgets::icon_button(ui, line.cut_left(ui.px(28)).middle(ui.px(26)), icon, name, {}, is_off)) {
        intent = CaptureAsk{CaptureWhat::ChooseGraph, to};
      }
    };
    step(Icon::ArrowLeft, "Graph before", now - 1, now == 0);
    step(Icon::ArrowRight, "Next graph", now + 1, now + 1 >= count);
    line.cut_left(ui.px(8));
    const auto around = model.view->around();
    if (around) {
      const float width = widgets::button_width(ui, "Graph around it", false);
      const bool is_asked = widgets::button(ui, line.cut_left(width).middle(ui.px(26)), "Graph around it");
      if (is_asked || (!ui.is_typing() && ui.take_key(ImGuiKey_UpArrow, ImGuiMod_Alt))) {
        intent = CaptureAsk{CaptureWhat::ChooseGraph, around->graph};
      }
      line.cut_left(ui.px(8));
    }
    const std::string words = fmt::format("{} ({} of {})", model.view->graph_title(), now + 1, count);
    ui.paint_line(line, Type::Small, ui.theme().text, words);
    AccessNode node;
    node.role = Role::Text;
    node.name = words;
    ui.describe(ui.id("##stage"), line, std::move(node));
  }
  auto asked =
      part == CapturePart::Graph ? draw_capture_graph(ui, area, model, state) : draw_list(ui, area, model, state, part);
  return asked ? asked : intent;
}

std::optional<Intent> draw_all(Ui& ui, Rect area, const CapturePanelModel& model, CapturePanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  if (model.of == CaptureOf::Program) keep(draw_fields(ui, area, model, state));
  keep(draw_frame_line(ui, area.cut_top(ui.px(32)), model, state));
  if (model.view->is_empty()) {
    if (model.request != 0) return intent;
    widgets::Flow flow(ui, area.inset(ui.px(24), 0));
    if (model.of == CaptureOf::Package) {
      flow.empty_state(
          Icon::Layers, "The programs of the package",
          "torch.export wrote them: graph, shapes, the modules around each node, and what its inputs are.");
    } else if (model.view->capture() == nullptr) {
      flow.empty_state(
          Icon::Layers, "See what a compiler makes of modules",
          "Capture runs a module under the tracer of torch.compile: its graph, its guards, where it breaks "
          "and why it is compiled again.");
    } else {
      flow.empty_state(Icon::Info, "Nothing was compiled",
                       model.of == CaptureOf::Program ? "Name a module and what it is called with, and press Enter."
                                                      : "The log tells of no frame.");
    }
    return intent;
  }
  std::vector<widgets::TabSpec> specs;
  const bool is_wide = area.width >= ui.px(kWide);
  const bool has_badges = area.width >= ui.px(480);
  std::vector<CapturePart> parts;
  for (std::size_t i = 0; i < model::kCaptureParts; ++i) {
    const auto part = static_cast<CapturePart>(i);
    if (is_wide && part == CapturePart::Source) continue;
    parts.push_back(part);
    specs.emplace_back();
    specs.back().label = model::capture_part_name(part);
    if (has_badges) specs.back().badge = model.view->count_text(part);
  }
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == state.part) chosen = i;
  }
  const Rect bar = area.cut_top(ui.px(36)).inset(ui.px(8), 0);
  if (const auto pressed = widgets::tabs(ui, bar, "Parts of the capture", specs, chosen).chosen) {
    state.part = parts[*pressed];
    chosen = *pressed;
  }
  area.cut_top(ui.px(2));
  if (is_wide) {
    Rect side = area.cut_right(std::round(area.width * 0.42F));
    const Rect line = side.cut_left(ui.px(1));
    ui.draw().AddRectFilled(ImVec2(line.x, line.y), ImVec2(line.right(), line.bottom()), ui.theme().border);
    Rect head = side.cut_top(ui.px(24)).inset(ui.px(12), 0);
    if (model.view->file() != UINT32_MAX) {
      const std::string_view name = text_of(model.view->capture()->files()->Get(model.view->file())->name());
      if (ui.paint_line(head, Type::SmallStrong, ui.theme().muted, name)) ui.tooltip_at(head, name);
    }
    ImGui::PushID("source");
    keep(draw_list(ui, side, model, state, CapturePart::Source));
    ImGui::PopID();
  }
  ImGui::PushID("part");
  keep(draw_part(ui, area, model, state, parts[chosen]));
  ImGui::PopID();
  return intent;
}

}  // namespace

std::optional<Intent> draw_capture_panel(Ui& ui, Rect area, const CapturePanelModel& model, CapturePanelState& state) {
  const bool was_in_content = std::exchange(state.is_in_content, false);
  if (area.height >= ui.px(kLowCapture)) return draw_all(ui, area, model, state);
  // What has no room is scrolled to, by the keyboard too.
  Rect inside = ui.begin_scroll(ui.id("scroll"), area, state.scroll);
  inside.width -= ui.px(10);
  inside.height = ui.px(kLowCapture);
  auto intent = draw_all(ui, inside, model, state);
  if (state.is_in_content != was_in_content) state.scroll.offset = state.is_in_content ? inside.height : 0;
  ui.end_scroll(inside.height);
  return intent;
}

}  // namespace nns::panels
