#include "ui/app/app.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ui/app/fonts_setup.h"
#include "ui/model/document_title.h"
#include "ui/model/format.h"
#include "ui/panels/keys_overlay.h"
#include "ui/panels/status_bar.h"
#include "ui/panels/toolbar.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/plate.h"

namespace nns::app {

using live::wire::JobState;
using panels::Intent;
using widgets::Rect;

namespace {

// A job that is done within this time is not shown: nothing flashes.
constexpr double kShowJobAfterSeconds = 0.25;
constexpr float kStatusBar = 28;  // design units
constexpr float kLeastTree = 168;
constexpr float kNarrow = 720;  // below this width the inspector is under the tree

void set_up_style() {
  ImGuiStyle& style = ImGui::GetStyle();
  style.WindowPadding = ImVec2(0, 0);
  style.WindowBorderSize = 0;
  style.WindowMinSize = ImVec2(1, 1);
  style.FrameBorderSize = 0;
  style.ItemSpacing = ImVec2(0, 0);
  style.FontSizeBase = 14;
  style.FontScaleMain = 1;
  style.FontScaleDpi = 1;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  // The system says when a key that is held acts again (native/host, web/page): after a slow frame a clock would be
  // wrong.
  io.KeyRepeatDelay = std::numeric_limits<float>::max();
  // A text that was refused is there to be corrected.
  io.ConfigInputTextEnterKeepActive = true;
  io.ConfigInputTextCursorBlink = !host::prefers_reduced_motion();
}

}  // namespace

App::App(std::unique_ptr<live::Endpoint> endpoint, std::unique_ptr<live::Endpoint> programs)
    : requests_(std::move(endpoint), std::move(programs)), ui_(add_fonts()), settings_(load_settings()) {
  renderers_[1].next_version = 2;
  set_up_style();
  recent_.load();
}

App::~App() { *alive_ = false; }

const widgets::Theme& App::theme() const {
  const panels::ThemeChoice choice = forced_theme_.value_or(settings_.theme);
  const bool is_dark =
      choice == panels::ThemeChoice::Dark || (choice == panels::ThemeChoice::System && host::prefers_dark());
  return is_dark ? widgets::dark_theme() : widgets::light_theme();
}

DocumentScreen* App::screen() {
  const auto found = screens_.find(chosen_);
  return found == screens_.end() ? nullptr : found->second.get();
}

std::string App::title_of(std::uint32_t document) const {
  std::vector<const live::DocumentView*> others;
  for (const auto& [id, other] : screens_) others.push_back(&other->document());
  return model::title_among(screens_.at(document)->document(), others);
}

// ---------------------------------------------------------------- what comes in

void App::receive() {
  while (std::optional<live::Bytes> message = requests_.receive()) {
    if (const base::Result<void> applied = mirror_.apply(std::move(*message)); !applied.ok())
      show_error(applied.error());
  }
  if (!requests_.is_connected()) core_stopped("the core has stopped");
  follow_documents();
  follow_trainings();
  follow_link_state();
  follow_jobs();
  follow_comparisons();
  follow_pending_comparisons();
  follow_mismatches();
  try_pending_selection();
}

void App::follow_documents() {
  std::set<std::uint32_t> present;
  for (const auto& document : mirror_.documents()) {
    present.insert(document->id());
    auto& screen = screens_[document->id()];
    if (screen == nullptr) {
      const auto rows = static_cast<std::uint32_t>(std::max(8.0F, ImGui::GetIO().DisplaySize.y / ui_.px(28) - 5));
      screen = std::make_unique<DocumentScreen>(requests_, mirror_, document, rows);
      screen->focus_tree();
      document_opened(document->id(), document->get().request());
      if (waits_for_partner_ != 0 && !choice_) compare({std::exchange(waits_for_partner_, 0U), document->id(), 0, 0});
    } else if (screen->document().version() != document->version()) {
      screen->show(document);
    }
  }
  for (auto screen = screens_.begin(); screen != screens_.end();) {
    if (present.contains(screen->first)) {
      ++screen;
      continue;
    }
    const std::uint32_t gone = screen->first;
    screen = screens_.erase(screen);
    history_.forget(gone);
    sources_.erase(gone);
    if (beside_ == gone) beside_ = 0;
    if (part_mark_ && part_mark_->document == gone) part_mark_.reset();
    if (chosen_ != gone) continue;
    chosen_ = 0;
    for (const std::uint32_t tab : tabs()) {
      if (screens_.contains(tab)) chosen_ = tab;
    }
  }
}

void App::follow_jobs() {
  const double now = ImGui::GetTime();
  std::vector<std::uint64_t> over;
  for (const auto& [request, job] : mirror_.jobs()) {
    job_since_.try_emplace(request, now);
    if (job.state == JobState::Running) continue;
    over.push_back(request);
    const auto opening = opening_.find(request);
    if (job.state == JobState::Failed) {
      panels::ErrorCard card;
      card.number = next_error_++;
      card.title = opening != opening_.end() ? opening->second.name + " was not opened"
                   : job.text.empty()        ? "That did not work"
                                             : job.text + " did not work";
      if (job.error) card.error = *job.error;
      errors_.push_back(std::move(card));
    } else if (job.state == JobState::Cancelled && opening != opening_.end()) {
      const auto& documents = mirror_.documents();
      const bool is_open = std::any_of(documents.begin(), documents.end(), [opened = request](const auto& document) {
        return document->get().request() == opened;
      });
      toast_ = panels::Toast{is_open ? "The program was stopped" : "Opening was cancelled", now};
    }
    for (const auto& entry : screens_) {
      entry.second->job_ended(request, job.state == JobState::Finished);
    }
    for (const auto& entry : comparisons_) entry.second->job_ended(request);
  }
  for (const std::uint64_t request : over) {
    opening_.erase(request);
    job_since_.erase(request);
    mirror_.forget_job(request);
  }
}

void App::take_dropped() {
  for (const host::PickedFile& file : host::take_dropped_files()) {
    if (form_) {
      form_->give(file);
    } else {
      open_file(file);
    }
  }
}

// ---------------------------------------------------------------- what others ask for

void App::open_location(const std::string& text) {
  if (const std::string_view link = model::Link::fragment_of(text); !link.empty()) {
    start_.location.clear();
    follow_link(link);
    return;
  }
  if (text.starts_with("ws://") || text.starts_with("wss://")) {
    start_.location.clear();
    return attach(text);
  }
  if (text.find("://") != std::string::npos) {
    open_url(text);
    start_.location.clear();
    return;
  }
  const base::Result<host::PickedFile> file = host::register_path(text);
  if (file.ok()) {
    open_file(*file);
    start_.location.clear();
  } else {
    show_error(file.error());
  }
}

void App::select_when_opened(std::string path) { pending_selection_ = std::move(path); }

void App::show_tab(panels::InspectorTab tab) { pending_tab_ = tab; }

void App::try_pending_selection() {
  DocumentScreen* shown = screen();
  if (shown == nullptr || !opening_.empty()) return;
  if (!pending_selection_.empty()) {
    // In the document that is shown, or else in the newest that has the name.
    std::optional<std::uint32_t> row = shown->find_path(pending_selection_);
    for (auto other = screens_.rbegin(); !row && other != screens_.rend(); ++other) {
      row = other->second->find_path(pending_selection_);
      if (row) choose(other->first);
    }
    shown = screen();
    if (row) {
      shown->select_row(*row);
    } else {
      show_error({.found = "no module or tensor has this name",
                  .expected = "a path as the tree shows it",
                  .where = pending_selection_,
                  .offset = {}});
    }
    pending_selection_.clear();
    visit();
  }
  if (!pending_search_.empty()) show_search(std::exchange(pending_search_, {}));
  if (pending_studio_ && shown->studio() == nullptr) {
    show_error({.found = "no program",
                .expected = "a file of Python, which can be recorded",
                .where = std::string(shown->document().title()),
                .offset = {}});
    pending_studio_.reset();
  }
  if (pending_studio_) shown->open_studio(*std::exchange(pending_studio_, std::nullopt));
  if (pending_stop_ && shown->lesson() != nullptr) shown->lesson()->go_to(*std::exchange(pending_stop_, std::nullopt));
  if (pending_tab_) shown->choose_tab(*std::exchange(pending_tab_, std::nullopt));
}

void App::show_error(base::Error error) {
  panels::ErrorCard card;
  card.number = next_error_++;
  card.title = "Something went wrong";
  card.error = std::move(error);
  errors_.push_back(std::move(card));
  host::request_frame();
}

void App::core_stopped(std::string why) {
  if (std::exchange(said_lost_, true)) return;
  show_error({.found = std::move(why) + ". What is shown stays; start again to open files.",
              .expected = {},
              .where = {},
              .offset = {}});
}

void App::programs_stopped(std::string why) {
  const base::Error error = {.found = std::move(why),
                             .expected = "a program that needs less; the next one starts afresh",
                             .where = {},
                             .offset = {}};
  std::set<std::uint64_t> lost;
  for (const auto& [request, what] : opening_) {
    if (Requests::is_to_programs(request)) lost.insert(request);
  }
  for (const auto& [request, job] : mirror_.jobs()) {
    if (Requests::is_to_programs(request) && job.state == JobState::Running) lost.insert(request);
  }
  mirror_.lose_host(live::kFirstProgramDocument, lost, error);
  if (lost.empty()) show_error(error);
  host::request_frame();
}

void App::graphics_lost() {
  for (Renderers& renderers : renderers_) {
    renderers.heat_map.graphics_lost();
    renderers.tiles.graphics_lost();
  }
}

bool App::is_settled() const {
  if (mirror_.hello() == nullptr || !opening_.empty() || !reopening_.empty() || saving_) return false;
  for (const auto& entry : mirror_.jobs()) {
    if (entry.second.state == JobState::Running) return false;
  }
  if (search_ && !answers_.is_done()) return false;
  if (compare_pending_ && screens_.size() >= 2) return false;
  if (pending_studio_ || pending_stop_) return false;
  const auto compared = comparisons_.find(chosen_);
  if (compared != comparisons_.end()) return !compared->second->is_waiting();
  if (const auto run = trainings_.find(chosen_); run != trainings_.end()) return !run->second->is_waiting();
  if (link_ != nullptr && trainings_.empty() && screens_.empty() && link_->is_connected()) return false;
  const auto shown = screens_.find(chosen_);
  return shown == screens_.end() || !shown->second->is_waiting();
}

// ---------------------------------------------------------------- one frame

void App::frame() {
  gate_.open(host::take_access_actions(), ui_.is_ready() && !acted_, widgets::has_text_field() || ui_.is_typing());
  ImGui::NewFrame();
  const ImGuiIO& io = ImGui::GetIO();
  const float unit = host::display_scale() / std::max(0.01F, io.DisplayFramebufferScale.x);
  widgets::Ui::FrameInput input;
  input.theme = &theme();
  input.scale = std::max(0.25F, unit * static_cast<float>(settings_.scale_percent) / 100);
  input.reduced_motion = host::prefers_reduced_motion();
  input.actions = gate_.close();
  const Rect whole{0, 0, io.DisplaySize.x, io.DisplaySize.y};
  ImGui::GetStyle().ScrollbarSize = std::round(10 * input.scale);

  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::Begin("##explorer", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoScrollWithMouse);
  ui_.begin_frame(std::move(input));
  take_dropped();
  receive();
  run_commands();
  follow_saving();
  if (DocumentScreen* shown = screen()) {
    shown->follow();
    if (const auto text = shown->tensor().take_copy()) copy(*text, "Values");
  }
  if (const auto other = screens_.find(beside_); other != screens_.end() && screen() != nullptr)
    other->second->follow();
  if (ComparisonScreen* shown = comparison()) {
    shown->follow();
    if (shown->rows().has_rows()) history_.amend({chosen_, shown->rows().selected(), shown->rows().is_tree()});
  }
  follow_search();
  draw();
  draw_layers(whole);
  ui_.draw_tooltip();
  if (ui_.end_frame()) host::publish_access(ui_.controls());
  ImGui::End();

  acted_ = !intents_.empty();
  for (const Intent& intent : std::exchange(intents_, {})) carry_out(intent);
  bool again = ui_.wants_frame() || is_input_under_way();
  if (DocumentScreen* shown = screen()) again |= shown->follow_map(ImGui::GetTime());
  if (ComparisonScreen* shown = comparison()) again |= shown->follow_map(ImGui::GetTime());
  if (const auto other = screens_.find(beside_); other != screens_.end())
    again |= other->second->follow_map(ImGui::GetTime());
  again |= search_ && !answers_.is_done();
  if (std::exchange(settings_changed_, false)) save_settings(settings_);
  follow_watched();
  follow_sources();
  tell_link();
  std::string title = "nnscope";
  if (screen() != nullptr) title = title_of(chosen_) + " \xE2\x80\x94 nnscope";
  if (comparison() != nullptr) title = comparison()->title() + " \xE2\x80\x94 nnscope";
  if (training() != nullptr) title = training()->title() + " \xE2\x80\x94 nnscope";
  if (title != title_) host::set_title(title_ = std::move(title));
  if (again) host::request_frame();
}

void App::ask(std::optional<Intent> intent) {
  if (!intent) return;
  intents_.push_back(std::move(*intent));
  host::request_frame();
}

void App::draw() {
  const ImGuiIO& io = ImGui::GetIO();
  Rect area{0, 0, io.DisplaySize.x, io.DisplaySize.y};
  widgets::draw_plate(ui_, area, ui_.theme().background);

  std::vector<panels::ToolbarDocument> documents;
  for (const std::uint32_t tab : tabs()) {
    if (const auto found = screens_.find(tab); found != screens_.end()) {
      const live::DocumentView& document = found->second->document();
      const bool bad = found->second->summary().safety.dangerous > 0;
      documents.push_back({tab, title_of(tab), std::string(document.format()), bad});
    } else if (const auto run = trainings_.find(tab); run != trainings_.end()) {
      documents.push_back({tab, run->second->title(), "training", false});
    } else {
      documents.push_back({tab, comparisons_.at(tab)->title(), "comparison", false});
    }
  }
  panels::ToolbarModel toolbar;
  toolbar.documents = documents;
  toolbar.chosen = chosen_;
  toolbar.theme = forced_theme_.value_or(settings_.theme);
  toolbar.scale_percent = settings_.scale_percent;
  toolbar.can_go_back = history_.can_go_back();
  toolbar.can_go_forward = history_.can_go_forward();
  toolbar.can_compare = screens_.size() >= 2;
  const Rect bar = area.cut_top(panels::toolbar_height(ui_, area.width, documents.size()));
  widgets::draw_plate(ui_, bar, ui_.theme().surface);
  ask(panels::draw_toolbar(ui_, bar, toolbar));

  std::vector<panels::RunningJob> jobs;
  const double now = ImGui::GetTime();
  for (const auto& [request, job] : mirror_.jobs()) {
    const auto since = job_since_.find(request);
    if (job.state != JobState::Running) continue;
    const double shown_in =
        since == job_since_.end() ? kShowJobAfterSeconds : since->second + kShowJobAfterSeconds - now;
    if (shown_in > 0) {
      host::request_frame(shown_in);
      continue;
    }
    const double at = job.total > 0 ? static_cast<double>(job.done) / static_cast<double>(job.total) : -1;
    jobs.push_back({request, job.text.empty() ? "Working" : job.text, at, job.is_held});
    // What is known moves with the messages; only a bar without an end moves by itself.
    if (at < 0 && !job.is_held && !ui_.reduced_motion()) ui_.request_frame();
  }
  if (saving_ && saving_->file != nullptr && !saving_->file->is_cancelled())
    jobs.push_back({kSavingJob, "Saving " + saving_->name, saving_->work->progress(), false});
  const Rect status = area.cut_bottom(ui_.px(kStatusBar));
  if (screen() != nullptr) {
    draw_document(area);
  } else if (ComparisonScreen* shown = comparison()) {
    draw_comparison(*shown, area);
  } else if (training() != nullptr) {
    draw_training(area);
  } else {
    draw_start(area);
  }
  panels::StatusModel line;
  line.counts = screen() != nullptr ? model::counts_text(screen()->summary()) : "No document open";
  if (const ComparisonScreen* shown = comparison()) line.counts = shown->counts_text();
  if (const TrainingScreen* shown = training()) line.counts = shown->counts_text();
  line.jobs = jobs;
  ask(panels::draw_status_bar(ui_, status, line));

  if (const float wheel = ui_.take_wheel({0, 0, io.DisplaySize.x, io.DisplaySize.y}, true); wheel != 0) {
    ask(panels::ChangeScale{wheel > 0 ? 1 : -1});
  }
}

void App::draw_document(const Rect& area) {
  const auto other = screens_.find(beside_);
  if (other == screens_.end() || beside_ == chosen_) {
    draw_screen(*screen(), area, host::Role::Main);
    return;
  }
  // They keep their sides whichever of them is chosen. Where it is narrow they are above one another.
  Rect rest = area;
  const float gap = ui_.px(8);
  const bool is_stacked = area.width < ui_.px(kNarrow);
  const float length = is_stacked ? area.height : area.width;
  const float first_length = std::round(length * settings_.side_share);
  const Rect first = is_stacked ? rest.cut_top(first_length) : rest.cut_left(first_length);
  const Rect line = is_stacked ? rest.cut_top(gap) : rest.cut_left(gap);
  const bool is_chosen_first = is_before(chosen_, beside_);
  ui_.open_group(ui_.id("##both"), area, host::Role::Main, title_of(chosen_));
  const float moved = widgets::splitter(ui_, line, "Share of the first document", !is_stacked,
                                        static_cast<double>(settings_.side_share) * 100);
  if (moved != 0 && length > 0) {
    settings_.side_share = std::clamp(settings_.side_share + moved / length, 0.15F, 0.85F);
    settings_changed_ = true;
  }
  const Rect& place_of_other = is_chosen_first ? rest : first;
  const Rect& place_of_chosen = is_chosen_first ? first : rest;
  draw_screen(*screen(), place_of_chosen, host::Role::Group);
  ui_.draw().AddRectFilled(ImVec2(place_of_chosen.x, place_of_chosen.y),
                           ImVec2(place_of_chosen.right(), place_of_chosen.y + ui_.px(2)), ui_.theme().accent);
  // What is pressed or gets the focus in the other one makes that the chosen one; its own events come after that.
  const std::size_t asked = intents_.size();
  other->second->set_beside(true);
  draw_screen(*other->second, place_of_other, host::Role::Region);
  other->second->set_beside(false);
  ui_.close_group();
  const bool is_touched = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                          place_of_other.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y) &&
                          ImGui::IsWindowHovered();
  if (is_touched || intents_.size() > asked) {
    intents_.insert(intents_.begin() + static_cast<std::ptrdiff_t>(asked), panels::ChooseDocument{beside_});
  }
}

void App::draw_screen(DocumentScreen& shown, const Rect& area, host::Role role) {
  ImGui::PushID(static_cast<int>(shown.document().id()));
  ui_.open_group(ui_.id("##document"), area, role, std::string(shown.document().title()));
  if (shown.shows_studio()) {
    ask(shown.draw_studio(ui_, area));
    ui_.close_group();
    ImGui::PopID();
    return;
  }
  Rect rest = area;
  const float gap = ui_.px(6);
  const bool is_stacked = area.width < ui_.px(kNarrow);
  const float length = is_stacked ? area.height : area.width;
  if (!settings_.hides_tree) {
    float& kept = is_stacked ? settings_.stacked_share : settings_.tree_share;
    // In a low place, as that of one of two documents, a few rows stay.
    const float least = is_stacked && length > 0 ? std::min(ui_.px(kLeastTree), length / 2) / length : 0.15F;
    const float share = std::max(kept, least);
    const float first = std::round(length * share);
    const Rect tree = is_stacked ? rest.cut_top(first) : rest.cut_left(first);
    const Rect line = is_stacked ? rest.cut_top(gap) : rest.cut_left(gap);
    ask(shown.draw_tree(ui_, tree));
    const float moved = widgets::splitter(ui_, line, is_stacked ? "Height of the tree" : "Width of the tree",
                                          !is_stacked, static_cast<double>(share) * 100);
    if (moved != 0 && length > 0) {
      kept = std::clamp(share + moved / length, least, 0.85F);
      settings_changed_ = true;
    }
  }
  shown.hide_tree(settings_.hides_tree);
  if (ConsoleScreen* console = shown.console()) {
    const float height = rest.height;
    const float console_height = std::clamp(std::round(height * settings_.console_share), std::min(height, ui_.px(96)),
                                            std::max(std::min(height, ui_.px(96)), height - ui_.px(120)));
    const Rect below = rest.cut_bottom(console_height);
    const Rect between = rest.cut_bottom(gap);
    ask(console->draw(ui_, below));
    const float up = widgets::splitter(ui_, between, "Height of the console", false,
                                       static_cast<double>(settings_.console_share) * 100);
    if (up != 0 && height > 0) {
      settings_.console_share = std::clamp(settings_.console_share - up / height, 0.15F, 0.85F);
      settings_changed_ = true;
    }
  }
  const std::uint32_t second = is_before(chosen_, beside_) ? beside_ : chosen_;
  const bool is_second = role != host::Role::Main && shown.document().id() == second;
  ask(shown.draw_inspector(ui_, rest, renderers_[is_second ? 1 : 0]));
  ui_.close_group();
  ImGui::PopID();
}

void App::draw_start(const Rect& area) {
  panels::StartModel model;
  std::vector<panels::StartSample> samples;
  if (const live::wire::Hello* hello = mirror_.hello()) {
    model.is_connected = true;
    for (const live::wire::SampleModel* sample : *hello->samples()) {
      samples.push_back({std::string(live::text_of(sample->name())), std::string(live::text_of(sample->title())),
                         std::string(live::text_of(sample->about())), sample->kind()});
    }
  }
  std::vector<std::string> opening;
  for (const auto& [request, what] : opening_) {
    const auto since = job_since_.find(request);
    if (since != job_since_.end() && ImGui::GetTime() - since->second >= kShowJobAfterSeconds)
      opening.push_back(what.name);
  }
  model.samples = samples;
  model.opening = opening;
  model.has_picker = host::has_file_picker();
  model.opens_paths = host::opens_paths();
  std::vector<panels::StartRecent> recent;
  for (const model::Link& link : recent_.links()) {
    const std::string_view file = link.get("file");
    const std::string_view place = !file.empty()              ? file
                                   : !link.get("url").empty() ? link.get("url")
                                                              : link.get("sample");
    const std::string_view name = !link.get("name").empty() ? link.get("name") : model::file_name(place);
    recent.push_back({std::string(name), std::string(place == name ? std::string_view() : place)});
  }
  model.recent = recent;
  std::vector<panels::StartWanted> wanted;
  for (const Opening& file : wanted_) wanted.push_back({file.name, file.was_open});
  model.wanted = wanted;
  ask(panels::draw_start_screen(ui_, area, model, start_));
}

void App::draw_layers(const Rect& screen_area) {
  ask(panels::draw_error_cards(ui_, screen_area, errors_));
  if (search_) {
    const std::vector<panels::CommandLine> lines = command_lines();
    ask(panels::draw_search(ui_, screen_area, {&answers_, lines, screens_.size()}, *search_));
  }
  if (choice_) {
    ask(panels::draw_choice_dialog(ui_, screen_area, choice_title_, choice_lines_, *choice_));
  }
  if (form_) ask(form_->draw(ui_, screen_area));
  if (keys_shown_) ask(panels::draw_keys_overlay(ui_, screen_area, key_lines(), keys_scroll_));
  if (host::is_drag_over()) panels::draw_drop_overlay(ui_, screen_area);
  if (toast_ && !panels::draw_toast(ui_, screen_area, *toast_)) toast_.reset();
}

}  // namespace nns::app
