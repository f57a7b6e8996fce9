#include "ui/app/editor_screen.h"

#include <imgui.h>

#include <utility>
#include <vector>

#include "ui/model/traceback.h"

namespace nns::app {

using text::SourceLooks;
using text::SourceProblem;

void EditorScreen::follow(bool is_running) {
  const live::wire::ProgramSource* source = mirror_.source(document_);
  if (source == nullptr) return;
  if (source != told_) {
    // What is told of a program later is what was edited here and run: only the first text is news.
    if (told_ == nullptr) state_.buffer = text::TextBuffer(live::text_of(source->text()));
    told_ = source;
    model_.name = live::text_of(source->name());
    run_looks_ = {};
    console_version_ = 0;
  }
  model_.is_running = is_running;
  if (std::exchange(seen_version_, state_.buffer.version()) != state_.buffer.version()) changed_at_ = ImGui::GetTime();
  take_looks();
  ask_for_looks();
  looks_.follow(state_.buffer);
  const live::ConsoleView* console = mirror_.console(document_);
  if (console != nullptr && !is_running && console->version() != console_version_) {
    console_version_ = console->version();
    run_looks_.set(state_.buffer, state_.buffer.version(), {},
                   model::traceback_problems(*console, model_.name, state_.buffer));
  }
  run_looks_.follow(state_.buffer);
  model_.looks = &looks_;
  model_.run_problems = &run_looks_.problems();
}

void EditorScreen::take_looks() {
  if (asked_ == 0) return;
  const live::wire::SourceLooks* answer = mirror_.source_looks(asked_);
  if (answer == nullptr) return;
  asked_ = 0;
  std::vector<SourceLooks::LineSpan> spans;
  spans.reserve(answer->tokens()->size());
  for (const live::wire::SourceToken* token : *answer->tokens()) {
    if (token->line() >= asked_lines_) continue;  // no line of that text, whoever says so
    spans.push_back({token->line(), {token->begin(), token->end(), static_cast<text::TokenKind>(token->kind())}});
  }
  std::vector<SourceProblem> problems;
  for (const live::wire::SourceProblem* one : *answer->problems()) {
    problems.push_back({{{one->line(), one->begin()}, {one->end_line(), one->end()}},
                        one->is_warning() ? text::Severity::Warning : text::Severity::Error,
                        std::string(live::text_of(one->message()))});
  }
  code_ = live::text_of(answer->code());
  looks_.set(state_.buffer, asked_version_, spans, std::move(problems));
}

void EditorScreen::ask_for_looks() {
  // One question at a time: while it is answered what is typed adds up.
  if (asked_ != 0 || looks_.computed_version() == state_.buffer.version()) return;
  asked_version_ = state_.buffer.version();
  asked_lines_ = state_.buffer.line_count();
  asked_ = requests_.check_source(state_.buffer.text(), model_.name);
}

std::uint64_t EditorScreen::run() { return requests_.run_source(document_, model_.name, state_.buffer.text()); }

}  // namespace nns::app
