// What the app does when a panel, a key or the history asks for it.
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "ui/app/app.h"

namespace nns::app {

namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace

void App::carry_out(const panels::Intent& intent) {
  DocumentScreen* shown = screen();
  std::visit(Overloaded{
                 [&](const panels::OpenFile&) { run(Command::Open); },
                 [&](const panels::OpenSample& asked) { open_sample(asked.name); },
                 [&](const panels::PrepareTraining& asked) { show_training_form(asked.recipe); },
                 [&](const panels::TrainingFormAsk& asked) { carry_out_in_form(asked); },
                 [&](const panels::OpenLocation& asked) { open_location(asked.text); },
                 [&](const panels::ChooseDocument& asked) {
                   choose(asked.document);
                   visit();
                 },
                 [&](const panels::TrainingAsk& asked) {
                   const auto run = trainings_.find(asked.document | kTraining);
                   if (run == trainings_.end()) return;
                   if (asked.what == panels::TrainingAsk::What::Checkpoint && run->second->saves_checkpoints())
                     return save_checkpoint(asked.document);
                   run->second->carry_out(asked);
                 },
                 [&](const panels::Attach& asked) { attach(asked.address); },
                 [&](const panels::CloseDocument& asked) {
                   if (trainings_.contains(asked.document)) return close_training(asked.document);
                   const auto compared = comparisons_.find(asked.document);
                   if (compared == comparisons_.end()) return requests_.close_document(asked.document);
                   const std::uint32_t back = compared->second->b();
                   comparisons_.erase(compared);
                   history_.forget(asked.document);
                   if (chosen_ == asked.document) choose(back);
                 },
                 [&](const panels::SelectLine& asked) {
                   if (shown != nullptr) shown->select_line(asked.line);
                   visit();
                 },
                 [&](const panels::SelectRow& asked) {
                   if (shown != nullptr) shown->select_row(asked.row);
                   visit();
                 },
                 [&](const panels::ExpandLine& asked) {
                   if (shown != nullptr) {
                     shown->select_line(asked.line);
                     shown->expand_line(asked.line, asked.open);
                   }
                 },
                 [&](const panels::ExpandBelow& asked) {
                   if (shown != nullptr) shown->expand_below(asked.line);
                 },
                 [&](const panels::CollapseAll&) {
                   if (shown != nullptr) shown->collapse_all();
                 },
                 [&](const panels::SetFilter& asked) {
                   if (shown != nullptr) shown->set_filter(asked.text);
                 },
                 [&](const panels::ChooseTab& asked) {
                   if (shown != nullptr) shown->choose_tab(asked.tab);
                 },
                 [&](const panels::ComputeStatistics&) {
                   if (shown != nullptr) shown->tensor().compute_statistics();
                 },
                 [&](const panels::ComputeModelStatistics&) {
                   if (shown != nullptr) shown->statistics().compute();
                 },
                 [&](const panels::SortStatistics& asked) {
                   if (shown != nullptr) shown->sort_statistics(static_cast<model::NumbersColumn>(asked.column));
                 },
                 [&](const panels::OpenTensor& asked) {
                   if (shown != nullptr) {
                     shown->choose_tab(panels::InspectorTab::Tensor);
                     shown->select_row(asked.row);
                   }
                   visit();
                 },
                 [&](const panels::RunText& asked) {
                   if (shown != nullptr && shown->console() != nullptr) shown->console()->run(asked.text);
                 },
                 [&](const panels::CompleteText& asked) {
                   if (shown != nullptr && shown->console() != nullptr) shown->console()->complete(asked.text);
                 },
                 [&](const panels::CallAsk& asked) {
                   if (shown == nullptr || shown->call() == nullptr) return;
                   const std::optional<std::string> path = shown->call()->carry_out(asked);
                   if (!path) return;
                   if (const auto row = shown->find_path(*path)) shown->select_row(*row);
                   shown->focus_tree();
                   visit();
                 },
                 [&](const panels::CaptureAsk& asked) {
                   if (shown == nullptr || shown->capture() == nullptr) return;
                   if (asked.what == panels::CaptureAsk::What::Run) return shown->run_capture();
                   const std::optional<std::string> path = shown->capture()->carry_out(asked);
                   const auto row = path ? shown->find_path(*path) : std::nullopt;
                   if (!row) return;
                   shown->select_row(*row);
                   shown->focus_tree();
                   visit();
                 },
                 [&](const panels::RunSource&) {
                   if (shown != nullptr) shown->run_source();
                 },
                 [&](const panels::StopProgram&) {
                   if (shown != nullptr && shown->console() != nullptr) shown->console()->stop();
                 },
                 [&](const panels::HoldProgram& asked) {
                   if (shown != nullptr && shown->console() != nullptr) shown->console()->hold(asked.held);
                 },
                 [&](const panels::CopyConsole&) {
                   if (shown != nullptr && shown->console() != nullptr) copy(shown->console()->text(), "Output");
                 },
                 [&](const panels::FindInPart& asked) {
                   if (shown != nullptr) shown->tensor().find(asked.what);
                 },
                 [&](const panels::CopyPart&) {
                   if (shown != nullptr) shown->tensor().copy();
                 },
                 [&](const panels::SetSlice& asked) {
                   if (shown != nullptr) shown->tensor().set_slice(asked.slice);
                 },
                 [&](const panels::CancelJob& asked) {
                   if (asked.request == kSavingJob) {
                     stop_saving("Saving was cancelled");
                   } else {
                     requests_.cancel(asked.request);
                   }
                 },
                 [&](const panels::DismissError& asked) {
                   std::erase_if(errors_, [&](const panels::ErrorCard& card) { return card.number == asked.number; });
                 },
                 [&](const panels::CopyText& asked) { copy(asked.text, asked.what); },
                 [&](const panels::SetTheme& asked) {
                   forced_theme_.reset();
                   settings_.theme = asked.theme;
                   settings_changed_ = true;
                 },
                 [&](const panels::ChangeScale& asked) { change_scale(asked.steps); },
                 [&](const panels::ShowKeys& asked) {
                   keys_shown_ = asked.shown;
                   keys_scroll_ = {};
                 },
                 [&](const panels::RunCommand& asked) {
                   hide_search();
                   for (const CommandRow& row : command_rows()) {
                     if (static_cast<std::uint32_t>(row.command) == asked.number) run(row.command);
                   }
                 },
                 [&](const panels::ShowSearch& asked) { show_search(asked.text); },
                 [&](const panels::HideSearch&) { hide_search(); },
                 [&](const panels::ShowHit& asked) {
                   search_.reset();
                   choose(asked.document);
                   if (DocumentScreen* found = screen()) {
                     found->select_row(asked.row);
                     if (asked.is_metadata) found->choose_tab(panels::InspectorTab::Summary);
                     found->focus_tree();
                   }
                   visit();
                 },
                 [&](const panels::FilterByQuery& asked) {
                   search_.reset();
                   if (shown == nullptr) return;
                   shown->set_filter(asked.text);
                   shown->focus_tree();
                 },
                 [&](const panels::ShowOnMap& asked) {
                   if (shown != nullptr) shown->show_on_map(asked.row);
                 },
                 [&](const panels::SetMapMetric& asked) {
                   if (shown != nullptr) shown->set_map_metric(asked.metric);
                 },
                 [&](const panels::SetMapColour& asked) {
                   if (shown != nullptr) shown->set_map_colour(asked.colour);
                 },
                 [&](const panels::OpenRecent& asked) { open_recent(asked.index); },
                 [&](const panels::ForgetRecent& asked) { recent_.remove(asked.index); },
                 [&](const panels::OpenWanted& asked) { open_wanted(asked.index); },
                 [&](const panels::ForgetWanted& asked) { forget_wanted(asked.index); },
                 [&](const panels::CompareWith&) { choose_partner(); },
                 [&](const panels::StudioAsk& asked) {
                   if (shown == nullptr || shown->studio() == nullptr) return;
                   using IntentWhat = panels::StudioAsk::What;
                   if (asked.what == IntentWhat::Show || asked.what == IntentWhat::Hide)
                     return run(Command::ShowStudio);
                   if (asked.what == IntentWhat::Record) return run(Command::Record);
                   shown->carry_out(asked);
                 },
                 [&](const panels::ToggleBreakpoint& asked) {
                   if (shown != nullptr && shown->editor() != nullptr) shown->toggle_breakpoint(asked.line);
                 },
                 [&](const panels::LessonAsk& asked) {
                   if (shown != nullptr && shown->lesson() != nullptr) shown->lesson()->carry_out(asked);
                 },
                 [&](const panels::ComparisonAsk& asked) { carry_out_in_comparison(asked); },
                 [&](const panels::Choose& asked) { choice_made(asked.line); },
                 [&](const panels::HideChoice&) {
                   choice_.reset();
                   waits_for_partner_ = 0;
                   if (choosing_ == Choosing::Mismatch) mismatch_answered(UINT32_MAX);
                 },
                 [&](const panels::GoBack&) { run(Command::Back); },
                 [&](const panels::GoForward&) { run(Command::Forward); },
             },
             intent);
}

void App::run_commands() {
  for (const CommandKey& key : command_keys()) {
    const bool typing = ui_.is_typing();
    if (typing && !key.works_while_typing) continue;
    if (key.typed != 0) {
      if (ui_.take_typed(key.typed)) run(key.command);
      continue;
    }
    const auto mods = static_cast<ImGuiKeyChord>(key.chord & ImGuiMod_Mask_);
    if (ui_.take_key(static_cast<ImGuiKey>(key.chord & ~ImGuiMod_Mask_), mods, false)) run(key.command);
  }
}

void App::ask_for_program() { toast_ = panels::Toast{"Open a program first: a file of Python", ImGui::GetTime()}; }

void App::run(Command command) {
  if (run_in_comparison(command)) return;
  DocumentScreen* shown = screen();
  switch (command) {
    case Command::Open:
      waits_for_partner_ = 0;
      if (host::has_file_picker()) {
        host::pick_file([this, alive = std::weak_ptr(alive_)](std::optional<host::PickedFile> file) {
          const std::shared_ptr<bool> still = alive.lock();
          if (!still) return;
          if (file) {
            open_file(*file);
          } else {
            waits_for_partner_ = 0;
          }
        });
      } else {
        choose(0);
        start_.focus_location = true;
      }
      break;
    case Command::NewTab:
      choose(0);
      visit();
      break;
    case Command::CloseAll:
      close_all();
      break;
    case Command::CloseTab:
      if (shown != nullptr) requests_.close_document(chosen_);
      break;
    case Command::NextTab:
    case Command::PreviousTab: {
      const std::vector<std::uint32_t> all = tabs();
      if (all.empty()) break;
      const auto count = all.size();
      const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), chosen_) - all.begin());
      const bool is_next = command == Command::NextTab;
      choose(at == count ? (is_next ? all.front() : all.back()) : all[(at + (is_next ? 1 : count - 1)) % count]);
      visit();
      break;
    }
    case Command::FocusFilter:
      if (shown != nullptr) {
        settings_changed_ |= std::exchange(settings_.hides_tree, false);
        shown->focus_filter();
      } else {
        start_.focus_location = true;
      }
      break;
    case Command::FocusConsole:
      if (shown != nullptr && shown->console() != nullptr) {
        shown->console()->take_focus();
      } else {
        ask_for_program();
      }
      break;
    case Command::ShowStudio:
      if (shown == nullptr || shown->studio() == nullptr) {
        ask_for_program();
        break;
      }
      shown->show_studio(!shown->shows_studio());
      if (shown->shows_studio()) shown->studio()->take_focus();
      break;
    case Command::Record:
      if (shown != nullptr && shown->studio() != nullptr) {
        shown->show_studio(true);
        shown->record();
        shown->studio()->take_focus();
      }
      break;
    case Command::Attach:
      attach({});
      break;
    case Command::Train:
      choose_recipe();
      break;
    case Command::EditSource:
      if (shown != nullptr && shown->editor() != nullptr) {
        shown->choose_tab(panels::InspectorTab::Source);
        shown->editor()->take_focus();
      } else {
        ask_for_program();
      }
      break;
    case Command::RunSource:
      if (shown != nullptr) shown->run_source();
      break;
    case Command::NewProgram:
      requests_.run_source(0, "program.py", "import torch\nfrom torch import nn\n\n");
      break;
    case Command::StopProgram:
      if (shown != nullptr && shown->console() != nullptr) shown->console()->stop();
      break;
    case Command::HoldProgram:
      if (shown != nullptr && shown->console() != nullptr) shown->console()->hold(!shown->console()->is_held());
      break;
    case Command::ShowCommands:
      show_search(">");
      break;
    case Command::Search:
      if (shown != nullptr && shown->editor() != nullptr && shown->tab() == panels::InspectorTab::Source &&
          shown->editor()->has_keyboard()) {
        shown->editor()->find();
        break;
      }
      show_search({});
      break;
    case Command::ExpandAll:
      if (shown != nullptr) shown->expand_below(0);
      break;
    case Command::CollapseAll:
      if (shown != nullptr) shown->collapse_all();
      break;
    case Command::ToggleTree:
      if (shown == nullptr) break;
      settings_.hides_tree = !settings_.hides_tree;
      settings_changed_ = true;
      settings_.hides_tree ? shown->focus_tree_toggle() : shown->focus_tree();
      break;
    case Command::ShowMap:
      if (shown != nullptr) shown->choose_tab(panels::InspectorTab::Map);
      break;
    case Command::ShowCall:
      if (shown == nullptr || shown->call() == nullptr) break;
      shown->show_studio(false);
      shown->choose_tab(panels::InspectorTab::Call);
      shown->call()->take_focus();
      break;
    case Command::ShowCapture:
      if (shown == nullptr || shown->capture() == nullptr) break;
      shown->show_studio(false);
      shown->choose_tab(panels::InspectorTab::Capture);
      shown->capture()->take_focus();
      break;
    case Command::ShowStatistics:
      if (shown != nullptr) shown->choose_tab(panels::InspectorTab::Statistics);
      break;
    case Command::ShowSafety:
      if (shown != nullptr) shown->choose_tab(panels::InspectorTab::Safety);
      break;
    case Command::Compare:
      choose_partner();
      break;
    case Command::ComparePart:
      choose_part_partner();
      break;
    case Command::ThemeSystem:
      carry_out(panels::SetTheme{panels::ThemeChoice::System});
      break;
    case Command::ThemeLight:
      carry_out(panels::SetTheme{panels::ThemeChoice::Light});
      break;
    case Command::ThemeDark:
      carry_out(panels::SetTheme{panels::ThemeChoice::Dark});
      break;
    case Command::ShowKeys:
      keys_shown_ = !keys_shown_;
      break;
    case Command::Back:
      if (!history_.can_go_back() || host::go_in_history(-1)) break;
      if (const auto place = history_.back()) go_to(*place);
      break;
    case Command::Forward:
      if (!history_.can_go_forward() || host::go_in_history(1)) break;
      if (const auto place = history_.forward()) go_to(*place);
      break;
    case Command::CopyPath:
      if (shown != nullptr) copy(shown->path(), "Path");
      break;
    case Command::Larger:
      change_scale(1);
      break;
    case Command::Smaller:
      change_scale(-1);
      break;
    case Command::DefaultScale:
      change_scale(0);
      break;
    case Command::CopyLink:
      copy_link();
      break;
    case Command::Reload:
      reload(chosen_, nullptr);
      break;
    case Command::WatchFiles:
      settings_.watches = !settings_.watches;
      settings_changed_ = true;
      toast_ = panels::Toast{settings_.watches ? "Files that change are opened again" : "Files are no longer watched",
                             ImGui::GetTime()};
      break;
    case Command::SideBySide:
      choose_beside();
      break;
    case Command::Escape:
      escape();
      break;
    case Command::Save:
    case Command::SavePng:
    case Command::SaveSvg:
    case Command::SavePdf:
    case Command::SaveText:
    case Command::SaveJson:
    case Command::SaveCsv:
    case Command::SaveMarkdown:
    case Command::SaveNpy:
    case Command::SaveValues:
      save(command);
      break;
  }
}

void App::escape() {
  if (search_) {
    hide_search();
  } else if (choice_) {
    carry_out(panels::HideChoice{});
    if (ComparisonScreen* compared = comparison()) compared->focus_list();
  } else if (form_) {
    form_.reset();
  } else if (keys_shown_) {
    keys_shown_ = false;
  } else if (!errors_.empty()) {
    errors_.pop_back();
  } else if (DocumentScreen* shown = screen(); shown != nullptr && shown->has_filter()) {
    shown->set_filter({});
    shown->focus_tree();
  } else if (ComparisonScreen* compared = comparison(); compared != nullptr && compared->has_filter()) {
    compared->set_filter({});
    compared->focus_list();
  }
}

/// Again with the same keys closes it; with the others it changes sides.
void App::show_search(std::string text) {
  if (search_ && model::command_text(search_->text).has_value() == model::command_text(text).has_value()) {
    hide_search();
    return;
  }
  if (!search_) focus_before_search_ = ui_.access().focused();
  search_.emplace();
  search_->number = ++searches_;
  search_->text = std::move(text);
}

/// The keyboard goes back to where it was.
void App::hide_search() {
  search_.reset();
  if (focus_before_search_ != 0) ui_.access().focus(focus_before_search_, true);
}

void App::follow_search() {
  if (!search_) return;
  // A key is answered within its frame, as far as this goes; the rest follows in the next ones.
  constexpr std::chrono::milliseconds kSlice(6);
  std::vector<std::shared_ptr<const model::SearchIndex>> documents;
  if (DocumentScreen* shown = screen()) documents.push_back(shown->search_index());
  for (const auto& [id, other] : screens_) {
    if (id != chosen_) documents.push_back(other->search_index());
  }
  const bool is_command = model::command_text(search_->text).has_value();
  answers_.look_for(is_command ? std::string_view() : search_->text, documents);
  answers_.step(base::Budget(kSlice));
}

void App::choose(std::uint32_t document) {
  if (document != 0 && !screens_.contains(document) && !comparisons_.contains(document) &&
      !trainings_.contains(document))
    return;
  // Of two that are side by side the other one becomes the chosen one; a third takes the chosen one's side.
  if (beside_ != 0 && document == beside_) beside_ = chosen_;
  chosen_ = document;
}

/// The next document beside the chosen one, or no longer any.
void App::choose_beside() {
  const std::uint32_t before = std::exchange(beside_, 0);
  if (before != 0 || screens_.size() < 2 || screen() == nullptr) return;
  std::uint32_t first = 0;
  for (const std::uint32_t tab : tabs()) {
    if (!screens_.contains(tab) || tab == chosen_) continue;
    if (first == 0) first = tab;
    if (beside_ == 0 && is_before(chosen_, tab)) beside_ = tab;
  }
  if (beside_ == 0) beside_ = first;
}

void App::visit() {
  Place place{chosen_};
  if (const DocumentScreen* shown = screen()) place.row = shown->selected();
  if (const ComparisonScreen* shown = comparison(); shown != nullptr && shown->rows().has_rows()) {
    place.row = shown->rows().selected();
    place.is_tree = shown->rows().is_tree();
  }
  const std::uint64_t visit = history_.visit(place);
  if (visit != 0) pending_visit_ = visit;
}

void App::go_to(const Place& place) {
  choose(place.document);
  if (DocumentScreen* shown = screen(); shown != nullptr && place.row != UINT32_MAX) {
    if (shown->selected() != place.row) shown->select_row(place.row);
  }
  if (ComparisonScreen* shown = comparison()) shown->go_to(place.row, place.is_tree);
}

void App::change_scale(int steps) {
  settings_.scale_percent = next_scale(settings_.scale_percent, steps);
  settings_changed_ = true;
}

void App::copy(const std::string& text, std::string_view what) {
  const base::Result<void> copied = host::copy_to_clipboard(text);
  if (copied.ok()) {
    toast_ = panels::Toast{std::string(what) + " copied", ImGui::GetTime()};
  } else {
    show_error(copied.error());
  }
}

}  // namespace nns::app
