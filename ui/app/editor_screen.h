#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/app/source_check.h"
#include "ui/panels/editor_panel.h"

namespace nns::app {

/// The source of one program: edited here, looked through and run by the host.
class EditorScreen {
 public:
  EditorScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document)
      : requests_(requests), mirror_(mirror), document_(document), check_(requests, mirror) {}

  /// Takes in what has come, and asks what the text looks like now. Before drawing.
  void follow(bool is_running, bool is_held);
  /// False: the host has not told the text.
  bool has_source() const { return told_ != nullptr; }
  const panels::EditorPanelModel& model() const { return model_; }
  panels::EditorPanelState& state() { return state_; }
  /// Runs the text from its beginning. Gives the job's number.
  std::uint64_t run();
  void take_focus() { state_.code.take_focus = true; }
  /// What is typed goes to it, not to the console or a filter.
  bool has_keyboard() const { return state_.has_keyboard; }
  void find() { state_.find_shown = state_.take_find_focus = true; }
  std::string source() const { return state_.buffer.text(); }
  /// When the text was changed last, by ImGui's clock.
  double changed_at() const { return changed_at_; }
  bool is_modified() const { return state_.buffer.is_modified(); }
  void set_saved() { state_.buffer.set_saved(); }
  /// The text as part of a link; empty: it is too long for one, or not known yet.
  std::string_view code() const { return check_.code(state_.buffer); }
  bool is_waiting() const { return check_.is_waiting(); }
  void job_failed(std::uint64_t request) { check_.job_failed(request); }
  /// Lines where it is to stop; they stay with their letters.
  const text::LineSet& breakpoints() const { return breakpoints_; }
  void set_breakpoints(text::LineSet lines) { breakpoints_ = std::move(lines); }
  void toggle_breakpoint(std::uint32_t line) { breakpoints_.toggle(line); }
  /// This text is recorded now.
  void set_recorded() { recorded_version_ = state_.buffer.version(); }
  /// Whether what was recorded last is the text as it stands.
  bool is_as_recorded() const { return recorded_version_ == state_.buffer.version(); }

 private:
  void follow_breakpoints();

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  const live::wire::ProgramSource* told_ = nullptr;
  panels::EditorPanelModel model_;
  panels::EditorPanelState state_;
  SourceCheck check_;
  text::SourceLooks run_looks_;  ///< problems of the last run, which stay with their letters
  std::uint64_t console_version_ = 0;
  std::uint64_t seen_version_ = 0;
  double changed_at_ = 0;
  text::LineSet breakpoints_;
  std::uint64_t breakpoints_version_ = 0;  ///< of the text that their numbers are of
  std::uint64_t recorded_version_ = 0;
};

}  // namespace nns::app
