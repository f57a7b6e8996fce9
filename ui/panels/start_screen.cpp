#include "ui/panels/start_screen.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using live::wire::SampleKind;

using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

void paint_dashes(const Ui& ui, const Rect& rect, widgets::Colour colour, float thickness) {
  const float dash = ui.px(6);
  const float pitch = ui.px(12);
  for (float x = rect.x + ui.px(8); x < rect.right() - ui.px(8); x += pitch) {
    const float end = std::min(x + dash, rect.right() - ui.px(8));
    ui.draw().AddLine(ImVec2(x, rect.y), ImVec2(end, rect.y), colour, thickness);
    ui.draw().AddLine(ImVec2(x, rect.bottom()), ImVec2(end, rect.bottom()), colour, thickness);
  }
  for (float y = rect.y + ui.px(8); y < rect.bottom() - ui.px(8); y += pitch) {
    const float end = std::min(y + dash, rect.bottom() - ui.px(8));
    ui.draw().AddLine(ImVec2(rect.x, y), ImVec2(rect.x, end), colour, thickness);
    ui.draw().AddLine(ImVec2(rect.right(), y), ImVec2(rect.right(), end), colour, thickness);
  }
}

std::optional<Intent> draw_drop_target(Flow& flow, const StartModel& model) {
  Ui& ui = flow.ui();
  const widgets::Theme& theme = ui.theme();
  std::optional<Intent> intent;
  Rect box = flow.take(model.has_picker ? 148 : 116);
  ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.surface, ui.px(10));
  paint_dashes(ui, box, widgets::with_alpha(theme.muted, 0.45F), std::max(1.0F, ui.px(1)));
  box.cut_top(ui.px(20));
  paint_icon(ui, Icon::Drop, box.cut_top(ui.px(28)), theme.accent, 24);
  box.cut_top(ui.px(4));
  const Rect words = box.cut_top(ui.px(24));
  ui.paint_line(words.inset(ui.px(12), 0), Type::Body, theme.text, "Drop a checkpoint here", 0.5F);
  host::AccessNode text;
  text.role = host::Role::Text;
  text.name = "Drop a checkpoint here";
  ui.describe(ui.id("##drop"), words, std::move(text));
  box.cut_top(ui.px(8));
  if (model.has_picker) {
    const float width = widgets::button_width(ui, "Choose a file", true);
    const Rect button{std::round(box.centre_x() - width / 2), box.y, width, ui.px(36)};
    if (widgets::button(ui, button, "Choose a file", widgets::ButtonStyle::Primary, Icon::Folder)) intent = OpenFile{};
  } else {
    ui.paint_line(box.cut_top(ui.px(28)).inset(ui.px(12), 0), Type::Small, theme.muted, "or type its path below", 0.5F);
  }
  return intent;
}

std::optional<Intent> draw_location(Flow& flow, const StartModel& model, StartState& state) {
  Ui& ui = flow.ui();
  std::optional<Intent> intent;
  Rect row = flow.take(36);
  const Rect button = row.cut_right(widgets::button_width(ui, "Open", false));
  row.cut_right(ui.px(8));
  widgets::TextFieldSpec spec;
  spec.name = model.opens_paths ? "Path or address" : "Address";
  spec.placeholder = model.opens_paths ? "/path/to/model.safetensors  or  https://\xE2\x80\xA6"
                                       : "https://huggingface.co/\xE2\x80\xA6/model.safetensors";
  // What would be cut says less than what fits.
  if (row.width < ui.px(320))
    spec.placeholder = model.opens_paths ? "A path or https://\xE2\x80\xA6" : "https://\xE2\x80\xA6";
  spec.icon = Icon::Link;
  spec.take_focus = std::exchange(state.focus_location, false);
  const widgets::TextFieldResult typed = widgets::text_field(ui, row, state.location, spec);
  ImGui::PushID("location");
  const bool pressed =
      widgets::button(ui, button, "Open", widgets::ButtonStyle::Plain, std::nullopt, state.location.empty());
  ImGui::PopID();
  if ((typed.entered || pressed) && !state.location.empty()) intent = OpenLocation{state.location};
  return intent;
}

/// What only the person can give: what a link is about, what was open before the page was loaded anew.
std::optional<Intent> draw_wanted(Flow& flow, const StartModel& model) {
  Ui& ui = flow.ui();
  std::optional<Intent> intent;
  for (std::size_t index = 0; index < model.wanted.size(); ++index) {
    const StartWanted& wanted = model.wanted[index];
    ImGui::PushID(static_cast<int>(index));
    Rect box = flow.take(60);
    flow.space(8);
    ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), ui.theme().selection, ui.px(8));
    box = box.inset(ui.px(16), 0);
    const std::string forget = "Forget " + wanted.name;
    if (widgets::icon_button(ui, box.cut_right(ui.px(28)).middle(ui.px(28)), Icon::Close, forget.c_str())) {
      intent = ForgetWanted{index};
    }
    box.cut_right(ui.px(8));
    const std::string name = "Open " + wanted.name;
    const float width = std::min(widgets::button_width(ui, "Open it", true), box.width / 2);
    const Rect button = box.cut_right(width).middle(ui.px(36));
    if (widgets::button(ui, button, "Open it", widgets::ButtonStyle::Primary, Icon::Folder, false, name)) {
      intent = OpenWanted{index};
    }
    box.cut_right(ui.px(12));
    const std::string why = wanted.was_open ? "Was open here before" : "The link is about this file";
    host::AccessNode node;
    node.role = host::Role::Status;
    node.name = wanted.was_open ? wanted.name + " was open here before: open it again, choose it or drop it"
                                : "The link is about " + wanted.name + ": open it here, choose it or drop it";
    ui.describe(ui.id("##wanted"), box, std::move(node));
    Rect line = box.middle(ui.px(40));
    if (ui.paint_line(line.cut_top(ui.px(20)), Type::Strong, ui.theme().text, wanted.name)) {
      ui.tooltip_at(box, wanted.name);
    }
    ui.paint_line(line, Type::Small, ui.theme().muted, why);
    ImGui::PopID();
  }
  return intent;
}

std::optional<Intent> draw_recent(Flow& flow, const StartModel& model) {
  Ui& ui = flow.ui();
  const widgets::Theme& theme = ui.theme();
  std::optional<Intent> intent;
  ui.open_group(ui.id("##recent"), {flow.y(), 0, flow.width(), 0}, host::Role::List, "Opened lately");
  for (std::size_t index = 0; index < model.recent.size(); ++index) {
    const StartRecent& recent = model.recent[index];
    Rect row = flow.take(32);
    ImGui::PushID(static_cast<int>(index));
    ui.open_group(ui.id("##line"), row, host::Role::ListItem, recent.title);
    const Rect cross = row.cut_right(ui.px(32));
    host::AccessNode node;
    node.role = host::Role::Button;
    node.name = "Open " + recent.title;
    node.description = recent.detail;
    const widgets::Interaction what = ui.control(ui.id("##open"), row, std::move(node));
    if (what.hovered || what.held) {
      ui.draw().AddRectFilled(ImVec2(row.x, row.y), ImVec2(row.right(), row.bottom()), theme.hover, ui.px(6));
    }
    if (what.focus_visible) ui.focus_ring(row, ui.px(6));
    if (what.clicked) intent = OpenRecent{index};
    Rect inside = row.inset(ui.px(8), 0);
    paint_icon(ui, Icon::Layers, inside.cut_left(ui.px(16)), theme.muted, 14);
    inside.cut_left(ui.px(8));
    const float title = std::min(inside.width, ui.text_width(Type::Strong, recent.title));
    ui.paint_line(inside.cut_left(title), Type::Strong, theme.text, recent.title);
    inside.cut_left(ui.px(12));
    if (inside.width > ui.px(48)) ui.paint_line(inside, Type::Small, theme.muted, recent.detail);
    const std::string forget = "Forget " + recent.title;
    if (widgets::icon_button(ui, cross.middle(ui.px(28)), Icon::Close, forget.c_str())) intent = ForgetRecent{index};
    ui.close_group();
    ImGui::PopID();
  }
  ui.close_group();
  return intent;
}

std::optional<Intent> draw_samples(Flow& flow, const StartModel& model, SampleKind kind, const char* title,
                                   const char* name, Icon icon) {
  const auto is_of = [kind](const StartSample& sample) { return sample.kind == kind; };
  if (std::none_of(model.samples.begin(), model.samples.end(), is_of)) return std::nullopt;
  flow.heading(title);
  flow.space(12);
  Ui& ui = flow.ui();
  const widgets::Theme& theme = ui.theme();
  std::optional<Intent> intent;
  ui.open_group(ui.id(name), {flow.y(), 0, flow.width(), 0}, host::Role::List, name);
  for (const StartSample& sample : model.samples) {
    if (!is_of(sample)) continue;
    const float about_width = flow.width() - ui.px(92);
    const bool is_long = ui.text_width(Type::Small, sample.about) > about_width;
    const Rect row = flow.take(is_long ? 76 : 60);
    flow.space(8);
    ui.open_group(ui.id(sample.name), row, host::Role::ListItem, sample.title);
    host::AccessNode node;
    node.role = host::Role::Button;
    node.name = sample.title;
    node.description = sample.about;
    const widgets::Interaction what = ui.control(ui.id("##" + sample.name), row, std::move(node));
    ui.draw().AddRectFilled(ImVec2(row.x, row.y), ImVec2(row.right(), row.bottom()),
                            what.held      ? theme.selection
                            : what.hovered ? theme.hover
                                           : theme.surface,
                            ui.px(8));
    if (what.hovered) {
      ui.draw().AddRect(ImVec2(row.x, row.y), ImVec2(row.right(), row.bottom()), theme.border, ui.px(8));
    }
    Rect inside = row.inset(ui.px(16), ui.px(10));
    paint_icon(ui, icon, inside.cut_left(ui.px(24)), theme.module, 20);
    inside.cut_left(ui.px(12));
    paint_icon(ui, Icon::ChevronRight, inside.cut_right(ui.px(16)), theme.muted);
    inside.cut_right(ui.px(8));
    ui.paint_line(inside.cut_top(ui.px(20)), Type::Strong, theme.text, sample.title);
    if (is_long) {
      ui.draw().AddText(ui.font(Type::Small), ui.font_size(Type::Small), ImVec2(inside.x, inside.y + ui.px(3)),
                        theme.muted, sample.about.data(), sample.about.data() + sample.about.size(), about_width);
    } else {
      ui.paint_line(inside, Type::Small, theme.muted, sample.about);
    }
    if (what.focus_visible) ui.focus_ring(row, ui.px(8));
    if (what.clicked) {
      if (kind == SampleKind::Training) {
        intent = PrepareTraining{sample.name};
      } else {
        intent = OpenSample{sample.name};
      }
    }
    ui.close_group();
  }
  ui.close_group();
  flow.space(16);
  return intent;
}

}  // namespace

std::optional<Intent> draw_start_screen(Ui& ui, const Rect& area, const StartModel& model, StartState& state) {
  std::optional<Intent> intent;
  const auto keep = [&](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  const std::uint32_t id = ui.id("start");
  ui.open_group(id, area, host::Role::Main, "Start");
  Rect content = ui.begin_scroll(id, area, state.scroll);
  const float width = std::min(content.width - ui.px(48), ui.px(600));
  content = {std::round(content.centre_x() - width / 2), content.y, width, content.height};
  Flow flow(ui, content);
  flow.space(area.height > ui.px(860) ? 72 : 28);
  flow.heading("See inside a model", Type::Display);
  flow.space(4);
  flow.paragraph(
      "Open a checkpoint to see its modules, registries, hooks and tensors: only headers are read until you look at "
      "values, and a pickle is never executed. Open a PyTorch program to run it here and to step through it, forward "
      "and back.",
      Type::Body, true);
  flow.space(20);
  if (!model.wanted.empty()) {
    keep(draw_wanted(flow, model));
    flow.space(4);
  }
  keep(draw_drop_target(flow, model));
  flow.space(12);
  keep(draw_location(flow, model, state));
  flow.space(8);
  Rect attach = flow.take(32);
  constexpr std::string_view kAttach = "Attach to a training on this machine";
  if (widgets::button(ui, attach.cut_left(widgets::button_width(ui, kAttach, true)), kAttach,
                      widgets::ButtonStyle::Ghost, Icon::Link, false,
                      "Looks for nnscope train or nnscope serve on 127.0.0.1:7373")) {
    keep(Attach{});
  }
  flow.space(8);
  flow.paragraph(
      "safetensors: one file, shards by their index.json, a folder   \xC2\xB7   PyTorch: .pt .pth .ckpt .bin .pt2 .zip "
      "  "
      "\xC2\xB7   .gguf .npz .npy   \xC2\xB7   programs: .py   \xC2\xB7   lessons: .md   \xC2\xB7   recordings: "
      ".nnscope",
      Type::Small, true);
  for (const std::string& name : model.opening) {
    flow.space(12);
    flow.paragraph("Opening " + name + "\xE2\x80\xA6", Type::Small, true);
    flow.space(4);
    widgets::progress_bar(ui, flow.take(4), "Opening " + name, -1);
  }
  flow.space(24);
  if (!model.recent.empty()) {
    flow.heading("Opened lately");
    flow.space(8);
    keep(draw_recent(flow, model));
    flow.space(24);
  }
  if (!model.is_connected) {
    flow.paragraph("Starting the core\xE2\x80\xA6", Type::Body, true);
  } else if (!model.samples.empty()) {
    keep(draw_samples(flow, model, SampleKind::Model, "Or look at a sample", "Sample models", Icon::Layers));
    keep(draw_samples(flow, model, SampleKind::Lesson, "Lessons", "Lessons", Icon::Help));
    keep(draw_samples(flow, model, SampleKind::Training, "Train a model here", "Trainings", Icon::Module));
    keep(draw_samples(flow, model, SampleKind::Example, "Programs that train", "Examples", Icon::Tensor));
  }
  flow.space(24);
  ui.end_scroll(flow.height());
  ui.close_group();
  return intent;
}

void draw_drop_overlay(Ui& ui, const Rect& area) {
  const widgets::Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()),
                     widgets::with_alpha(theme.background, 0.85F));
  const Rect frame = area.inset(ui.px(24), ui.px(24));
  list.AddRect(ImVec2(frame.x, frame.y), ImVec2(frame.right(), frame.bottom()), theme.accent, ui.px(12), 0, ui.px(2));
  const std::string_view words = "Drop to open";
  const float width = ui.text_width(Type::Title, words);
  list.AddText(ui.font(Type::Title), ui.font_size(Type::Title),
               ImVec2(std::round(frame.centre_x() - width / 2), std::round(frame.centre_y())), theme.text, words.data(),
               words.data() + words.size());
  host::AccessNode node;
  node.role = host::Role::Status;
  node.name = words;
  ui.describe(ui.id("##drop_overlay"), area, std::move(node));
}

}  // namespace nns::panels
