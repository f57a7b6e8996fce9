#pragma once

#include <GLFW/glfw3.h>

#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/host/file_watch.h"
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
  std::map<std::string, std::string> session;  ///< settings that begin with `tab.`
  bool session_changed = false;
  double session_kept_at_seconds = 0;
  /// Not for pictures: what a person set is neither read nor changed by them.
  bool keeps_settings = true;
  bool wants_frame = true;
  double wake_at_seconds = std::numeric_limits<double>::infinity();  ///< of glfwGetTime()
  bool is_dark = true;
  bool is_still = false;
  std::function<void(std::optional<PickedFile>)> picked;
  FileWatch watch;
  double watched_at_seconds = 0;
  std::function<void(const std::optional<std::string>&)> chosen;  ///< instead of `picked`: a name to save under
  std::future<std::optional<std::string>> picker;                 ///< a picker program that runs
};
WindowState& window_state();

/// Registers a path with the sources of the window.
PickedFile register_file(const std::string& path);
/// Writes the session down if it has changed, at most once a second unless `at_once`.
void keep_session(bool at_once);
/// Calls back for a picker that has ended.
void follow_picker();

}  // namespace nns::host
