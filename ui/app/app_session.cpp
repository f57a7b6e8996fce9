// What was open comes back: what is kept of it, opening it again, and files that only the person can give.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ui/app/app.h"
#include "ui/model/format.h"

namespace nns::app {

namespace {

std::uint64_t number_of(std::string_view text, int base) {
  const std::string copy(text);
  return std::strtoull(copy.c_str(), nullptr, base);
}

/// "3.4 MB, was 1.2 MB", exact where short numbers are the same.
std::string size_text(std::uint64_t now, std::uint64_t before) {
  std::string short_now = model::short_bytes(now);
  std::string short_before = model::short_bytes(before);
  if (short_now == short_before) {
    short_now = model::thousands(now) + " B";
    short_before = model::thousands(before);
  }
  return fmt::format("{}, was {}", short_now, short_before);
}

bool is_about(const model::Link& link, const model::Link& source) {
  return model::is_same_source(model::source_of(link), source) ||
         model::is_same_source(model::other_source_of(link), source);
}

}  // namespace

// ---------------------------------------------------------------- the order of tabs

std::vector<std::uint32_t> App::tabs() const {
  std::vector<std::uint32_t> all;
  for (const auto& entry : screens_) all.push_back(entry.first);
  std::sort(all.begin(), all.end(), [this](std::uint32_t x, std::uint32_t y) { return is_before(x, y); });
  for (const auto& entry : comparisons_) all.push_back(entry.first);
  for (const auto& entry : trainings_) all.push_back(entry.first);
  return all;
}

bool App::is_before(std::uint32_t document, std::uint32_t other) const {
  const auto order = [this](std::uint32_t id) {
    const auto found = sources_.find(id);
    return found == sources_.end() ? UINT64_MAX : found->second.order;
  };
  return std::pair(order(document), document) < std::pair(order(other), other);
}

// ---------------------------------------------------------------- what is kept

/// A link with all by which the tab comes back: also the marks of its file, and whether it is shown.
model::Link App::kept_link(std::uint32_t tab) const {
  model::Link link = link_of(tab);
  if (const auto source = sources_.find(tab); source != sources_.end() && !link.get("file").empty()) {
    if (source->second.mark.size != 0) link.set("size", fmt::format("{}", source->second.mark.size));
    if (source->second.mark.head != 0) link.set("head", fmt::format("{:x}", source->second.mark.head));
  }
  if (tab == chosen_) link.set("shown", "1");
  if (tab == beside_) link.set("beside", "1");
  return link;
}

/// Links, one behind the other as they have no spaces: of the documents in the order of their tabs, those that are on
/// their way or asked for among them, then of the comparisons.
std::string App::session_text() const {
  std::vector<std::pair<std::uint64_t, std::string>> ordered;
  for (const auto& entry : screens_) {
    const auto source = sources_.find(entry.first);
    if (source != sources_.end() && !source->second.source.is_empty())
      ordered.emplace_back(source->second.order, kept_link(entry.first).text());
  }
  const auto add = [&](const Opening& what) {
    // A program is a document while its opening still runs it.
    const bool is_here =
        std::any_of(ordered.begin(), ordered.end(), [&](const auto& one) { return one.first == what.order; });
    if (what.replaces != 0 || is_here) return;
    model::Link link = what.source;
    for (const model::Link::Part& part : what.then.parts()) {
      if (link.get(part.key).empty()) link.set(part.key, part.value);
    }
    if (what.mark.size != 0) link.set("size", fmt::format("{}", what.mark.size));
    if (what.mark.head != 0) link.set("head", fmt::format("{:x}", what.mark.head));
    ordered.emplace_back(what.order, link.text());
  };
  for (const auto& entry : opening_) add(entry.second);
  for (const auto& entry : reopening_) add(entry.second);
  for (const Opening& what : wanted_) add(what);
  std::sort(ordered.begin(), ordered.end());
  std::string text;
  const auto append = [&](const std::string& link) { text.append(text.empty() ? "" : " ").append(link); };
  for (const auto& [order, link] : ordered) append(link);
  for (const auto& entry : comparisons_) append(kept_link(entry.first).text());
  for (const PendingComparison& pending : pending_comparisons_) append(pending.link.text());
  return text;
}

void App::tell_link() {
  const bool is_coming = !opening_.empty() || !reopening_.empty() || !pending_selection_.empty();
  if (chosen_ != 0 || (wanted_.empty() && pending_comparisons_.empty() && !is_coming)) pending_link_ = {};
  // What is being opened will say where the person is.
  if (chosen_ != 0 || !is_coming) {
    const std::string text = link().text();
    const std::uint64_t visit = std::exchange(pending_visit_, 0);
    if (visit != 0 || text != told_link_) host::show_link(told_link_ = text, visit);
  }
  std::string open = session_text();
  if (open != told_open_) host::save_setting("tab.open", told_open_ = std::move(open));
}

// ---------------------------------------------------------------- coming back

void App::restore(std::string_view link) {
  const model::Link address = model::Link::parse(link);
  if (!address.get("attach").empty()) {
    attach(std::string(link));
    link = {};
  }
  const bool is_page = !host::link_base().empty();
  const std::string open = host::load_setting("tab.open").value_or("");
  bool is_address_open = link.empty();
  std::vector<Opening> documents;
  for (std::string_view rest = open; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    model::Link kept = model::Link::parse(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (model::source_of(kept).is_empty()) continue;
    Opening opening;
    opening.mark = {number_of(kept.get("size"), 10), number_of(kept.get("head"), 16)};
    opening.is_beside = !kept.get("beside").empty();
    const bool was_shown = !kept.get("shown").empty();
    for (const std::string_view key : {"size", "head", "shown", "beside"}) kept.set(key, {});
    // A page's address says what is shown; a window shows what it showed.
    const bool is_address = !link.empty() && model::is_same_subject(kept, address);
    opening.is_quiet = !is_address && (is_page || !was_shown || !link.empty());
    opening.then = is_address ? address : kept;
    opening.source = model::source_of(kept);
    opening.was_open = true;
    if (is_address) is_address_open = true;
    if (!opening.is_quiet) pending_link_ = opening.then;
    if (model::is_of_comparison(kept)) {
      // Its documents are among the others.
      pending_comparisons_.push_back({opening.then, opening.is_quiet});
    } else {
      documents.push_back(std::move(opening));
    }
  }
  for (Opening& opening : documents) start_opening(std::move(opening));
  if (!is_address_open) follow_link(link);
}

// ---------------------------------------------------------------- files that only the person can give

void App::want(Opening what) {
  if (what.was_open && host::opens_paths()) {
    // Nobody can choose what is gone from the disk.
    show_error({.found = "was open last time and is not there any more",
                .expected = "the file where it was; it is no longer among those that are opened again",
                .where = std::string(what.source.get("file")),
                .offset = {}});
    if (!what.is_quiet) shows_next_ = true;
    return;
  }
  const auto for_comparison = std::find_if(
      pending_comparisons_.begin(), pending_comparisons_.end(),
      [&](const PendingComparison& pending) { return !pending.is_quiet && is_about(pending.link, what.source); });
  if (!what.is_quiet || for_comparison != pending_comparisons_.end()) {
    choose(0);
    pending_link_ = what.is_quiet ? for_comparison->link : what.then;
  } else if (chosen_ != 0 && what.was_open) {
    toast_ = panels::Toast{fmt::format("{} has to be chosen again: Alt+H shows it", what.name), ImGui::GetTime()};
  }
  wanted_.push_back(std::move(what));
}

void App::forget_wanted(std::size_t index) {
  if (index >= wanted_.size()) return;
  if (is_about(pending_link_, wanted_[index].source)) pending_link_ = {};
  wanted_.erase(wanted_.begin() + static_cast<std::ptrdiff_t>(index));
}

void App::open_wanted(std::size_t index) {
  if (index >= wanted_.size()) return;
  const std::uint64_t order = wanted_[index].order;
  const auto give = [this, order, alive = std::weak_ptr(alive_)](const std::optional<host::PickedFile>& file) {
    if (alive.lock() == nullptr) return;
    if (file) give_wanted(order, *file);
    host::request_frame();
  };
  host::reopen_file(std::string(wanted_[index].source.get("file")), true,
                    [this, give, alive = std::weak_ptr(alive_)](const std::optional<host::PickedFile>& file) {
                      if (alive.lock() == nullptr) return;
                      if (file) return give(file);
                      if (host::has_file_picker()) return host::pick_file(give);
                      choose(0);
                      start_.focus_location = true;
                      host::request_frame();
                    });
}

void App::give_wanted(std::uint64_t order, const host::PickedFile& file) {
  const auto found =
      std::find_if(wanted_.begin(), wanted_.end(), [&](const Opening& what) { return what.order == order; });
  if (found == wanted_.end()) return open_file(file);
  Opening opening = std::move(*found);
  wanted_.erase(found);
  opening.wanted_name = opening.name;
  opening.name = file.name;
  opening.is_kept = !file.place.empty();
  // For a comparison the two files come one after the other, and then that is shown.
  opening.is_quiet = std::any_of(
      pending_comparisons_.begin(), pending_comparisons_.end(),
      [&](const PendingComparison& pending) { return !pending.is_quiet && is_about(pending.link, opening.source); });
  opening.source.set("file", file.place.empty() ? opening.wanted_name : file.place);
  open(std::move(opening), &file);
}

/// How a document is another one than what was asked for; empty if it is that, as far as is known.
std::string App::why_other(std::uint32_t id, const Opening& opening) const {
  const auto source = sources_.find(id);
  if (source == sources_.end()) return {};
  const FileMark& now = source->second.mark;
  if (opening.mark.size != 0 && now.size != opening.mark.size) return size_text(now.size, opening.mark.size);
  if (opening.mark.head != 0 && now.head != 0 && now.head != opening.mark.head) return "its first bytes are others";
  if (!opening.wanted_name.empty() && opening.wanted_name != opening.name) return "it has another name";
  return {};
}

void App::follow_mismatches() {
  std::erase_if(mismatches_, [this](const Mismatch& one) { return !screens_.contains(one.document); });
  if (mismatches_.empty() || choice_) return;
  const Mismatch& first = mismatches_.front();
  choice_title_ = fmt::format("{} is not the file that was open", first.opening.name);
  if (!first.opening.was_open)
    choice_title_ = fmt::format("{} is not {}", first.opening.name, first.opening.wanted_name);
  choice_lines_ = {{"Use it anyway", first.why}, {"Choose another file\xE2\x80\xA6", ""}};
  choosing_ = Choosing::Mismatch;
  choice_.emplace();
}

void App::mismatch_answered(std::uint32_t line) {
  if (mismatches_.empty()) return;
  Mismatch first = std::move(mismatches_.front());
  mismatches_.erase(mismatches_.begin());
  if (line == 0) return document_ready(first.document, first.opening);
  // It is asked for again.
  requests_.close_document(first.document);
  Opening again = std::move(first.opening);
  again.name = std::exchange(again.wanted_name, {});
  again.source.set("file", again.name);
  again.is_kept = false;
  wanted_.push_back(std::move(again));
  if (screens_.size() <= 1) choose(0);
  if (line == 1) open_wanted(wanted_.size() - 1);
}

void App::close_all() {
  for (const auto& entry : screens_) requests_.close_document(entry.first);
  for (const auto& entry : opening_) requests_.cancel(entry.first);
  reopening_.clear();
  wanted_.clear();
  pending_comparisons_.clear();
  part_mark_.reset();
  pending_link_ = {};
}

}  // namespace nns::app
