// The trainings of a Host: programs that somebody starts to watch them learn.
#include <fmt/format.h>

#include "core/session/host_state.h"
#include "core/session/program_job.h"
#include "core/session/source_text.h"
#include "core/train/recipes.h"

namespace nns::session {

namespace {

using live::text_of;

// Waits for the text and the data, then runs the program as its job does.
class StartTrainingJob final : public Job {
 public:
  StartTrainingJob(std::uint64_t request, std::uint32_t document, live::StartOfTraining start,
                   std::shared_ptr<SourceProvider> sources, ProgramDocumentRoom room)
      : Job(request, document),
        start_(std::make_shared<TrainingStart>()),
        name_(std::move(start.name)),
        source_(start.source),
        data_(start.data),
        sources_(std::move(sources)),
        room_(std::move(room)) {
    start_->recipe = std::move(start.recipe);
    start_->data_name = std::move(start.data_name);
    start_->is_paused = start.is_paused;
    start_->settings = std::move(start.settings);
  }

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    if (running_ == nullptr) {
      NNS_TRY_ASSIGN(const bool is_there, begin());
      if (!is_there) return JobStep::Waiting;
      NNS_TRY(room_.publish(this));
    }
    return running_->step(budget, send);
  }

  void cancel(const Send& send) override {
    if (running_ != nullptr) running_->cancel(send);
  }

  Progress progress() const override {
    return running_ != nullptr ? running_->progress() : Progress{fmt::format("Starting {}", shown_name()), 0, 0};
  }

 private:
  std::string shown_name() const { return start_->recipe.empty() ? name_ : start_->recipe; }

  base::Result<bool> begin() {
    std::string text;
    std::shared_ptr<checkpoint::FileSet> siblings;
    if (start_->recipe.empty()) {
      auto found = open_file(*sources_, source_, name_, {}, kPythonFile);
      if (!found) return false;
      NNS_TRY_ASSIGN(SourceProvider::Opened opened, std::move(*found));
      NNS_TRY_ASSIGN(text, read_source_text(*opened.source));
      siblings = std::move(opened.siblings);
    }
    if (data_ != 0) {
      auto found = sources_->open(data_, start_->data_name, {});
      if (!found) return false;
      NNS_TRY_ASSIGN(SourceProvider::Opened opened, std::move(*found));
      const train::Recipe* const recipe = train::find_recipe(start_->recipe);
      // Files that were chosen together are the folder that the recipe wants.
      const bool is_folder = opened.source == nullptr || (recipe != nullptr && !recipe->data_files.empty());
      if (is_folder) start_->data_files = std::move(opened.siblings);
      if (!is_folder) start_->data = std::move(opened.source);
    }
    const std::string name = start_->recipe.empty() ? name_ : start_->recipe + ".py";
    RunningProgram* const program =
        room_.add({.name = name, .siblings = std::move(siblings), .document = document(), .training = start_});
    if (start_->recipe.empty()) {
      program->run_file(std::move(text));
    } else if (!program->run_recipe(start_->recipe)) {
      return not_there(fmt::format("no recipe is called \"{}\"", start_->recipe));
    }
    // The document is told in the name of this job: publishing ends all others that read it.
    running_ = make_program_job(request(), document(), name, *program,
                                {.add = nullptr, .publish = [this](const Job*) { return room_.publish(this); }});
    return true;
  }

  std::shared_ptr<TrainingStart> start_;
  std::string name_;
  std::uint64_t source_, data_;
  std::shared_ptr<SourceProvider> sources_;
  ProgramDocumentRoom room_;
  std::unique_ptr<Job> running_;
};

}  // namespace

void Host::State::start_training(const wire::StartTraining& command) {
  live::StartOfTraining start{.recipe = std::string(text_of(command.recipe())),
                              .source = command.source(),
                              .name = std::string(text_of(command.name())),
                              .data = command.data(),
                              .data_name = std::string(text_of(command.data_name())),
                              .settings = {},
                              .is_paused = command.paused()};
  for (const wire::Setting* setting : *command.settings())
    start.settings.emplace_back(text_of(setting->key()), text_of(setting->value()));
  start_training(command.request(), std::move(start));
}

void Host::State::start_training(std::uint64_t request, live::StartOfTraining how) {
  if (make_program == nullptr) return send(job_failed(request, not_there("this host runs no programs")));
  const std::uint32_t id = next_document++;
  start(std::make_unique<StartTrainingJob>(request, id, std::move(how), sources, room_of(id, request)));
}

void Host::State::tell_recipes(const wire::RequestRecipes& command) {
  if (list_recipes == nullptr) return send(job_failed(command.request(), not_there("this host trains nothing")));
  send(list_recipes());
  send(job_finished(command.request()));
}

bool Host::State::command_training(const live::Message& message) {
  std::uint32_t document = 0;
  std::uint64_t request = 0;
  const auto is = [&](const auto* command) {
    if (command == nullptr) return false;
    document = command->document();
    request = command->request();
    return true;
  };
  if (!is(message.as<wire::ControlTraining>()) && !is(message.as<wire::SetLearningRate>()) &&
      !is(message.as<wire::SubscribeTraining>()) && !is(message.as<wire::UnsubscribeTraining>()) &&
      !is(message.as<wire::RequestTraining>()) && !is(message.as<wire::AddHook>()) &&
      !is(message.as<wire::RemoveHook>()) && !is(message.as<wire::ReadCheckpoint>())) {
    return false;
  }
  const auto found = programs.find(document);
  ProgramTraining* const training = found == programs.end() ? nullptr : found->second.program->training();
  const auto answer = [this](live::Bytes bytes) { send(std::move(bytes)); };
  if (training == nullptr || !training->carry_out(message, answer))
    send(job_failed(request, not_there(fmt::format("document {} is no training", document))));
  return true;
}

}  // namespace nns::session
