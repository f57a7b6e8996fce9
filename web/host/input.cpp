#include "web/host/input.h"

#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "ui/host/host.h"
#include "web/host/viewer_imports.h"

namespace nns::web {

namespace {

struct KeyRow {
  std::string_view code;
  ImGuiKey key;
};

/// Names of KeyboardEvent.code that are not a letter, a digit or a function key.
constexpr KeyRow kKeys[] = {
    {"Tab", ImGuiKey_Tab},
    {"ArrowLeft", ImGuiKey_LeftArrow},
    {"ArrowRight", ImGuiKey_RightArrow},
    {"ArrowUp", ImGuiKey_UpArrow},
    {"ArrowDown", ImGuiKey_DownArrow},
    {"PageUp", ImGuiKey_PageUp},
    {"PageDown", ImGuiKey_PageDown},
    {"Home", ImGuiKey_Home},
    {"End", ImGuiKey_End},
    {"Insert", ImGuiKey_Insert},
    {"Delete", ImGuiKey_Delete},
    {"Backspace", ImGuiKey_Backspace},
    {"Space", ImGuiKey_Space},
    {"Enter", ImGuiKey_Enter},
    {"Escape", ImGuiKey_Escape},
    {"ControlLeft", ImGuiKey_LeftCtrl},
    {"ControlRight", ImGuiKey_RightCtrl},
    {"ShiftLeft", ImGuiKey_LeftShift},
    {"ShiftRight", ImGuiKey_RightShift},
    {"AltLeft", ImGuiKey_LeftAlt},
    {"AltRight", ImGuiKey_RightAlt},
    {"MetaLeft", ImGuiKey_LeftSuper},
    {"MetaRight", ImGuiKey_RightSuper},
    {"ContextMenu", ImGuiKey_Menu},
    {"Quote", ImGuiKey_Apostrophe},
    {"Comma", ImGuiKey_Comma},
    {"Minus", ImGuiKey_Minus},
    {"Period", ImGuiKey_Period},
    {"Slash", ImGuiKey_Slash},
    {"Semicolon", ImGuiKey_Semicolon},
    {"Equal", ImGuiKey_Equal},
    {"BracketLeft", ImGuiKey_LeftBracket},
    {"Backslash", ImGuiKey_Backslash},
    {"BracketRight", ImGuiKey_RightBracket},
    {"Backquote", ImGuiKey_GraveAccent},
    {"CapsLock", ImGuiKey_CapsLock},
    {"NumpadDecimal", ImGuiKey_KeypadDecimal},
    {"NumpadDivide", ImGuiKey_KeypadDivide},
    {"NumpadMultiply", ImGuiKey_KeypadMultiply},
    {"NumpadSubtract", ImGuiKey_KeypadSubtract},
    {"NumpadAdd", ImGuiKey_KeypadAdd},
    {"NumpadEnter", ImGuiKey_KeypadEnter},
    {"NumpadEqual", ImGuiKey_KeypadEqual},
};

ImGuiKey key_after(ImGuiKey first, int steps) { return static_cast<ImGuiKey>(static_cast<int>(first) + steps); }

ImGuiKey key_of(std::string_view code) {
  const auto has_form = [&](std::string_view start, std::size_t length) {
    return code.size() == length && code.substr(0, start.size()) == start;
  };
  if (has_form("Key", 4) && code[3] >= 'A' && code[3] <= 'Z') return key_after(ImGuiKey_A, code[3] - 'A');
  if (has_form("Digit", 6) && code[5] >= '0' && code[5] <= '9') return key_after(ImGuiKey_0, code[5] - '0');
  if (has_form("Numpad", 7) && code[6] >= '0' && code[6] <= '9') return key_after(ImGuiKey_Keypad0, code[6] - '0');
  if (code.size() >= 2 && code[0] == 'F' && code[1] >= '1' && code[1] <= '9') {
    const int number = code.size() == 2 ? code[1] - '0' : code.size() == 3 ? (code[1] - '0') * 10 + (code[2] - '0') : 0;
    if (number >= 1 && number <= 24) return key_after(ImGuiKey_F1, number - 1);
  }
  const auto* row =
      std::find_if(std::begin(kKeys), std::end(kKeys), [&](const KeyRow& known) { return known.code == code; });
  return row == std::end(kKeys) ? ImGuiKey_None : row->key;
}

}  // namespace

void start_input(bool is_mac) {
  ImGuiIO& io = ImGui::GetIO();
  io.BackendPlatformName = "web";
  io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
  io.ConfigMacOSXBehaviors = is_mac;
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
  platform.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
    // A refusal is not shown: the text stays where it was selected.
    static_cast<void>(host::copy_to_clipboard(text).ok());
  };
  // Pasted text comes as typed text, from the browser's own event.
  platform.Platform_GetClipboardTextFn = [](ImGuiContext*) -> const char* { return ""; };
}

void move_pointer(float x, float y) {
  const bool is_outside = x < -1e8F;
  ImGui::GetIO().AddMousePosEvent(is_outside ? -FLT_MAX : x, is_outside ? -FLT_MAX : y);
}

void press_button(int button, bool down) {
  if (button >= 0 && button < ImGuiMouseButton_COUNT) ImGui::GetIO().AddMouseButtonEvent(button, down);
}

void turn_wheel(float right, float down) { ImGui::GetIO().AddMouseWheelEvent(-right, -down); }

void press_key(const std::string& code, bool down) {
  const ImGuiKey key = key_of(code);
  if (key != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(key, down);
}

void set_modifiers(bool ctrl, bool shift, bool alt, bool meta) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
  io.AddKeyEvent(ImGuiMod_Super, meta);
}

void type_text(const std::string& text) { ImGui::GetIO().AddInputCharactersUTF8(text.c_str()); }

void set_focus(bool focused) { ImGui::GetIO().AddFocusEvent(focused); }

void show_cursor() {
  const ImGuiMouseCursor cursor = ImGui::GetMouseCursor();
  nns_host_set_cursor(ImGui::GetIO().MouseDrawCursor || cursor == ImGuiMouseCursor_None ? 0 : cursor + 1);
}

}  // namespace nns::web
