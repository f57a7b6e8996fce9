#include "ui/app/studio_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ui/model/format.h"

namespace nns::app {

using live::text_of;
using live::wire::TraceEvent;
using live::wire::TraceMoment;
using live::wire::TraceMove;
using StudioWhat = panels::StudioAsk::What;

namespace {

/// Seconds between two events while it plays.
constexpr double kBetween = 0.4;

/// A statement that has others in it: only its first line runs.
bool is_compound(std::string_view text) {
  for (const std::string_view word : {"for ", "while ", "if ", "elif ", "with ", "def ", "class ", "try", "match ",
                                      "async ", "@", "else", "except", "finally"}) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

/// Whether it begins at the moment that is shown, and so must wait for one that is on its way.
bool begins_here(StudioWhat what) {
  switch (what) {
    case StudioWhat::StepEvent:
    case StudioWhat::StepInto:
    case StudioWhat::StepOver:
    case StudioWhat::StepOut:
    case StudioWhat::Continue:
    case StudioWhat::RunToLine:
    case StudioWhat::SelectObject:
      return true;
    default:
      return false;
  }
}

/// The lines of a text without their ends; an end at the end of the text begins none.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

StudioScreen::File::File(Requests& requests, const live::Mirror& mirror, std::string_view source)
    : text(source), buffer(source), check(requests, mirror) {
  line_begins.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    line_begins.push_back(at + 1);
}

StudioScreen::File* StudioScreen::shown_file() {
  const auto found = files_.find(source_.name);
  return found == files_.end() ? nullptr : found->second.get();
}

text::LineSet StudioScreen::breakpoints(const std::string& file) const {
  const auto found = breakpoints_.find(file);
  return found == breakpoints_.end() ? text::LineSet() : found->second;
}

bool StudioScreen::is_waiting() const {
  const auto shown = files_.find(source_.name);
  return asked_ != 0 || recording_ != 0 || is_playing_ || wanted_ ||
         (shown != files_.end() && shown->second->check.is_waiting());
}

std::uint64_t StudioScreen::record(const std::string* text) {
  if (recording_ != 0) return 0;
  note_.clear();
  is_playing_ = false;
  recording_ = requests_.record_program(document_, text);
  return recording_;
}

void StudioScreen::job_ended(std::uint64_t request, bool is_finished) {
  if (request == recording_) recording_ = 0;
  if (is_finished) return;
  if (request == asked_) {
    asked_ = 0;
    waiting_.clear();
  }
  for (auto& [name, file] : files_) file->check.job_failed(request);
}

void StudioScreen::ask(TraceMove move, bool back, std::uint32_t from) {
  const live::TraceView* trace = mirror_.trace(document_);
  if (trace == nullptr || trace->events() == 0) return;
  live::TraceMoveRequest request;
  request.move = move;
  request.back = back;
  request.event = from;
  // Marked is what is new since the moment that was shown.
  const bool is_same = move == TraceMove::To && from == shown_event_;
  // A jump shows what that event changed, a step what has changed on its way.
  const bool is_jump = back || move == TraceMove::To || move == TraceMove::Breakpoint;
  if (!is_same) since_ = is_jump ? UINT32_MAX : shown_event_;
  request.since = since_;
  request.selected = selected_;
  if (move == TraceMove::Breakpoint) {
    for (const auto& [name, lines] : breakpoints_) {
      const auto file = trace->file_with_name(name);
      if (!file) continue;
      for (const std::uint32_t line : lines.lines()) request.lines.emplace_back(*file, line + 1);
    }
    request.registry_changes = stops_.registry_changes;
    request.hook_fires = stops_.hook_fires;
    request.exceptions = stops_.exceptions;
    request.module_calls = stops_.module_calls;
    request.attribute_changes = stops_.attribute_changes;
  }
  asked_ = requests_.move_in_trace(document_, request);
}

void StudioScreen::carry_out(const panels::StudioAsk& asked) {
  const live::TraceView* trace = mirror_.trace(document_);
  const bool back = asked.number != 0;
  // Keys may be pressed faster than moments come.
  if (asked_ != 0 && begins_here(asked.what)) {
    waiting_.push_back(asked);
    return;
  }
  if (asked.what != StudioWhat::Play) is_playing_ = false;
  note_.clear();
  switch (asked.what) {
    case StudioWhat::Show:
    case StudioWhat::Hide:
    case StudioWhat::Record:
      return;  // the app's
    case StudioWhat::StepEvent:
      return ask(TraceMove::Event, back, event_);
    case StudioWhat::StepInto:
      return ask(TraceMove::Into, back, event_);
    case StudioWhat::StepOver:
      return ask(TraceMove::Over, back, event_);
    case StudioWhat::StepOut:
      return ask(TraceMove::Out, back, event_);
    case StudioWhat::Continue: {
      const bool has_any = std::any_of(panels::kStudioStops.begin(), panels::kStudioStops.end(),
                                       [this](const auto& stop) { return stops_.*(stop.is_on); }) ||
                           std::any_of(breakpoints_.begin(), breakpoints_.end(),
                                       [](const auto& f) { return !f.second.lines().empty(); });
      if (has_any) return ask(TraceMove::Breakpoint, back, event_);
      // Without a breakpoint it goes on to the end, as debuggers do.
      return ask(TraceMove::To, false, back || trace == nullptr ? 0 : trace->events() - 1);
    }
    case StudioWhat::GoTo:
      waiting_.clear();
      event_ = asked.number;
      return ask(TraceMove::To, false, asked.number);
    case StudioWhat::Play:
      is_playing_ = !is_playing_;
      return;
    case StudioWhat::RunToLine: {
      if (trace == nullptr) return;
      const auto file = trace->file_with_name(source_.name);
      if (!file) return;
      live::TraceMoveRequest request;
      request.move = TraceMove::Breakpoint;
      request.event = event_;
      request.since = shown_event_;
      request.selected = selected_;
      request.lines.emplace_back(*file, asked.number);
      asked_ = requests_.move_in_trace(document_, request);
      return;
    }
    case StudioWhat::ToggleBreakpoint: {
      breakpoints_[source_.name].toggle(asked.number - 1);
      return;
    }
    case StudioWhat::ToggleStop: {
      if (asked.number >= panels::kStudioStops.size()) return;
      bool& is_on = stops_.*(panels::kStudioStops[asked.number].is_on);
      is_on = !is_on;
      return;
    }
    case StudioWhat::ShowFrame:
      frame_ = asked.number;
      seen_moment_ = 0;
      return;
    case StudioWhat::SelectObject:
      selected_ = asked.number;
      if (state_.tab == panels::StudioTab::Objects) state_.tab = panels::StudioTab::Chosen;
      // The same moment, with that object.
      return ask(TraceMove::To, false, event_);
  }
}

void StudioScreen::find(const live::wire::LessonStop& stop) {
  using live::wire::LessonPlace;
  const live::TraceView* trace = mirror_.trace(document_);
  if (trace == nullptr || trace->events() == 0) return;
  is_playing_ = false;
  waiting_.clear();
  note_.clear();
  selected_ = UINT32_MAX;
  frame_ = 0;
  if (stop.place() == LessonPlace::Start || stop.place() == LessonPlace::End) {
    event_ = stop.place() == LessonPlace::Start ? 0 : trace->events() - 1;
    return ask(TraceMove::To, false, event_);
  }
  live::TraceMoveRequest request;
  request.move = TraceMove::Breakpoint;
  request.count = stop.count();
  request.since = since_ = UINT32_MAX;
  request.registry_changes = stop.place() == LessonPlace::Registry;
  request.hook_fires = stop.place() == LessonPlace::Hook;
  request.exceptions = stop.place() == LessonPlace::Exception;
  request.module_calls = stop.place() == LessonPlace::Call;
  request.attribute_changes = stop.place() == LessonPlace::Attribute;
  const live::wire::ProgramSource* const source = mirror_.source(document_);
  if (stop.place() == LessonPlace::Line && source != nullptr) {
    if (const auto file = trace->file_with_name(text_of(source->name())))
      request.lines.emplace_back(*file, stop.line());
  }
  asked_ = requests_.move_in_trace(document_, request);
}

void StudioScreen::show(live::wire::LessonView view, std::string_view name) {
  state_.tab = static_cast<panels::StudioTab>(view);
  if (name.empty()) return;
  for (const model::StudioRow& row : stack_) {
    if (row.name != name || row.object == model::kNoObject) continue;
    carry_out({StudioWhat::SelectObject, row.object});
    state_.tab = static_cast<panels::StudioTab>(view);
    return;
  }
}

void StudioScreen::show_frame(const live::TraceView& trace, const TraceMoment& moment) {
  source_.line = 0;
  source_.begin_column = source_.end_column = 0;
  if (moment.frames()->size() == 0) return;
  const auto number = std::min(frame_, moment.frames()->size() - 1);
  const live::wire::TraceFrame& frame = *moment.frames()->Get(number);
  source_.is_innermost = number == 0;
  const live::TraceView::File* file = trace.file(frame.file());
  if (file == nullptr) return;
  source_.name = file->name;
  std::unique_ptr<File>& shown = files_[source_.name];
  if (shown == nullptr || shown->text != file->text) shown = std::make_unique<File>(requests_, mirror_, file->text);
  source_.text = &shown->buffer;
  source_.looks = &shown->check.looks();
  source_.line = frame.line();
  if (frame.line() == 0 || frame.line() > shown->line_begins.size()) return;
  const auto line_begin = static_cast<std::uint32_t>(shown->line_begins[frame.line() - 1]);
  const std::size_t runs_begin = std::min<std::size_t>(frame.begin(), shown->text.size());
  const std::string_view runs = std::string_view(shown->text).substr(runs_begin, frame.end() - frame.begin());
  const std::uint32_t begin = frame.begin() >= line_begin ? frame.begin() - line_begin : 0;
  const auto length = static_cast<std::uint32_t>(shown->buffer.line(frame.line() - 1).size());
  source_.begin_column = std::min(begin, length);
  source_.end_column =
      is_compound(runs) ? length : std::min(static_cast<std::uint32_t>(frame.end() - line_begin), length);
}

void StudioScreen::make_output(const live::TraceView& trace, const TraceMoment& moment) {
  output_.clear();
  const live::ConsoleView* console = mirror_.console(document_);
  if (console == nullptr) return;
  const std::uint64_t output_begin = trace.output_begin();
  // At the end all that was written since, with what Python says of an exception that nobody caught.
  const std::uint64_t end = moment.kind() == TraceEvent::End ? UINT64_MAX : output_begin + moment.output();
  std::uint64_t at = console->dropped();
  std::string text;
  if (const std::uint64_t gone = std::min(at, end); gone > output_begin) {
    text = fmt::format("\xE2\x80\xA6 {} before this are not kept\n", model::short_bytes(gone - output_begin));
  }
  for (const live::ConsoleView::Piece& piece : console->pieces()) {
    const std::uint64_t begin = std::max(at, output_begin);
    const std::uint64_t stop = std::min(at + piece.text.size(), end);
    if (stop > begin) {
      text += piece.text.substr(static_cast<std::size_t>(begin - at), static_cast<std::size_t>(stop - begin));
    }
    at += piece.text.size();
  }
  for (const std::string_view line : lines_of(text)) output_.emplace_back(line);
}

void StudioScreen::take_moment(const live::TraceView& trace, const TraceMoment& moment) {
  if (moment.request() == asked_) asked_ = 0;
  if (event_ != moment.event()) frame_ = 0;
  event_ = shown_event_ = moment.event();
  is_missing_ = !moment.found();
  if (!moment.found()) note_ = "None of the breakpoints lies that way.";
  stack_ = model::stack_rows(moment, std::min(frame_, std::max(1U, moment.frames()->size()) - 1));
  object_ = model::object_rows(moment);
  lookup_ = model::lookup_rows(moment);
  modules_ = model::module_rows(moment);
  replicas_ = model::replica_rows(moment);
  drawing_ = model::draw_objects(moment);
  show_frame(trace, moment);
  make_output(trace, moment);
}

void StudioScreen::go_on() {
  while (asked_ == 0 && !waiting_.empty()) {
    const panels::StudioAsk next = waiting_.front();
    waiting_.pop_front();
    carry_out(next);
  }
}

void StudioScreen::follow(bool is_held) {
  const live::TraceView* trace = mirror_.trace(document_);
  if (trace == nullptr) return;
  if (trace->recording() != seen_recording_) {
    seen_recording_ = trace->recording();
    event_ = shown_event_ = 0;
    frame_ = 0;
    selected_ = UINT32_MAX;
    seen_moment_ = 0;
    asked_ = 0;
    waiting_.clear();
  }
  // Where it was paused is what one wants to see.
  if (is_held && !was_held_ && !trace->is_complete() && trace->events() != 0)
    carry_out({StudioWhat::GoTo, trace->events() - 1});
  was_held_ = is_held;
  // The first moment comes by itself, and one that was wanted before it was there.
  if (trace->moment() == nullptr && trace->events() != 0 && asked_ == 0) ask(TraceMove::To, false, 0);
  if (wanted_ && (trace->events() > *wanted_ || (trace->is_complete() && trace->events() != 0)) && recording_ == 0) {
    event_ = std::min(*wanted_, trace->events() - 1);
    ask(TraceMove::To, false, event_);
    wanted_.reset();
  }
  if (trace->is_complete() && trace->events() == 0) wanted_.reset();
  const TraceMoment* moment = trace->moment();
  if (moment != nullptr && moment->request() != seen_moment_) {
    seen_moment_ = moment->request();
    take_moment(*trace, *moment);
    go_on();
  }
  if (File* const shown = shown_file()) shown->check.follow(shown->buffer, source_.name);
}

void StudioScreen::play(widgets::Ui& ui) {
  const live::TraceView* trace = mirror_.trace(document_);
  if (!is_playing_ || trace == nullptr) return;
  if (event_ + 1 >= trace->events()) {
    is_playing_ = false;
    return;
  }
  ui.request_frame();
  const double now = ImGui::GetTime();
  if (asked_ != 0 || now - played_at_ < kBetween) return;
  played_at_ = now;
  ask(TraceMove::Into, false, event_);
}

std::optional<panels::Intent> StudioScreen::draw(widgets::Ui& ui, const widgets::Rect& area, bool is_running,
                                                 bool is_held) {
  play(ui);
  panels::StudioPanelModel model;
  model.trace = mirror_.trace(document_);
  model.moment = model.trace == nullptr || seen_moment_ == 0 ? nullptr : model.trace->moment();
  model.is_running = is_running || recording_ != 0;
  model.is_held = is_held;
  model.event = event_;
  model.note = note_;
  model.source = &source_;
  static const text::LineSet kNone;
  const auto lines = breakpoints_.find(source_.name);
  model.breakpoints = lines == breakpoints_.end() ? &kNone : &lines->second;
  model.stack = &stack_;
  model.object = &object_;
  model.lookup = &lookup_;
  model.modules = &modules_;
  model.replicas = &replicas_;
  model.ranks = mirror_.ranks(document_);
  model.drawing = &drawing_;
  model.output = &output_;
  model.selected = selected_;
  model.stops = stops_;
  model.is_playing = is_playing_;
  model.hides = hides_;
  constexpr float kRoomForAllSteps = 420;  // design units
  model.is_compact = area.height < ui.px(kRoomForAllSteps);
  return panels::draw_studio_panel(ui, area, model, state_);
}

}  // namespace nns::app
