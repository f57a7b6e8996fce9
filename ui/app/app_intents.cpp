// What the app does when a panel, a key or the history asks for it.
#include <imgui.h>

#include <algorithm>
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
                 [&](const panels::OpenLocation& asked) { open_location(asked.text); },
                 [&](const panels::ChooseDocument& asked) {
                   choose(asked.document);
                   visit();
                 },
                 [&](const panels::CloseDocument& asked) { requests_.close_document(asked.document); },
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
                 [&](const panels::ComputeStatistics& asked) {
                   if (shown != nullptr) shown->compute_statistics(asked.tensor);
                 },
                 [&](const panels::CancelJob& asked) { requests_.cancel(asked.request); },
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
                   palette_.reset();
                   for (const CommandRow& row : command_rows()) {
                     if (static_cast<std::uint32_t>(row.command) == asked.number) run(row.command);
                   }
                 },
                 [&](const panels::HideCommands&) { palette_.reset(); },
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

void App::run(Command command) {
  DocumentScreen* shown = screen();
  switch (command) {
    case Command::Open:
      if (host::has_file_picker()) {
        host::pick_file([this, alive = std::weak_ptr(alive_)](std::optional<host::PickedFile> file) {
          const std::shared_ptr<bool> still = alive.lock();
          if (still && file) open_file(*file);
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
    case Command::CloseTab:
      if (shown != nullptr) requests_.close_document(chosen_);
      break;
    case Command::NextTab:
    case Command::PreviousTab: {
      if (screens_.empty()) break;
      auto found = screens_.find(chosen_);
      if (command == Command::NextTab) {
        if (found != screens_.end()) ++found;
        choose(found == screens_.end() ? screens_.begin()->first : found->first);
      } else {
        choose(found == screens_.begin() || found == screens_.end() ? screens_.rbegin()->first
                                                                    : std::prev(found)->first);
      }
      visit();
      break;
    }
    case Command::FocusFilter:
      if (shown != nullptr) {
        shown->focus_filter();
      } else {
        start_.focus_location = true;
      }
      break;
    case Command::ShowCommands:
      if (palette_) {
        palette_.reset();
      } else {
        palette_.emplace();
      }
      break;
    case Command::ExpandAll:
      if (shown != nullptr) shown->expand_below(0);
      break;
    case Command::CollapseAll:
      if (shown != nullptr) shown->collapse_all();
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
      if (const auto place = history_.back()) go_to(*place);
      break;
    case Command::Forward:
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
    case Command::Escape:
      escape();
      break;
  }
}

void App::escape() {
  if (palette_) {
    palette_.reset();
  } else if (keys_shown_) {
    keys_shown_ = false;
  } else if (!errors_.empty()) {
    errors_.pop_back();
  } else if (DocumentScreen* shown = screen(); shown != nullptr && shown->has_filter()) {
    shown->set_filter({});
    shown->focus_tree();
  }
}

void App::choose(std::uint32_t document) {
  if (document != 0 && !screens_.contains(document)) return;
  chosen_ = document;
  if (document != 0 && !history_.can_go_back()) visit();
}

void App::visit() {
  const DocumentScreen* shown = screen();
  history_.visit({chosen_, shown != nullptr ? shown->selected() : UINT32_MAX});
}

void App::go_to(const Place& place) {
  choose(place.document);
  if (DocumentScreen* shown = screen(); shown != nullptr && place.row != UINT32_MAX) {
    if (shown->selected() != place.row) shown->select_row(place.row);
  }
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
