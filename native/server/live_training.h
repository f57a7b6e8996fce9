#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/live/broadcast.h"
#include "core/live/commands.h"
#include "core/live/endpoint.h"
#include "core/session/training_session.h"
#include "native/server/bell.h"

namespace nns::server {

/// A training of this process as one stream for many viewers: it tells the stream what happens, and carries out what
/// viewers ask for. Whoever runs the program calls look() between two slices of it.
/// Threads: that of the program; viewers are on others. Lifetime: within the training's and the stream's; made before
/// the first viewer comes.
class LiveTraining {
 public:
  static constexpr std::uint32_t kDocument = live::kFirstLiveDocument;

  /// `told`, if given, is called after something was told.
  LiveTraining(live::Broadcast& stream, train::Training& training, std::function<void()> told = {});
  LiveTraining(const LiveTraining&) = delete;
  LiveTraining& operator=(const LiveTraining&) = delete;

  /// Carries out the commands that came, then tells what is new; `all`: whatever the rates are.
  void look(bool all = false);
  /// Returns when a command comes, or after `most`.
  void wait(std::chrono::milliseconds most) { bell_->wait(most); }
  /// session::TrainingSession::watch_all().
  void watch_all(bool ever_rarer) { session_.watch_all(ever_rarer); }

 private:
  std::unique_ptr<live::Endpoint> viewers_;
  session::TrainingSession session_;
  std::function<void()> told_;
  std::shared_ptr<Bell> bell_;  // outlives this: viewers may ring later
};

}  // namespace nns::server
