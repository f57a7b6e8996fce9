// Trainings and recordings as tabs of the explorer, and the connection to a host on another machine.
#include <algorithm>
#include <utility>

#include "ui/app/app.h"

namespace nns::app {

using widgets::Rect;

TrainingScreen* App::training() {
  const auto found = trainings_.find(chosen_);
  return found == trainings_.end() ? nullptr : found->second.get();
}

void App::follow_trainings() {
  const auto is_told = [this](std::uint32_t document) {
    return mirror_.training(document) != nullptr || mirror_.recordings().contains(document);
  };
  const auto show = [this](std::uint32_t document) {
    const std::uint32_t number = document | kTraining;
    if (trainings_.contains(number)) return;
    trainings_[number] = std::make_unique<TrainingScreen>(requests_, mirror_, document);
    // Whoever opened a program goes on looking at it; of a run that was started, or came alone, the first picture is
    // the run itself.
    const auto program = screens_.find(document);
    if (program != screens_.end() && begun_trainings_.erase(program->second->document().get().request()) == 0) return;
    choose(number);
    visit();
  };
  for (const auto& [document, training] : mirror_.trainings()) show(document);
  for (const auto& [document, recording] : mirror_.recordings()) {
    const bool is_new = !trainings_.contains(document | kTraining);
    show(document);
    if (is_new) opening_.erase(recording.as<live::wire::RecordingState>()->request());
  }
  for (auto shown = trainings_.begin(); shown != trainings_.end();) {
    // While a connection is tried again what was seen stays.
    const bool is_remote = Requests::is_live(shown->second->document());
    if (is_told(shown->second->document()) || (is_remote && requests_.has_live())) {
      ++shown;
      continue;
    }
    const std::uint32_t gone = shown->first;
    shown = trainings_.erase(shown);
    history_.forget(gone);
    if (chosen_ == gone) choose(0);
  }
}

void App::close_training(std::uint32_t tab) {
  const auto found = trainings_.find(tab);
  if (found == trainings_.end()) return;
  const std::uint32_t document = found->second->document();
  if (mirror_.recordings().contains(document)) {
    requests_.close_document(document);
    return;
  }
  if (Requests::is_live(document)) {
    // The run goes on; only this viewer leaves.
    requests_.set_live(nullptr);
    link_ = nullptr;
    mirror_.begin_again(live::kFirstLiveDocument);
    host::request_frame();
  }
}

void App::choose_recipe() {
  choice_lines_.clear();
  if (const auto* hello = mirror_.hello()) {
    for (const live::wire::SampleModel* sample : *hello->samples()) {
      if (sample->kind() != live::wire::SampleKind::Training) continue;
      choice_lines_.push_back(
          {std::string(live::text_of(sample->name())), std::string(live::text_of(sample->title()))});
    }
  }
  choice_title_ = "Train";
  choosing_ = Choosing::Recipe;
  choice_.emplace();
}

void App::show_training_form(std::string recipe) {
  form_ = std::make_unique<TrainingForm>(requests_, mirror_, std::move(recipe));
}

void App::carry_out_in_form(const panels::TrainingFormAsk& asked) {
  if (form_ == nullptr) return;
  switch (asked.what) {
    case panels::TrainingFormAsk::What::Start:
      if (const std::optional<std::uint64_t> request = form_->start()) {
        begun_trainings_.insert(*request);
        form_.reset();
      }
      break;
    case panels::TrainingFormAsk::What::ChooseData:
      host::pick_file([this, alive = std::weak_ptr(alive_)](std::optional<host::PickedFile> file) {
        const std::shared_ptr<bool> still = alive.lock();
        if (still && file && form_) form_->give(*std::move(file));
      });
      break;
    case panels::TrainingFormAsk::What::Hide:
      form_.reset();
      break;
  }
}

void App::attach(const std::string& address) {
  if (!connector_) {
    return show_error({.found = "this explorer cannot attach to other machines",
                       .expected = "nnscope attach ADDRESS",
                       .where = address,
                       .offset = {}});
  }
  auto made = connector_(address);
  if (!made.ok()) return show_error(made.error());
  mirror_.begin_again(live::kFirstLiveDocument);
  link_ = made->get();
  requests_.set_live(std::move(made).value());
  said_refused_ = false;
  host::request_frame();
}

void App::follow_link_state() {
  if (link_ == nullptr) return;
  // A refusal ends it; what is only lost is tried again, and said where the run is shown.
  if (!link_->is_connected() && !std::exchange(said_refused_, true)) {
    show_error({.found = "the host cannot be watched: " + link_->trouble(),
                .expected = "the address that the host printed when it began, with its token",
                .where = {},
                .offset = {}});
  }
  if (const std::string trouble = link_->trouble(); trouble != told_trouble_) {
    told_trouble_ = trouble;
    if (!trouble.empty() && trainings_.empty()) toast_ = panels::Toast{trouble, ImGui::GetTime()};
    host::request_frame();
  }
}

void App::draw_training(const Rect& area) {
  ask(training()->draw(ui_, area, renderers_[0].heat_map, link_ != nullptr ? link_->trouble() : std::string()));
}

}  // namespace nns::app
