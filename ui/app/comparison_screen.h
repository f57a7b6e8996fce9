#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/live/mirror.h"
#include "ui/app/document_screen.h"
#include "ui/app/picture_tiles.h"
#include "ui/app/requests.h"
#include "ui/exports/heat_picture.h"
#include "ui/model/comparison.h"
#include "ui/model/link.h"
#include "ui/panels/choice_dialog.h"
#include "ui/panels/comparison_panel.h"

namespace nns::app {

/// Two open documents side by side: what differs between them, and the chosen difference.
class ComparisonScreen {
 public:
  ComparisonScreen(Requests& requests, const live::Mirror& mirror, const live::Compared& of);
  ~ComparisonScreen();
  ComparisonScreen(const ComparisonScreen&) = delete;
  ComparisonScreen& operator=(const ComparisonScreen&) = delete;

  std::uint32_t a() const { return of_.a; }
  std::uint32_t b() const { return of_.b; }
  const live::Compared& compared() const { return of_; }
  const model::ComparisonModel& rows() const { return rows_; }
  /// "a.safetensors → b.safetensors"; of parts of one document "a.safetensors · h.3 → h.4".
  std::string title() const;
  std::string counts_text() const;

  /// Asks for what is needed and makes view models of what has come. Before drawing.
  void follow();
  /// `share`: of the area that the list gets. Only what the App carries out is given back.
  std::optional<panels::Intent> draw_list(widgets::Ui& ui, const widgets::Rect& area);
  std::optional<panels::Intent> draw_details(widgets::Ui& ui, const widgets::Rect& area,
                                             widgets::HeatMapRenderer& renderer);
  /// Asks for the part of the difference that is seen now. After drawing; true if another frame is needed for that.
  bool follow_map(double now);

  /// The heat map of the chosen row, as it is shown. Errors: there is none, or it is not known yet.
  base::Result<exports::HeatSubject> heat_subject() const;

  /// What the panels ask for that is this screen's own matter.
  void carry_out(const panels::ComparisonAsk& asked);
  void swap();
  void focus_list() { state_.focus_list = true; }
  void focus_filter() { state_.focus_filter = true; }
  void set_filter(const std::string& text);
  bool has_filter() const { return !rows_.filter().empty(); }
  void expand_all(bool open) { rows_.expand_all(open); }
  std::string path() const;
  std::vector<panels::ChoiceLine> sort_lines() const;
  /// Where the person is in this comparison, as parts of a link: `part` and `with-part` (what of A and B is compared),
  /// `view`, `sort` and `order`, `filter`, `kinds`, `select` (a row's name in B) or `select-a` (of one that only A
  /// has), `seen`.
  void write_link(model::Link& link) const;
  /// Goes there, now or once the rows are there.
  void read_link(const model::Link& link);
  /// Chooses a row of the list or of both trees, as the history knows it.
  void go_to(std::uint32_t row, bool is_tree);
  void sort_by(std::uint32_t line);
  /// A job has ended, however it did.
  void job_ended(std::uint64_t request);
  bool is_waiting() const;

 private:
  void selection_changed();
  void show_first_rows();
  void compare_row();
  /// Of the rows of what is compared.
  live::DiffRequest request() const;
  panels::ComparisonPanelModel panel_model() const;
  bool has_map() const;

  Requests& requests_;
  const live::Mirror& mirror_;
  live::Compared of_;
  std::optional<model::Link> pending_link_;  // until there are rows
  model::ComparisonModel rows_;
  panels::ComparisonPanelState state_;
  bool is_chosen_ = false;  // the row, by the person: until then the first one is
  std::optional<std::uint64_t> rows_request_;
  std::optional<std::uint64_t> values_request_;
  std::optional<std::uint64_t> row_request_;
  std::uint32_t row_asked_ = live::kNone;  // whose values were asked for alone
  PictureTiles picture_;
};

}  // namespace nns::app
