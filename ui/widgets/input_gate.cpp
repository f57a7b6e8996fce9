#include "ui/widgets/input_gate.h"

#include <iterator>
#include <utility>

namespace nns::widgets {

using host::AccessAction;

namespace {

// Input is never lost to something that does not come: after so many frames the gate opens all the same.
constexpr int kLongestWait_frames = 12;

bool is_for_text(ImGuiKey key) {
  return (key >= ImGuiKey_0 && key <= ImGuiKey_Z) || (key >= ImGuiKey_Apostrophe && key <= ImGuiKey_GraveAccent) ||
         (key >= ImGuiKey_Keypad0 && key <= ImGuiKey_KeypadEqual && key != ImGuiKey_KeypadEnter) ||
         key == ImGuiKey_Space;
}

bool is_modifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

/// Whether what follows this event may be meant for something that it brings about.
bool is_press(const ImGuiInputEvent& event, bool has_field, bool has_chord) {
  if (event.Type == ImGuiInputEventType_Text) return !has_field;
  if (event.Type != ImGuiInputEventType_Key || !event.Key.Down || is_modifier(event.Key.Key)) return false;
  // The letter of a key comes as a text after it; with Ctrl there is none.
  return has_chord || !is_for_text(event.Key.Key);
}

}  // namespace

std::uint32_t input_position() { return ImGui::GetCurrentContext()->InputEventsNextEventId; }

void InputGate::open(std::vector<AccessAction> arrived, bool is_ready, bool has_field) {
  waiting_.insert(waiting_.end(), std::make_move_iterator(arrived.begin()), std::make_move_iterator(arrived.end()));
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  const bool has_input = !waiting_.empty() || !queue.empty();
  refused_frames_ = is_ready || !has_input ? 0 : refused_frames_ + 1;
  if (refused_frames_ > kLongestWait_frames) {
    is_ready = true;
    refused_frames_ = 0;
  }
  int released = 0;
  if (is_ready && !waiting_.empty() && (queue.empty() || queue.front().EventId >= waiting_.front().position)) {
    passed_.push_back(std::move(waiting_.front()));
    waiting_.erase(waiting_.begin());
  } else if (is_ready) {
    bool has_chord = ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyAlt || ImGui::GetIO().KeySuper;
    while (released < queue.Size) {
      const ImGuiInputEvent& event = queue[released];
      if (!waiting_.empty() && event.EventId >= waiting_.front().position) break;
      ++released;
      if (event.Type == ImGuiInputEventType_Key && is_modifier(event.Key.Key) && event.Key.Down &&
          event.Key.Key != ImGuiMod_Shift && event.Key.Key != ImGuiKey_LeftShift &&
          event.Key.Key != ImGuiKey_RightShift) {
        has_chord = true;
      }
      if (is_press(event, has_field, has_chord)) break;
    }
  }
  for (int index = released; index < queue.Size; ++index) held_.push_back(queue[index]);
  queue.resize(released);
}

std::vector<AccessAction> InputGate::close() {
  // Dear ImGui compares what is new with the queue, and what it left there comes first.
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  for (const ImGuiInputEvent& event : held_) queue.push_back(event);
  held_.clear();
  return std::exchange(passed_, {});
}

bool InputGate::holds() const { return has_waiting_actions() || !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }

}  // namespace nns::widgets
