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

void pick_file(const std::function<void(std::optional<PickedFile>)>& done) {
  ++null_host().pickings;
  done(null_host().picked);
}
namespace {

class NullSave final : public SaveFile {
 public:
  explicit NullSave(std::string name) : name_(std::move(name)) {}
  void write(std::string_view bytes) override { bytes_ += bytes; }
  void write_packed(std::string_view bytes, bool) override { bytes_ += bytes; }
  std::uint64_t pending() const override { return 0; }
  void finish() override {
    null_host().saved[name_] = std::move(bytes_);
    is_done_ = true;
  }
  base::Result<bool> ended() const override { return is_done_; }

 private:
  std::string name_;
  std::string bytes_;
  bool is_done_ = false;
};

}  // namespace

void save_file(std::string_view name, const std::function<void(base::Result<std::unique_ptr<SaveFile>>)>& done) {
  done(std::unique_ptr<SaveFile>(std::make_unique<NullSave>(std::string(name))));
}
bool has_file_picker() { return null_host().picked.has_value(); }
bool opens_paths() { return null_host().opens_paths; }
base::Result<PickedFile> register_path(std::string_view path) {
  return base::Error{.found = "there is no such file", .expected = "a path", .where = std::string(path), .offset = {}};
}
std::vector<PickedFile> take_dropped_files() { return std::exchange(null_host().dropped, {}); }
void reopen_file(const std::string& place, bool may_ask, const std::function<void(std::optional<PickedFile>)>& done) {
  const auto found = null_host().kept.find(place);
  const bool is_given = found != null_host().kept.end() && (may_ask || !null_host().asks_before_reopening);
  done(is_given ? std::optional(found->second) : std::nullopt);
}
void watch_files(std::vector<std::string> places) { null_host().watched = std::move(places); }
std::vector<PickedFile> take_changed_files() { return std::exchange(null_host().changed, {}); }
void show_link(std::string_view link, std::uint64_t visit) {
  null_host().link = link;
  if (visit != 0) null_host().visit = visit;
}
bool go_in_history(int) { return false; }
std::string link_base() { return null_host().link_base; }
bool is_drag_over() { return null_host().is_drag_over; }
base::Result<void> copy_to_clipboard(std::string_view text) {
  null_host().clipboard = text;
  return {};
}
std::optional<Glyph> draw_glyph(char32_t letter, GlyphStyle, float) {
  null_host().asked_glyphs.push_back(letter);
  const auto found = null_host().glyphs.find(letter);
  return found == null_host().glyphs.end() ? std::nullopt : std::optional(found->second);
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
