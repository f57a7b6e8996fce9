#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/tensor_slice.h"
#include "core/live/mirror.h"
#include "ui/app/picture_tiles.h"
#include "ui/app/requests.h"
#include "ui/exports/heat_picture.h"
#include "ui/model/inspector.h"
#include "ui/model/slice_view.h"
#include "ui/panels/tensor_panel.h"

namespace nns::app {

/// The tensor that a document's screen looks at: which part, and the answers about it.
class TensorScreen {
 public:
  TensorScreen(Requests& requests, const live::Mirror& mirror, panels::TensorPanelState& state)
      : requests_(requests), mirror_(mirror), state_(state) {}

  /// Looks at another tensor from the beginning, or at none (live::kNone). The same one of the same document stays.
  void show(std::shared_ptr<const live::DocumentView> document, std::uint32_t tensor);
  std::uint32_t tensor() const { return tensor_; }

  /// Which part is looked at; links carry its text. Must hold: base::check_slice() for the tensor's shape.
  const base::TensorSlice& slice() const { return slice_; }
  void set_slice(base::TensorSlice slice);

  /// Asks for what is shown and makes view models of what has come. Before drawing. Must hold: tensor() is one.
  void follow();
  /// Asks for the part of the matrix that is seen now, once it has stayed the same for a moment. After drawing; true if
  /// another frame is needed for that.
  bool follow_map(double now);
  void compute_statistics();
  /// Moves the cursor to the next such value behind it.
  void find(live::wire::FindWhat what);
  /// Begins to copy the part; the text comes by take_copy().
  void copy();
  /// The text that copy() was asked for, once it is here.
  std::optional<std::string> take_copy();
  /// A job has ended without an answer: it may be asked for again.
  void job_ended(std::uint64_t request);
  /// Whether an answer is on its way that would change the picture; `is_seen`: the tab of the tensor is shown.
  bool is_waiting(bool is_seen) const;
  /// The heat map as it is looked at, for a file. Errors: there is none, or it is not here yet.
  base::Result<exports::HeatSubject> heat_subject() const;
  panels::TensorPanelModel model(widgets::HeatMapRenderer& renderer) const;

 private:
  void forget_part();
  void cancel(std::optional<std::uint64_t>& request);
  const live::wire::TensorStatistics* told_statistics() const;
  void follow_find();
  bool follow_cursor(double now);
  bool follow_numbers(double now);

  Requests& requests_;
  const live::Mirror& mirror_;
  panels::TensorPanelState& state_;
  std::shared_ptr<const live::DocumentView> document_;
  std::uint32_t tensor_ = live::kNone;
  base::TensorSlice slice_;
  model::SliceView view_;
  std::optional<std::uint64_t> facts_request_;
  std::optional<std::uint64_t> statistics_request_;
  bool statistics_ended_ = false;  // cancelled or failed: not asked for again by itself
  const live::wire::TensorFacts* facts_made_of_ = nullptr;
  const live::wire::TensorStatistics* statistics_made_of_ = nullptr;
  std::optional<model::TensorView> facts_;
  std::optional<model::StatisticsView> statistics_;
  PictureTiles picture_;
  // Single values: of the cell under the cursor, of the visible numbers, of all for the clipboard.
  std::optional<std::uint64_t> find_request_;
  live::wire::FindWhat find_what_ = live::wire::FindWhat::NaN;
  std::string find_note_;
  std::optional<std::uint64_t> copy_request_;
  std::optional<std::uint64_t> exact_request_;
  std::optional<std::uint64_t> row_request_;
  std::optional<std::uint64_t> column_request_;
  std::int64_t cursor_row_ = -1;
  std::int64_t cursor_column_ = -1;
  double cursor_since_ = 0;
  std::optional<std::uint64_t> numbers_request_;
  std::uint64_t numbers_shown_ = 0;  // the request whose answer is shown
  widgets::HeatMapWanted numbers_region_;
  double numbers_since_ = 0;
};

}  // namespace nns::app
