#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/live/mirror.h"
#include "ui/app/call_screen.h"
#include "ui/app/capture_screen.h"
#include "ui/app/console_screen.h"
#include "ui/app/editor_screen.h"
#include "ui/app/lesson_screen.h"
#include "ui/app/requests.h"
#include "ui/app/statistics_screen.h"
#include "ui/app/studio_screen.h"
#include "ui/app/tensor_screen.h"
#include "ui/exports/picture.h"
#include "ui/model/inspector.h"
#include "ui/model/link.h"
#include "ui/model/summary.h"
#include "ui/model/tree_rows.h"
#include "ui/model/treemap.h"
#include "ui/model/treemap_colours.h"
#include "ui/panels/inspector.h"
#include "ui/panels/intent.h"
#include "ui/panels/tree_panel.h"
#include "ui/widgets/heat_map_renderer.h"
#include "ui/widgets/tile_renderer.h"
#include "ui/widgets/ui.h"

namespace nns::app {

/// What draws pictures on the GPU: one of each for a side of the window, because a frame's pictures are drawn after all
/// of its screens, with what each renderer was given last.
struct Renderers {
  widgets::HeatMapRenderer heat_map;
  widgets::TileRenderer tiles;
  /// Of what is given to `tiles`: odd on one side and even on the other, so that a screen may change its side.
  std::uint64_t next_version = 1;
};

/// One open document as the person sees it: tree, choice, tab, and the answers that the inspector waits for.
class DocumentScreen {
 public:
  DocumentScreen(Requests& requests, const live::Mirror& mirror, std::shared_ptr<const live::DocumentView> document,
                 std::uint32_t visible_rows);

  const live::DocumentView& document() const { return *tree_.document(); }
  const model::DocumentSummary& summary() const { return summary_; }
  std::uint32_t selected() const { return tree_.state().selected; }
  /// Where it was read from, for what is read of it later.
  void set_file(FileToRead file);
  /// Takes over a newer version of the document.
  void show(std::shared_ptr<const live::DocumentView> document);

  /// Asks for what the choice needs and makes view models of what has come. Before drawing.
  void follow();
  std::optional<panels::Intent> draw_tree(widgets::Ui& ui, const widgets::Rect& area);
  /// Null: this is no program that can be typed to.
  ConsoleScreen* console() { return console_ ? &*console_ : nullptr; }
  /// Null: this is no program that can be recorded.
  StudioScreen* studio() { return studio_ ? &*studio_ : nullptr; }
  /// Whether the studio is shown in the place of tree, inspector and console.
  bool shows_studio() const { return studio_ && shows_studio_; }
  void show_studio(bool shows) { shows_studio_ = shows; }
  /// Shows it at that event of the recording, which is made if there is none. Must hold: studio() is not null.
  void open_studio(std::uint32_t event) {
    shows_studio_ = true;
    studio_->open_at(event);
    studio_->take_focus();
  }
  /// Runs the program anew as its source stands in the editor, and records it.
  void record();
  /// What the studio asks for. Must hold: studio() is not null.
  void carry_out(const panels::StudioAsk& asked);
  /// At a line of the editor's text, from 0. Must hold: editor() is not null.
  void toggle_breakpoint(std::uint32_t line);
  /// Null: this is no program whose modules can be called.
  CallScreen* call() { return call_ ? &*call_ : nullptr; }
  /// Null: this is no program that can be compiled, no log of that, and no package of torch.export.
  CaptureScreen* capture() { return capture_ ? &*capture_ : nullptr; }
  /// Runs the program, or what its fields say, under the tracer; reads a package. Must hold: capture() is not null.
  void run_capture();
  /// Null: no lesson goes with it.
  LessonScreen* lesson() { return has_lesson() ? &*lesson_ : nullptr; }
  std::optional<panels::Intent> draw_studio(widgets::Ui& ui, widgets::Rect area);
  /// Null: this is no program, or its text is not known.
  EditorScreen* editor() { return editor_ && editor_->has_source() ? &*editor_ : nullptr; }
  void run_source();
  std::optional<panels::Intent> draw_inspector(widgets::Ui& ui, const widgets::Rect& area, Renderers& renderers);
  /// Asks for the part of the matrix that is seen now, once it has stayed the same for a moment. After drawing; true if
  /// another frame is needed for that.
  bool follow_map(double now) { return tensor_.follow_map(now); }

  /// What the tree's intents do; the App calls these only.
  void select_line(std::uint32_t line);
  void select_row(std::uint32_t row);
  void expand_line(std::uint32_t line, bool open);
  void expand_below(std::uint32_t line);
  void collapse_all();
  void set_filter(std::string text);
  void choose_tab(panels::InspectorTab tab);
  TensorScreen& tensor() { return tensor_; }
  StatisticsScreen& statistics() { return statistics_; }
  void sort_statistics(model::NumbersColumn column);
  void show_on_map(std::uint32_t row) { map_.set_root(row); }
  void set_map_metric(model::TreemapMetric metric) { map_.set_metric(metric); }
  void set_map_colour(model::TreemapColour colour) { map_colour_ = colour; }
  void focus_filter() { tree_state_.focus_filter = true; }
  void focus_tree() { tree_state_.focus_tree = true; }
  /// Whether the inspector stands alone; its button for that is told so, and may get the focus.
  void hide_tree(bool hides) { inspector_state_.is_alone = hides; }
  void focus_tree_toggle() { inspector_state_.focus_tree_toggle = true; }
  const std::shared_ptr<const model::SearchIndex>& search_index() { return tree_.search_index(); }
  bool has_filter() const { return !tree_.state().filter.empty(); }
  /// It is the second of two on the screen: its parts say whose they are.
  void set_beside(bool beside) { tree_state_.is_beside = inspector_state_.is_beside = beside; }
  std::string path() const;
  /// Where the person is in this document, as parts of a link.
  void write_link(model::Link& link) const;
  void write_stops(model::Link& link) const;
  void read_stops(const model::Link& link);
  /// Goes there. Errors: a path that the document has not; the rest is followed all the same.
  base::Result<void> read_link(const model::Link& link);
  /// What is open in the tree of an older version of this document is open here, too.
  void take_over(const DocumentScreen& older) { tree_.take_over(older.tree_); }
  panels::InspectorTab tab() const { return tab_; }
  /// `look` with what the map shows now and the size of it.
  exports::PictureLook map_look(exports::PictureLook look) const;
  std::optional<std::uint32_t> find_path(std::string_view path) const;
  /// A job has ended; one without an answer may be asked for again.
  void job_ended(std::uint64_t request, bool is_finished) {
    if (!is_finished) tensor_.job_ended(request);
    if (!is_finished && editor_) editor_->job_failed(request);
    statistics_.job_ended(request);
    if (console_) console_->job_ended(request);
    if (call_) call_->job_ended(request);
    if (capture_) capture_->job_ended(request);
    if (studio_) studio_->job_ended(request, is_finished);
    if (lesson_) lesson_->job_ended(request, is_finished);
  }
  /// Whether an answer that would change the picture is on its way.
  bool is_waiting() const;

 private:
  void selection_changed();
  bool has_lesson() const { return lesson_ && lesson_->lesson() != nullptr; }
  void follow_lesson();
  void follow_scan();
  void follow_object();
  void find_also_at(std::uint32_t row);
  void lay_out_map(Renderers& renderers);

  Requests& requests_;
  const live::Mirror& mirror_;
  model::TreeModel tree_;
  model::DocumentSummary summary_;
  std::optional<std::uint64_t> scan_request_;
  const live::wire::Safety* safety_made_of_ = nullptr;
  panels::TreePanelState tree_state_;
  panels::InspectorState inspector_state_;
  panels::InspectorTab tab_ = panels::InspectorTab::Summary;
  panels::InspectorTab module_tab_ = panels::InspectorTab::Summary;  ///< the tab to come back to from a tensor

  model::Treemap map_;
  model::TreemapColour map_colour_ = model::TreemapColour::Kind;
  model::TreemapLegend map_legend_;
  std::uint64_t map_legend_version_ = 0;
  std::uint64_t map_legend_of_ = 0;     // the layout that it was made of
  std::uint64_t map_legend_known_ = 0;  // how many statistics it was made of
  model::TreemapColour map_legend_colour_ = model::TreemapColour::Kind;

  std::optional<std::uint64_t> object_request_;
  const live::wire::ObjectDetails* details_ = nullptr;  // what object_ was made of
  std::optional<model::ObjectView> object_;
  /// What also_at_ was found for.
  struct AlsoOf {
    const live::DocumentView* document = nullptr;
    const live::wire::ObjectDetails* details = nullptr;
    std::uint32_t row = UINT32_MAX;
    friend bool operator==(const AlsoOf&, const AlsoOf&) = default;
  };
  AlsoOf also_of_;
  std::vector<std::uint32_t> also_at_;  // other rows that show what the chosen one does

  TensorScreen tensor_;
  StatisticsScreen statistics_;
  std::optional<ConsoleScreen> console_;
  std::optional<CallScreen> call_;
  std::optional<CaptureScreen> capture_;
  std::optional<StudioScreen> studio_;
  std::optional<LessonScreen> lesson_;
  bool is_lesson_begun_ = false;
  bool shows_studio_ = false;
  std::optional<EditorScreen> editor_;
};

}  // namespace nns::app
