#include "ui/app/comparison_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ui/app/seen_part.h"
#include "ui/model/document_title.h"
#include "ui/model/format.h"

namespace nns::app {

using What = panels::ComparisonAsk::What;

namespace {

// So much is read without being asked for, of both files together.
constexpr std::uint64_t kByItselfBytes = 512'000'000;

/// As links call what a list is sorted by; in the order of model::DiffColumn.
constexpr std::array<std::string_view, model::kDiffColumns> kSortNames = {"change", "name",     "size",   "max",
                                                                          "mean",   "relative", "cosine", "changed"};

}  // namespace

ComparisonScreen::ComparisonScreen(Requests& requests, const live::Mirror& mirror, const live::Compared& of)
    : requests_(requests), mirror_(mirror), of_(of) {
  state_.focus_list = true;
}

ComparisonScreen::~ComparisonScreen() {
  for (const auto& request : {rows_request_, values_request_, row_request_}) {
    if (request) requests_.cancel(*request);
  }
  picture_.forget(requests_);
}

std::string ComparisonScreen::title() const {
  const auto a = mirror_.document(of_.a);
  const auto b = mirror_.document(of_.b);
  if (a == nullptr || b == nullptr) return "Comparison";
  const std::array both = {a.get(), b.get()};
  const auto name = [&both](const live::DocumentView& document, std::uint32_t part) {
    std::string title = model::title_among(document, both);
    return part == 0 ? title : fmt::format("{} \xC2\xB7 {}", title, document.path(part));
  };
  const bool is_one = of_.a == of_.b && of_.part_b != 0;
  return fmt::format("{} \xE2\x86\x92 {}", name(*a, of_.part_a), is_one ? b->path(of_.part_b) : name(*b, of_.part_b));
}

std::string ComparisonScreen::counts_text() const {
  if (!rows_.has_rows()) return "Comparing";
  const live::wire::DiffRows& counts = rows_.view().get();
  std::string text = fmt::format("{} \xE2\x86\x92 {} tensors \xC2\xB7 {} with equal names and headers",
                                 model::thousands(counts.tensors_a()), model::thousands(counts.tensors_b()),
                                 model::thousands(counts.same()));
  if (const std::uint32_t unknown = rows_.count(model::DiffKind::Unknown); unknown > 0)
    text += fmt::format(" \xC2\xB7 {} unknown", model::thousands(unknown));
  return text;
}

void ComparisonScreen::follow() {
  const auto view = mirror_.comparison(of_);
  const auto a = mirror_.document(of_.a);
  const auto b = mirror_.document(of_.b);
  if (a == nullptr || b == nullptr) return;
  if (view == nullptr) {
    if (!rows_request_) rows_request_ = requests_.diff(request());
    return;
  }
  if (!rows_.has_rows() || &rows_.view() != view.get()) {
    rows_.show(a, b, view);
    is_chosen_ = false;
    selection_changed();
    if (pending_link_) read_link(*std::exchange(pending_link_, std::nullopt));
    const std::uint64_t bytes = view->bytes_left();
    if (!values_request_ && bytes > 0 && bytes <= kByItselfBytes) carry_out({What::CompareValues, 0, {}});
    // Where nothing can be read that is told as well, by a comparison that reads nothing.
    if (!values_request_ && view->get().value_bytes() == 0 && view->next_row() == 0) {
      carry_out({What::CompareValues, 0, {}});
    }
  }
  if (rows_.follow(values_request_.has_value()) && !is_chosen_) show_first_rows();
  if (row_request_ && rows_.view().values(row_asked_) != nullptr) row_request_.reset();
  const std::uint64_t bytes = rows_.selected() == live::kNone ? 0 : rows_.value_bytes(rows_.selected());
  if (!values_request_ && bytes > 0 && bytes <= kByItselfBytes && row_asked_ != rows_.selected()) compare_row();
  picture_.update(mirror_);
}

live::DiffRequest ComparisonScreen::request() const {
  return {.a = of_.a, .b = of_.b, .part_a = of_.part_a, .part_b = of_.part_b};
}

void ComparisonScreen::compare_row() {
  const std::uint32_t row = rows_.selected();
  if (row == live::kNone || rows_.view().values(row) != nullptr) return;
  row_asked_ = row;
  live::DiffRequest wanted = request();
  wanted.with_rows = false;
  wanted.with_values = true;
  wanted.first_row = row;
  wanted.last_row = row + 1;
  row_request_ = requests_.diff(wanted);
}

void ComparisonScreen::selection_changed() {
  if (row_request_) requests_.cancel(*row_request_);
  row_request_.reset();
  row_asked_ = live::kNone;
  picture_.forget(requests_);
  state_.view = {};
  state_.details = {};
}

bool ComparisonScreen::has_map() const {
  if (!rows_.has_rows() || rows_.selected() == live::kNone) return false;
  return rows_.value_bytes(rows_.selected()) > 0 &&
         rows_.view().state(rows_.selected()) != live::ValueState::Unreadable;
}

base::Result<exports::HeatSubject> ComparisonScreen::heat_subject() const {
  const auto refuse = [](std::string found) { return base::Error{std::move(found), {}, {}, std::nullopt}; };
  if (!has_map())
    return refuse("Choose a tensor that both sides have, with equal shapes: its difference is the picture");
  const std::uint32_t row = rows_.selected();
  const live::wire::Difference* const found = rows_.view().values(row);
  if (found == nullptr && picture_.shown().overview == nullptr) return refuse("The heat map is still being read");
  const std::uint32_t tensor = rows_.tensor_b(row);
  const double reach = static_cast<double>(panels::difference_reach(picture_.shown(), found));
  exports::HeatSubject subject{
      mirror_.document(of_.b), tensor, base::whole_slice(rows_.b().shape(tensor)), {-reach, reach}, {}};
  subject.minus = mirror_.document(of_.a);
  subject.minus_tensor = rows_.tensor_a(row);
  if (found != nullptr) subject.has_non_finite = panels::has_non_finite(*found);
  if (subject.document == nullptr || subject.minus == nullptr) return refuse("A document was closed");
  return subject;
}

bool ComparisonScreen::follow_map(double now) {
  if (!has_map()) return false;
  const std::uint32_t row = rows_.selected();
  const auto shape = rows_.b().shape(rows_.tensor_b(row));
  const std::uint64_t columns = shape.empty() ? 1 : static_cast<std::uint64_t>(shape.back());
  std::uint64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= static_cast<std::uint64_t>(shape[i]);
  const auto ask = [&](const widgets::HeatMapWanted& region) {
    return requests_.diff_tile({of_.a, rows_.tensor_a(row), of_.b, rows_.tensor_b(row)}, tile_request(region));
  };
  return picture_.follow(requests_, state_.wanted, rows, columns, now, ask);
}

panels::ComparisonPanelModel ComparisonScreen::panel_model() const {
  panels::ComparisonPanelModel made;
  made.rows = &rows_;
  made.is_running = values_request_.has_value();
  made.is_row_running = row_request_.has_value();
  if (values_request_) {
    const auto job = mirror_.jobs().find(*values_request_);
    if (job != mirror_.jobs().end() && job->second.state == live::wire::JobState::Running) made.job = &job->second;
  }
  made.tiles = picture_.shown();
  return made;
}

std::optional<panels::Intent> ComparisonScreen::draw_list(widgets::Ui& ui, const widgets::Rect& area) {
  return panels::draw_comparison_panel(ui, area, panel_model(), state_);
}

std::optional<panels::Intent> ComparisonScreen::draw_details(widgets::Ui& ui, const widgets::Rect& area,
                                                             widgets::HeatMapRenderer& renderer) {
  panels::ComparisonPanelModel made = panel_model();
  made.renderer = &renderer;
  return panels::draw_difference_panel(ui, area, made, state_);
}

void ComparisonScreen::show_first_rows() {
  state_.list.show_from(0);
  if (is_chosen_ || rows_.is_tree() || rows_.lines().empty() || rows_.selected_line() == 0) return;
  rows_.select(0);
  selection_changed();
}

void ComparisonScreen::sort_by(std::uint32_t line) {
  rows_.sort_by(static_cast<model::DiffColumn>(line));
  show_first_rows();
}

void ComparisonScreen::carry_out(const panels::ComparisonAsk& asked) {
  const std::uint32_t before = rows_.selected();
  switch (asked.what) {
    case What::SelectLine:
    case What::BeginAtLine:
      rows_.select(asked.number);
      is_chosen_ |= asked.what == What::SelectLine;
      state_.list.reveal_cursor = true;
      break;
    case What::ExpandLine:
    case What::CollapseLine:
      rows_.select(asked.number);
      is_chosen_ = true;
      rows_.expand(asked.number, asked.what == What::ExpandLine);
      break;
    case What::SetFilter:
      rows_.set_filter(asked.text);
      state_.list.top = 0;
      state_.list.reveal_cursor = true;
      break;
    case What::ToggleKind:
      rows_.toggle(static_cast<model::DiffKind>(asked.number));
      state_.list.reveal_cursor = true;
      break;
    case What::SortBy:
      sort_by(asked.number);
      break;
    case What::ShowTrees:
    case What::ShowList:
      rows_.set_tree(asked.what == What::ShowTrees);
      state_.list.top = 0;
      state_.list.reveal_cursor = true;
      break;
    case What::CompareValues: {
      live::DiffRequest wanted = request();
      wanted.with_rows = false;
      wanted.with_values = true;
      wanted.first_row = rows_.view().next_row();
      values_request_ = requests_.diff(wanted);
      break;
    }
    case What::CompareRow:
      compare_row();
      break;
    case What::Swap:
      swap();
      break;
    case What::OpenInA:
    case What::OpenInB:
    case What::ChooseSort:
      break;  // the App's
  }
  if (rows_.selected() != before) selection_changed();
}

void ComparisonScreen::swap() {
  for (auto* request : {&rows_request_, &values_request_}) {
    if (*request) requests_.cancel(**request);
    request->reset();
  }
  std::swap(of_.a, of_.b);
  std::swap(of_.part_a, of_.part_b);
  const std::string filter = rows_.filter();
  rows_ = {};
  rows_.set_filter(filter);
  selection_changed();
}

void ComparisonScreen::write_link(model::Link& link) const {
  const auto a = mirror_.document(of_.a);
  const auto b = mirror_.document(of_.b);
  if (a == nullptr || b == nullptr) return;
  if (of_.part_a != 0) link.set("part", a->path(of_.part_a));
  if (of_.part_b != 0) link.set("with-part", b->path(of_.part_b));
  if (pending_link_ || !rows_.has_rows()) {
    // Where it will be.
    const model::Link coming = pending_link_.value_or(model::Link());
    for (const model::Link::Part& part : coming.parts()) {
      if (link.get(part.key).empty()) link.set(part.key, part.value);
    }
    return;
  }
  if (rows_.is_tree()) link.set("view", "trees");
  const model::DiffColumn sort = rows_.sorted_by();
  const bool is_turned = rows_.is_ascending() != model::ComparisonModel::is_ascending_first(sort);
  // A list is always sorted, the trees only when they were asked to be.
  const bool is_told = rows_.is_tree() ? rows_.is_sorted_by(sort) : sort != model::DiffColumn::Change || is_turned;
  if (is_told) link.set("sort", kSortNames[static_cast<std::size_t>(sort)]);
  if (is_told && is_turned) link.set("order", "turned");
  link.set("filter", rows_.filter());
  link.set("kinds", rows_.shown_kinds());
  const std::uint32_t row = rows_.selected();
  if (row != live::kNone) {
    const bool is_in_b = rows_.view().row_b(row) != live::kNone;
    link.set(is_in_b ? "select" : "select-a", is_in_b ? rows_.path_b(row) : rows_.path_a(row));
    write_seen(link, state_.view);
  }
}

void ComparisonScreen::read_link(const model::Link& link) {
  if (!rows_.has_rows()) {
    pending_link_ = link;
    return;
  }
  set_filter(std::string(link.get("filter")));
  rows_.show_kinds(link.get("kinds"));
  const auto* sort = std::find(kSortNames.begin(), kSortNames.end(), link.get("sort"));
  const auto column = static_cast<model::DiffColumn>(sort == kSortNames.end() ? 0 : sort - kSortNames.begin());
  const bool is_turned = link.get("order") == "turned";
  rows_.set_sort(column, model::ComparisonModel::is_ascending_first(column) != is_turned, !link.get("sort").empty());
  rows_.set_tree(link.get("view") == "trees");
  const std::uint32_t before = rows_.selected();
  const bool is_in_b = link.get("select-a").empty();
  if (const std::string_view path = link.get(is_in_b ? "select" : "select-a"); !path.empty()) {
    rows_.select_row(rows_.find_row(path, !is_in_b));
    is_chosen_ = true;
  }
  if (rows_.selected() != before) selection_changed();
  state_.list.top = 0;
  state_.list.reveal_cursor = true;
  read_seen(link, state_.view);
}

void ComparisonScreen::go_to(std::uint32_t row, bool is_tree) {
  if (!rows_.has_rows()) return;
  rows_.set_tree(is_tree);
  if (row != rows_.selected() && row != live::kNone) {
    rows_.select_row(row);
    is_chosen_ = true;
    selection_changed();
  }
  state_.list.reveal_cursor = true;
}

void ComparisonScreen::set_filter(const std::string& text) {
  state_.filter = text;
  rows_.set_filter(text);
}

std::string ComparisonScreen::path() const {
  if (!rows_.has_rows() || rows_.selected() == live::kNone) return title();
  const std::string path = rows_.path_b(rows_.selected());
  return path.empty() ? rows_.path_a(rows_.selected()) : path;
}

std::vector<panels::ChoiceLine> ComparisonScreen::sort_lines() const {
  std::vector<panels::ChoiceLine> lines;
  for (std::size_t i = 0; i < model::kDiffColumns; ++i) {
    const auto column = static_cast<model::DiffColumn>(i);
    const char* now = rows_.is_ascending() ? "now, smallest first" : "now, largest first";
    lines.push_back({model::diff_column_text(column), rows_.is_sorted_by(column) ? now : ""});
  }
  return lines;
}

void ComparisonScreen::job_ended(std::uint64_t request) {
  if (values_request_ == request) values_request_.reset();
  if (row_request_ == request) row_request_.reset();
}

bool ComparisonScreen::is_waiting() const {
  if (!rows_.has_rows() || values_request_ || row_request_) return true;
  if (!has_map()) return false;
  return picture_.is_waiting();
}

}  // namespace nns::app
