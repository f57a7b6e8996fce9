// Links: where the person is as text, going there, what was opened lately, and opening again what changed.
#include <imgui.h>

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "ui/app/app.h"

namespace nns::app {

namespace {

/// Whether the two of a comparison are files of one name: then only where they lie tells them apart.
bool is_of_one_name(const model::Link& link) {
  const model::Link source = model::source_of(link);
  const model::Link other = model::other_source_of(link);
  return !other.is_empty() && model::is_same_source(source, other) && source.get("file") != other.get("file");
}

}  // namespace

void App::open(Opening what, const host::PickedFile* file) {
  if (what.order == 0) what.order = next_order_++;
  const std::string_view sample = what.source.get("sample");
  const std::string_view code = what.source.get("code");
  if (file != nullptr) what.file = *file;
  const bool beside = what.is_beside_programs;
  const std::uint64_t request = file != nullptr   ? requests_.open_source(file->source, file->name, {}, beside)
                                : !sample.empty() ? requests_.open_sample(sample)
                                : !code.empty()   ? requests_.open_shared(code)
                                                  : requests_.open_source(0, what.name, what.source.get("url"), beside);
  opening_[request] = std::move(what);
}

/// Opens what can be opened without the person.
void App::start_opening(Opening what) {
  if (what.order == 0) what.order = next_order_++;
  const std::string place(what.source.get("file"));
  what.name = model::file_name(!place.empty()                    ? place
                               : !what.source.get("url").empty() ? what.source.get("url")
                                                                 : what.source.get("sample"));
  if (!what.source.get("code").empty()) what.name = "The program of the link";
  if (place.empty()) return open(std::move(what), nullptr);
  const std::uint64_t order = what.order;
  reopening_[order] = std::move(what);
  host::reopen_file(place, false, [this, order, alive = std::weak_ptr(alive_)](std::optional<host::PickedFile> file) {
    if (alive.lock() == nullptr) return;
    const auto found = reopening_.find(order);
    if (found == reopening_.end()) return;
    Opening found_again = std::move(found->second);
    reopening_.erase(found);
    if (file) {
      found_again.name = file->name;
      found_again.is_kept = !file->place.empty();
      open(std::move(found_again), &*file);
    } else {
      want(std::move(found_again));
    }
    host::request_frame();
  });
}

void App::open_file(const host::PickedFile& file) {
  Opening opening;
  opening.name = file.name;
  opening.is_kept = !file.place.empty();
  opening.source.set("file", file.place.empty() ? file.name : file.place);
  for (const Opening& wanted : wanted_) {
    if (model::is_same_source(wanted.source, opening.source)) return give_wanted(wanted.order, file);
  }
  open(std::move(opening), &file);
}

void App::open_url(const std::string& url) {
  Opening opening;
  opening.name = model::file_name(url);
  if (opening.name.empty()) opening.name = url;
  opening.source.set("url", url);
  open(std::move(opening), nullptr);
}

void App::open_sample(const std::string& name) {
  Opening opening;
  opening.name = name;
  opening.source.set("sample", name);
  open(std::move(opening), nullptr);
}

void App::document_opened(std::uint32_t id, std::uint64_t request) {
  const auto found = opening_.find(request);
  if (found == opening_.end()) {
    sources_[id].order = next_order_++;
    choose(id);
    visit();
    return;
  }
  const Opening opening = found->second;
  const live::DocumentView& document = screens_[id]->document();
  FileMark mark{0, document.get().head()};
  for (const live::wire::SourceFile* file : *document.get().files()) mark.size += file->size();
  sources_[id] = {opening.source, opening.is_kept, opening.order, mark, opening.file};
  if (const std::string why = why_other(id, opening); !why.empty()) {
    if (!opening.wanted_name.empty()) {
      // The person gave it: the person says whether it will do.
      mismatches_.push_back({id, opening, why});
      return;
    }
    toast_ =
        panels::Toast{fmt::format("{} has changed since it was open here: {}", opening.name, why), ImGui::GetTime()};
  }
  document_ready(id, opening);
}

void App::document_ready(std::uint32_t id, const Opening& opening) {
  DocumentScreen& screen = *screens_[id];
  if (opening.file) {
    screen.set_file({opening.file->source, opening.file->name, {}});
  } else if (const std::string_view url = opening.source.get("url"); !url.empty()) {
    screen.set_file({0, opening.name, std::string(url)});
  }
  const auto replaced = screens_.find(opening.replaces);
  if (replaced != screens_.end()) {
    screen.take_over(*replaced->second);
    sources_[id].order = sources_[opening.replaces].order;
    if (beside_ == opening.replaces) beside_ = id;
    // Its comparisons are made anew.
    for (const auto& [number, compared] : comparisons_) {
      if (compared->a() != opening.replaces && compared->b() != opening.replaces) continue;
      pending_comparisons_.push_back({link_of(number), number != chosen_});
    }
  }
  if (!opening.then.is_empty()) {
    // What is gone from a file that changed is no news to the person.
    const base::Result<void> followed = screen.read_link(opening.then);
    if (!followed.ok() && opening.replaces == 0) show_error(followed.error());
  }
  const bool is_shown = !opening.is_quiet || (opening.replaces != 0 && chosen_ == opening.replaces);
  if (is_shown || (chosen_ == 0 && std::exchange(shows_next_, false))) {
    choose(id);
    visit();
  }
  if (opening.is_beside) beside_ = id;
  if (replaced != screens_.end()) requests_.close_document(opening.replaces);
  // A program that a link carried has no place where it could be found again.
  if (opening.source.get("code").empty() && (opening.is_kept || opening.source.get("file").empty())) {
    model::Link link = opening.source;
    if (!link.get("file").empty()) link.set("name", opening.name);
    recent_.add(std::move(link));
  }
}

model::Link App::link_of(std::uint32_t tab) const {
  const auto source = [this](std::uint32_t document) {
    const auto found = sources_.find(document);
    return found != sources_.end() ? found->second.source : model::Link();
  };
  if (const auto shown = screens_.find(tab); shown != screens_.end()) {
    model::Link link = source(tab);
    shown->second->write_link(link);
    return link;
  }
  const auto compared = comparisons_.find(tab);
  if (compared == comparisons_.end()) return {};
  model::Link link = source(compared->second->a());
  const model::Link other = source(compared->second->b());
  if (compared->second->b() != compared->second->a()) model::set_other_source(link, other);
  compared->second->write_link(link);
  return link;
}

model::Link App::link() const { return chosen_ == 0 ? pending_link_ : link_of(chosen_); }

std::uint32_t App::find_document(const model::Link& source, bool at_its_place) const {
  std::uint32_t of_its_name = 0;
  for (const std::uint32_t tab : tabs()) {
    const auto known = sources_.find(tab);
    if (!screens_.contains(tab) || known == sources_.end() || !model::is_same_source(known->second.source, source))
      continue;
    if (known->second.source.get("file") == source.get("file")) return tab;
    if (of_its_name == 0) of_its_name = tab;
  }
  return at_its_place ? 0 : of_its_name;
}

bool App::is_coming(const model::Link& source, bool at_its_place) const {
  const auto is_it = [&](const Opening& what) {
    return model::is_same_source(what.source, source) &&
           (!at_its_place || what.source.get("file") == source.get("file"));
  };
  const auto is_entry = [&](const auto& entry) { return is_it(entry.second); };
  return std::any_of(opening_.begin(), opening_.end(), is_entry) ||
         std::any_of(reopening_.begin(), reopening_.end(), is_entry) ||
         std::any_of(wanted_.begin(), wanted_.end(), is_it);
}

void App::follow_link(std::string_view text, bool is_quiet) {
  const model::Link link = model::Link::parse(text);
  // The token in it goes nowhere else: not into the list of what was opened, nor into the page's history.
  if (!link.get("attach").empty()) return attach(std::string(text));
  const model::Link source = model::source_of(link);
  if (source.is_empty()) {
    // Without a document it is about the one that is shown.
    if (DocumentScreen* shown = screen(); shown != nullptr && !link.is_empty()) {
      if (const auto followed = shown->read_link(link); !followed.ok()) show_error(followed.error());
      visit();
    } else if (ComparisonScreen* compared = comparison(); compared != nullptr && !link.is_empty()) {
      compared->read_link(link);
      visit();
    } else if (!is_quiet) {
      choose(0);
    }
    return;
  }
  if (model::is_of_comparison(link)) return follow_comparison_link(link, is_quiet);
  if (const std::uint32_t id = find_document(source); id != 0) {
    if (is_quiet) return;
    choose(id);
    if (const auto followed = screen()->read_link(link); !followed.ok()) show_error(followed.error());
    visit();
    return;
  }
  if (!is_quiet) pending_link_ = link;
  Opening opening;
  opening.source = source;
  opening.then = link;
  opening.is_quiet = is_quiet;
  start_opening(std::move(opening));
}

/// Opens what of the two documents is not open, and compares them once they are.
void App::follow_comparison_link(const model::Link& link, bool is_quiet) {
  if (!is_quiet) pending_link_ = link;
  pending_comparisons_.push_back({link, is_quiet});
  const bool is_exact = is_of_one_name(link);
  for (const model::Link& source : {model::source_of(link), model::other_source_of(link)}) {
    if (source.is_empty() || find_document(source, is_exact) != 0 || is_coming(source, is_exact)) continue;
    Opening opening;
    opening.source = source;
    opening.is_quiet = true;
    start_opening(std::move(opening));
  }
  follow_pending_comparisons();
}

void App::follow_pending_comparisons() {
  std::erase_if(pending_comparisons_, [this](const PendingComparison& pending) {
    const model::Link source = model::source_of(pending.link);
    const model::Link other = model::other_source_of(pending.link);
    const bool is_exact = is_of_one_name(pending.link);
    const std::uint32_t a = find_document(source, is_exact);
    const std::uint32_t b = other.is_empty() ? a : find_document(other, is_exact);
    const auto is_asked_about = [&](std::uint32_t id) {
      return std::any_of(mismatches_.begin(), mismatches_.end(),
                         [&](const Mismatch& one) { return one.document == id; });
    };
    if (a == 0 || b == 0 || is_asked_about(a) || is_asked_about(b)) {
      // Where one could not be opened there is nothing to wait for.
      return (a == 0 && !is_coming(source, is_exact)) || (b == 0 && !other.is_empty() && !is_coming(other, is_exact));
    }
    live::Compared of{a, b, 0, 0};
    for (const bool is_a : {true, false}) {
      const std::string_view part = pending.link.get(is_a ? "part" : "with-part");
      if (part.empty()) continue;
      const std::optional<std::uint32_t> row = screens_[is_a ? a : b]->find_path(part);
      if (!row) {
        show_error({.found = "no module or tensor has this name",
                    .expected = "a path as the tree shows it",
                    .where = std::string(part),
                    .offset = {}});
        return true;
      }
      (is_a ? of.part_a : of.part_b) = *row;
    }
    const std::uint32_t number = compare(of, false);
    if (number == 0) return true;
    comparisons_[number]->read_link(pending.link);
    if (!pending.is_quiet) {
      choose(number);
      visit();
    }
    return true;
  });
}

void App::open_recent(std::size_t index) {
  if (index >= recent_.links().size()) return;
  const model::Link link = recent_.links()[index];
  const std::string place(link.get("file"));
  if (place.empty()) return follow_link(link.text());
  host::reopen_file(place, true, [this, link, alive = std::weak_ptr(alive_)](std::optional<host::PickedFile> file) {
    if (alive.lock() == nullptr) return;
    if (file) {
      open_file(*file);
    } else {
      show_error(
          {.found = "the file cannot be opened any more: it was moved or removed, or the browser was not allowed to",
           .expected = "the file, chosen once more",
           .where = std::string(link.get("name")),
           .offset = {}});
    }
    host::request_frame();
  });
}

void App::reload(std::uint32_t document, const host::PickedFile* file, bool is_beside_programs) {
  const auto source = sources_.find(document);
  const auto old = screens_.find(document);
  if (source == sources_.end() || old == screens_.end()) return;
  Opening opening;
  opening.source = source->second.source;
  opening.is_kept = source->second.is_kept;
  opening.name = old->second->document().title();
  opening.replaces = document;
  opening.is_beside_programs = is_beside_programs;
  opening.is_quiet = true;
  opening.then = opening.source;
  old->second->write_link(opening.then);
  const std::string place(opening.source.get("file"));
  if (file != nullptr || place.empty()) return open(opening, file);
  if (!opening.is_kept) {
    show_error({.found = "the browser keeps no way to this file",
                .expected = "the file, chosen or dropped once more",
                .where = place,
                .offset = {}});
    return;
  }
  host::reopen_file(place, true, [this, opening, alive = std::weak_ptr(alive_)](std::optional<host::PickedFile> again) {
    if (alive.lock() != nullptr && again) open(opening, &*again);
    host::request_frame();
  });
}

void App::follow_watched() {
  constexpr double kBetweenLooks_s = 1;
  std::vector<std::string> places;
  for (const auto& [id, source] : sources_) {
    if (settings_.watches && source.is_kept && screens_.contains(id)) places.emplace_back(source.source.get("file"));
  }
  if (places != watched_) host::watch_files(watched_ = places);
  if (places.empty()) return;
  for (const host::PickedFile& file : host::take_changed_files()) {
    for (const auto& [id, source] : sources_) {
      if (source.source.get("file") != file.place || !screens_.contains(id)) continue;
      reload(id, &file);
      toast_ = panels::Toast{file.name + " has changed and was opened again", ImGui::GetTime()};
      break;
    }
  }
  host::request_frame(kBetweenLooks_s);
}

void App::go_to_visit(std::uint64_t visit, std::string_view link) {
  if (const std::optional<Place> place = visit == 0 ? std::nullopt : history_.go_to(visit)) {
    go_to(*place);
  } else {
    follow_link(link);
  }
  // The platform is there already.
  pending_visit_ = 0;
  host::request_frame();
}

/// A program that was edited, or that has no file, is its text: the link says it, and so it comes back.
void App::follow_sources() {
  constexpr double kQuiet_s = 0.6;
  const double now = ImGui::GetTime();
  for (const auto& [id, shown] : screens_) {
    EditorScreen* const editor = shown->editor();
    if (editor == nullptr) continue;
    Source& source = sources_[id];
    const bool is_edited = editor->is_modified() || !source.source.get("code").empty() || source.source.is_empty();
    const std::string_view code = editor->code();
    if (!is_edited || code.empty() || code == source.source.get("code")) continue;
    // Not with every letter: the page's address and history are no place for that.
    const double since = now - editor->changed_at();
    if (since < kQuiet_s) {
      host::request_frame(kQuiet_s - since);
      continue;
    }
    source.source = {};
    source.source.set("code", code);
    source.is_kept = false;
  }
}

void App::copy_link() {
  if (DocumentScreen* shown = screen(); shown != nullptr && shown->editor() != nullptr) {
    EditorScreen& editor = *shown->editor();
    model::Link& source = sources_[chosen_].source;
    const bool is_shareable = editor.is_modified() || source.get("url").empty();
    if (is_shareable && editor.code().empty()) {
      toast_ = panels::Toast{"This program is too long for a link", ImGui::GetTime()};
      return;
    }
    if (is_shareable) {
      model::Link link;
      link.set("code", editor.code());
      copy(fmt::format("{}#{}", host::link_base(), link.text()), "Link with the program");
      return;
    }
  }
  const std::string text = link().text();
  if (chosen_ != 0) copy(fmt::format("{}#{}", host::link_base(), text), "Link");
}

}  // namespace nns::app
