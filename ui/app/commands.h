#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ui/panels/keys_overlay.h"
#include "ui/panels/search_panel.h"

namespace nns::app {

/// What the app can be told to do from anywhere. Every command is one row of the table in commands.cpp.
enum class Command : std::uint8_t {
  Open,
  NewTab,
  CloseTab,
  CloseAll,
  NextTab,
  PreviousTab,
  ShowCommands,
  Search,
  FocusFilter,
  Back,
  Forward,
  Escape,
  ExpandAll,
  CollapseAll,
  CopyPath,
  ShowMap,
  ToggleTree,
  Compare,
  ComparePart,
  Larger,
  Smaller,
  DefaultScale,
  ThemeSystem,
  ThemeLight,
  ThemeDark,
  ShowKeys,
  ShowStatistics,
  ShowCall,
  ShowCapture,
  ShowSafety,
  CopyLink,
  Reload,
  WatchFiles,
  SideBySide,
  Save,
  SavePng,
  SaveSvg,
  SavePdf,
  SaveText,
  SaveJson,
  SaveCsv,
  SaveMarkdown,
  SaveNpy,
  SaveValues,
  FocusConsole,
  StopProgram,
  HoldProgram,
  ShowStudio,
  Record,
  Attach,
  Train,
  EditSource,
  RunSource,
  NewProgram,
};

/// One command: what people read, and its keys as text.
struct CommandRow {
  Command command;
  std::string_view group;
  std::string_view title;
  std::string_view keys;  ///< empty: only from the list of commands
};
std::span<const CommandRow> command_rows();

/// A key of the keymap.
struct CommandKey {
  Command command;
  int chord;   ///< ImGuiKey | ImGuiMod_*; 0: `typed`
  char typed;  ///< a character, whatever key makes it on this keyboard; 0: `chord`
  bool works_while_typing;
};
std::span<const CommandKey> command_keys();

/// What the keys overlay shows: commands with keys, then the keys of tree and heat map.
std::vector<panels::KeyLine> key_lines();
/// What the list of commands shows; numbers are those of Command.
std::vector<panels::CommandLine> command_lines();

}  // namespace nns::app
