#include "ui/panels/training_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/widgets/button.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::ButtonStyle;
using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using TrainingFormWhat = TrainingFormAsk::What;

namespace {

/// What its data is, and how to give it.
std::optional<Intent> draw_data(Flow& flow, const TrainingFormModel& model, TrainingFormState& state, bool& entered) {
  Ui& ui = flow.ui();
  std::optional<Intent> intent;
  flow.space(12);
  flow.heading("Data", Type::Strong);
  flow.space(4);
  flow.paragraph(fmt::format("{}{}", model.needs_data ? "It needs " : "It takes ", model.data), Type::Small, true);
  flow.space(8);
  Rect row = flow.take(36);
  if (!model.has_picker) {
    widgets::TextFieldSpec spec;
    spec.name = "Path of the data";
    spec.placeholder = "/path/to/data";
    spec.icon = Icon::Folder;
    entered |= widgets::text_field(ui, row, state.data_path, spec).entered;
    return intent;
  }
  constexpr std::string_view kChoose = "Choose files";
  if (widgets::button(ui, row.cut_left(widgets::button_width(ui, kChoose, true)), kChoose, ButtonStyle::Plain,
                      Icon::Folder)) {
    intent = TrainingFormAsk{TrainingFormWhat::ChooseData};
  }
  row.cut_left(ui.px(12));
  const std::string words =
      model.data_name.empty() ? std::string("or drop them here") : fmt::format("{} is given", model.data_name);
  AccessNode node;
  node.role = Role::Status;
  node.name = words;
  ui.describe(ui.id("##data"), row, std::move(node));
  if (ui.paint_line(row, Type::Small, model.data_name.empty() ? ui.theme().muted : ui.theme().text, words))
    ui.tooltip_at(row, words);
  return intent;
}

bool draw_settings(Flow& flow, const TrainingFormModel& model, TrainingFormState& state) {
  Ui& ui = flow.ui();
  flow.space(16);
  flow.heading("Settings", Type::Strong);
  flow.space(6);
  bool entered = false;
  const float label = std::min(ui.px(120), flow.width() * 0.4F);
  const bool has_columns = flow.width() >= ui.px(460);
  Rect line;
  for (std::size_t i = 0; i < model.settings.size(); ++i) {
    const FormSetting& setting = model.settings[i];
    if (i % 2 == 0 || !has_columns) {
      line = flow.take(32);
      flow.space(4);
    }
    Rect row = line;
    if (has_columns) {
      const float half = (line.width - ui.px(20)) / 2;
      row = i % 2 == 0 ? Rect{line.x, line.y, half, line.height} : Rect{line.right() - half, line.y, half, line.height};
    }
    ImGui::PushID(static_cast<int>(i));
    const Rect words = row.cut_left(label);
    if (ui.paint_line(words, Type::Code, ui.theme().muted, setting.key)) ui.tooltip_at(words, setting.key);
    widgets::TextFieldSpec spec;
    spec.name = setting.key;
    spec.placeholder = setting.value;
    spec.type = Type::Code;
    spec.take_focus = i == 0 && std::exchange(state.take_focus, false);
    entered |= widgets::text_field(ui, row, state.values[i], spec).entered;
    ImGui::PopID();
  }
  return entered;
}

}  // namespace

std::optional<Intent> draw_training_form(Ui& ui, const Rect& area, const TrainingFormModel& model,
                                         TrainingFormState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  state.values.resize(model.settings.size());
  const float width = std::min(ui.px(560), area.width - ui.px(32));
  const float lines = std::ceil(static_cast<float>(model.settings.size()) / (width >= ui.px(508) ? 2 : 1));
  const float wanted = ui.px(250 + (model.data.empty() ? 0 : 110) + 36 * lines);
  const float height = std::min(wanted, area.height - ui.px(32));
  const Rect box{std::round(area.centre_x() - width / 2),
                 std::round(area.y + std::min(ui.px(72), (area.height - height) / 2)), width, height};
  const widgets::Dialog dialog(ui, area, "##training_form", box, fmt::format("Train: {}", model.title));
  Rect inside = box.inset(ui.px(24), ui.px(16));
  Rect foot = inside.cut_bottom(ui.px(44));
  bool entered = false;
  {
    const std::uint32_t id = ui.id("form");
    Rect content = ui.begin_scroll(id, inside, state.scroll);
    content = content.inset(ui.px(4), 0);
    Flow flow(ui, content);
    flow.heading(model.title);
    flow.space(4);
    flow.paragraph(model.about, Type::Body, true);
    if (!model.data.empty()) intent = draw_data(flow, model, state, entered);
    if (model.is_known) {
      entered |= draw_settings(flow, model, state);
    } else {
      flow.space(16);
      flow.paragraph("Starting what runs programs\xE2\x80\xA6", Type::Small, true);
    }
    ui.end_scroll(flow.height());
  }
  foot = foot.middle(ui.px(36));
  const Rect start = foot.cut_right(widgets::button_width(ui, "Train", false));
  foot.cut_right(ui.px(8));
  const Rect cancel = foot.cut_right(widgets::button_width(ui, "Cancel", false));
  const bool lacks_data = model.needs_data && model.data_name.empty() && state.data_path.empty();
  const bool cannot = !model.is_known || lacks_data;
  foot.cut_right(ui.px(12));
  const std::string_view trouble = !model.problem.empty() ? model.problem
                                   : lacks_data           ? std::string_view("Its data is missing")
                                                          : std::string_view();
  if (!trouble.empty()) {
    AccessNode node;
    node.role = Role::Status;
    node.name = trouble;
    ui.describe(ui.id("##trouble"), foot, std::move(node));
    if (ui.paint_line(foot, Type::Small, model.problem.empty() ? theme.muted : theme.danger, trouble))
      ui.tooltip_at(foot, trouble);
  }
  if (widgets::button(ui, cancel, "Cancel")) intent = TrainingFormAsk{TrainingFormWhat::Hide};
  if (widgets::button(ui, start, "Train", ButtonStyle::Primary, std::nullopt, cannot) || (entered && !cannot))
    intent = TrainingFormAsk{TrainingFormWhat::Start};
  if (dialog.is_pressed_outside()) intent = TrainingFormAsk{TrainingFormWhat::Hide};
  return intent;
}

}  // namespace nns::panels
