#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/model/call_table.h"
#include "ui/panels/intent.h"
#include "ui/widgets/row_list.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct CallPanelModel {
  const model::CallTable* table = nullptr;
  std::uint64_t request = 0;           ///< of the call that is on its way; 0: none
  const std::string* error = nullptr;  ///< why the last call failed; empty: it did not
  bool is_running = false;             ///< the program runs, and cannot be asked
};
struct CallPanelState {
  std::string module;  ///< what is called: an expression of Python
  std::string inputs;  ///< with ";" between them
  bool with_values = false;
  bool module_changed = false;  ///< the fields were filled in, not typed
  bool take_focus = false;
  widgets::RowListState list;
  std::uint32_t line = UINT32_MAX;  ///< the chosen one
  std::uint32_t first_column = 0;   ///< where not all fit
};

/// One call of a module: what it is called with, and for each module below it what went in and came out, parameters,
/// FLOPs, sizes and time, with bars that show where most of them are.
std::optional<Intent> draw_call_panel(widgets::Ui& ui, widgets::Rect area, const CallPanelModel& model,
                                      CallPanelState& state);

}  // namespace nns::panels
