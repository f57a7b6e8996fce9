#include "ui/app/commands.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "ui/host/host.h"

namespace nns::app {

namespace {

constexpr CommandKey chord(Command command, int keys, bool works_while_typing = true) {
  return {command, keys, 0, works_while_typing};
}
constexpr CommandKey typed(Command command, char character) { return {command, 0, character, false}; }

constexpr std::array kKeys = {
    chord(Command::Open, ImGuiMod_Ctrl | ImGuiKey_O),
    chord(Command::Save, ImGuiMod_Ctrl | ImGuiKey_S),
    chord(Command::SavePng, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_E),
    chord(Command::SaveSvg, ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiKey_E),
    chord(Command::NewTab, ImGuiMod_Ctrl | ImGuiKey_T),
    chord(Command::NewTab, ImGuiMod_Alt | ImGuiKey_H),
    chord(Command::CloseTab, ImGuiMod_Ctrl | ImGuiKey_W),
    chord(Command::CloseTab, ImGuiMod_Alt | ImGuiKey_W),
    chord(Command::NextTab, ImGuiMod_Ctrl | ImGuiKey_PageDown),
    chord(Command::PreviousTab, ImGuiMod_Ctrl | ImGuiKey_PageUp),
    chord(Command::NextTab, ImGuiMod_Alt | ImGuiKey_PageDown),
    chord(Command::PreviousTab, ImGuiMod_Alt | ImGuiKey_PageUp),
    chord(Command::SideBySide, ImGuiMod_Ctrl | ImGuiKey_Backslash),
    chord(Command::Reload, ImGuiMod_Alt | ImGuiKey_R),
    chord(Command::CopyLink, ImGuiMod_Alt | ImGuiKey_L),
    chord(Command::ShowCommands, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P),
    chord(Command::ShowCommands, ImGuiMod_Ctrl | ImGuiKey_P),
    chord(Command::Search, ImGuiMod_Ctrl | ImGuiKey_F),
    typed(Command::Search, '/'),
    chord(Command::FocusFilter, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_F),
    typed(Command::ShowKeys, '?'),
    chord(Command::ShowKeys, ImGuiKey_F1),
    chord(Command::Back, ImGuiKey_Backspace, false),
    chord(Command::Back, ImGuiMod_Alt | ImGuiKey_LeftArrow),
    chord(Command::Forward, ImGuiMod_Alt | ImGuiKey_RightArrow),
    chord(Command::CopyPath, ImGuiMod_Ctrl | ImGuiKey_C, false),
    chord(Command::ToggleTree, ImGuiMod_Ctrl | ImGuiKey_B),
    chord(Command::ShowMap, ImGuiMod_Alt | ImGuiKey_M),
    chord(Command::FocusConsole, ImGuiMod_Ctrl | ImGuiKey_GraveAccent),
    chord(Command::ShowStudio, ImGuiMod_Alt | ImGuiKey_T),
    chord(Command::Record, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Enter),
    chord(Command::HoldProgram, ImGuiMod_Alt | ImGuiKey_P),
    chord(Command::EditSource, ImGuiMod_Alt | ImGuiKey_E),
    chord(Command::NewProgram, ImGuiMod_Alt | ImGuiKey_N),
    chord(Command::Compare, ImGuiMod_Alt | ImGuiKey_C),
    chord(Command::ComparePart, ImGuiMod_Alt | ImGuiMod_Shift | ImGuiKey_C),
    chord(Command::ShowStatistics, ImGuiMod_Alt | ImGuiKey_S),
    chord(Command::ShowCall, ImGuiMod_Alt | ImGuiKey_I),
    chord(Command::ShowCapture, ImGuiMod_Alt | ImGuiKey_G),
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
constexpr std::string_view kConsole = "In the console";
constexpr std::string_view kStudio = "In the studio";
constexpr std::string_view kCapture = "In a capture";
constexpr std::string_view kTraining = "At a training";
constexpr std::string_view kSource = "In a program's source";
constexpr std::string_view kHeat = "On a heat map";
constexpr std::string_view kMap = "On the map";
constexpr std::string_view kView = "View";

constexpr std::array<CommandRow, 54> kRows = {{
    {Command::Open, kFile, "Open a file", "Ctrl+O"},
    {Command::NewTab, kFile, "Samples, lessons, address or path", "Alt+H  or  Ctrl+T"},
    {Command::Compare, kFile, "Compare with\xE2\x80\xA6", "Alt+C"},
    {Command::ComparePart, kFile, "Compare the chosen module or tensor with\xE2\x80\xA6", "Alt+Shift+C"},
    {Command::CloseTab, kFile, "Close the document", "Alt+W  or  Ctrl+W"},
    {Command::CloseAll, kFile, "Close everything and start afresh", ""},
    {Command::NextTab, kFile, "Next document", "Alt+PgDn  or  Ctrl+PgDn"},
    {Command::PreviousTab, kFile, "Previous document", "Alt+PgUp  or  Ctrl+PgUp"},
    {Command::SideBySide, kFile, "Two documents side by side", "Ctrl+\\"},
    {Command::Reload, kFile, "Open the document again", "Alt+R"},
    {Command::WatchFiles, kFile, "Watch files: open again what changes (on or off)", ""},
    {Command::ShowCommands, kMove, "All commands", "Ctrl+Shift+P  or  Ctrl+P"},
    {Command::Search, kMove, "Search everything that is open", "Ctrl+F  or  /"},
    {Command::FocusFilter, kMove, "Filter the tree", "Ctrl+Shift+F"},
    {Command::FocusConsole, kMove, "Type to the program", "Ctrl+`"},
    {Command::NewProgram, kFile, "New program", "Alt+N"},
    {Command::EditSource, kMove, "Edit the program's source", "Alt+E"},
    {Command::RunSource, kFile, "Run the program from its beginning", ""},
    {Command::StopProgram, kFile, "Stop the program", ""},
    {Command::HoldProgram, kFile, "Pause the program, or let it go on", "Alt+P"},
    {Command::ShowStudio, kView, "Studio: step through the program, forward and back", "Alt+T"},
    {Command::Record, kStudio, "Record the program from its beginning", "Ctrl+Shift+Enter"},
    {Command::Attach, kFile, "Attach to a training on this machine", ""},
    {Command::Train, kFile, "Train a model that is built in", ""},
    {Command::Back, kMove, "Back", "Backspace  or  Alt+\xE2\x86\x90"},
    {Command::Forward, kMove, "Forward", "Alt+\xE2\x86\x92"},
    {Command::Escape, kMove, "Close what is open, clear the filter", "Esc"},
    {Command::CopyLink, kMove, "Copy a link to what is shown", "Alt+L"},
    {Command::ExpandAll, kTree, "Open everything", ""},
    {Command::CollapseAll, kTree, "Close everything", ""},
    {Command::CopyPath, kTree, "Copy the path of the chosen row", "Ctrl+C"},
    {Command::ToggleTree, kView, "Hide the tree or show it", "Ctrl+B"},
    {Command::ShowMap, kView, "Map of what takes the room", "Alt+M"},
    {Command::ShowStatistics, kView, "Statistics of all tensors", "Alt+S"},
    {Command::ShowCall, kView, "One call of a module: shapes, FLOPs, sizes, time", "Alt+I"},
    {Command::ShowCapture, kView, "Capture: what a compiler makes of the modules", "Alt+G"},
    {Command::ShowSafety, kView, "Safety: what loading this file could run", ""},
    {Command::Larger, kView, "Larger", "Ctrl+="},
    {Command::Smaller, kView, "Smaller", "Ctrl+\xE2\x88\x92"},
    {Command::DefaultScale, kView, "Original size", "Ctrl+0"},
    {Command::ThemeSystem, kView, "Theme: as the system", ""},
    {Command::ThemeLight, kView, "Theme: light", ""},
    {Command::ThemeDark, kView, "Theme: dark", ""},
    {Command::ShowKeys, kView, "Keys", "?  or  F1"},
    {Command::Save, kFile, "Save what is shown", "Ctrl+S"},
    {Command::SavePng, kFile, "Save a picture of the tree, map, difference or tensor: PNG", "Ctrl+Shift+E"},
    {Command::SaveSvg, kFile, "Save a picture of the tree, map, difference or tensor: SVG", "Ctrl+Alt+E"},
    {Command::SavePdf, kFile, "Save a picture of the tree, map, difference or tensor: PDF", ""},
    {Command::SaveText, kFile, "Save the tree as text", ""},
    {Command::SaveJson, kFile, "Save the tree as JSON", ""},
    {Command::SaveCsv, kFile, "Save the tree as CSV", ""},
    {Command::SaveMarkdown, kFile, "Save the tree as Markdown", ""},
    {Command::SaveNpy, kFile, "Save the values that are looked at as .npy", ""},
    {Command::SaveValues, kFile, "Save the values that are looked at as CSV", ""},
}};

// Keys of the controls themselves, which are no commands.
constexpr std::array<panels::KeyLine, 58> kControlKeys = {{
    {kMove, "Tab  /  Shift+Tab", "Next or previous control"},
    {kMove, "F6  /  Shift+F6", "Next or previous region"},
    {kConsole, "\xE2\x86\x91  \xE2\x86\x93", "What was typed before"},
    {kConsole, "Ctrl+Space", "Complete the name"},
    {kSource, "Ctrl+Enter", "Run from the beginning"},
    {kSource, "Ctrl+Z  /  Ctrl+Y", "Undo, redo"},
    {kSource, "Ctrl+F  /  Ctrl+H", "Find, replace"},
    {kSource, "Ctrl+G", "Go to a line"},
    {kSource, "Ctrl+/", "Comment on or off"},
    {kSource, "Ctrl+]  /  Ctrl+[", "Indent further or less"},
    {kSource, "Alt+\xE2\x86\x91  Alt+\xE2\x86\x93", "Move the line"},
    {kSource, "Ctrl+D", "Duplicate the line"},
    {kSource, "Ctrl+Shift+K", "Delete the line"},
    {kSource, "Esc, Tab", "Leave the editor"},
    {kTree, "\xE2\x86\x91  \xE2\x86\x93", "Previous or next row"},
    {kTree, "\xE2\x86\x92", "Open, then go in"},
    {kTree, "\xE2\x86\x90", "Close, then go out"},
    {kTree, "*", "Open everything below"},
    {kTree, "Enter", "Open or close"},
    {kTree, "Home  End  PgUp  PgDn", "First, last, a page up or down"},
    {kTree, "a\xE2\x80\xA6z", "Jump to a name that begins so"},
    {kHeat, "Ctrl+wheel", "Zoom"},
    {kHeat, "+  \xE2\x88\x92", "Zoom in, out"},
    {kHeat, "F", "Zoom to the cell"},
    {kHeat, "Space, 0, double click", "Show the whole tensor"},
    {kHeat, "Arrow keys", "Move to the next cell"},
    {kHeat, "Drag", "Pan"},
    {kMap, "\xE2\x86\x90  \xE2\x86\x92", "Next larger or smaller beside it"},
    {kMap, "\xE2\x86\x93  \xE2\x86\x91", "Go in, go out"},
    {kMap, "Enter, double click", "Let the group fill the map"},
    {kMap, "PgUp", "One group further out"},
    {kMap, "F", "Zoom to the chosen one"},
    {kMap, "Space", "Show everything"},
    {kStudio, ".  ,", "Next or previous event"},
    {kStudio, "n  N", "Over the statement, back over it"},
    {kStudio, "s  S", "Into calls, back into them"},
    {kStudio, "r  R", "Out of the call, back to it"},
    {kStudio, "c  C", "To the next or the last breakpoint"},
    {kStudio, "F9", "Set or remove a breakpoint at the line, also where it is edited"},
    {kStudio, "Enter", "Run to the line"},
    {kStudio, "Ctrl+G", "Go to the event of a number"},
    {kStudio, "Space", "In the source: play, pause; in the drawing: show all of it"},
    {kStudio, "+  \xE2\x88\x92  F", "In the drawing: zoom, show the chosen object"},
    {kStudio, "PgDn  PgUp", "In a lesson: the next stop, the one before"},
    {kCapture, ",  .", "The frame before, the next one"},
    {kCapture, "\xE2\x86\x91  \xE2\x86\x93", "In the graph: to what a node takes, to what takes it"},
    {kCapture, "\xE2\x86\x90  \xE2\x86\x92", "In the graph: the node before, the next one"},
    {kCapture, "Enter", "Open or close the group, open the graph inside, lead to the module or line"},
    {kCapture, "Alt+\xE2\x86\x91", "From a graph inside to the one around it"},
    {kCapture, "g  *", "Fold the group around the node, open all"},
    {kCapture, "Ctrl+wheel  +  \xE2\x88\x92", "Zoom the graph"},
    {kCapture, "Space  F", "Show the whole graph, show the node"},
    {kCapture, "Drag", "Pan the graph"},
    {kTraining, "p", "Pause, go on"},
    {kTraining, ".", "One step"},
    {kTraining, "c", "Write a checkpoint"},
    {kTraining, "[  ]", "The modules' statistic before, the next one"},
    {kTraining, "{  }", "The module's tensor before, the next one"},
}};

// The order of the groups; none may be missing.
constexpr std::array kGroups = {kFile,    kMove,     kTree, kSource, kConsole, kStudio,
                                kCapture, kTraining, kHeat, kMap,    kView};
constexpr bool is_in_groups(std::string_view group) {
  return std::find(kGroups.begin(), kGroups.end(), group) != kGroups.end();
}
static_assert(std::all_of(kRows.begin(), kRows.end(), [](const CommandRow& row) { return is_in_groups(row.group); }));
static_assert(std::all_of(kControlKeys.begin(), kControlKeys.end(),
                          [](const panels::KeyLine& line) { return is_in_groups(line.group); }));

// Without those that a browser keeps for its own tabs; they stand last.
std::string_view keys_here(std::string_view keys) {
  constexpr std::string_view kOr = "  or  ";
  constexpr std::array<std::string_view, 4> kOfBrowsers = {"Ctrl+T", "Ctrl+W", "Ctrl+PgDn", "Ctrl+PgUp"};
  const std::size_t last = keys.rfind(kOr);
  if (last == std::string_view::npos || host::link_base().empty()) return keys;
  const std::string_view one = keys.substr(last + kOr.size());
  return std::find(kOfBrowsers.begin(), kOfBrowsers.end(), one) == kOfBrowsers.end() ? keys : keys.substr(0, last);
}

}  // namespace

std::span<const CommandKey> command_keys() { return kKeys; }
std::span<const CommandRow> command_rows() { return kRows; }

std::vector<panels::KeyLine> key_lines() {
  std::vector<panels::KeyLine> lines;
  for (const std::string_view group : kGroups) {
    for (const CommandRow& row : kRows) {
      if (row.group == group && !row.keys.empty()) lines.push_back({row.group, keys_here(row.keys), row.title});
    }
    for (const panels::KeyLine& line : kControlKeys) {
      if (line.group == group) lines.push_back(line);
    }
  }
  return lines;
}

std::vector<panels::CommandLine> command_lines() {
  std::vector<panels::CommandLine> lines;
  for (const CommandRow& row : kRows) {
    if (row.command == Command::ShowCommands || row.command == Command::Escape) continue;
    lines.push_back({static_cast<std::uint32_t>(row.command), row.title, keys_here(row.keys)});
  }
  return lines;
}

}  // namespace nns::app
