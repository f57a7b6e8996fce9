#include "ui/app/document_screen.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

namespace nns::app {

using panels::InspectorTab;

namespace {

// Statistics of a tensor up to this size start by themselves: a fraction of a second.
constexpr std::uint64_t kSmallTensor_bytes = 32'000'000;
// A view that moves is asked for once it rests.
constexpr double kRestSeconds = 0.12;
constexpr std::uint32_t kMostTileCells = 1024;

bool is_module_tab(InspectorTab tab) { return tab != InspectorTab::Tensor; }

widgets::HeatMapWanted limited(widgets::HeatMapWanted wanted) {
  wanted.width = std::min(wanted.width, kMostTileCells);
  wanted.height = std::min(wanted.height, kMostTileCells);
  return wanted;
}

}  // namespace

DocumentScreen::DocumentScreen(Requests& requests, const live::Mirror& mirror,
                               std::shared_ptr<const live::DocumentView> document, std::uint32_t visible_rows)
    : requests_(requests), mirror_(mirror) {
  tree_.show(std::move(document), visible_rows);
  summary_ = model::summarise(*tree_.document());
  tree_.select(0);
  selection_changed();
}

void DocumentScreen::show(std::shared_ptr<const live::DocumentView> document) {
  tree_.show(std::move(document), 0);
  summary_ = model::summarise(*tree_.document());
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
  const bool same_tensor = tensor == tensor_;
  tensor_ = tensor;
  if (tensor != live::kNone) {
    if (tab_ != InspectorTab::Summary && tab_ != InspectorTab::Safety) module_tab_ = tab_;
    tab_ = InspectorTab::Tensor;
  } else if (row != 0 && !is_module_tab(tab_)) {
    tab_ = is_module_tab(module_tab_) && module_tab_ != InspectorTab::Summary ? module_tab_ : InspectorTab::Registries;
  } else if (row != 0 && tab_ == InspectorTab::Summary) {
    tab_ = InspectorTab::Registries;
  } else if (!is_module_tab(tab_)) {
    tab_ = InspectorTab::Summary;
  }
  if (row < document().row_count() && document().kind(row) != live::RowKind::Module && tab_ == InspectorTab::Hooks) {
    tab_ = InspectorTab::Registries;
  }
  if (same_tensor) return;
  for (const Tile* tile : {&overview_, &detail_}) {
    if (tile->request) requests_.cancel(*tile->request);
  }
  if (statistics_request_ && !statistics_) requests_.cancel(*statistics_request_);
  facts_request_.reset();
  statistics_request_.reset();
  statistics_ended_ = false;
  facts_made_of_ = nullptr;
  statistics_made_of_ = nullptr;
  facts_.reset();
  statistics_.reset();
  overview_ = {};
  detail_ = {};
  seen_ = {};
  inspector_state_.tensor.view = {};
  inspector_state_.tensor.scroll = {};
}

void DocumentScreen::follow() {
  if (selected() >= document().row_count()) return;
  if (tensor_ == live::kNone) {
    follow_object();
  } else {
    follow_tensor();
  }
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

void DocumentScreen::follow_tensor() {
  const std::uint32_t id = document().id();
  const live::wire::TensorFacts* facts = mirror_.facts(id, tensor_);
  if (facts == nullptr) {
    if (!facts_request_) facts_request_ = requests_.inspect_tensor(id, tensor_, false);
    return;
  }
  if (facts != facts_made_of_ || !facts_) {
    facts_made_of_ = facts;
    facts_ = model::view_tensor(document(), *facts);
  }
  const live::wire::TensorStatistics* statistics = mirror_.statistics(id, tensor_);
  if (statistics == nullptr) {
    const bool is_small = document().nbytes(tensor_) <= kSmallTensor_bytes;
    if (facts_->has_values && is_small && !statistics_request_ && !statistics_ended_) compute_statistics(tensor_);
  } else if (statistics != statistics_made_of_ || !statistics_) {
    statistics_made_of_ = statistics;
    statistics_ = model::view_statistics(document(), *statistics);
  }
  update_tile(overview_);
  update_tile(detail_);
}

void DocumentScreen::update_tile(Tile& tile) {
  if (!tile.request) return;
  const live::wire::HeatTile* newest = mirror_.tile(*tile.request);
  if (newest == nullptr) {
    if (tile.shown_request != 0 && mirror_.tile(tile.shown_request) == nullptr) tile.shown = nullptr;
    return;
  }
  if (newest == tile.shown && tile.shown_request == *tile.request) return;
  tile.shown = newest;
  tile.shown_request = *tile.request;
  tile.version = next_tile_version_++;
}

bool DocumentScreen::follow_map(double now) {
  if (tensor_ == live::kNone || !facts_ || !facts_->has_values) return false;
  const widgets::HeatMapWanted wanted = limited(inspector_state_.tensor.wanted);
  if (wanted.width == 0 || wanted.height == 0) return false;
  const auto request = [&](Tile& tile, const widgets::HeatMapWanted& region) {
    if (tile.request && (tile.shown == nullptr || tile.shown_request != *tile.request || tile.shown->sampled())) {
      requests_.cancel(*tile.request);
    }
    tile.region = region;
    tile.request = requests_.tile(
        document().id(), tensor_,
        {region.row_begin, region.row_end, region.column_begin, region.column_end, region.width, region.height});
  };
  if (!overview_.request) {
    widgets::HeatMapWanted whole = wanted;
    whole.row_begin = 0;
    whole.column_begin = 0;
    whole.row_end = facts_->rows;
    whole.column_end = facts_->columns;
    whole.width = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostTileCells, whole.column_end));
    whole.height = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostTileCells, whole.row_end));
    request(overview_, whole);
    return false;
  }
  if (wanted != seen_) {
    seen_ = wanted;
    seen_since_ = now;
    return true;
  }
  const bool is_in_overview = overview_.region.width == overview_.region.column_end - overview_.region.column_begin &&
                              overview_.region.height == overview_.region.row_end - overview_.region.row_begin;
  const bool is_whole =
      wanted.row_end - wanted.row_begin == facts_->rows && wanted.column_end - wanted.column_begin == facts_->columns;
  if (is_in_overview || is_whole || (detail_.request && detail_.region == wanted)) return false;
  if (now - seen_since_ < kRestSeconds) return true;
  request(detail_, wanted);
  return false;
}

std::optional<panels::Intent> DocumentScreen::draw_tree(widgets::Ui& ui, const widgets::Rect& area) {
  return panels::draw_tree_panel(ui, area, tree_, tree_state_);
}

panels::TensorPanelModel DocumentScreen::tensor_model(widgets::HeatMapRenderer& renderer) {
  panels::TensorPanelModel made;
  made.document = &document();
  made.tensor = tensor_;
  made.facts = facts_ ? &*facts_ : nullptr;
  made.statistics = statistics_ ? &*statistics_ : nullptr;
  made.numbers = statistics_ ? mirror_.statistics(document().id(), tensor_) : nullptr;
  if (statistics_request_ && !statistics_) {
    const auto job = mirror_.jobs().find(*statistics_request_);
    if (job != mirror_.jobs().end() && job->second.state == live::wire::JobState::Running) made.job = &job->second;
  }
  made.overview = overview_.shown;
  made.overview_version = overview_.version;
  made.detail = detail_.shown;
  made.detail_version = detail_.version;
  made.renderer = &renderer;
  return made;
}

std::optional<panels::Intent> DocumentScreen::draw_inspector(widgets::Ui& ui, const widgets::Rect& area,
                                                             widgets::HeatMapRenderer& renderer) {
  panels::InspectorModel made;
  made.document = &document();
  made.row = selected() < document().row_count() ? selected() : UINT32_MAX;
  made.summary = &summary_;
  made.object = object_ ? &*object_ : nullptr;
  made.tensor = tensor_model(renderer);
  made.tab = tab_;
  return panels::draw_inspector(ui, area, made, inspector_state_);
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
  tree_state_.list.top = 0;
}

void DocumentScreen::set_filter(std::string text) {
  tree_state_.filter = text;
  tree_.set_filter(std::move(text));
  tree_state_.list.top = 0;
  tree_state_.list.reveal_cursor = tree_.selected_line() != model::TreeModel::kNoLine;
}

void DocumentScreen::choose_tab(InspectorTab tab) { tab_ = tab; }

void DocumentScreen::compute_statistics(std::uint32_t tensor) {
  statistics_ended_ = false;
  statistics_request_ = requests_.inspect_tensor(document().id(), tensor, true);
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

void DocumentScreen::job_ended(std::uint64_t request) {
  if (statistics_request_ == request) {
    statistics_request_.reset();
    statistics_ended_ = true;
  }
}

bool DocumentScreen::is_waiting() const {
  if (selected() >= document().row_count()) return false;
  if (tensor_ == live::kNone) return !object_;
  if (!facts_) return true;
  if (!facts_->has_values) return false;
  if (statistics_request_ && !statistics_) return true;
  if (facts_->rows == 0 || facts_->columns == 0) return false;
  if (tab_ != InspectorTab::Tensor) return false;
  const auto is_due = [](const Tile& tile) {
    return tile.request && (tile.shown == nullptr || tile.shown_request != *tile.request || tile.shown->sampled());
  };
  return !overview_.request || is_due(overview_) || is_due(detail_);
}

}  // namespace nns::app
