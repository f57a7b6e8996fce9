// What the app does with comparisons: they are tabs beside the documents.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "ui/app/app.h"
#include "ui/widgets/flow.h"

namespace nns::app {

using What = panels::ComparisonAsk::What;

ComparisonScreen* App::comparison() {
  const auto found = comparisons_.find(chosen_);
  return found == comparisons_.end() ? nullptr : found->second.get();
}

std::uint32_t App::compare(const live::Compared& of, bool is_shown) {
  const auto is_tensor = [&](std::uint32_t document, std::uint32_t row) {
    return screens_.at(document)->document().tensor(row) != live::kNone;
  };
  if ((of.part_a != 0 || of.part_b != 0) && is_tensor(of.a, of.part_a) != is_tensor(of.b, of.part_b)) {
    show_error({.found = "a tensor cannot be compared with a module",
                .expected = "two modules, or two tensors",
                .where = {},
                .offset = {}});
    return 0;
  }
  if (!requests_.is_one_host(of.a, of.b)) {
    bring_together(of);
    return 0;
  }
  std::uint32_t number = 0;
  for (const auto& [known, compared] : comparisons_) {
    if (compared->compared() == of) number = known;
  }
  if (number == 0) {
    number = next_comparison_++;
    comparisons_[number] = std::make_unique<ComparisonScreen>(requests_, mirror_, of);
  }
  if (is_shown) {
    choose(number);
    visit();
  }
  return number;
}

// A host compares what it has: the one that runs programs opens the file, too. The comparison follows once that is
// done.
void App::bring_together(const live::Compared& of) {
  const std::uint32_t file = std::min(of.a, of.b);
  waits_for_partner_ = std::max(of.a, of.b);
  const auto source = sources_.find(file);
  const bool has_file = source != sources_.end() && source->second.file.has_value();
  reload(file, has_file ? &*source->second.file : nullptr, true);
}

// Opens the list of what the document can be compared with.
void App::choose_partner() {
  std::uint32_t document = chosen_;
  if (const ComparisonScreen* shown = comparison()) document = shown->a();
  if (!screens_.contains(document)) {
    toast_ = panels::Toast{"Open a file first: then it can be compared", ImGui::GetTime()};
    return;
  }
  choice_lines_.clear();
  choices_.clear();
  for (const std::uint32_t other : tabs()) {
    if (other == document || !screens_.contains(other)) continue;
    const live::DocumentView& view = screens_[other]->document();
    choice_lines_.push_back({title_of(other), std::string(view.format())});
    choices_.push_back({other, 0});
  }
  choice_lines_.push_back({"Another file\xE2\x80\xA6", "opens it, then compares"});
  choices_.push_back({});
  choosing_ = Choosing::Partner;
  choice_title_ = "Compare with";
  waits_for_partner_ = document;
  choice_.emplace();
}

// The same for the chosen row: what is built alike, what has its name in other documents, what stands beside it.
void App::choose_part_partner() {
  const DocumentScreen* shown = screen();
  if (shown == nullptr || shown->selected() == 0) return choose_partner();
  const live::DocumentView& document = shown->document();
  const std::uint32_t row = shown->selected();
  const bool is_tensor = document.tensor(row) != live::kNone;
  const auto fits = [&](const live::DocumentView& view, std::uint32_t other) {
    return other != 0 && (view.tensor(other) != live::kNone) == is_tensor && (is_tensor || view.has_children(other));
  };
  if (!fits(document, row)) {
    toast_ = panels::Toast{"Choose a module or a tensor first: then it can be compared", ImGui::GetTime()};
    return;
  }
  choice_lines_.clear();
  choices_.clear();
  std::set<std::pair<std::uint32_t, std::uint32_t>> known = {{chosen_, row}};
  const auto add = [&](std::uint32_t in, std::uint32_t other, std::string hint) {
    if (!known.emplace(in, other).second) return;
    choice_lines_.push_back({screens_[in]->document().path(other), std::move(hint)});
    choices_.push_back({in, other});
  };
  if (part_mark_ && fits(screens_[part_mark_->document]->document(), part_mark_->row)) {
    add(part_mark_->document, part_mark_->row, "marked");
  }
  const std::string path = document.path(row);
  for (const std::uint32_t other : tabs()) {
    if (other == chosen_ || !screens_.contains(other)) continue;
    const live::DocumentView& view = screens_[other]->document();
    const std::optional<std::uint32_t> there = screens_[other]->find_path(path);
    if (there && fits(view, *there)) add(other, *there, title_of(other));
  }
  const std::uint32_t parent = document.parent(row);
  for (std::uint32_t other = parent + 1; other < document.end(parent); other = document.end(other)) {
    const bool is_alike = document.structure(other) == document.structure(row);
    if (is_alike && fits(document, other)) add(chosen_, other, "built alike");
  }
  // Elsewhere the one whose name ends most like this one's comes first.
  std::vector<std::pair<int, std::uint32_t>> elsewhere;
  for (std::uint32_t other = 1; other < document.row_count(); ++other) {
    const bool is_alike =
        document.name_id(other) == document.name_id(row) && document.structure(other) == document.structure(row);
    if (!is_alike || !fits(document, other)) continue;
    int names = 0;
    for (std::uint32_t a = row, b = other; a != b && a != 0 && b != 0 && document.name_id(a) == document.name_id(b);
         a = document.parent(a), b = document.parent(b)) {
      ++names;
    }
    elsewhere.emplace_back(-names, other);
  }
  std::sort(elsewhere.begin(), elsewhere.end());
  for (const auto& [names, other] : elsewhere) add(chosen_, other, "built alike");
  for (std::uint32_t other = parent + 1; other < document.end(parent); other = document.end(other)) {
    if (fits(document, other)) add(chosen_, other, "beside it");
  }
  choice_lines_.push_back({"Another one\xE2\x80\xA6", "choose it, then Alt+Shift+C again"});
  choices_.push_back({});
  choosing_ = Choosing::Part;
  choice_title_ = fmt::format("Compare {} with", path);
  choice_.emplace();
}

void App::choice_made(std::uint32_t line) {
  choice_.reset();
  if (choosing_ == Choosing::Sort) {
    if (ComparisonScreen* shown = comparison()) {
      shown->sort_by(line);
      shown->focus_list();
    }
    return;
  }
  if (choosing_ == Choosing::Mismatch) return mismatch_answered(line);
  if (choosing_ == Choosing::Recipe) return show_training_form(choice_lines_[line].label);
  const Part chosen = line < choices_.size() ? choices_[line] : Part{};
  if (choosing_ == Choosing::Part) {
    const DocumentScreen* shown = screen();
    if (shown == nullptr) return;
    if (chosen.document != 0) {
      part_mark_.reset();
      // What was marked comes first.
      const bool is_marked = choice_lines_[line].hint == "marked";
      const Part here{chosen_, shown->selected()};
      const Part& a = is_marked ? chosen : here;
      const Part& b = is_marked ? here : chosen;
      compare({a.document, b.document, a.row, b.row});
      return;
    }
    part_mark_ = Part{chosen_, shown->selected()};
    toast_ = panels::Toast{fmt::format("{} is marked: choose the other one, then press Alt+Shift+C",
                                       shown->document().path(shown->selected())),
                           ImGui::GetTime()};
    return;
  }
  const std::uint32_t document = waits_for_partner_;
  if (chosen.document == 0) {
    run(Command::Open);
    waits_for_partner_ = document;
    return;
  }
  waits_for_partner_ = 0;
  compare({document, chosen.document, 0, 0});
}

void App::follow_comparisons() {
  for (auto shown = comparisons_.begin(); shown != comparisons_.end();) {
    const std::uint32_t a = shown->second->a();
    const std::uint32_t b = shown->second->b();
    if (screens_.contains(a) && screens_.contains(b)) {
      ++shown;
      continue;
    }
    const std::uint32_t gone = shown->first;
    shown = comparisons_.erase(shown);
    history_.forget(gone);
    if (chosen_ == gone) choose(screens_.contains(a) ? a : screens_.contains(b) ? b : 0);
  }
  if (compare_pending_ && opening_.empty() && mirror_.documents().size() >= 2) {
    compare_pending_ = false;
    // In the order in which they were asked for, not in that in which they were read.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> asked;
    for (const auto& document : mirror_.documents()) asked.emplace_back(document->get().request(), document->id());
    std::sort(asked.begin(), asked.end());
    compare({asked[0].second, asked[1].second, 0, 0});
  }
}

void App::carry_out_in_comparison(const panels::ComparisonAsk& asked) {
  ComparisonScreen* compared = comparison();
  if (compared == nullptr) return;
  if (asked.what == What::ChooseSort) {
    choice_lines_ = compared->sort_lines();
    choice_title_ = "Sort by";
    choosing_ = Choosing::Sort;
    choice_.emplace();
  } else if (asked.what == What::OpenInA || asked.what == What::OpenInB) {
    const bool is_a = asked.what == What::OpenInA;
    const live::ComparisonView& view = compared->rows().view();
    const std::uint32_t row = compared->rows().selected();
    choose(is_a ? compared->a() : compared->b());
    if (DocumentScreen* opened = screen()) opened->select_row(is_a ? view.row_a(row) : view.row_b(row));
    visit();
  } else {
    compared->carry_out(asked);
    constexpr std::array kPlaces = {What::SelectLine, What::CollapseLine, What::ExpandLine, What::ShowList,
                                    What::ShowTrees};
    if (std::find(kPlaces.begin(), kPlaces.end(), asked.what) != kPlaces.end()) visit();
  }
}

void App::draw_comparison(ComparisonScreen& shown, const widgets::Rect& area) {
  constexpr float kNarrowComparison = 720;  // below this width the details are under the list; design units
  ImGui::PushID(static_cast<int>(chosen_));
  ui_.open_group(ui_.id("##document"), area, host::Role::Main, shown.title());
  widgets::Rect rest = area;
  const bool is_stacked = area.width < ui_.px(kNarrowComparison);
  const float length = is_stacked ? area.height : area.width;
  const float first = std::round(length * settings_.comparison_share);
  const widgets::Rect list = is_stacked ? rest.cut_top(first) : rest.cut_left(first);
  const widgets::Rect line = is_stacked ? rest.cut_top(ui_.px(6)) : rest.cut_left(ui_.px(6));
  ask(shown.draw_list(ui_, list));
  const float moved = widgets::splitter(ui_, line, "Share of the list", !is_stacked,
                                        static_cast<double>(settings_.comparison_share) * 100);
  if (moved != 0 && length > 0) {
    settings_.comparison_share = std::clamp(settings_.comparison_share + moved / length, 0.15F, 0.85F);
    settings_changed_ = true;
  }
  ask(shown.draw_details(ui_, rest, renderers_[0].heat_map));
  ui_.close_group();
  ImGui::PopID();
}

// The commands that mean something else in a comparison. False: it is the app's.
bool App::run_in_comparison(Command command) {
  ComparisonScreen* shown = comparison();
  if (shown == nullptr) return false;
  switch (command) {
    case Command::CloseTab:
      carry_out(panels::CloseDocument{chosen_});
      return true;
    case Command::Search:
    case Command::FocusFilter:
      shown->focus_filter();
      return true;
    case Command::ExpandAll:
    case Command::CollapseAll:
      shown->expand_all(command == Command::ExpandAll);
      return true;
    case Command::CopyPath:
      copy(shown->path(), "Path");
      return true;
    default:
      return false;
  }
}

}  // namespace nns::app
