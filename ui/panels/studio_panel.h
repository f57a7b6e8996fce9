#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/trace_view.h"
#include "ui/model/object_drawing.h"
#include "ui/model/rank_rows.h"
#include "ui/model/studio_rows.h"
#include "ui/panels/intent.h"
#include "ui/text/source_looks.h"
#include "ui/text/text_buffer.h"
#include "ui/widgets/awaited_focus.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

/// The source that is looked at, and what is marked in it.
struct StudioSource {
  std::string name;
  const text::TextBuffer* text = nullptr;    ///< null: of no file whose text is known
  const text::SourceLooks* looks = nullptr;  ///< its colours
  std::uint32_t line = 0;                    ///< that runs, from 1; 0: none of this file
  /// What of that line runs. Units: bytes.
  std::uint32_t begin_column = 0;
  std::uint32_t end_column = 0;
  bool is_innermost = true;  ///< otherwise the line waits for a call
};

/// What stops a search.
struct StudioStops {
  bool registry_changes = false;
  bool hook_fires = false;
  bool exceptions = false;
  bool module_calls = false;
  bool attribute_changes = false;
};
/// Each of them, in the order in which they are offered.
struct StudioStopRow {
  std::string_view name;   ///< in links
  std::string_view label;  ///< on its button
  std::string_view tip;
  bool StudioStops::*is_on;
};
inline constexpr std::array kStudioStops = {
    StudioStopRow{"registry", "Registry", "Stop where a registry or a table of hooks changes",
                  &StudioStops::registry_changes},
    StudioStopRow{"hook", "Hook", "Stop where a hook fires", &StudioStops::hook_fires},
    StudioStopRow{"exception", "Exception", "Stop where an exception is raised", &StudioStops::exceptions},
    StudioStopRow{"call", "Call", "Stop where a module is called", &StudioStops::module_calls},
    StudioStopRow{"attribute", "Attribute", "Stop where an attribute of a module is set or deleted",
                  &StudioStops::attribute_changes},
};

/// What a lesson may hide, by the bits of lesson::Hidden.
enum StudioPart : std::uint32_t { kStudioControls = 1, kStudioStack = 2, kStudioObjects = 4, kStudioOutput = 8 };

struct StudioPanelModel {
  const live::TraceView* trace = nullptr;  ///< null: nothing was recorded yet
  const live::wire::TraceMoment* moment = nullptr;
  bool is_running = false;
  bool is_held = false;     ///< it stands still until it is let go
  bool has_program = true;  ///< its file can be run
  std::uint32_t event = 0;  ///< that was asked for: the moment may be on its way
  std::string note;         ///< what the last search found, if it found nothing
  const StudioSource* source = nullptr;
  const text::LineSet* breakpoints = nullptr;  ///< lines of that source
  const std::vector<model::StudioRow>* stack = nullptr;
  const std::vector<model::StudioRow>* object = nullptr;
  const std::vector<model::StudioRow>* lookup = nullptr;
  const std::vector<model::StudioRow>* modules = nullptr;
  const std::vector<model::StudioRow>* replicas = nullptr;
  const live::wire::Ranks* ranks = nullptr;  ///< null: the program made no step of DistributedDataParallel
  const model::ObjectDrawing* drawing = nullptr;
  const std::vector<std::string>* output = nullptr;
  std::uint32_t selected = UINT32_MAX;
  StudioStops stops;
  bool is_playing = false;
  std::uint32_t hides = 0;  ///< StudioPart bits
  bool is_compact = false;  ///< there is room for the steps that one needs most only
};

/// Stack and Output only where they have no room of their own.
enum class StudioTab : std::uint8_t { Objects, Chosen, Lookup, Modules, Replicas, Ranks, Stack, Output };

struct StudioPanelState {
  StudioTab tab = StudioTab::Objects;
  widgets::RowListState source_list;
  std::uint32_t source_line = UINT32_MAX;  ///< the chosen one, from 0
  std::uint64_t revealed = 0;              ///< the moment whose line was brought into sight
  widgets::RowListState stack_list, object_list, registry_list, lookup_list, module_list, replica_list, rank_list,
      output_list;
  std::uint32_t stack_line = UINT32_MAX, object_line = UINT32_MAX, registry_line = UINT32_MAX;
  std::uint32_t lookup_line = UINT32_MAX, module_line = UINT32_MAX, replica_line = UINT32_MAX, rank_line = UINT32_MAX,
                output_line = UINT32_MAX;
  model::RankRows rank_rows;
  float drawing_x = 0, drawing_y = 0;  ///< what is at the drawing's corner. Units: design units
  float drawing_zoom = 1;
  widgets::AwaitedFocus source_focus;
  bool goto_shown = false;  ///< the number of an event is typed
  bool take_goto_focus = false;
  std::string goto_event;
};

/// The studio: a program's recording, its source, stack, objects and output at one moment, and the ways through it.
std::optional<Intent> draw_studio_panel(widgets::Ui& ui, widgets::Rect area, const StudioPanelModel& model,
                                        StudioPanelState& state);

// Its parts, each in a file of its own.
std::optional<Intent> draw_studio_bar(widgets::Ui& ui, widgets::Rect area, const StudioPanelModel& model,
                                      StudioPanelState& state);
/// How tall the bar is for that width: buttons that do not fit stand in a further row. Units: pixels.
float studio_bar_height(const widgets::Ui& ui, float width, const StudioPanelModel& model);
std::optional<Intent> draw_studio_source(widgets::Ui& ui, widgets::Rect area, const StudioPanelModel& model,
                                         StudioPanelState& state);
std::optional<Intent> draw_studio_objects(widgets::Ui& ui, const widgets::Rect& area, const StudioPanelModel& model,
                                          StudioPanelState& state);
/// A list of names and values. Gives the row that was pressed.
std::optional<std::uint32_t> draw_studio_rows(widgets::Ui& ui, const widgets::Rect& area, std::string_view name,
                                              const std::vector<model::StudioRow>& rows, std::uint32_t selected,
                                              widgets::RowListState& list_state, std::uint32_t& line);

}  // namespace nns::panels
