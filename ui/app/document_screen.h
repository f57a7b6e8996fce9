#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/model/inspector.h"
#include "ui/model/summary.h"
#include "ui/model/tree_rows.h"
#include "ui/panels/inspector.h"
#include "ui/panels/intent.h"
#include "ui/panels/tree_panel.h"
#include "ui/widgets/heat_map_renderer.h"
#include "ui/widgets/ui.h"

namespace nns::app {

/// One open document as the person sees it: tree, choice, tab, and the answers that the inspector waits for.
class DocumentScreen {
 public:
  DocumentScreen(Requests& requests, const live::Mirror& mirror, std::shared_ptr<const live::DocumentView> document,
                 std::uint32_t visible_rows);

  const live::DocumentView& document() const { return *tree_.document(); }
  const model::DocumentSummary& summary() const { return summary_; }
  std::uint32_t selected() const { return tree_.state().selected; }
  /// Takes over a newer version of the document.
  void show(std::shared_ptr<const live::DocumentView> document);

  /// Asks for what the choice needs and makes view models of what has come. Before drawing.
  void follow();
  std::optional<panels::Intent> draw_tree(widgets::Ui& ui, const widgets::Rect& area);
  std::optional<panels::Intent> draw_inspector(widgets::Ui& ui, const widgets::Rect& area,
                                               widgets::HeatMapRenderer& renderer);
  /// Asks for the part of the matrix that is seen now, once it has stayed the same for a moment. After drawing; true if
  /// another frame is needed for that.
  bool follow_map(double now);

  /// What the tree's intents do; the App calls these only.
  void select_line(std::uint32_t line);
  void select_row(std::uint32_t row);
  void expand_line(std::uint32_t line, bool open);
  void expand_below(std::uint32_t line);
  void collapse_all();
  void set_filter(std::string text);
  void choose_tab(panels::InspectorTab tab);
  void compute_statistics(std::uint32_t tensor);
  void focus_filter() { tree_state_.focus_filter = true; }
  void focus_tree() { tree_state_.focus_tree = true; }
  bool has_filter() const { return !tree_.state().filter.empty(); }
  std::string path() const;
  std::optional<std::uint32_t> find_path(std::string_view path) const;
  /// A job of this screen has ended without an answer: it may be asked for again.
  void job_ended(std::uint64_t request);
  /// Whether an answer that would change the picture is on its way.
  bool is_waiting() const;

 private:
  void selection_changed();
  void follow_object();
  void follow_tensor();
  panels::TensorPanelModel tensor_model(widgets::HeatMapRenderer& renderer);

  Requests& requests_;
  const live::Mirror& mirror_;
  model::TreeModel tree_;
  model::DocumentSummary summary_;
  panels::TreePanelState tree_state_;
  panels::InspectorState inspector_state_;
  panels::InspectorTab tab_ = panels::InspectorTab::Summary;
  panels::InspectorTab module_tab_ = panels::InspectorTab::Summary;  ///< the tab to come back to from a tensor

  std::optional<std::uint64_t> object_request_;
  const live::wire::ObjectDetails* details_ = nullptr;  // what object_ was made of
  std::optional<model::ObjectView> object_;

  std::uint32_t tensor_ = live::kNone;
  std::optional<std::uint64_t> facts_request_;
  std::optional<std::uint64_t> statistics_request_;
  bool statistics_ended_ = false;  // cancelled or failed: not asked for again by itself
  const live::wire::TensorFacts* facts_made_of_ = nullptr;
  const live::wire::TensorStatistics* statistics_made_of_ = nullptr;
  std::optional<model::TensorView> facts_;
  std::optional<model::StatisticsView> statistics_;

  struct Tile {
    std::optional<std::uint64_t> request;
    widgets::HeatMapWanted region;
    const live::wire::HeatTile* shown = nullptr;
    std::uint64_t shown_request = 0;
    std::uint64_t version = 0;
  };
  void update_tile(Tile& tile);
  Tile overview_;
  Tile detail_;
  widgets::HeatMapWanted seen_;
  double seen_since_ = 0;
  std::uint64_t next_tile_version_ = 1;
};

}  // namespace nns::app
