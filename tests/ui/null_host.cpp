#include "tests/ui/null_host.h"

#include <utility>

namespace nns::tests {

NullHost& null_host() {
  static NullHost host;
  return host;
}

}  // namespace nns::tests

namespace nns::host {

using tests::null_host;

void pick_file(std::function<void(std::optional<PickedFile>)> done) { done(std::nullopt); }
bool has_file_picker() { return false; }
bool opens_paths() { return true; }
base::Result<PickedFile> register_path(std::string_view path) {
  return base::Error{.found = "there is no such file", .expected = "a path", .where = std::string(path), .offset = {}};
}
std::vector<PickedFile> take_dropped_files() { return std::exchange(null_host().dropped, {}); }
bool is_drag_over() { return null_host().is_drag_over; }
base::Result<void> copy_to_clipboard(std::string_view text) {
  null_host().clipboard = text;
  return {};
}
float display_scale() { return null_host().scale; }
bool prefers_dark() { return null_host().is_dark; }
bool prefers_reduced_motion() { return true; }
std::optional<std::string> load_setting(std::string_view key) {
  const auto found = null_host().settings.find(key);
  return found == null_host().settings.end() ? std::nullopt : std::optional(found->second);
}
void save_setting(std::string_view key, std::string_view value) { null_host().settings[std::string(key)] = value; }
void set_title(std::string_view title) { null_host().title = title; }
void request_frame(double after_seconds) {
  if (after_seconds <= 0) null_host().wants_frame = true;
}
void publish_access(std::span<const AccessNode>) { ++null_host().published; }
std::vector<AccessAction> take_access_actions() { return std::exchange(null_host().actions, {}); }

}  // namespace nns::host
