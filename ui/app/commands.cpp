#include "ui/app/commands.h"

#include <imgui.h>

#include <array>

namespace nns::app {

namespace {

constexpr CommandKey chord(Command command, int keys, bool works_while_typing = true) {
  return {command, keys, 0, works_while_typing};
}
constexpr CommandKey typed(Command command, char character) { return {command, 0, character, false}; }

constexpr std::array kKeys = {
    chord(Command::Open, ImGuiMod_Ctrl | ImGuiKey_O),
    chord(Command::NewTab, ImGuiMod_Ctrl | ImGuiKey_T),
    chord(Command::CloseTab, ImGuiMod_Ctrl | ImGuiKey_W),
    chord(Command::NextTab, ImGuiMod_Ctrl | ImGuiKey_PageDown),
    chord(Command::PreviousTab, ImGuiMod_Ctrl | ImGuiKey_PageUp),
    chord(Command::FocusFilter, ImGuiMod_Ctrl | ImGuiKey_F),
    typed(Command::FocusFilter, '/'),
    typed(Command::ShowKeys, '?'),
    chord(Command::ShowKeys, ImGuiKey_F1),
    chord(Command::Back, ImGuiKey_Backspace, false),
    chord(Command::Back, ImGuiMod_Alt | ImGuiKey_LeftArrow),
    chord(Command::Forward, ImGuiMod_Alt | ImGuiKey_RightArrow),
    chord(Command::CopyPath, ImGuiMod_Ctrl | ImGuiKey_C, false),
    chord(Command::Larger, ImGuiMod_Ctrl | ImGuiKey_Equal),
    chord(Command::Larger, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal),
    chord(Command::Larger, ImGuiMod_Ctrl | ImGuiKey_KeypadAdd),
    chord(Command::Smaller, ImGuiMod_Ctrl | ImGuiKey_Minus),
    chord(Command::Smaller, ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract),
    chord(Command::DefaultScale, ImGuiMod_Ctrl | ImGuiKey_0),
    chord(Command::DefaultScale, ImGuiMod_Ctrl | ImGuiKey_Keypad0),
    chord(Command::Escape, ImGuiKey_Escape, false),
};

constexpr std::string_view kFile = "Files";
constexpr std::string_view kMove = "Moving around";
constexpr std::string_view kTree = "In the tree";
constexpr std::string_view kMap = "On a heat map";
constexpr std::string_view kView = "View";

constexpr std::array<panels::KeyLine, 27> kLines = {{
    {kFile, "Ctrl+O", "Open a file"},
    {kFile, "Ctrl+T", "Samples, address or path"},
    {kFile, "Ctrl+W", "Close the document"},
    {kFile, "Ctrl+PageUp/PageDown", "Previous or next document"},
    {kMove, "Ctrl+F  or  /", "Filter the tree"},
    {kMove, "Backspace  or  Alt+\xE2\x86\x90", "Back"},
    {kMove, "Alt+\xE2\x86\x92", "Forward"},
    {kMove, "Tab  /  Shift+Tab", "Next or previous control"},
    {kMove, "F6  /  Shift+F6", "Next or previous region"},
    {kMove, "Esc", "Clear the filter, close what is open"},
    {kTree, "\xE2\x86\x91  \xE2\x86\x93", "Previous or next row"},
    {kTree, "\xE2\x86\x92", "Open, then go in"},
    {kTree, "\xE2\x86\x90", "Close, then go out"},
    {kTree, "*", "Open everything below"},
    {kTree, "Enter", "Open or close"},
    {kTree, "Home  End  PgUp  PgDn", "First, last, a page up or down"},
    {kTree, "a\xE2\x80\xA6z", "Jump to a name that begins so"},
    {kTree, "Ctrl+C", "Copy the path of the chosen row"},
    {kMap, "Ctrl+wheel", "Zoom"},
    {kMap, "+  \xE2\x88\x92  0", "Zoom in, out, fit"},
    {kMap, "Arrow keys", "Move to the next cell"},
    {kMap, "Drag", "Pan"},
    {kMap, "Double click", "Fit"},
    {kView, "Ctrl+=  /  Ctrl+wheel", "Larger"},
    {kView, "Ctrl+\xE2\x88\x92", "Smaller"},
    {kView, "Ctrl+0", "Original size"},
    {kView, "?  or  F1", "These keys"},
}};

}  // namespace

std::span<const CommandKey> command_keys() { return kKeys; }
std::span<const panels::KeyLine> key_lines() { return kLines; }

}  // namespace nns::app
