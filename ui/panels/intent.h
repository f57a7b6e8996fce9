#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace nns::panels {

enum class InspectorTab : std::uint8_t { Summary, Registries, Hooks, Tensor, Repr, Safety };
enum class ThemeChoice : std::uint8_t { System, Light, Dark };

struct OpenFile {};
struct OpenSample {
  std::string name;
};
/// A path or an address, as the person typed it.
struct OpenLocation {
  std::string text;
};
/// Document 0 is the start screen.
struct ChooseDocument {
  std::uint32_t document = 0;
};
struct CloseDocument {
  std::uint32_t document = 0;
};
struct SelectLine {
  std::uint32_t line = 0;
};
/// Chooses a row of the document wherever it is, and shows it.
struct SelectRow {
  std::uint32_t row = 0;
};
struct ExpandLine {
  std::uint32_t line = 0;
  bool open = true;
};
/// Opens everything below a line.
struct ExpandBelow {
  std::uint32_t line = 0;
};
struct CollapseAll {};
struct SetFilter {
  std::string text;
};
struct ChooseTab {
  InspectorTab tab = InspectorTab::Summary;
};
struct ComputeStatistics {
  std::uint32_t tensor = 0;
};
struct CancelJob {
  std::uint64_t request = 0;
};
struct DismissError {
  std::uint64_t number = 0;
};
struct CopyText {
  std::string text;
  std::string what;  ///< "Path", "Error": for "Path copied"
};
struct SetTheme {
  ThemeChoice theme = ThemeChoice::System;
};
/// Steps of the UI's scale; 0 goes back to 100 %.
struct ChangeScale {
  int steps = 0;
};
struct ShowKeys {
  bool shown = true;
};
/// A line of the list of commands was chosen.
struct RunCommand {
  std::uint32_t number = 0;
};
struct HideCommands {};
struct GoBack {};
struct GoForward {};

/// What a person asked of a panel. Only the app carries it out, before the next frame.
using Intent =
    std::variant<OpenFile, OpenSample, OpenLocation, ChooseDocument, CloseDocument, SelectLine, SelectRow, ExpandLine,
                 ExpandBelow, CollapseAll, SetFilter, ChooseTab, ComputeStatistics, CancelJob, DismissError, CopyText,
                 SetTheme, ChangeScale, ShowKeys, RunCommand, HideCommands, GoBack, GoForward>;

}  // namespace nns::panels
