#include "native/server/live_training.h"

#include <utility>

#include "core/session/answers.h"

namespace nns::server {

namespace wire = live::wire;

LiveTraining::LiveTraining(live::Broadcast& stream, train::Training& training, std::function<void()> told)
    : stream_(stream), session_(kDocument, training, true), told_(std::move(told)), bell_(std::make_shared<Bell>()) {
  session_.set_send_to([this](std::uint64_t viewer, live::Bytes bytes) { stream_.answer(viewer, std::move(bytes)); });
  stream_.set_command_waits([bell = bell_] {
    {
      const std::lock_guard lock(bell->mutex);
      bell->has_rung = true;
    }
    bell->changed.notify_one();
  });
}

LiveTraining::~LiveTraining() = default;

void LiveTraining::look(bool all) {
  for (const std::uint64_t viewer : stream_.take_gone()) session_.forget(viewer);
  bool has_told = false;
  const auto publish = [&](live::Bytes bytes) {
    stream_.publish(std::move(bytes));
    has_told = true;
  };
  while (auto command = stream_.take_command()) {
    const auto answer = [&](live::Bytes bytes) {
      stream_.answer(command->viewer, std::move(bytes));
      has_told = true;
    };
    const auto* again = command->message.as<wire::RequestTraining>();
    // Who asks for everything anew gets it alone: the others must have what was not told yet.
    if (again != nullptr) session_.tell(publish, true);
    if (session_.carry_out(command->message, answer, command->viewer)) continue;
    answer(session::job_failed(0, base::Error{.found = "a command that is not about this training",
                                              .expected = "pause, step, resume, stop, checkpoint, a learning rate or a "
                                                          "subscription",
                                              .where = "training",
                                              .offset = {}}));
  }
  session_.tell(publish, all);
  if (has_told && told_) told_();
}

void LiveTraining::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(bell_->mutex);
  bell_->changed.wait_for(lock, most, [this] { return bell_->has_rung; });
  bell_->has_rung = false;
}

void LiveTraining::watch_all() {
  live::TrainingSubscription all;
  all.pattern = "*";
  all.subjects = wire::TrainingSubject::Activations | wire::TrainingSubject::OutputGradients |
                 wire::TrainingSubject::Parameters | wire::TrainingSubject::Gradients | wire::TrainingSubject::Updates;
  all.forms = wire::TrainingForm::Times | wire::TrainingForm::Moments | wire::TrainingForm::Histograms |
              wire::TrainingForm::Timeline;
  all.most_per_second = 2;
  const auto message = live::Message::verify(live::subscribe_training(0, kDocument, all));
  const auto nobody = [](const live::Bytes& /*answer*/) {};
  if (message.ok()) session_.carry_out(*message, nobody, 0);
}

}  // namespace nns::server
