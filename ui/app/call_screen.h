#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/model/call_table.h"
#include "ui/panels/call_panel.h"

namespace nns::app {

/// One call of a module of a program: what it is to be called with, and what was told of it.
class CallScreen {
 public:
  CallScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document)
      : requests_(requests), mirror_(mirror), document_(document) {}

  /// Takes in what has come, and fills the fields in as long as nobody typed in them: with the chosen row, if it is a
  /// module, and inputs that it may take. Before drawing.
  void follow(const live::DocumentView& document, std::uint32_t selected);
  panels::CallPanelModel model(bool is_running) const { return {&table_, request_, &error_, is_running}; }
  panels::CallPanelState& state() { return state_; }
  /// The path in the document of what the row of an OpenRow is about; nothing: the ask is carried out.
  std::optional<std::string> carry_out(const panels::CallAsk& asked);
  void job_ended(std::uint64_t request);
  void take_focus() { state_.take_focus = true; }
  bool is_waiting() const { return request_ != 0; }

 private:
  void call();

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  std::uint64_t request_ = 0;
  std::string error_;  ///< why the last call failed
  model::CallTable table_;
  panels::CallPanelState state_;
  bool is_typed_ = false;   ///< the module is what a person typed
  bool is_filled_ = false;  ///< of that choice in that version of the document
  std::uint32_t filled_selected_ = 0;
  std::uint32_t filled_version_ = 0;
  std::string guessed_;  ///< inputs that were filled in
};

}  // namespace nns::app
