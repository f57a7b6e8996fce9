#include "ui/app/call_screen.h"

#include <utility>

#include "core/live/commands.h"

namespace nns::app {

using CallWhat = panels::CallAsk::What;

void CallScreen::follow(const live::DocumentView& document, std::uint32_t selected) {
  table_.show(mirror_.call(document_));
  if (is_typed_ || (is_filled_ && selected == filled_selected_ && document.version() == filled_version_)) return;
  is_filled_ = true;
  filled_selected_ = selected;
  filled_version_ = document.version();
  const std::optional<std::uint32_t> row = model::default_module(document, selected);
  if (!row) return;
  state_.module = model::call_expression(document, *row);
  if (state_.inputs == guessed_) state_.inputs = guessed_ = model::guess_inputs(document, *row);
  state_.module_changed = true;
}

void CallScreen::call() {
  if (request_ != 0) return;
  error_.clear();
  request_ = requests_.inspect_call(document_, state_.module, {state_.inputs}, state_.with_values);
}

void CallScreen::job_ended(std::uint64_t request) {
  if (request_ != request) return;
  request_ = 0;
  const auto job = mirror_.jobs().find(request);
  if (job != mirror_.jobs().end() && job->second.error) error_ = job->second.error->found;
}

std::optional<std::string> CallScreen::carry_out(const panels::CallAsk& asked) {
  switch (asked.what) {
    case CallWhat::Call:
      call();
      break;
    case CallWhat::EditModule:
      // An empty field is filled in again.
      is_typed_ = !state_.module.empty();
      is_filled_ = false;
      break;
    case CallWhat::Expand:
    case CallWhat::Collapse:
      table_.expand(asked.number, asked.what == CallWhat::Expand);
      break;
    case CallWhat::ExpandAll:
      table_.expand_all();
      break;
    case CallWhat::OpenRow: {
      const live::wire::CallSummary* const call = table_.call();
      if (call == nullptr || asked.number >= call->rows()->size()) break;
      const std::string below = model::call_path(*call, asked.number);
      std::string path = model::path_of_expression(live::text_of(call->model()));
      if (!below.empty()) path += "." + below;
      return path;
    }
  }
  return std::nullopt;
}

}  // namespace nns::app
