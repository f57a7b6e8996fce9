#pragma once

#include <GLFW/glfw3.h>

#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/host/source_provider.h"
#include "ui/host/access_node.h"
#include "ui/host/host.h"

namespace nns::host {

/// What the window knows and the app has not taken yet. GLFW calls back without a context, and ui/host's functions have
/// none either: this is the one object behind them. Threads: the UI thread.
struct WindowState {
  GLFWwindow* window = nullptr;
  std::shared_ptr<NativeSources> sources;
  std::vector<PickedFile> dropped;
  std::map<std::string, std::string> settings;
  bool settings_loaded = false;
  bool wants_frame = true;
  double wake_at_seconds = std::numeric_limits<double>::infinity();  ///< of glfwGetTime()
  bool is_dark = true;
  bool is_still = false;
  std::function<void(std::optional<PickedFile>)> picked;
  std::future<std::optional<std::string>> picker;  ///< a picker program that runs
};
WindowState& window_state();

/// Registers a path with the sources of the window.
PickedFile register_file(const std::string& path);
/// Calls back for a picker that has ended.
void follow_picker();

}  // namespace nns::host
