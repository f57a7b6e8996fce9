#include "ui/app/app.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/app/fonts_setup.h"
#include "ui/model/format.h"
#include "ui/panels/keys_overlay.h"
#include "ui/panels/status_bar.h"
#include "ui/panels/toolbar.h"
#include "ui/widgets/flow.h"

namespace nns::app {

using live::wire::JobState;
using panels::Intent;
using widgets::Rect;

namespace {

// A job that is done within this time is not shown: nothing flashes.
constexpr double kShowJobAfterSeconds = 0.25;
constexpr float kToolbar = 48;  // design units
constexpr float kStatusBar = 28;
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

std::string counts_text(const model::DocumentSummary& summary) {
  return fmt::format("{} \xC2\xB7 {} {} \xC2\xB7 {} parameters \xC2\xB7 {}", summary.format,
                     model::thousands(summary.tensors), summary.tensors == 1 ? "tensor" : "tensors",
                     model::short_count(summary.parameters), model::short_bytes(summary.bytes));
}

}  // namespace

App::App(std::unique_ptr<live::Endpoint> endpoint)
    : requests_(std::move(endpoint)), ui_(add_fonts()), settings_(load_settings()) {
  set_up_style();
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

// ---------------------------------------------------------------- what comes in

void App::receive() {
  while (std::optional<live::Bytes> message = requests_.receive()) {
    if (const base::Result<void> applied = mirror_.apply(std::move(*message)); !applied.ok())
      show_error(applied.error());
  }
  if (!requests_.is_connected()) core_stopped("the core has stopped");
  follow_documents();
  follow_jobs();
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
      choose(document->id());
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
    if (chosen_ == gone) choose(screens_.empty() ? 0 : screens_.rbegin()->first);
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
      toast_ = panels::Toast{"Opening was cancelled", now};
    }
    for (const auto& entry : screens_) {
      if (job.state != JobState::Finished) entry.second->job_ended(request);
    }
  }
  for (const std::uint64_t request : over) {
    opening_.erase(request);
    job_since_.erase(request);
    mirror_.forget_job(request);
  }
}

void App::take_dropped() {
  for (const host::PickedFile& file : host::take_dropped_files()) open_file(file);
}

// ---------------------------------------------------------------- what others ask for

void App::open_file(const host::PickedFile& file) {
  opening_[requests_.open_source(file.source, file.name, {})] = {file.name};
}

void App::open_url(const std::string& url) {
  const std::string path = url.substr(0, url.find_first_of("?#"));
  const std::size_t slash = path.find_last_of('/');
  const std::string name = slash + 1 < path.size() ? path.substr(slash + 1) : url;
  opening_[requests_.open_source(0, name, url)] = {name};
}

void App::open_sample(const std::string& name) { opening_[requests_.open_sample(name)] = {name}; }

void App::open_location(const std::string& text) {
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

void App::graphics_lost() { renderer_.graphics_lost(); }

bool App::is_settled() const {
  if (mirror_.hello() == nullptr || !opening_.empty()) return false;
  for (const auto& entry : mirror_.jobs()) {
    if (entry.second.state == JobState::Running) return false;
  }
  const auto shown = screens_.find(chosen_);
  return shown == screens_.end() || !shown->second->is_waiting();
}

// ---------------------------------------------------------------- one frame

void App::frame() {
  gate_.open(host::take_access_actions(), ui_.is_ready() && !acted_, widgets::has_text_field());
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
  if (DocumentScreen* shown = screen()) shown->follow();
  draw();
  draw_layers(whole);
  ui_.draw_tooltip();
  if (ui_.end_frame()) host::publish_access(ui_.controls());
  ImGui::End();

  acted_ = !intents_.empty();
  for (const Intent& intent : std::exchange(intents_, {})) carry_out(intent);
  bool again = acted_ || ui_.wants_frame() || !ui_.is_ready() || gate_.holds();
  if (DocumentScreen* shown = screen()) again |= shown->follow_map(ImGui::GetTime());
  if (std::exchange(settings_changed_, false)) save_settings(settings_);
  std::string title =
      screen() != nullptr ? std::string(screen()->document().title()) + " \xE2\x80\x94 nnscope" : "nnscope";
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
  ui_.draw().AddRectFilled(ImVec2(0, 0), io.DisplaySize, ui_.theme().background);

  std::vector<panels::ToolbarDocument> documents;
  for (const auto& document : mirror_.documents()) {
    const auto found = screens_.find(document->id());
    const bool bad = found != screens_.end() && found->second->summary().safety.dangerous > 0;
    documents.push_back({document->id(), std::string(document->title()), std::string(document->format()), bad});
  }
  panels::ToolbarModel toolbar;
  toolbar.documents = documents;
  toolbar.chosen = chosen_;
  toolbar.theme = forced_theme_.value_or(settings_.theme);
  toolbar.scale_percent = settings_.scale_percent;
  toolbar.can_go_back = history_.can_go_back();
  toolbar.can_go_forward = history_.can_go_forward();
  const Rect bar = area.cut_top(ui_.px(kToolbar));
  ui_.draw().AddRectFilled(ImVec2(bar.x, bar.y), ImVec2(bar.right(), bar.bottom()), ui_.theme().surface);
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
    jobs.push_back({request, job.text.empty() ? "Working" : job.text, at});
    // What is known moves with the messages; only a bar without an end moves by itself.
    if (at < 0 && !ui_.reduced_motion()) ui_.request_frame();
  }
  const Rect status = area.cut_bottom(ui_.px(kStatusBar));
  if (screen() != nullptr) {
    draw_document(area);
  } else {
    draw_start(area);
  }
  panels::StatusModel line;
  line.counts = screen() != nullptr ? counts_text(screen()->summary()) : "No document open";
  line.jobs = jobs;
  ask(panels::draw_status_bar(ui_, status, line));

  if (const float wheel = ui_.take_wheel({0, 0, io.DisplaySize.x, io.DisplaySize.y}, true); wheel != 0) {
    ask(panels::ChangeScale{wheel > 0 ? 1 : -1});
  }
}

void App::draw_document(const Rect& area) {
  DocumentScreen& shown = *screen();
  ImGui::PushID(static_cast<int>(chosen_));
  ui_.open_group(ui_.id("##document"), area, host::Role::Main, std::string(shown.document().title()));
  Rect rest = area;
  const float gap = ui_.px(6);
  const bool is_stacked = area.width < ui_.px(kNarrow);
  const float length = is_stacked ? area.height : area.width;
  Rect tree = is_stacked ? rest.cut_top(std::round(length * settings_.tree_share))
                         : rest.cut_left(std::round(length * settings_.tree_share));
  const Rect line = is_stacked ? rest.cut_top(gap) : rest.cut_left(gap);
  ask(shown.draw_tree(ui_, tree));
  const float moved =
      widgets::splitter(ui_, line, "Width of the tree", !is_stacked, static_cast<double>(settings_.tree_share) * 100);
  if (moved != 0 && length > 0) {
    settings_.tree_share = std::clamp(settings_.tree_share + moved / length, 0.15F, 0.85F);
    settings_changed_ = true;
  }
  ask(shown.draw_inspector(ui_, rest, renderer_));
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
                         std::string(live::text_of(sample->about()))});
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
  ask(panels::draw_start_screen(ui_, area, model, start_));
}

void App::draw_layers(const Rect& screen_area) {
  ask(panels::draw_error_cards(ui_, screen_area, errors_));
  if (palette_) ask(panels::draw_command_palette(ui_, screen_area, palette_lines(), *palette_));
  if (keys_shown_) ask(panels::draw_keys_overlay(ui_, screen_area, key_lines(), keys_scroll_));
  if (host::is_drag_over()) panels::draw_drop_overlay(ui_, screen_area);
  if (toast_ && !panels::draw_toast(ui_, screen_area, *toast_)) toast_.reset();
}

}  // namespace nns::app
