#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/panels/editor_panel.h"

namespace nns::app {

/// The source of one program: edited here, looked through and run by the host.
class EditorScreen {
 public:
  EditorScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document)
      : requests_(requests), mirror_(mirror), document_(document) {}

  /// Takes in what has come, and asks what the text looks like now. Before drawing.
  void follow(bool is_running);
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
  std::string_view code() const {
    return looks_.computed_version() == state_.buffer.version() ? std::string_view(code_) : std::string_view();
  }
  bool is_waiting() const { return asked_ != 0; }

 private:
  void take_looks();
  void ask_for_looks();

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  const live::wire::ProgramSource* told_ = nullptr;
  panels::EditorPanelModel model_;
  panels::EditorPanelState state_;
  text::SourceLooks looks_;
  std::string code_;             ///< of the version that looks_ was computed for
  text::SourceLooks run_looks_;  ///< problems of the last run, which stay with their letters
  std::uint64_t console_version_ = 0;
  std::uint64_t seen_version_ = 0;
  double changed_at_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t asked_version_ = 0;
  std::uint32_t asked_lines_ = 0;
};

}  // namespace nns::app
