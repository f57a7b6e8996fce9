#include "ui/app/training_form.h"

#include <utility>

namespace nns::app {

namespace wire = live::wire;
using live::text_of;

TrainingForm::TrainingForm(Requests& requests, const live::Mirror& mirror, std::string recipe)
    : requests_(requests), mirror_(mirror), name_(std::move(recipe)) {
  if (mirror_.recipes() == nullptr) requests_.request_recipes();
}

const wire::Recipe* TrainingForm::recipe() const {
  const wire::Recipes* const told = mirror_.recipes();
  if (told == nullptr) return nullptr;
  for (const wire::Recipe* recipe : *told->recipes()) {
    if (text_of(recipe->name()) == name_) return recipe;
  }
  return nullptr;
}

std::optional<panels::Intent> TrainingForm::draw(widgets::Ui& ui, const widgets::Rect& area) {
  panels::TrainingFormModel model;
  model.title = name_;
  model.has_picker = host::has_file_picker();
  model.problem = problem_;
  if (data_) model.data_name = data_->name;
  if (const wire::Recipe* const known = recipe()) {
    model.is_known = true;
    model.title = text_of(known->title());
    model.about = text_of(known->about());
    model.data = text_of(known->data());
    model.needs_data = known->needs_data();
    if (settings_.empty()) {
      for (const wire::RecipeSetting* setting : *known->settings()) {
        settings_.push_back({std::string(text_of(setting->key())), std::string(text_of(setting->value()))});
      }
    }
  }
  model.settings = settings_;
  return panels::draw_training_form(ui, area, model, state_);
}

void TrainingForm::give(host::PickedFile data) {
  data_ = std::move(data);
  state_.data_path = data_->name;
  problem_.clear();
}

std::optional<std::uint64_t> TrainingForm::start() {
  // A path that was typed counts more than what was given before.
  if (!state_.data_path.empty() && (!data_ || state_.data_path != data_->name)) {
    base::Result<host::PickedFile> registered = host::register_path(state_.data_path);
    if (!registered.ok()) {
      problem_ = registered.error().message();
      return std::nullopt;
    }
    data_ = std::move(registered).value();
  }
  live::StartOfTraining start;
  start.recipe = name_;
  if (data_) {
    start.data = data_->source;
    start.data_name = data_->name;
  }
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    if (!state_.values[i].empty() && state_.values[i] != settings_[i].value)
      start.settings.emplace_back(settings_[i].key, state_.values[i]);
  }
  return requests_.start_training(start);
}

}  // namespace nns::app
