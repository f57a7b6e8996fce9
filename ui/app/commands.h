#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ui/panels/keys_overlay.h"

namespace nns::app {

/// What the app can be told to do from anywhere. Every command once, in commands.cpp, with its keys.
enum class Command : std::uint8_t {
  Open,
  NewTab,
  CloseTab,
  NextTab,
  PreviousTab,
  FocusFilter,
  ShowKeys,
  Back,
  Forward,
  CopyPath,
  Larger,
  Smaller,
  DefaultScale,
  Escape,
};

/// A key of the keymap; `command` only runs while no text is typed if `needs_no_typing`.
struct CommandKey {
  Command command;
  int chord;   ///< ImGuiKey | ImGuiMod_*; 0: `typed`
  char typed;  ///< a character, whatever key makes it on this keyboard; 0: `chord`
  bool works_while_typing;
};
std::span<const CommandKey> command_keys();
/// What the keys overlay shows: commands, and the keys of tree, heat map and lists.
std::span<const panels::KeyLine> key_lines();

}  // namespace nns::app
