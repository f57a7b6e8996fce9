#include "ui/panels/lesson_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/prose.h"
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
using LessonWhat = LessonAsk::What;

namespace {

void draw_paragraphs(Flow& flow, std::string_view text) {
  constexpr std::string_view kBetween = "\n\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kBetween), text.size());
    widgets::prose(flow, text.substr(0, end));
    flow.space(10);
    text.remove_prefix(std::min(end + kBetween.size(), text.size()));
  }
}

std::optional<Intent> draw_question(Flow& flow, const LessonModel& model, LessonPanelState& state, bool is_new) {
  Ui& ui = flow.ui();
  std::optional<Intent> intent;
  flow.space(6);
  flow.heading("Question");
  flow.space(6);
  widgets::prose(flow, model.question);
  flow.space(8);
  Rect row = flow.take(34);
  const Rect press = row.cut_right(widgets::button_width(ui, "Check", false));
  row.cut_right(ui.px(8));
  widgets::TextFieldSpec field;
  field.name = "Answer";
  field.placeholder = "as Python prints it";
  field.type = Type::Code;
  // Who was wrong goes on typing.
  field.take_focus = std::exchange(state.focus_answer, false) || (is_new && state.is_answering);
  field.changed = is_new;
  const widgets::TextFieldResult typed = widgets::text_field(ui, row, state.answer, field);
  state.is_answering = typed.is_active || typed.entered;
  const bool can_check = model.is_ready && !state.answer.empty() && model.answer != LessonAnswer::Checking;
  const bool pressed =
      widgets::button(ui, press, "Check", ButtonStyle::Primary, std::nullopt, !can_check,
                      model.is_ready ? "Python says whether it is so (Enter)" : "The program still runs");
  // An answer that was given before the program has ended is checked when it has.
  if (typed.changed || is_new) state.checks_when_ready = false;
  if (typed.entered && !model.is_ready && !state.answer.empty()) state.checks_when_ready = true;
  if (can_check && (pressed || typed.entered || std::exchange(state.checks_when_ready, false)))
    intent = LessonAsk{LessonWhat::Check};
  if (typed.entered) state.focus_answer = true;
  flow.space(8);
  std::string told;
  switch (model.answer) {
    case LessonAnswer::None:
      if (!state.checks_when_ready) return intent;
      told = "Checked when the program has ended.";
      break;
    case LessonAnswer::Checking:
      told = "Asking Python\xE2\x80\xA6";
      break;
    case LessonAnswer::Right:
      told = "Right: Python says the same.";
      break;
    case LessonAnswer::Wrong:
      told = "Not so. Look at the moment again, or step on and see.";
      break;
    case LessonAnswer::Failed:
      told = fmt::format("It could not be checked: {}", model.said);
      break;
  }
  AccessNode node;
  node.role = Role::Status;
  node.name = told;
  Rect line = flow.take(24);
  ui.describe(ui.id("answer is"), line, std::move(node));
  const bool is_right = model.answer == LessonAnswer::Right;
  if (is_right) paint_icon(ui, Icon::Check, line.cut_left(ui.px(22)), ui.theme().good, 16);
  ui.paint_line(line, Type::Strong, is_right ? ui.theme().good : ui.theme().text, told);
  return intent;
}

}  // namespace

std::optional<Intent> draw_lesson_panel(Ui& ui, const Rect& area, const LessonModel& model, LessonPanelState& state) {
  std::optional<Intent> intent;
  const auto keep = [&intent](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  ui.open_group(ui.id("lesson"), area, Role::Region, "Lesson");
  widgets::draw_plate(ui, area, ui.theme().raised);
  Rect rest = area;
  Rect bar = rest.cut_bottom(ui.px(56)).inset(ui.px(20), ui.px(11));
  const bool is_new = std::exchange(state.shown, model.stop) != model.stop;
  if (is_new) {
    state.scroll = {};
    state.focus_answer = false;
  }
  const std::uint32_t scroll = ui.id("lesson text");
  const Rect content = ui.begin_scroll(scroll, rest, state.scroll);
  Flow flow(ui, content.inset(ui.px(20), 0));
  flow.space(16);
  if (model.stop > 0) {
    flow.paragraph(model.title, Type::Small, true);
    flow.space(4);
  }
  flow.heading(model.stop_title, model.stop == 0 ? Type::Title : Type::Heading);
  flow.space(10);
  draw_paragraphs(flow, model.text);
  if (model.is_missing) flow.paragraph("The recording has no such moment.", Type::Body, true);
  if (!model.is_ready) flow.paragraph("The program is being recorded\xE2\x80\xA6", Type::Body, true);
  if (!model.question.empty()) keep(draw_question(flow, model, state, is_new));
  flow.space(16);
  ui.end_scroll(flow.height());

  // The ways on: also from a list that has the keyboard.
  const bool has_next = model.stop + 1 < model.stops;
  const Rect back = bar.cut_left(widgets::button_width(ui, "Back", true));
  const Rect next = bar.cut_right(widgets::button_width(ui, "Next", true));
  const std::string step = fmt::format("{} of {}", model.stop + 1, model.stops);
  if (widgets::button(ui, back, "Back", ButtonStyle::Plain, Icon::ArrowLeft, model.stop == 0, "Page Up"))
    intent = LessonAsk{LessonWhat::Back};
  if (widgets::button(ui, next, "Next", ButtonStyle::Primary, Icon::ArrowRight, !has_next, "Page Down"))
    intent = LessonAsk{LessonWhat::Next};
  AccessNode node;
  node.role = Role::Status;
  node.name = fmt::format("Step {}: {}", step, model.stop_title);
  ui.describe(ui.id("lesson step"), bar, std::move(node));
  const float width = ui.text_width(Type::Small, step);
  ui.paint_line({bar.centre_x() - width / 2, bar.y, width, bar.height}, Type::Small, ui.theme().muted, step);
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
