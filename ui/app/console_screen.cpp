#include "ui/app/console_screen.h"

#include <algorithm>
#include <utility>

namespace nns::app {

void ConsoleScreen::follow() {
  take_completions();
  if (state_.typed != completed_) completions_.clear();
  const live::ConsoleView* view = mirror_.console(document_);
  if (view == nullptr || (view->version() == lines_version_ && state_.columns == lines_columns_)) return;
  lines_version_ = view->version();
  lines_columns_ = state_.columns;
  lines_ = model::console_lines(*view, state_.columns);
}

void ConsoleScreen::take_completions() {
  if (completion_request_ == 0) return;
  const live::wire::Completions* found = mirror_.completions(completion_request_);
  if (found == nullptr) return;
  completion_request_ = 0;
  const auto& names = *found->names();
  if (state_.typed != completed_ || names.size() == 0 || found->from() > completed_.size()) return;
  std::string common(live::text_of(names.Get(0)));
  completions_.clear();
  for (const flatbuffers::String* one : names) {
    const std::string_view name = live::text_of(one);
    common.erase(std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first, common.end());
    // The last part says which it is.
    completions_.emplace_back(name.substr(name.rfind('.') + 1));
  }
  if (names.size() == 1) completions_.clear();
  state_.typed = completed_.substr(0, found->from()) + common;
  state_.typed_changed = true;
  completed_ = state_.typed;
}

std::optional<panels::Intent> ConsoleScreen::draw(widgets::Ui& ui, const widgets::Rect& area) {
  const std::uint32_t columns = state_.columns;
  auto intent = panels::draw_console_panel(ui, area, {&lines_, is_running(), is_held(), &completions_}, state_);
  if (columns != state_.columns) ui.request_frame();
  return intent;
}

void ConsoleScreen::run(const std::string& text) {
  if (!is_running()) running_.insert(requests_.run_text(document_, text));
}

void ConsoleScreen::complete(const std::string& text) {
  completed_ = text;
  completion_request_ = requests_.complete_text(document_, text);
}

bool ConsoleScreen::is_held() const {
  return std::any_of(running_.begin(), running_.end(), [this](std::uint64_t request) {
    const auto job = mirror_.jobs().find(request);
    return job != mirror_.jobs().end() && job->second.is_held;
  });
}

void ConsoleScreen::hold(bool held) {
  for (const std::uint64_t request : running_) requests_.hold(request, held);
}

void ConsoleScreen::stop() {
  for (const std::uint64_t request : running_) requests_.cancel(request);
}

std::string ConsoleScreen::text() const {
  const live::ConsoleView* view = mirror_.console(document_);
  return view == nullptr ? std::string() : model::console_text(*view);
}

}  // namespace nns::app
