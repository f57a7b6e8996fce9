#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <cstdint>
#include <vector>

#include "ui/host/access_node.h"

namespace nns::widgets {

/// How many input events Dear ImGui has been given so far: what AccessAction::position counts.
std::uint32_t input_position();

/// Keeps everything that a person does in its order. A press may move the focus or open something, which takes the
/// explorer and Dear ImGui some frames; what comes after it in a burst is meant for what it leads to. So a frame gets
/// at most one press (or one action of assistive technology), and nothing while the explorer still follows the last
/// one. Threads: the UI thread.
class InputGate {
 public:
  /// Before ImGui::NewFrame(). `is_ready`: the explorer has followed what it was given before. `has_field`: a text
  /// field has the keyboard, and letters are text.
  void open(std::vector<host::AccessAction> arrived, bool is_ready, bool has_field);
  /// After ImGui::NewFrame(): the actions of this frame.
  std::vector<host::AccessAction> close();
  bool has_waiting_actions() const { return !waiting_.empty() || !passed_.empty(); }
  /// Something waits for a later frame.
  bool holds() const;

 private:
  std::vector<host::AccessAction> waiting_;  ///< in their order
  std::vector<host::AccessAction> passed_;
  ImVector<ImGuiInputEvent> held_;  ///< only between open() and close()
  int refused_frames_ = 0;
};

}  // namespace nns::widgets
