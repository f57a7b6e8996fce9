#include "ui/app/lesson_screen.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::app {

using live::text_of;
using live::wire::LessonStop;
using panels::LessonAnswer;
using LessonWhat = panels::LessonAsk::What;

namespace {

/// A text of Python that is those letters, without their blanks.
std::string literal(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == ' ') continue;
    if (c == '\'' || c == '\\' || byte < 0x20) {
      made += fmt::format("\\x{:02x}", byte);
    } else {
      made += c;
    }
  }
  return made + "'";
}

}  // namespace

void LessonScreen::go_to(std::uint32_t stop) {
  stop_ = stop;
  is_asked_ = is_there_ = is_missing_ = false;
  answer_ = LessonAnswer::None;
  checking_ = 0;
  state_.answer.clear();
}

void LessonScreen::carry_out(const panels::LessonAsk& asked) {
  if (lesson() == nullptr) return;
  switch (asked.what) {
    case LessonWhat::Next:
      if (stop_ + 1 < lesson()->stops()->size()) go_to(stop_ + 1);
      break;
    case LessonWhat::Back:
      if (stop_ > 0) go_to(stop_ - 1);
      break;
    case LessonWhat::Check:
      check();
      break;
  }
}

void LessonScreen::check() {
  // Python compares; what was typed is never run.
  const LessonStop& stop = *lesson()->stops()->Get(stop_);
  const std::string_view blanks = "' ', ''";
  checking_ = requests_.run_text(
      document_,
      fmt::format("(lambda said, found: said in (repr(found).replace({0}), str(found).replace({0})))({1}, ({2}))",
                  blanks, literal(state_.answer), text_of(stop.answer())));
  answer_ = LessonAnswer::Checking;
}

void LessonScreen::job_ended(std::uint64_t request, bool is_finished) {
  if (request != checking_ || checking_ == 0) return;
  checking_ = 0;
  if (is_finished) return take_answer();
  answer_ = LessonAnswer::Failed;
  said_ = "the program still runs";
}

void LessonScreen::take_answer() {
  answer_ = LessonAnswer::Failed;
  said_ = "nothing was said";
  const live::ConsoleView* const console = mirror_.console(document_);
  if (console == nullptr) return;
  // What came behind the line that asked.
  for (auto piece = console->pieces().rbegin(); piece != console->pieces().rend(); ++piece) {
    if (piece->kind == live::wire::OutputKind::Typed) return;
    const std::string_view text = piece->text;
    if (piece->kind == live::wire::OutputKind::Error) {
      const std::size_t end = text.find_last_not_of('\n');
      const std::size_t begin = text.rfind('\n', end) + 1;
      said_ = text.substr(begin, end + 1 - begin);
    } else if (text.ends_with("True\n")) {
      answer_ = LessonAnswer::Right;
    } else if (text.ends_with("False\n")) {
      answer_ = LessonAnswer::Wrong;
    }
  }
}

void LessonScreen::follow(StudioScreen& studio) {
  const live::wire::Lesson* const told = lesson();
  const live::TraceView* const trace = mirror_.trace(document_);
  if (told == nullptr || told->stops()->size() == 0 || is_there_) return;
  stop_ = std::min(stop_, told->stops()->size() - 1);
  if (trace == nullptr || !trace->is_complete() || trace->events() == 0 || studio.is_recording()) return;
  const LessonStop& stop = *told->stops()->Get(stop_);
  if (!is_asked_) {
    studio.find(stop);
    is_asked_ = true;
    return;
  }
  if (studio.is_waiting()) return;
  is_there_ = true;
  is_missing_ = studio.is_missing();
  studio.show(stop.view(), text_of(stop.name()));
}

std::optional<panels::Intent> LessonScreen::draw(widgets::Ui& ui, const widgets::Rect& area) {
  const live::wire::Lesson* const told = lesson();
  if (told == nullptr || told->stops()->size() == 0) return std::nullopt;
  const std::uint32_t at = std::min(stop_, told->stops()->size() - 1);
  const LessonStop& stop = *told->stops()->Get(at);
  const live::TraceView* const trace = mirror_.trace(document_);
  panels::LessonModel model;
  model.title = text_of(told->title());
  model.stop = at;
  model.stops = told->stops()->size();
  model.stop_title = text_of(stop.title());
  model.text = text_of(stop.text());
  model.question = text_of(stop.question());
  model.is_ready = trace != nullptr && trace->is_complete();
  model.is_missing = is_missing_;
  model.answer = answer_;
  model.said = said_;
  return panels::draw_lesson_panel(ui, area, model, state_);
}

}  // namespace nns::app
