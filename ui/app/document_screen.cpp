#include "ui/app/document_screen.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/app/commands.h"

namespace nns::app {

using panels::InspectorTab;

namespace {

bool is_module_tab(InspectorTab tab) { return tab != InspectorTab::Tensor; }

}  // namespace

DocumentScreen::DocumentScreen(Requests& requests, const live::Mirror& mirror,
                               std::shared_ptr<const live::DocumentView> document, std::uint32_t visible_rows)
    : requests_(requests),
      mirror_(mirror),
      tensor_(requests, mirror, inspector_state_.tensor),
      statistics_(requests, mirror) {
  tree_.show(std::move(document), visible_rows);
  summary_ = model::summarise(*tree_.document());
  tree_.select(0);
  selection_changed();
  const live::wire::Document& told = this->document().get();
  if (told.kind() == live::wire::DocumentKind::Capture) {
    capture_.emplace(requests, mirror, told.id(), panels::CaptureOf::Log);
    tab_ = InspectorTab::Capture;
  }
  if (!told.has_console()) return;
  console_.emplace(requests, mirror, told.id(), told.request());
  editor_.emplace(requests, mirror, told.id());
  call_.emplace(requests, mirror, told.id());
  capture_.emplace(requests, mirror, told.id(), panels::CaptureOf::Program);
  studio_.emplace(requests, mirror, told.id());
  lesson_.emplace(requests, mirror, told.id());
  tab_ = InspectorTab::Source;
}

void DocumentScreen::set_file(FileToRead file) {
  // Its programs are read elsewhere: the explorer reads packages as it reads all weights.
  if (!capture_ && live::text_of(document().get().format()) == "pt2 zip") {
    capture_.emplace(requests_, mirror_, document().id(), std::move(file));
  }
}

void DocumentScreen::show(std::shared_ptr<const live::DocumentView> document) {
  tree_.show(std::move(document), 0);
  summary_ = model::summarise(*tree_.document());
  scan_request_.reset();
  safety_made_of_ = nullptr;
  selection_changed();
}

void DocumentScreen::selection_changed() {
  object_request_.reset();
  details_ = nullptr;
  object_.reset();
  inspector_state_.registry_line = UINT32_MAX;
  inspector_state_.registries.top = 0;
  inspector_state_.hook_line = UINT32_MAX;
  inspector_state_.hooks.top = 0;
  const std::uint32_t row = selected();
  const std::uint32_t tensor = row < document().row_count() ? document().tensor(row) : live::kNone;
  if (tab_ == InspectorTab::Map || tab_ == InspectorTab::Statistics || tab_ == InspectorTab::Call ||
      tab_ == InspectorTab::Capture) {
    // They stay: what is chosen is shown on the map, and is what would be called.
  } else if (tensor != live::kNone) {
    if (tab_ != InspectorTab::Summary && tab_ != InspectorTab::Safety) module_tab_ = tab_;
    tab_ = InspectorTab::Tensor;
  } else if (row != 0 && !is_module_tab(tab_)) {
    tab_ = is_module_tab(module_tab_) && module_tab_ != InspectorTab::Summary ? module_tab_ : InspectorTab::Registries;
  } else if (row != 0 && (tab_ == InspectorTab::Summary || tab_ == InspectorTab::Source)) {
    tab_ = InspectorTab::Registries;
  } else if (!is_module_tab(tab_)) {
    tab_ = InspectorTab::Summary;
  }
  if (row < document().row_count() && document().kind(row) != live::RowKind::Module && tab_ == InspectorTab::Hooks) {
    tab_ = InspectorTab::Registries;
  }
  tensor_.show(tree_.shared_document(), tensor);
}

void DocumentScreen::follow() {
  if (console_) console_->follow();
  if (editor_) editor_->follow(console_->is_running(), console_->is_held());
  if (studio_) {
    if (studio_->wants_recording() && !(console_ && console_->is_running())) record();
    studio_->follow(console_ && console_->is_held());
    follow_lesson();
  }
  follow_scan();
  if (call_) call_->follow(document(), selected());
  if (capture_ && !(console_ && console_->is_running()) && capture_->take_wants_run()) run_capture();
  if (capture_) capture_->follow(document(), selected(), tab_ == InspectorTab::Capture);
  statistics_.follow(tree_.shared_document(), tab_ == InspectorTab::Statistics);
  if (selected() >= document().row_count()) return;
  if (tensor_.tensor() == live::kNone) {
    follow_object();
  } else {
    tensor_.follow();
  }
}

void DocumentScreen::follow_lesson() {
  if (lesson() == nullptr) return;
  if (!std::exchange(is_lesson_begun_, true)) {
    shows_studio_ = true;
    studio_->hide(lesson()->lesson()->hides());
    studio_->take_focus();
  }
  lesson_->follow(*studio_);
}

std::optional<panels::Intent> DocumentScreen::draw_studio(widgets::Ui& ui, widgets::Rect area) {
  std::optional<panels::Intent> intent;
  if (lesson() != nullptr) {
    constexpr float kNarrowDocument = 1000;  // design units
    constexpr float kWidth = 380;
    const bool is_beside = area.width >= ui.px(kNarrowDocument);
    const widgets::Rect place = is_beside ? area.cut_left(ui.px(kWidth)) : area.cut_top(std::round(area.height * 0.4F));
    intent = lesson_->draw(ui, place);
    const widgets::Rect line = is_beside ? area.cut_left(ui.px(1)) : area.cut_top(ui.px(1));
    ui.draw().AddRectFilled(ImVec2(line.x, line.y), ImVec2(line.right(), line.bottom()), ui.theme().border);
    // The keys of a remote control, whatever has the keyboard here.
    if (ui.take_key(ImGuiKey_PageDown)) intent = panels::LessonAsk{panels::LessonAsk::What::Next};
    if (ui.take_key(ImGuiKey_PageUp)) intent = panels::LessonAsk{panels::LessonAsk::What::Back};
  }
  auto asked = studio_->draw(ui, area, console_ && console_->is_running(), console_ && console_->is_held());
  return intent ? intent : asked;
}

void DocumentScreen::follow_scan() {
  if (document().get().kind() != live::wire::DocumentKind::Checkpoint) return;
  if (!scan_request_) scan_request_ = requests_.scan(document().id());
  const live::wire::Safety* safety = mirror_.safety(document().id());
  if (safety == nullptr || safety == safety_made_of_) return;
  safety_made_of_ = safety;
  summary_.safety = model::judge_scan(*safety);
}

void DocumentScreen::follow_object() {
  const std::uint32_t row = selected();
  const live::wire::ObjectDetails* details = mirror_.details(document().id(), row);
  if (details == nullptr) {
    if (!object_request_) object_request_ = requests_.inspect(document().id(), row);
    return;
  }
  if (details == details_ && object_) return;
  details_ = details;
  object_ = model::view_object(document(), *details);
}

std::optional<panels::Intent> DocumentScreen::draw_tree(widgets::Ui& ui, const widgets::Rect& area) {
  return panels::draw_tree_panel(ui, area, tree_, tree_state_);
}

void DocumentScreen::lay_out_map(Renderers& renderers) {
  if (tab_ != InspectorTab::Map) return;
  // Weighing takes a walk over all rows: only once somebody looks.
  if (map_.document() != tree_.document()) map_.show(tree_.shared_document());
  if (inspector_state_.map.wanted.width <= 0 || inspector_state_.map.wanted.height <= 0) return;
  map_.fit(inspector_state_.map.wanted);
  const std::uint64_t known = model::is_statistic(map_colour_) ? statistics_.version() : 0;
  if (map_legend_of_ == map_.version() && map_legend_colour_ == map_colour_ && map_legend_known_ == known) return;
  map_legend_known_ = known;
  map_legend_of_ = map_.version();
  map_legend_colour_ = map_colour_;
  map_legend_ = model::sort_tiles(map_, map_colour_, statistics_.numbers());
  map_legend_version_ = renderers.next_version;
  renderers.next_version += 2;
}

std::optional<panels::Intent> DocumentScreen::draw_inspector(widgets::Ui& ui, const widgets::Rect& area,
                                                             Renderers& renderers) {
  lay_out_map(renderers);
  panels::InspectorModel made;
  made.document = &document();
  made.row = selected() < document().row_count() ? selected() : UINT32_MAX;
  made.summary = &summary_;
  made.object = object_ ? &*object_ : nullptr;
  find_also_at(made.row);
  made.also_at = also_at_;
  made.tensor = tensor_.model(renderers.heat_map);
  const bool has_statistics = statistics_.version() == document().tensor_count();
  made.map = {&map_, &map_legend_, map_legend_version_, map_colour_, has_statistics, selected(), &renderers.tiles};
  made.statistics = statistics_.model();
  made.tab = tab_;
  made.toggle_tree = static_cast<std::uint32_t>(Command::ToggleTree);
  if (EditorScreen* source = editor()) {
    made.editor = &source->model();
    made.editor_state = &source->state();
  }
  panels::CallPanelModel call;
  if (call_) {
    call = call_->model(console_->is_running());
    made.call = &call;
    made.call_state = &call_->state();
  }
  panels::CapturePanelModel capture;
  if (capture_) {
    capture = capture_->model(console_ && console_->is_running());
    made.capture = &capture;
    made.capture_state = &capture_->state();
  }
  return panels::draw_inspector(ui, area, made, inspector_state_);
}

void DocumentScreen::find_also_at(std::uint32_t row) {
  const AlsoOf of{&document(), details_, row};
  if (of == also_of_) return;
  also_of_ = of;
  std::vector<std::uint32_t>& rows = also_at_;
  rows.clear();
  if (row == UINT32_MAX) return;
  if (object_) rows = object_->also_at;
  if (const std::uint32_t group = tree_.tied().group(row); group != model::TiedRows::kNoGroup) {
    for (const std::uint32_t other : tree_.tied().rows(group)) {
      if (other != row) rows.push_back(other);
    }
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

void DocumentScreen::select_line(std::uint32_t line) {
  const std::uint32_t before = selected();
  tree_.select(line);
  tree_state_.list.reveal_cursor = true;
  if (selected() != before) selection_changed();
}

void DocumentScreen::select_row(std::uint32_t row) {
  if (row >= document().row_count()) return;
  const bool had_filter = has_filter();
  select_line(tree_.reveal(row));
  if (had_filter && !has_filter()) tree_state_.filter.clear();
}

void DocumentScreen::expand_line(std::uint32_t line, bool open) { tree_.expand(line, open); }

void DocumentScreen::expand_below(std::uint32_t line) { tree_.expand_below(line); }

void DocumentScreen::collapse_all() {
  tree_.collapse_all();
  tree_state_.list.show_from(0);
}

void DocumentScreen::set_filter(std::string text) {
  tree_state_.filter = text;
  tree_.set_filter(std::move(text));
  tree_state_.list.top = 0;
  tree_state_.list.reveal_cursor = tree_.selected_line() != model::TreeModel::kNoLine;
}

void DocumentScreen::sort_statistics(model::NumbersColumn column) {
  statistics_.sort(column);
  inspector_state_.statistics.list.show_from(0);
}

void DocumentScreen::run_source() {
  if (editor() != nullptr) console_->job_began(editor_->run());
}

void DocumentScreen::run_capture() {
  EditorScreen* const source = editor();
  if (source == nullptr) return capture_->run(nullptr);
  const std::string text = source->source();
  capture_->run(&text);
}

void DocumentScreen::record() {
  EditorScreen* const source = editor();
  std::uint64_t job = 0;
  if (source == nullptr) {
    job = studio_->record(nullptr);
  } else {
    const std::string text = source->source();
    source->set_recorded();
    studio_->set_breakpoints(source->model().name, source->breakpoints());
    job = studio_->record(&text);
  }
  if (job != 0 && console_) console_->job_began(job);
}

// As long as what was recorded is what is edited, both show the same breakpoints.
void DocumentScreen::carry_out(const panels::StudioAsk& asked) {
  studio_->carry_out(asked);
  EditorScreen* const source = editor();
  if (asked.what == panels::StudioAsk::What::ToggleBreakpoint && source != nullptr && source->is_as_recorded()) {
    source->set_breakpoints(studio_->breakpoints(source->model().name));
  }
}

void DocumentScreen::toggle_breakpoint(std::uint32_t line) {
  editor_->toggle_breakpoint(line);
  if (studio_ && editor_->is_as_recorded()) studio_->set_breakpoints(editor_->model().name, editor_->breakpoints());
}

void DocumentScreen::choose_tab(InspectorTab tab) { tab_ = tab; }

exports::PictureLook DocumentScreen::map_look(exports::PictureLook look) const {
  look.metric = map_.metric();
  look.colour = map_colour_;
  const auto numbers = statistics_.numbers();
  look.numbers.assign(numbers.begin(), numbers.end());
  return look;
}

std::string DocumentScreen::path() const {
  if (selected() >= document().row_count()) return std::string(document().title());
  std::string path = document().path(selected());
  return path.empty() ? std::string(document().title()) : path;
}

std::optional<std::uint32_t> DocumentScreen::find_path(std::string_view path) const {
  std::optional<std::uint32_t> ending;
  const std::size_t cut = path.find_last_of("./");
  const std::string_view last = cut == std::string_view::npos ? path : path.substr(cut + 1);
  for (std::uint32_t row = 0; row < document().row_count(); ++row) {
    if (!document().name(row).ends_with(last)) continue;
    const std::string found = document().path(row);
    if (found == path) return row;
    const bool ends = found.size() > path.size() && std::string_view(found).ends_with(path) &&
                      (found[found.size() - path.size() - 1] == '.' || found[found.size() - path.size() - 1] == '/');
    if (ends && !ending) ending = row;
  }
  return ending;
}

bool DocumentScreen::is_waiting() const {
  if (statistics_.is_running() || (console_ && console_->is_running())) return true;
  if (call_ && call_->is_waiting()) return true;
  if (capture_ && capture_->is_waiting()) return true;
  if (studio_ && studio_->is_waiting()) return true;
  if (lesson_ && lesson_->is_waiting()) return true;
  if (editor_ && editor_->is_waiting()) return true;
  if (selected() >= document().row_count()) return false;
  if (tensor_.tensor() == live::kNone) return !object_;
  return tensor_.is_waiting(tab_ == InspectorTab::Tensor);
}

}  // namespace nns::app
