#include "ui/app/training_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/live/training_commands.h"
#include "ui/model/format.h"

namespace nns::app {

namespace wire = live::wire;

namespace {

// Numbers of this viewer's subscriptions: all modules' statistics, the chosen module's histograms, what is seen of
// its chosen tensor, and its hooks.
constexpr std::uint32_t kStatistics = 1;
constexpr std::uint32_t kChosen = 2;
constexpr std::uint32_t kTensor = 3;
constexpr std::uint32_t kHooks = 4;
constexpr float kMostPerSecond = 4;
constexpr float kMostValuesPerSecond = 8;
constexpr std::uint32_t kMostCells = 256;  // of a side of the heat map

}  // namespace

std::string TrainingScreen::title() const {
  if (const auto recording = mirror_.recordings().find(document_); recording != mirror_.recordings().end()) {
    return std::string(live::text_of(recording->second.as<wire::RecordingState>()->title()));
  }
  const live::TrainingView* training = mirror_.training(document_);
  if (training == nullptr || training->state() == nullptr) return "Training";
  std::string name(live::text_of(training->state()->title()));
  // The program that trains has a tab of its own, with its modules.
  if (mirror_.document(document_) != nullptr) name += " \u00B7 training";
  return name;
}

std::string TrainingScreen::counts_text() const {
  const live::TrainingView* training = mirror_.training(document_);
  if (training == nullptr) return "No step yet";
  std::string text = model::thousands(training->steps().size()) + " steps shown";
  if (training->steps_left_out() > 0)
    text += fmt::format(", {} between them thinned", model::thousands(training->steps_left_out()));
  if (const auto* modules = training->modules()) {
    text += fmt::format(" \xC2\xB7 {} modules", model::thousands(modules->parent()->size()));
  }
  if (const auto* state = training->state(); state != nullptr && state->run_folder()->size() > 0) {
    text += fmt::format(" \xC2\xB7 {}", live::text_of(state->run_folder()));
  }
  return text;
}

bool TrainingScreen::saves_checkpoints() const {
  const live::TrainingView* training = mirror_.training(document_);
  return training != nullptr && training->state() != nullptr && training->state()->run_folder()->size() == 0 &&
         !Requests::is_live(document_) && !mirror_.recordings().contains(document_);
}

bool TrainingScreen::is_waiting() const {
  const auto recording = mirror_.recordings().find(document_);
  if (recording == mirror_.recordings().end()) return false;
  return asked_request_ != 0 && recording->second.as<wire::RecordingState>()->request() != asked_request_;
}

// The statistics that the screen shows, once a version of the model's modules; of the chosen module its histograms.
void TrainingScreen::subscribe() {
  const live::TrainingView* training = mirror_.training(document_);
  if (training == nullptr || training->modules() == nullptr || mirror_.recordings().contains(document_)) return;
  const std::uint32_t version = training->modules()->version();
  if (Requests::is_live(document_) && beginning_ != mirror_.beginnings()) {
    beginning_ = mirror_.beginnings();
    subscribed_version_ = 0;
    subscribed_ = {};
  }
  using Rate = panels::TrainingPanelState::Rate;
  const std::pair<std::string, Rate> statistics(state_.pattern, state_.rate_of_statistics);
  const bool is_other = version != subscribed_version_ || statistics != subscribed_statistics_;
  subscribed_statistics_ = statistics;
  if (is_other && statistics.second == Rate::Never) {
    requests_.unsubscribe_training(document_, kStatistics);
  } else if (is_other) {
    live::TrainingSubscription all;
    all.id = kStatistics;
    all.pattern = statistics.first;
    all.subjects = wire::TrainingSubject::Activations | wire::TrainingSubject::OutputGradients |
                   wire::TrainingSubject::Parameters | wire::TrainingSubject::Gradients |
                   wire::TrainingSubject::Updates;
    all.forms = wire::TrainingForm::Times | wire::TrainingForm::Moments | wire::TrainingForm::Timeline;
    all.most_per_second = statistics.second == Rate::EveryStep ? 0
                          : statistics.second == Rate::Second  ? 1
                                                               : kMostPerSecond;
    requests_.subscribe_training(document_, all);
  }
  subscribed_version_ = version;
  subscribe_to_tensor(version);
}

// Histograms all the time, so that they have a past when they are looked at; values and history while they are shown.
void TrainingScreen::subscribe_to_tensor(std::uint32_t version) {
  using Detail = panels::TrainingPanelState::Detail;
  const Shown shown{version, state_.module, state_.tensor, state_.detail, state_.of};
  if (shown == subscribed_) return;
  subscribed_ = shown;
  live::TrainingSubscription chosen;
  chosen.id = kChosen;
  chosen.modules = {state_.module};
  if (state_.tensor != UINT32_MAX) chosen.tensors = {state_.tensor};
  chosen.subjects =
      wire::TrainingSubject::Gradients | wire::TrainingSubject::Parameters | wire::TrainingSubject::Activations;
  chosen.forms = wire::TrainingForm::Histograms;
  chosen.most_per_second = kMostPerSecond;
  requests_.subscribe_training(document_, chosen);
  if (state_.detail == Detail::Hooks) {
    live::TrainingSubscription hooks;
    hooks.id = kHooks;
    hooks.modules = {state_.module};
    hooks.forms = wire::TrainingForm::Hooks;
    requests_.subscribe_training(document_, hooks);
    has_hook_subscription_ = true;
  } else if (std::exchange(has_hook_subscription_, false)) {
    requests_.unsubscribe_training(document_, kHooks);
  }
  const bool shows_values = state_.detail == Detail::Values && state_.tensor != UINT32_MAX;
  const bool shows_history = state_.detail == Detail::History && state_.tensor != UINT32_MAX;
  if (!shows_values && !shows_history) {
    if (std::exchange(has_tensor_subscription_, false)) requests_.unsubscribe_training(document_, kTensor);
    return;
  }
  live::TrainingSubscription tensor;
  tensor.id = kTensor;
  tensor.tensors = {state_.tensor};
  if (shows_values) {
    using Of = panels::TrainingPanelState::Of;
    tensor.subjects = state_.of == Of::Gradients ? wire::TrainingSubject::Gradients
                      : state_.of == Of::Module  ? wire::TrainingSubject::Attention
                                                 : wire::TrainingSubject::Parameters;
    if (state_.of == Of::Module) {
      tensor.modules = {state_.module};
      tensor.tensors.clear();
    }
    tensor.forms = wire::TrainingForm::Values;
    tensor.most_per_second = kMostValuesPerSecond;
    tensor.width = tensor.height = kMostCells;
  } else {
    tensor.forms = wire::TrainingForm::History;
  }
  requests_.subscribe_training(document_, tensor);
  has_tensor_subscription_ = true;
}

void TrainingScreen::follow() {
  if (wanted_event_ && !is_waiting()) {
    asked_request_ = requests_.seek_recording(document_, *wanted_event_);
    wanted_event_.reset();
  }
  const live::TrainingView* training = mirror_.training(document_);
  if (training == nullptr) {
    // At the beginning of a recording no training has begun.
    modules_.clear();
    tensors_.clear();
    phases_ = {};
    seen_ = 0;
    chart_.update({}, state_.chart, state_.columns);
    return;
  }
  if (training->version() != seen_ || state_.statistic != seen_statistic_) {
    modules_ = model::module_rows(*training, state_.statistic);
    constexpr std::size_t kLastSteps = 50;
    phases_ = model::phase_shares(training->steps(), kLastSteps);
    seen_ = training->version();
    seen_statistic_ = state_.statistic;
  }
  std::vector<const live::TrainingView*> shown = {training};
  if (state_.lays_over) {
    for (const auto& [document, other] : mirror_.trainings()) {
      if (document != document_) shown.push_back(&other);
    }
  }
  chart_.update(shown, state_.chart, state_.columns);
  tensors_.clear();
  if (const auto* told = training->modules(); told != nullptr && state_.module < told->parent()->size()) {
    tensors_ = model::tensors_of(*told, state_.module);
  }
  if (std::find(tensors_.begin(), tensors_.end(), state_.tensor) == tensors_.end())
    state_.tensor = tensors_.empty() ? UINT32_MAX : tensors_.front();
  subscribe();
}

std::optional<panels::Intent> TrainingScreen::draw(widgets::Ui& ui, const widgets::Rect& area,
                                                   widgets::HeatMapRenderer& renderer, const std::string& trouble) {
  const live::TrainingView none(document_);
  follow();
  panels::TrainingModel model;
  model.training = mirror_.training(document_) != nullptr ? mirror_.training(document_) : &none;
  model.chart = &chart_;
  model.modules = modules_;
  model.phases = phases_;
  model.tensors = tensors_;
  model.renderer = &renderer;
  const bool is_remote = Requests::is_live(document_);
  model.may_control = !is_remote || mirror_.may_control().value_or(false);
  model.saves_checkpoints = saves_checkpoints();
  model.others = mirror_.trainings().size() - (mirror_.training(document_) != nullptr ? 1 : 0);
  if (is_remote) {
    model.trouble = trouble;
    model.left_out = mirror_.left_out();
  }
  if (const auto recording = mirror_.recordings().find(document_); recording != mirror_.recordings().end()) {
    const auto& told = *recording->second.as<wire::RecordingState>();
    model.is_recording = true;
    // Where the slider is going, not where it comes from.
    model.event = wanted_event_.value_or(told.event());
    model.events = told.events();
    model.at_s = static_cast<double>(told.at_us()) / 1e6;
    if (told.damage() != nullptr) model.damage = live::error_of(*told.damage()).message();
  }
  return panels::draw_training(ui, area, model, state_);
}

void TrainingScreen::carry_out(const panels::TrainingAsk& asked) {
  using TrainingWhat = panels::TrainingAsk::What;
  switch (asked.what) {
    case TrainingWhat::Pause:
      requests_.control_training(document_, wire::TrainingAction::Pause);
      break;
    case TrainingWhat::Resume:
      requests_.control_training(document_, wire::TrainingAction::Resume);
      break;
    case TrainingWhat::Step:
      requests_.control_training(document_, wire::TrainingAction::Step);
      break;
    case TrainingWhat::Checkpoint:
      requests_.control_training(document_, wire::TrainingAction::Checkpoint);
      break;
    case TrainingWhat::Stop:
      requests_.control_training(document_, wire::TrainingAction::Stop);
      break;
    case TrainingWhat::SetRate:
      requests_.set_learning_rate(document_, asked.rate, asked.optimizer, asked.group);
      break;
    case TrainingWhat::AddHook:
      requests_.add_hook(document_, asked.module, static_cast<wire::HookPoint>(asked.hook));
      break;
    case TrainingWhat::RemoveHook:
      requests_.remove_hook(document_, asked.module, asked.hook);
      break;
    case TrainingWhat::Seek:
      wanted_event_ = asked.event;
      break;
  }
}

}  // namespace nns::app
