#include "native/server/live_training.h"

#include <utility>

#include "core/live/broadcast_endpoint.h"
#include "core/session/answers.h"

namespace nns::server {

namespace wire = live::wire;

LiveTraining::LiveTraining(live::Broadcast& stream, train::Training& training, std::function<void()> told)
    : viewers_(live::make_broadcast_endpoint(stream, {})),
      session_(kDocument, training, true),
      told_(std::move(told)),
      bell_(std::make_shared<Bell>()) {
  stream.set_command_waits([bell = bell_] { bell->ring(); });
}

void LiveTraining::look(bool all) {
  bool has_told = false;
  const auto send = [&](live::Bytes bytes) {
    viewers_->send(std::move(bytes));
    has_told = true;
  };
  while (auto bytes = viewers_->receive()) {
    const auto command = live::Message::verify(std::move(*bytes));
    if (!command.ok() || session_.carry_out(*command, send)) continue;
    send(session::job_failed(live::request_of(command->get()),
                             base::Error{.found = "a command that is not about this training",
                                         .expected = "pause, step, resume, stop, checkpoint, a learning rate or a "
                                                     "subscription",
                                         .where = "training",
                                         .offset = {}}));
  }
  session_.tell(send, all);
  if (has_told && told_) told_();
}

}  // namespace nns::server
