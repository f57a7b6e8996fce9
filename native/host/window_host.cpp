// The bodies of ui/host/host.h for a window on this machine.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "native/host/desktop.h"
#include "native/host/file_save.h"
#include "native/host/settings_file.h"
#include "native/host/system_fonts.h"
#include "native/host/window_state.h"
#include "ui/host/host.h"
#include "ui/host/save_file.h"

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
  std::error_code error;
  file.place = std::filesystem::absolute(path, error).string();
  return file;
}

void follow_picker() {
  WindowState& state = window_state();
  if (!state.picker.valid() || state.picker.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  const std::optional<std::string> path = state.picker.get();
  if (const auto chosen = std::exchange(state.chosen, nullptr)) return chosen(path);
  const auto done = std::exchange(state.picked, nullptr);
  if (!done) return;
  done(path ? std::optional(register_file(*path)) : std::nullopt);
}

void pick_file(const std::function<void(std::optional<PickedFile>)>& done) {
  WindowState& state = window_state();
  if (state.picker.valid()) return done(std::nullopt);  // one picker at a time
  state.picked = done;
  // Detached: closing the window does not wait for a picker that is still open.
  std::promise<std::optional<std::string>> answer;
  state.picker = answer.get_future();
  std::thread([answer = std::move(answer)]() mutable {
    answer.set_value(run_file_picker());
    glfwPostEmptyEvent();
  }).detach();
}

void save_file(std::string_view name, const std::function<void(base::Result<std::unique_ptr<SaveFile>>)>& done) {
  WindowState& state = window_state();
  const auto command = find_save_picker(name);
  if (!command) return done(open_file_save(free_name(downloads_folder(), std::string(name)), false));
  if (state.picker.valid()) return done(std::unique_ptr<SaveFile>());  // one picker at a time
  // The picker itself asks before it gives the name of a file that is there.
  state.chosen = [done](const std::optional<std::string>& path) {
    if (!path) return done(std::unique_ptr<SaveFile>());
    done(open_file_save(*path, true));
  };
  std::promise<std::optional<std::string>> answer;
  state.picker = answer.get_future();
  std::thread([answer = std::move(answer), command = *command]() mutable {
    std::optional<std::string> path = run_program(command);
    if (path && path->empty()) path.reset();
    answer.set_value(std::move(path));
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

void reopen_file(const std::string& place, bool, const std::function<void(std::optional<PickedFile>)>& done) {
  std::error_code error;
  done(std::filesystem::exists(place, error) ? std::optional(register_file(place)) : std::nullopt);
}

void watch_files(std::vector<std::string> places) { window_state().watch.watch(std::move(places)); }

std::vector<PickedFile> take_changed_files() {
  constexpr double kBetweenLooks_s = 0.9;
  std::vector<PickedFile> changed;
  WindowState& state = window_state();
  if (glfwGetTime() - state.watched_at_seconds < kBetweenLooks_s) return changed;
  state.watched_at_seconds = glfwGetTime();
  for (const std::string& place : state.watch.look()) changed.push_back(register_file(place));
  return changed;
}

void show_link(std::string_view, std::uint64_t) {}
bool go_in_history(int) { return false; }
std::string link_base() { return {}; }

std::vector<PickedFile> take_dropped_files() { return std::exchange(window_state().dropped, {}); }

// GLFW tells of a drop when it has happened, not of what hovers.
bool is_drag_over() { return false; }

base::Result<void> copy_to_clipboard(std::string_view text) {
  glfwSetClipboardString(window_state().window, std::string(text).c_str());
  return {};
}

std::optional<Glyph> draw_glyph(char32_t letter, GlyphStyle style, float em_px) {
  static SystemFonts fonts(font_folders());
  return fonts.draw(letter, style, em_px);
}

float display_scale() {
  float x = 1;
  float y = 1;
  if (window_state().window != nullptr) glfwGetWindowContentScale(window_state().window, &x, &y);
  return x > 0 ? x : 1;
}

bool prefers_dark() { return window_state().is_dark; }
bool prefers_reduced_motion() { return window_state().is_still; }

namespace {

/// What belongs to this session of work, not to the person.
bool is_of_session(std::string_view key) { return key.starts_with("tab."); }

}  // namespace

std::optional<std::string> load_setting(std::string_view key) {
  WindowState& state = window_state();
  if (!std::exchange(state.settings_loaded, true)) state.settings = read_settings_file(settings_path());
  const auto& settings = is_of_session(key) ? state.session : state.settings;
  const auto found = settings.find(std::string(key));
  return found == settings.end() ? std::nullopt : std::optional(found->second);
}

void save_setting(std::string_view key, std::string_view value) {
  WindowState& state = window_state();
  std::string& kept = (is_of_session(key) ? state.session : state.settings)[std::string(key)];
  if (kept == value) return;
  kept = value;
  if (is_of_session(key)) {
    state.session_changed = true;
  } else if (state.keeps_settings) {
    write_settings_file(settings_path(), state.settings);
  }
}

void keep_session(bool at_once) {
  // A person who walks through a tree changes the session with every key.
  constexpr double kBetweenWrites_s = 1;
  WindowState& state = window_state();
  if (!state.session_changed || !state.keeps_settings) return;
  const double now = glfwGetTime();
  if (!at_once && now < state.session_kept_at_seconds + kBetweenWrites_s) {
    request_frame(state.session_kept_at_seconds + kBetweenWrites_s - now);
    return;
  }
  state.session_changed = false;
  state.session_kept_at_seconds = now;
  write_settings_file(session_path(), state.session);
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
