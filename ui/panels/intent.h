#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "core/base/tensor_slice.h"
#include "ui/model/treemap_colours.h"

namespace nns::panels {

enum class InspectorTab : std::uint8_t {
  Summary,
  Registries,
  Hooks,
  Tensor,
  Repr,
  Safety,
  Map,
  Statistics,
  Source,
  Call,
  Capture
};
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
/// Of the part of the tensor that is shown.
struct ComputeStatistics {};
/// Of all tensors of the document, or of those that are not known yet.
struct ComputeModelStatistics {};
/// Number of a model::NumbersColumn.
struct SortStatistics {
  std::uint8_t column = 0;
};
/// Chooses a row and shows its tensor.
struct OpenTensor {
  std::uint32_t row = 0;
};
/// Goes to the next such value of the part behind the cursor.
struct FindInPart {
  live::wire::FindWhat what = live::wire::FindWhat::NaN;
};
/// Copies all values of the part as lines of comma-separated numbers.
struct CopyPart {};
/// Looks at another part of the tensor.
struct SetSlice {
  base::TensorSlice slice;
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
/// Shows the search box with that text.
struct ShowSearch {
  std::string text;
};
struct HideSearch {};
/// Goes to an answer of the search: a row of a document, or the metadata that its summary shows.
struct ShowHit {
  std::uint32_t document = 0;
  std::uint32_t row = 0;
  bool is_metadata = false;
};
/// The search's query becomes the tree's filter.
struct FilterByQuery {
  std::string text;
};
/// Lets a row fill the map.
struct ShowOnMap {
  std::uint32_t row = 0;
};
struct SetMapMetric {
  model::TreemapMetric metric = model::TreemapMetric::Parameters;
};
struct SetMapColour {
  model::TreemapColour colour = model::TreemapColour::Kind;
};
/// A line of the list of what was opened lately.
struct OpenRecent {
  std::size_t index = 0;
};
struct ForgetRecent {
  std::size_t index = 0;
};
/// A file that was open, or that a link is about, and that only the person can give.
struct OpenWanted {
  std::size_t index = 0;
};
struct ForgetWanted {
  std::size_t index = 0;
};
struct GoBack {};
struct GoForward {};

/// Chooses what to compare the document with.
struct CompareWith {};
/// What a comparison's panels ask for. `number`: a line, a kind or a column of it.
struct ComparisonAsk {
  enum class What : std::uint8_t {
    SelectLine,
    BeginAtLine,  ///< nobody chose it: the list has the keyboard and needs a row for it
    ExpandLine,
    CollapseLine,
    SetFilter,
    ToggleKind,
    SortBy,
    ChooseSort,
    ShowList,
    ShowTrees,
    CompareValues,
    CompareRow,
    Swap,
    OpenInA,
    OpenInB,
  };
  What what = What::SelectLine;
  std::uint32_t number = 0;
  std::string text;
};
/// To the program of the document that is shown.
struct RunText {
  std::string text;
};
/// Asks what the name at the end of the text may become.
struct CompleteText {
  std::string text;
};
struct StopProgram {};
/// It stands still until it is let go.
struct HoldProgram {
  bool held = true;
};
/// The text that stands in the editor, from its beginning.
struct RunSource {};
struct CopyConsole {};
/// What the studio's panels ask for. `number`: 1 for steps leads back; else an event, a line, a frame, an object.
struct StudioAsk {
  enum class What : std::uint8_t {
    Show,
    Hide,
    Record,
    StepEvent,
    StepInto,
    StepOver,
    StepOut,
    Continue,
    GoTo,
    Play,
    RunToLine,
    ToggleBreakpoint,
    ToggleStop,
    ShowFrame,
    SelectObject,
  };
  What what = What::Record;
  std::uint32_t number = 0;
};
/// In the text of the program as it is edited.
struct ToggleBreakpoint {
  std::uint32_t line = 0;  ///< from 0
};
/// What the panel of a call asks for. `number`: a line, a row of the call.
struct CallAsk {
  enum class What : std::uint8_t { Call, Expand, Collapse, ExpandAll, OpenRow, EditModule };
  What what = What::Call;
  std::uint32_t number = 0;
};
/// What the panel of a capture asks for. `number`: a frame, one of its graphs, a node, a group of the
/// drawing, a line of the file from 1, a row of the list of modules.
struct CaptureAsk {
  enum class What : std::uint8_t {
    Run,
    EditCall,
    ChooseFrame,
    ChooseGraph,
    ChooseNode,
    ChooseLine,
    FoldGroup,
    UnfoldAll,
    OpenModuleOfNode,
    OpenModuleOfRow
  };
  What what = What::Run;
  std::uint32_t number = 0;
};
/// What a lesson's panel asks for.
struct LessonAsk {
  enum class What : std::uint8_t { Next, Back, Check };
  What what = What::Next;
};
/// A line of the small dialog was chosen.
struct Choose {
  std::uint32_t line = 0;
};
struct HideChoice {};

/// What a training's screen asks for.
struct TrainingAsk {
  enum class What : std::uint8_t { Pause, Resume, Step, Checkpoint, Stop, SetRate, Seek, AddHook, RemoveHook };
  What what = What::Pause;
  std::uint32_t document = 0;
  double rate = 0;           ///< of SetRate, of that optimiser and group of its parameters; the largest number: of all
  std::uint64_t event = 0;   ///< of Seek
  std::uint32_t module = 0;  ///< of AddHook, RemoveHook
  std::uint64_t hook = 0;    ///< wire::HookPoint of AddHook, its id of RemoveHook
  std::uint32_t optimizer = UINT32_MAX, group = UINT32_MAX;
};
/// What the form of a training that is to be started asks for.
struct TrainingFormAsk {
  enum class What : std::uint8_t { Start, ChooseData, Hide };
  What what = What::Hide;
};
/// Shows the form of a training that is built in.
struct PrepareTraining {
  std::string recipe;
};
/// Attaches to the stream at that address; empty: one on this machine.
struct Attach {
  std::string address;
};

/// What a person asked of a panel. Only the app carries it out, before the next frame.
using Intent =
    std::variant<OpenFile, OpenSample, OpenLocation, ChooseDocument, CloseDocument, SelectLine, SelectRow, ExpandLine,
                 ExpandBelow, CollapseAll, SetFilter, ChooseTab, ComputeStatistics, CancelJob, DismissError, CopyText,
                 SetTheme, ChangeScale, ShowKeys, RunCommand, ShowOnMap, SetMapMetric, SetMapColour, GoBack, GoForward,
                 SetSlice, ShowSearch, HideSearch, ShowHit, FilterByQuery, OpenRecent, ForgetRecent, OpenWanted,
                 ForgetWanted, ComputeModelStatistics, SortStatistics, OpenTensor, FindInPart, CopyPart, CompareWith,
                 ComparisonAsk, Choose, HideChoice, RunText, CompleteText, StopProgram, CopyConsole, TrainingAsk,
                 PrepareTraining, TrainingFormAsk, Attach, StudioAsk, ToggleBreakpoint, RunSource, LessonAsk, CallAsk,
                 CaptureAsk, HoldProgram>;

}  // namespace nns::panels
