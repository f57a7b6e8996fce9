// The studio's ways through a recording: buttons, slider, what happened.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "ui/model/format.h"
#include "ui/panels/hold_button.h"
#include "ui/panels/studio_panel.h"
#include "ui/widgets/button.h"
#include "ui/widgets/plate.h"
#include "ui/widgets/prose.h"
#include "ui/widgets/slider.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using live::wire::TraceEvent;
using widgets::ButtonStyle;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using StudioWhat = StudioAsk::What;

namespace {

constexpr float kButton = 28;  // design units
constexpr float kOneLine = 1240;

struct StepButton {
  std::string_view label, tip;
  StudioWhat what;
  bool back;
  bool is_compact;  ///< it stays where there is little room
};
constexpr std::array kSteps = {
    StepButton{"\xE2\x80\xB9 Continue", "Back to the last breakpoint (C)", StudioWhat::Continue, true, false},
    StepButton{"\xE2\x80\xB9 Over", "Back over the last statement (N)", StudioWhat::StepOver, true, false},
    StepButton{"\xE2\x80\xB9 Into", "Back, into calls (S)", StudioWhat::StepInto, true, true},
    StepButton{"Into \xE2\x80\xBA", "The next statement, also inside of calls (s)", StudioWhat::StepInto, false, true},
    StepButton{"Over \xE2\x80\xBA", "The next statement here (n)", StudioWhat::StepOver, false, true},
    StepButton{"Out \xE2\x80\xBA", "Behind the end of this call (r)", StudioWhat::StepOut, false, false},
    StepButton{"Continue \xE2\x80\xBA", "To the next breakpoint (c)", StudioWhat::Continue, false, false},
};

constexpr std::string_view kExplorer = "Explorer";
constexpr std::string_view kStopAt = "Stop at";
constexpr float kGap = 4;

float width_of(const Ui& ui, const StepButton& step) { return widgets::button_width(ui, step.label, false); }
float width_of(const Ui& ui, const StudioStopRow& stop) { return ui.text_width(Type::Small, stop.label) + ui.px(24); }

/// Puts what has a width one behind the other, in as many rows as it needs.
class Rows {
 public:
  Rows(const Ui& ui, const Rect& area) : ui_(ui), area_(area), x_(area.x), y_(area.y) {}
  void space(float width) { x_ += width; }
  Rect place(float width) {
    if (x_ > area_.x && x_ + width > area_.right()) {
      x_ = area_.x;
      y_ += ui_.px(kButton + kGap);
    }
    const Rect place{x_, y_, width, ui_.px(kButton)};
    x_ += width + ui_.px(kGap);
    return place;
  }
  void begin_row() {
    if (x_ > area_.x) {
      x_ = area_.x;
      y_ += ui_.px(kButton + kGap);
    }
  }
  float bottom() const { return y_ + ui_.px(kButton); }

 private:
  const Ui& ui_;
  Rect area_;
  float x_, y_;
};

std::string_view record_label(const StudioPanelModel& model) {
  return model.is_running ? "Stop" : model.trace == nullptr ? "Record" : "Record again";
}
bool is_first_recording(const StudioPanelModel& model) { return model.trace == nullptr && !model.is_running; }

/// Where everything of the bar's buttons stands; what has no width is not there.
struct BarPlaces {
  Rect explorer, record, hold, play, stop_at;
  std::array<Rect, kSteps.size()> steps;
  std::array<Rect, kStudioStops.size()> stops;
  bool has_words = false;
  float bottom = 0;
};

BarPlaces place_bar(const Ui& ui, const Rect& area, const StudioPanelModel& model) {
  const std::string_view record = record_label(model);
  const bool is_first = is_first_recording(model);
  BarPlaces places;
  float steps = widgets::button_width(ui, "Pause", false) + ui.px(kGap);
  for (const StepButton& step : kSteps) steps += width_of(ui, step) + ui.px(kGap);
  if (model.is_running) steps += hold_width(ui) + ui.px(kGap);
  const float explorer = widgets::button_width(ui, kExplorer, true);
  const float recording = widgets::button_width(ui, record, true);
  const bool is_compact = model.is_compact;
  const bool has_all = !is_compact || area.width >= ui.px(kButton + kGap) + steps;
  places.has_words = !is_compact && area.width >= explorer + recording + steps + ui.px(2 * kGap);
  Rows rows(ui, area);
  places.explorer = rows.place(places.has_words ? explorer : ui.px(kButton));
  // The one thing that there is to do keeps its words.
  if (!is_compact || is_first || model.is_running)
    places.record = rows.place(places.has_words || is_first ? recording : ui.px(kButton));
  if (model.is_running && !is_compact) places.hold = rows.place(hold_width(ui));
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    // Between those that lead back and those that lead forward.
    if (kSteps[i].back != (i == 0 || kSteps[i - 1].back))
      places.play = rows.place(widgets::button_width(ui, "Pause", false));
    if (has_all || kSteps[i].is_compact) places.steps[i] = rows.place(width_of(ui, kSteps[i]));
  }
  if (is_compact) {
    places.bottom = rows.bottom();
    return places;
  }
  if (area.width < ui.px(kOneLine)) {
    rows.begin_row();
  } else {
    rows.space(ui.px(12));
  }
  places.stop_at = rows.place(ui.text_width(Type::Small, kStopAt) + ui.px(4));
  for (std::size_t i = 0; i < kStudioStops.size(); ++i) places.stops[i] = rows.place(width_of(ui, kStudioStops[i]));
  places.bottom = rows.bottom();
  return places;
}

std::optional<Intent> draw_steps(Ui& ui, const BarPlaces& places, const StudioPanelModel& model) {
  std::optional<Intent> intent;
  const bool has_events = model.trace != nullptr && model.trace->events() != 0;
  const std::string_view record = record_label(model);
  const bool is_first = is_first_recording(model);
  if (places.has_words) {
    if (widgets::button(ui, places.explorer, kExplorer, ButtonStyle::Ghost, Icon::ArrowLeft, false,
                        "Back to the tree (Alt+T)")) {
      intent = StudioAsk{StudioWhat::Hide};
    }
  } else if (widgets::icon_button(ui, places.explorer, Icon::ArrowLeft, kExplorer, "Alt+T")) {
    intent = StudioAsk{StudioWhat::Hide};
  }
  const Icon icon = model.is_running ? Icon::Close : Icon::Layers;
  bool is_pressed = false;
  if (places.has_words || is_first) {
    is_pressed =
        widgets::button(ui, places.record, record, is_first ? ButtonStyle::Primary : ButtonStyle::Plain, icon, false,
                        "Run the program from its beginning and keep all that happens (Ctrl+Shift+Enter)");
  } else if (places.record.width > 0) {
    is_pressed = widgets::icon_button(ui, places.record, icon, record, "Ctrl+Shift+Enter");
  }
  if (is_pressed) intent = model.is_running ? Intent(StopProgram{}) : Intent(StudioAsk{StudioWhat::Record});
  if (places.hold.width > 0 && draw_hold(ui, places.hold, model.is_held)) intent = HoldProgram{!model.is_held};
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const StepButton& step = kSteps[i];
    if (i > 0 && kSteps[i - 1].back && !step.back &&
        widgets::button(ui, places.play, model.is_playing ? "Pause" : "Play", ButtonStyle::Plain, std::nullopt,
                        !has_events, "Step by step by itself (Space in the source)")) {
      intent = StudioAsk{StudioWhat::Play};
    }
    if (places.steps[i].width > 0 &&
        widgets::button(ui, places.steps[i], step.label, ButtonStyle::Plain, std::nullopt, !has_events, step.tip))
      intent = StudioAsk{step.what, step.back ? 1U : 0U};
  }
  return intent;
}

std::optional<Intent> draw_stops(Ui& ui, const BarPlaces& places, const StudioPanelModel& model) {
  std::optional<Intent> intent;
  if (places.stop_at.width <= 0) return intent;
  ui.paint_line(places.stop_at, Type::Small, ui.theme().muted, kStopAt);
  for (std::uint32_t i = 0; i < kStudioStops.size(); ++i) {
    const StudioStopRow& stop = kStudioStops[i];
    if (widgets::toggle(ui, stop.label, places.stops[i], stop.label, fmt::format("Stop at: {}", stop.label),
                        model.stops.*(stop.is_on), stop.tip)) {
      intent = StudioAsk{StudioWhat::ToggleStop, i};
    }
  }
  return intent;
}

// Above the slider: where hooks fire, registries change, exceptions are raised.
void draw_overview(Ui& ui, const Rect& track, const std::vector<std::uint32_t>& parts) {
  const widgets::Theme& theme = ui.theme();
  const auto bit = [](TraceEvent kind) { return 1U << static_cast<std::uint32_t>(kind); };
  const std::uint32_t registries = bit(TraceEvent::RegistryChanged) | bit(TraceEvent::HookRegistered);
  const struct {
    std::uint32_t bits;
    widgets::Colour colour;
  } marks[] = {
      {registries, theme.module}, {bit(TraceEvent::HookFired), theme.hook}, {bit(TraceEvent::Raise), theme.danger}};
  const float width = track.width / static_cast<float>(std::max<std::size_t>(1, parts.size()));
  const float height = track.height / 3;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    for (std::size_t kind = 0; kind < 3; ++kind) {
      if ((parts[at] & marks[kind].bits) == 0) continue;
      const float x = track.x + static_cast<float>(at) * width;
      const float y = track.y + static_cast<float>(kind) * height;
      ui.draw().AddRectFilled(ImVec2(x, y), ImVec2(x + std::max(width, ui.px(1)), y + height), marks[kind].colour);
    }
  }
}

std::string state_text(const StudioPanelModel& model) {
  const live::TraceView& trace = *model.trace;
  std::string text = fmt::format("{} of {} events", model::thousands(model.event + std::uint64_t{1}),
                                 model::thousands(trace.events()));
  if (!trace.is_complete()) text += model.is_held ? ", paused" : ", recording";
  if (trace.is_full()) {
    text += trace.left_out() == 0 ? ", full"
                                  : fmt::format(", full: {} statements more ran", model::thousands(trace.left_out()));
  }
  return text;
}

// In the place of the words about it.
std::optional<Intent> draw_goto(Ui& ui, const Rect& place, const StudioPanelModel& model, StudioPanelState& state) {
  widgets::TextFieldSpec spec;
  spec.name = "Go to event";
  spec.placeholder = fmt::format("1 to {}", model::thousands(model.trace->events()));
  spec.take_focus = std::exchange(state.take_goto_focus, false);
  spec.escape_leaves = true;
  const widgets::TextFieldResult typed = widgets::text_field(ui, place, state.goto_event, spec);
  if (typed.entered || typed.escaped) {
    state.goto_shown = false;
    state.source_focus.ask();
  }
  if (!typed.entered) return std::nullopt;
  std::erase_if(state.goto_event, [](char c) { return c == ',' || c == ' ' || c == '_'; });
  std::uint32_t number = 0;
  const char* const end = state.goto_event.data() + state.goto_event.size();
  const auto read = std::from_chars(state.goto_event.data(), end, number);
  const bool is_beyond = read.ec == std::errc::result_out_of_range;
  if (!is_beyond && (read.ec != std::errc() || read.ptr != end || number == 0)) return std::nullopt;
  return StudioAsk{StudioWhat::GoTo,
                   is_beyond ? model.trace->events() - 1 : std::min(number, model.trace->events()) - 1};
}

}  // namespace

float studio_bar_height(const Ui& ui, float width, const StudioPanelModel& model) {
  const Rect buttons = Rect{0, 0, width, 0}.inset(ui.px(12), 0);
  return place_bar(ui, buttons, model).bottom + ui.px(82);
}

std::optional<Intent> draw_studio_bar(Ui& ui, Rect area, const StudioPanelModel& model, StudioPanelState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  const auto take = [&intent](std::optional<Intent> asked) {
    if (asked) intent = std::move(asked);
  };
  ui.open_group(ui.id("steps"), area, Role::Toolbar, "Steps");
  widgets::draw_plate(ui, area, theme.raised);
  Rect inside = area.inset(ui.px(12), ui.px(6));
  const BarPlaces places = place_bar(ui, inside, model);
  take(draw_steps(ui, places, model));
  take(draw_stops(ui, places, model));
  inside.cut_top(places.bottom - inside.y);
  if (model.trace != nullptr && model.trace->events() != 0) {
    inside.cut_top(ui.px(4));
    Rect slider = inside.cut_top(ui.px(38));
    Rect above = slider.cut_top(ui.px(10));
    // As wide as the slider's track is.
    const float words = ui.px(8) + ui.text_width(Type::CodeSmall, fmt::format("{}", model.trace->events()));
    above.cut_right(std::min(words, above.width / 2));
    draw_overview(ui, above.inset(ui.px(8), 0), model.trace->overview());
    const std::uint64_t value = std::min(model.event, model.trace->events() - 1);
    if (const auto chosen = widgets::index_slider(ui, slider, "Event", value, model.trace->events(), 1)) {
      intent = StudioAsk{StudioWhat::GoTo, static_cast<std::uint32_t>(*chosen)};
    }
    Rect line = inside.cut_top(ui.px(24));
    const std::string where = state_text(model);
    if (state.goto_shown) {
      take(draw_goto(ui, line.cut_right(std::min(line.width / 2, ui.px(180))), model, state));
    } else {
      const Rect place = line.cut_right(std::min(line.width / 2, ui.text_width(Type::Small, where) + ui.px(8)));
      ui.paint_line(place, Type::Small, theme.muted, where, 1);
      ui.tooltip_at(place, "Ctrl+G goes to the event of a number");
    }
    line.cut_right(ui.px(8));
    std::string why = model.note;
    if (why.empty() && model.moment != nullptr) why = live::text_of(model.moment->why());
    if (why.empty() && model.moment != nullptr && model.moment->frames()->size() != 0) {
      const auto* const frame = model.moment->frames()->Get(0);
      why = fmt::format("Line {} of {} is about to run.", frame->line(), live::text_of(frame->name()));
    }
    AccessNode node;
    node.role = Role::Status;
    node.name = why;
    node.description = where;
    ui.describe(ui.id("##why"), line, std::move(node));
    if (widgets::paint_prose_line(ui, line, model.note.empty() ? theme.text : theme.warning, why))
      ui.tooltip_at(line, why);
  }
  ui.close_group();
  return intent;
}

}  // namespace nns::panels
