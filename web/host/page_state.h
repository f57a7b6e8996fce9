#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/host/access_node.h"
#include "ui/host/host.h"
#include "web/host/access_update.h"

namespace nns::web {

/// What the page told and the app has not taken yet. A page has exactly one viewer, and the browser calls its entry
/// points without any context: this is the one object behind them.
struct PageState {
  std::function<void(std::optional<host::PickedFile>)> picked;
  std::vector<host::PickedFile> dropped;
  bool is_drag_over = false;
  std::vector<host::AccessAction> actions;
  AccessUpdate access;
  /// Where the page puts a text before it calls an entry point, or before an import returns.
  std::string text;
};

PageState& page_state();

}  // namespace nns::web
