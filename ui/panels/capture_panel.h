#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "ui/model/capture_view.h"
#include "ui/panels/intent.h"
#include "ui/text/source_looks.h"
#include "ui/widgets/row_list.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

/// What is shown: what a compiler made of a program that can run again, what a log tells of that, or the programs in a
/// package of torch.export.
enum class CaptureOf : std::uint8_t { Program, Log, Package };

struct CapturePanelModel {
  const model::CaptureView* view = nullptr;
  CaptureOf of = CaptureOf::Log;
  std::uint64_t request = 0;                 ///< that the capture answers; 0: none is on its way
  const std::string* error = nullptr;        ///< why the last one failed; empty: it did not
  bool is_running = false;                   ///< the program runs, and cannot be asked
  const text::SourceLooks* looks = nullptr;  ///< of the file that is shown; null: not known
};
struct CapturePanelState {
  std::string call;    ///< an expression of Python; empty: the whole program
  std::string inputs;  ///< with ";" between them
  bool by_instance = false;
  bool fields_changed = false;  ///< they were filled in, not typed
  bool take_focus = false;
  bool focus_content = false;  ///< what the chosen part shows takes the keyboard
  model::CapturePart part = model::CapturePart::Frames;
  std::array<widgets::RowListState, model::kCaptureParts> lists;
  std::array<std::uint32_t, model::kCaptureParts> lines{};  ///< the chosen one of each list
  widgets::ScrollState scroll;                              ///< of a panel that is too low for all
  bool is_in_content = false;                               ///< the keyboard is in what the chosen part shows
  // The part of the drawing that is seen: from where, and how large. Units: of the drawing.
  float x = 0, y = 0;
  float zoom = 0;  ///< 0: to be fitted
  std::uint64_t laid_out = 0;
  std::uint32_t followed = UINT32_MAX;  ///< the node that was brought into view
};

/// What a compiler makes of modules: its frames with their breaks and recompilations, the graph as drawing and list,
/// the source with its cuts, guards, and which variable each module became.
std::optional<Intent> draw_capture_panel(widgets::Ui& ui, widgets::Rect area, const CapturePanelModel& model,
                                         CapturePanelState& state);

/// The graph, drawn.
std::optional<Intent> draw_capture_graph(widgets::Ui& ui, widgets::Rect area, const CapturePanelModel& model,
                                         CapturePanelState& state);

}  // namespace nns::panels
