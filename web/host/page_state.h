#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
  std::vector<host::PickedFile> changed;
  /// Who waits for a file that is opened again, by number.
  std::map<std::uint32_t, std::function<void(std::optional<host::PickedFile>)>> reopening;
  std::uint32_t next_reopening = 1;
  bool is_drag_over = false;
  std::vector<host::AccessAction> actions;
  AccessUpdate access;
  /// Where the page puts a text before it calls an entry point, or before an import returns.
  std::string text;
};

PageState& page_state();

}  // namespace nns::web
