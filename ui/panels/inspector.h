#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/model/inspector.h"
#include "ui/model/summary.h"
#include "ui/panels/call_panel.h"
#include "ui/panels/capture_panel.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/intent.h"
#include "ui/panels/map_panel.h"
#include "ui/panels/statistics_panel.h"
#include "ui/panels/tensor_panel.h"
#include "ui/widgets/row_list.h"

namespace nns::panels {

/// What the inspector shows; pointers are null while the answer is on its way or where there is none.
struct InspectorModel {
  const live::DocumentView* document = nullptr;
  std::uint32_t row = UINT32_MAX;  ///< the chosen row
  const model::DocumentSummary* summary = nullptr;
  const model::ObjectView* object = nullptr;
  std::span<const std::uint32_t> also_at;  ///< other rows with the same object, or with a tensor on the same storage
  TensorPanelModel tensor;
  MapPanelModel map;
  StatisticsPanelModel statistics;
  const EditorPanelModel* editor = nullptr;  ///< of a program whose text is known
  EditorPanelState* editor_state = nullptr;
  const CallPanelModel* call = nullptr;  ///< of a program whose modules can be called
  CallPanelState* call_state = nullptr;
  const CapturePanelModel* capture = nullptr;  ///< of a program that can be compiled, or of a log
  CapturePanelState* capture_state = nullptr;
  InspectorTab tab = InspectorTab::Summary;
  std::uint32_t toggle_tree = 0;  ///< the number of the command that hides the tree or shows it
};
struct InspectorState {
  bool is_beside = false;  ///< another document's inspector is there, too: its name says whose it is
  bool is_alone = false;   ///< the tree is hidden
  bool focus_tree_toggle = false;
  widgets::RowListState registries;
  std::uint32_t registry_line = UINT32_MAX;  ///< the line whose rule is explained
  widgets::RowListState hooks;
  std::uint32_t hook_line = UINT32_MAX;
  widgets::RowListState safety;
  std::uint32_t safety_line = UINT32_MAX;
  widgets::ScrollState summary;
  TensorPanelState tensor;
  MapPanelState map;
  StatisticsPanelState statistics;
  std::string repr;  ///< the text that the code view selects in
};

/// The chosen row from every side: tabs Source, Summary, Call, Capture, Map, Statistics, Registries, Hooks, Tensor,
/// Repr, Safety.
std::optional<Intent> draw_inspector(widgets::Ui& ui, widgets::Rect area, const InspectorModel& model,
                                     InspectorState& state);

}  // namespace nns::panels
