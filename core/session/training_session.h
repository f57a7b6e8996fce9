#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/live/training_commands.h"
#include "core/session/hook_watch.h"
#include "core/session/running_program.h"
#include "core/session/training_messages.h"
#include "core/train/training.h"

namespace nns::session {

/// Tells the viewers of a document of its program's training, and carries out their commands. What many steps say is
/// told together, at most ten times a second; of numbers, histograms and values that came faster only the newest.
/// Threads: that of the program. Lifetime: within the training's.
class TrainingSession final : public ProgramTraining, public train::TrainingListener {
 public:
  /// `was_started`: by somebody who waits to hear of it, also before its first step.
  TrainingSession(std::uint32_t document, train::Training& training, bool was_started);
  ~TrainingSession() override;
  TrainingSession(const TrainingSession&) = delete;
  TrainingSession& operator=(const TrainingSession&) = delete;

  // ProgramTraining
  bool is_paused() const override { return training_.is_paused(); }
  bool carry_out(const live::Message& command, const Send& send) override;
  void tell(const Send& send, bool all) override;
  /// Everything, as for one who comes late.
  void tell_from_start(const Send& send);

  /// From now on `recorder` is given what is told of the training, as to a viewer who sees of all modules and
  /// parameters times, statistics and histograms.
  void record(std::function<void(live::Bytes)> recorder);
  /// Of all modules and parameters times, statistics and histograms are told, at most twice a second; `ever_rarer`: of
  /// a long run less often the longer it takes, so that what is told grows with the logarithm of the time.
  void watch_all(bool ever_rarer);

  // train::TrainingListener
  void step_made(const train::StepReport& step, double seconds) override;
  void scalar_logged(const std::string& name, bool is_evaluation, std::uint64_t step, double seconds,
                     double value) override;
  void line_logged(train::LogLevel level, std::uint64_t step, double seconds, const std::string& text) override;
  void checkpoint_saved(const train::SavedCheckpoint& saved) override;
  void ranks_made(const train::RankReport& ranks) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Subscription {
    live::TrainingSubscription wanted;
    std::uint32_t version = 0;  ///< of the table that the lists below are of
    std::vector<std::uint32_t> modules, tensors;
    std::uint64_t last_step = UINT64_MAX;
    Clock::time_point last;
    bool is_due = false;
  };
  struct Series {
    std::vector<ScalarPoint> points;
    std::size_t told = 0;
    bool is_restart = true;
  };

  train::StepPlan plan(const train::ModuleTable& table);
  void find_subjects(Subscription& subscription, const train::ModuleTable& table) const;
  void subscribe(const live::wire::SubscribeTraining& command, const Send& send);
  void look_at_hooks(const train::ModuleTable& table);
  void read_checkpoint(const live::wire::ReadCheckpoint& command, const Send& send) const;
  void control(const live::wire::ControlTraining& command, const Send& send);
  const train::FoundAttention* attention_of(const Subscription& subscription, const train::StepReport& step) const;
  void keep_numbers(const train::StepReport& step);
  void measure(Clock::time_point now);
  void become_rarer(Clock::time_point now);

  std::uint32_t document_;
  train::Training& training_;
  bool is_shown_;
  double started_;
  std::map<std::uint32_t, Subscription> subscriptions_;
  HookWatch hooks_;
  std::uint32_t hooks_version_ = 0;  ///< of the table that it looks at modules of
  // What was told, for who comes late, and from where on it was not.
  std::deque<StepRow> steps_;
  std::size_t steps_told_ = 0;
  std::uint64_t steps_left_out_ = 0;
  bool steps_restart_ = true;
  std::map<std::pair<std::string, bool>, Series> scalars_;
  std::set<std::pair<std::string, bool>> scalars_left_out_;
  std::deque<LogRow> log_;
  std::size_t log_told_ = 0;
  std::uint64_t log_left_out_ = 0;
  bool log_restart_ = true;
  // The newest of each kind that was not told, by what it is of.
  std::map<std::array<std::uint64_t, 4>, live::Bytes> waiting_;
  std::map<std::uint64_t, live::Bytes> numbers_;  ///< by what they are of
  std::uint32_t numbers_version_ = 0;
  live::Bytes alert_, ranks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<TouchRow>> touches_;
  std::vector<std::uint64_t> checkpoint_requests_;
  std::vector<std::pair<std::uint64_t, bool>> ended_requests_;
  std::uint64_t told_version_ = 0;
  train::Training::State told_state_ = train::Training::State::Starting;
  std::uint32_t told_table_ = 0;
  std::size_t told_checkpoints_ = 0;
  Clock::time_point told_;
  std::function<void(live::Bytes)> recorder_;
  std::optional<Clock::time_point> ever_rarer_since_;
  // Of the last second.
  Clock::time_point measured_;
  std::uint64_t measured_steps_ = 0, measured_samples_ = 0, watch_ns_ = 0, all_ns_ = 0;
  double steps_per_second_ = 0, samples_per_second_ = 0, watch_share_ = 0;
};

}  // namespace nns::session
