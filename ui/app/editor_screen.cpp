#include "ui/app/editor_screen.h"

#include <imgui.h>

#include <utility>

#include "ui/model/traceback.h"

namespace nns::app {

void EditorScreen::follow(bool is_running, bool is_held) {
  const live::wire::ProgramSource* source = mirror_.source(document_);
  if (source == nullptr) return;
  if (source != told_) {
    // What is told of a program later is what was edited here and run: only the first text is news.
    if (told_ == nullptr) {
      state_.buffer = text::TextBuffer(live::text_of(source->text()));
      breakpoints_version_ = recorded_version_ = state_.buffer.version();
    }
    told_ = source;
    model_.name = live::text_of(source->name());
    run_looks_ = {};
    console_version_ = 0;
  }
  model_.is_running = is_running;
  model_.is_held = is_held;
  if (std::exchange(seen_version_, state_.buffer.version()) != state_.buffer.version()) changed_at_ = ImGui::GetTime();
  check_.follow(state_.buffer, model_.name);
  follow_breakpoints();
  const live::ConsoleView* console = mirror_.console(document_);
  if (console != nullptr && !is_running && console->version() != console_version_) {
    console_version_ = console->version();
    run_looks_.set(state_.buffer, state_.buffer.version(), {},
                   model::traceback_problems(*console, model_.name, state_.buffer));
  }
  run_looks_.follow(state_.buffer);
  model_.looks = &check_.looks();
  model_.breakpoints = &breakpoints_;
  model_.run_problems = &run_looks_.problems();
}

void EditorScreen::follow_breakpoints() {
  const text::TextBuffer& buffer = state_.buffer;
  if (breakpoints_version_ == buffer.version()) return;
  if (const auto changes = buffer.changes_since(breakpoints_version_)) {
    for (const text::TextChange& change : *changes) breakpoints_.follow(change);
  } else {
    breakpoints_.clear();
  }
  breakpoints_version_ = buffer.version();
}

std::uint64_t EditorScreen::run() { return requests_.run_source(document_, model_.name, state_.buffer.text()); }

}  // namespace nns::app
