#include "ui/app/tensor_screen.h"

#include <algorithm>
#include <utility>

namespace nns::app {

namespace {

// Statistics of a part up to this size start by themselves: a fraction of a second.
constexpr std::uint64_t kSmallTensorBytes = 32'000'000;
// A view that moves is asked for once it rests.
constexpr double kTensorRestSeconds = 0.12;
constexpr double kCursorSeconds = 0.06;
constexpr std::uint64_t kProfileCells = 512;
constexpr std::uint64_t kMostProfileRows = 65'536;

}  // namespace

void TensorScreen::show(std::shared_ptr<const live::DocumentView> document, std::uint32_t tensor) {
  if (document == document_ && tensor == tensor_) return;
  const bool same_shape = tensor == tensor_ && document_ != nullptr && tensor != live::kNone &&
                          base::whole_slice(document_->shape(tensor)) == base::whole_slice(document->shape(tensor));
  forget_part();
  facts_request_.reset();
  facts_made_of_ = nullptr;
  facts_.reset();
  document_ = std::move(document);
  tensor_ = tensor;
  state_.scroll = {};
  if (tensor == live::kNone || same_shape) return;
  slice_ = base::whole_slice(document_->shape(tensor));
}

// What was told of the part that was shown, and what is on its way.
void TensorScreen::forget_part() {
  picture_.forget(requests_);
  if (!statistics_) cancel(statistics_request_);
  statistics_request_.reset();
  statistics_ended_ = false;
  statistics_made_of_ = nullptr;
  statistics_.reset();
  state_.view = {};
  state_.grid = {};
  for (auto* request :
       {&find_request_, &copy_request_, &exact_request_, &row_request_, &column_request_, &numbers_request_}) {
    cancel(*request);
  }
  find_note_.clear();
  cursor_row_ = cursor_column_ = -1;
  numbers_shown_ = 0;
  numbers_region_ = {};
}

void TensorScreen::cancel(std::optional<std::uint64_t>& request) {
  if (request) requests_.cancel(*request);
  request.reset();
}

void TensorScreen::set_slice(base::TensorSlice slice) {
  if (tensor_ == live::kNone || slice == slice_) return;
  if (!base::check_slice(slice, document_->shape(tensor_)).ok()) return;
  forget_part();
  slice_ = std::move(slice);
  if (facts_made_of_ != nullptr) facts_.reset();
}

void TensorScreen::follow() {
  const std::uint32_t id = document_->id();
  const live::wire::TensorFacts* facts = mirror_.facts(id, tensor_);
  if (facts == nullptr) {
    if (!facts_request_) facts_request_ = requests_.inspect_tensor(id, tensor_, false);
    return;
  }
  if (facts != facts_made_of_ || !facts_) {
    facts_made_of_ = facts;
    facts_ = model::view_tensor(*document_, *facts);
    view_ = model::view_slice(slice_, document_->shape(tensor_), document_->stride(tensor_), facts->storage_offset(),
                              live::text_of(facts->dtype()));
  }
  if (const live::wire::TensorStatistics* statistics = told_statistics(); statistics == nullptr) {
    const bool is_small = document_->nbytes(tensor_) <= kSmallTensorBytes;
    if (facts_->has_values && is_small && !statistics_request_ && !statistics_ended_) compute_statistics();
  } else if (statistics != statistics_made_of_ || !statistics_) {
    statistics_made_of_ = statistics;
    statistics_ = model::view_statistics(*statistics, slice_, view_);
  }
  picture_.update(mirror_);
  follow_find();
  if (numbers_request_ && mirror_.values(*numbers_request_) != nullptr) numbers_shown_ = *numbers_request_;
}

void TensorScreen::find(live::wire::FindWhat what) {
  if (!facts_ || !facts_->has_values || view_.rows == 0 || view_.columns == 0) return;
  cancel(find_request_);
  find_what_ = what;
  find_note_.clear();
  std::uint64_t from = 0;
  if (state_.view.cursor_row >= 0 && state_.view.cursor_column >= 0) {
    from = static_cast<std::uint64_t>(state_.view.cursor_row) * view_.columns +
           static_cast<std::uint64_t>(state_.view.cursor_column) + 1;
  }
  find_request_ = requests_.find_value(document_->id(), tensor_, slice_, what, from);
}

void TensorScreen::follow_find() {
  const live::wire::ValueFound* found = find_request_ ? mirror_.value_found(*find_request_) : nullptr;
  if (found == nullptr) return;
  find_request_.reset();
  if (!found->found()) {
    find_note_ = find_what_ == live::wire::FindWhat::NaN        ? "No NaN here"
                 : find_what_ == live::wire::FindWhat::Infinity ? "No infinite value here"
                                                                : "No finite value here";
    return;
  }
  state_.view.cursor_row = static_cast<std::int64_t>(found->at() / view_.columns);
  state_.view.cursor_column = static_cast<std::int64_t>(found->at() % view_.columns);
  state_.view.reveal = true;
}

void TensorScreen::copy() {
  if (!facts_ || !facts_->has_values) return;
  cancel(copy_request_);
  copy_request_ = requests_.values(document_->id(), tensor_, slice_, {0, view_.rows, 0, view_.columns, 0, 0});
}

std::optional<std::string> TensorScreen::take_copy() {
  const live::wire::Values* values = copy_request_ ? mirror_.values(*copy_request_) : nullptr;
  if (values == nullptr) return std::nullopt;
  copy_request_.reset();
  const auto& offsets = *values->offsets();
  const auto* text = reinterpret_cast<const char*>(values->text()->data());
  const std::uint64_t columns = values->column_end() - values->column_begin();
  std::string lines;
  lines.reserve(values->text()->size() + offsets.size());
  for (std::uint32_t i = 0; i + 1 < offsets.size(); ++i) {
    lines.append(text + offsets.Get(i), text + offsets.Get(i + 1));
    lines += (i + 1) % columns == 0 ? '\n' : ',';
  }
  return lines;
}

// The exact value under the cursor, its row and its column, once the cursor rests.
bool TensorScreen::follow_cursor(double now) {
  const widgets::HeatMapView& view = state_.view;
  if (view.cursor_row != cursor_row_ || view.cursor_column != cursor_column_) {
    cursor_row_ = view.cursor_row;
    cursor_column_ = view.cursor_column;
    cursor_since_ = now;
    for (auto* request : {&exact_request_, &row_request_, &column_request_}) cancel(*request);
    if (cursor_row_ >= 0) find_note_.clear();
  }
  if (cursor_row_ < 0 || cursor_column_ < 0 || exact_request_) return false;
  if (now - cursor_since_ < kCursorSeconds) return true;
  const auto row = static_cast<std::uint64_t>(cursor_row_);
  const auto column = static_cast<std::uint64_t>(cursor_column_);
  if (row >= view_.rows || column >= view_.columns) return false;
  const std::uint32_t id = document_->id();
  exact_request_ = requests_.values(id, tensor_, slice_, {row, row + 1, column, column + 1, 0, 0});
  const auto cells = [](std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kProfileCells));
  };
  row_request_ = requests_.tile(id, tensor_, slice_, {row, row + 1, 0, view_.columns, cells(view_.columns), 1});
  // Items of a column lie far apart: of very many a browser or a server would be asked one by one.
  if (view_.rows <= kMostProfileRows) {
    column_request_ = requests_.tile(id, tensor_, slice_, {0, view_.rows, column, column + 1, 1, cells(view_.rows)});
  }
  return false;
}

// The numbers that the table shows.
bool TensorScreen::follow_numbers(double now) {
  const widgets::HeatMapWanted& wanted = state_.wanted_numbers;
  const std::uint64_t count = (wanted.row_end - wanted.row_begin) * (wanted.column_end - wanted.column_begin);
  if (count == 0 || count > live::kMostValues) return false;
  if (wanted != numbers_region_) {
    // While it is scrolled, what was asked for last is let come.
    const bool is_due = numbers_request_ && numbers_shown_ != *numbers_request_;
    if (is_due && now - numbers_since_ < kTensorRestSeconds) return true;
    numbers_region_ = wanted;
    numbers_since_ = now;
    if (is_due) cancel(numbers_request_);
    numbers_request_ = requests_.values(document_->id(), tensor_, slice_, tile_request(wanted));
  }
  return false;
}

const live::wire::TensorStatistics* TensorScreen::told_statistics() const {
  if (view_.is_whole) return mirror_.statistics(document_->id(), tensor_);
  return statistics_request_ ? mirror_.view_statistics(*statistics_request_) : nullptr;
}

bool TensorScreen::follow_map(double now) {
  if (tensor_ == live::kNone || !facts_ || !facts_->has_values) return false;
  const bool waits = follow_cursor(now) || follow_numbers(now);
  const auto ask = [this](const widgets::HeatMapWanted& region) {
    return requests_.tile(document_->id(), tensor_, slice_, tile_request(region));
  };
  return picture_.follow(requests_, state_.wanted, view_.rows, view_.columns, now, ask) || waits;
}

void TensorScreen::compute_statistics() {
  statistics_ended_ = false;
  statistics_request_ = view_.is_whole ? requests_.inspect_tensor(document_->id(), tensor_, true)
                                       : requests_.inspect_view(document_->id(), tensor_, slice_);
}

void TensorScreen::job_ended(std::uint64_t request) {
  for (auto* asked : {&find_request_, &copy_request_}) {
    if (*asked == request) asked->reset();
  }
  if (statistics_request_ != request) return;
  statistics_request_.reset();
  statistics_ended_ = true;
}

bool TensorScreen::is_waiting(bool is_seen) const {
  if (!facts_) return true;
  if (!facts_->has_values) return false;
  if (statistics_request_ && !statistics_) return true;
  if (find_request_ || copy_request_) return true;
  if (is_seen && numbers_request_ && numbers_shown_ != *numbers_request_) return true;
  if (is_seen && exact_request_ && mirror_.values(*exact_request_) == nullptr) return true;
  if (is_seen && state_.shows_numbers) return false;
  if (!is_seen || view_.rows == 0 || view_.columns == 0) return false;
  return picture_.is_waiting();
}

base::Result<exports::HeatSubject> TensorScreen::heat_subject() const {
  const auto refuse = [](std::string found) { return base::Error{std::move(found), {}, {}, std::nullopt}; };
  if (!facts_ || (statistics_made_of_ == nullptr && picture_.shown().overview == nullptr && facts_->has_values))
    return refuse("The heat map is still being read");
  if (!facts_->has_values || view_.rows == 0 || view_.columns == 0) return refuse("There are no values to picture");
  exports::HeatSubject subject{document_, tensor_, slice_, state_.colours, {}};
  if (const auto* numbers = statistics_made_of_; numbers != nullptr) {
    subject.marks = panels::quantile_marks(*numbers);
    subject.has_non_finite = numbers->nan() + numbers->pos_inf() + numbers->neg_inf() != 0;
  }
  return subject;
}

panels::TensorPanelModel TensorScreen::model(widgets::HeatMapRenderer& renderer) const {
  panels::TensorPanelModel made;
  made.document = document_.get();
  made.tensor = tensor_;
  made.slice = &slice_;
  made.view = &view_;
  made.facts = facts_ ? &*facts_ : nullptr;
  made.statistics = statistics_ ? &*statistics_ : nullptr;
  made.numbers = statistics_ ? statistics_made_of_ : nullptr;
  if (statistics_request_ && !statistics_) {
    const auto job = mirror_.jobs().find(*statistics_request_);
    if (job != mirror_.jobs().end() && job->second.state == live::wire::JobState::Running) made.job = &job->second;
  }
  made.tiles = picture_.shown();
  made.renderer = &renderer;
  made.find_note = find_note_;
  made.is_finding = find_request_.has_value();
  if (exact_request_) made.exact = mirror_.values(*exact_request_);
  if (row_request_) made.row_profile = mirror_.tile(*row_request_);
  if (column_request_) made.column_profile = mirror_.tile(*column_request_);
  if (numbers_shown_ != 0) made.shown_numbers = mirror_.values(numbers_shown_);
  return made;
}

}  // namespace nns::app
