// The bodies of ui/host/host.h for a window on this machine.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "native/host/desktop.h"
#include "native/host/settings_file.h"
#include "native/host/window_state.h"
#include "ui/host/host.h"

namespace nns::host {

WindowState& window_state() {
  static WindowState state;
  return state;
}

PickedFile register_file(const std::string& path) {
  PickedFile file;
  file.source = window_state().sources->register_file(path);
  std::filesystem::path name(path);
  if (!name.has_filename()) name = name.parent_path();
  file.name = name.filename().string();
  return file;
}

void follow_picker() {
  WindowState& state = window_state();
  if (!state.picker.valid() || state.picker.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  const std::optional<std::string> path = state.picker.get();
  const auto done = std::exchange(state.picked, nullptr);
  if (!done) return;
  done(path ? std::optional(register_file(*path)) : std::nullopt);
}

void pick_file(std::function<void(std::optional<PickedFile>)> done) {
  WindowState& state = window_state();
  if (state.picker.valid()) return done(std::nullopt);  // one picker at a time
  state.picked = std::move(done);
  // Detached: closing the window does not wait for a picker that is still open.
  std::promise<std::optional<std::string>> answer;
  state.picker = answer.get_future();
  std::thread([answer = std::move(answer)]() mutable {
    answer.set_value(run_file_picker());
    glfwPostEmptyEvent();
  }).detach();
}

bool has_file_picker() { return find_file_picker().has_value(); }

bool opens_paths() { return true; }

base::Result<PickedFile> register_path(std::string_view path) {
  std::string text = expand_home(path);
  std::error_code error;
  if (!std::filesystem::exists(text, error)) {
    return base::Error{.found = "there is no such file or folder",
                       .expected = "a path on this machine, or an address with https://",
                       .where = std::move(text),
                       .offset = {}};
  }
  return register_file(text);
}

std::vector<PickedFile> take_dropped_files() { return std::exchange(window_state().dropped, {}); }

// GLFW tells of a drop when it has happened, not of what hovers.
bool is_drag_over() { return false; }

base::Result<void> copy_to_clipboard(std::string_view text) {
  glfwSetClipboardString(window_state().window, std::string(text).c_str());
  return {};
}

float display_scale() {
  float x = 1;
  float y = 1;
  if (window_state().window != nullptr) glfwGetWindowContentScale(window_state().window, &x, &y);
  return x > 0 ? x : 1;
}

bool prefers_dark() { return window_state().is_dark; }
bool prefers_reduced_motion() { return window_state().is_still; }

std::optional<std::string> load_setting(std::string_view key) {
  WindowState& state = window_state();
  if (!std::exchange(state.settings_loaded, true)) state.settings = read_settings_file();
  const auto found = state.settings.find(std::string(key));
  return found == state.settings.end() ? std::nullopt : std::optional(found->second);
}

void save_setting(std::string_view key, std::string_view value) {
  WindowState& state = window_state();
  std::string& kept = state.settings[std::string(key)];
  if (kept == value) return;
  kept = value;
  write_settings_file(state.settings);
}

void set_title(std::string_view title) {
  if (window_state().window != nullptr) glfwSetWindowTitle(window_state().window, std::string(title).c_str());
}

void request_frame(double after_seconds) {
  WindowState& state = window_state();
  if (after_seconds <= 0) {
    state.wants_frame = true;
  } else {
    state.wake_at_seconds = std::min(state.wake_at_seconds, glfwGetTime() + after_seconds);
  }
}

// No assistive technology of the desktop is connected yet; tests read App::controls().
void publish_access(std::span<const AccessNode>) {}
std::vector<AccessAction> take_access_actions() { return {}; }

}  // namespace nns::host
