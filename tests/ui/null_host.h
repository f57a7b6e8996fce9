#pragma once

#include <map>
#include <string>
#include <vector>

#include "ui/host/access_node.h"
#include "ui/host/host.h"

namespace nns::tests {

/// The platform of tests and benchmarks: no screen, no files; what the app asked of it is kept here.
struct NullHost {
  std::vector<host::PickedFile> dropped;
  std::vector<host::AccessAction> actions;
  std::map<std::string, std::string, std::less<>> settings;
  std::string clipboard;
  std::string title;
  bool is_dark = true;
  bool is_drag_over = false;
  float scale = 1;
  int published = 0;  ///< how often the tree of controls was handed over
  bool wants_frame = false;
};
/// The one that ui/host's functions use.
NullHost& null_host();

}  // namespace nns::tests
