#include "ui/host/host.h"

#include <utility>

#include "ui/host/access_node.h"
#include "web/host/page_state.h"
#include "web/host/viewer_imports.h"

namespace nns::web {

PageState& page_state() {
  static PageState state;
  return state;
}

}  // namespace nns::web

namespace nns::host {

using web::page_state;

void pick_file(const std::function<void(std::optional<PickedFile>)>& done) {
  page_state().picked = done;
  nns_host_pick_file();
}

bool has_file_picker() { return true; }

bool opens_paths() { return false; }

base::Result<PickedFile> register_path(std::string_view path) {
  return base::Error{.found = "a page in a browser cannot open a path",
                     .expected = "a file that was chosen or dropped, or an address",
                     .where = std::string(path),
                     .offset = {}};
}

std::vector<PickedFile> take_dropped_files() { return std::exchange(page_state().dropped, {}); }

void reopen_file(const std::string& place, bool may_ask, const std::function<void(std::optional<PickedFile>)>& done) {
  const std::uint32_t number = page_state().next_reopening++;
  page_state().reopening[number] = done;
  nns_host_reopen(place.data(), place.size(), may_ask, number);
}

void watch_files(std::vector<std::string> places) {
  std::string lines;
  for (const std::string& place : places) lines.append(place).append("\n");
  nns_host_watch(lines.data(), lines.size());
}

std::vector<PickedFile> take_changed_files() { return std::exchange(page_state().changed, {}); }

void show_link(std::string_view link, std::uint64_t visit) {
  nns_host_show_link(link.data(), link.size(), static_cast<double>(visit));
}

bool go_in_history(int steps) {
  nns_host_go_in_history(steps);
  return true;
}

std::string link_base() {
  nns_host_link_base();
  return page_state().text;
}

bool is_drag_over() { return page_state().is_drag_over; }

base::Result<void> copy_to_clipboard(std::string_view text) {
  if (nns_host_copy(text.data(), text.size())) return {};
  return base::Error{.found = "the browser does not let this page use the clipboard",
                     .expected = "a click or a key press just before",
                     .where = {},
                     .offset = {}};
}

float display_scale() { return static_cast<float>(nns_host_scale()); }

bool prefers_dark() { return nns_host_is_dark(); }

bool prefers_reduced_motion() { return nns_host_is_still(); }

std::optional<std::string> load_setting(std::string_view key) {
  if (!nns_host_load(key.data(), key.size())) return std::nullopt;
  return page_state().text;
}

void save_setting(std::string_view key, std::string_view value) {
  nns_host_save(key.data(), key.size(), value.data(), value.size());
}

void set_title(std::string_view title) { nns_host_set_title(title.data(), title.size()); }

void request_frame(double after_seconds) { nns_host_request_frame(after_seconds * 1000); }

void publish_access(std::span<const AccessNode> controls) {
  const std::string update = page_state().access.make(controls);
  if (!update.empty()) nns_host_publish(update.data(), update.size());
}

std::vector<AccessAction> take_access_actions() { return std::exchange(page_state().actions, {}); }

}  // namespace nns::host
