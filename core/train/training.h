#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/python/eval/machine.h"
#include "core/tensor/byte_pool.h"
#include "core/train/rank_exchange.h"
#include "core/train/run_files.h"
#include "core/train/watch.h"

namespace nns::train {

/// What a run was started with.
struct TrainingOptions {
  std::string title;
  std::string recipe;  ///< the name of a built-in one, or of a file
  std::vector<std::pair<std::string, std::string>> settings;
  std::string data;  ///< path of the data set; empty: the recipe's own
  std::string device = "cpu";
  std::string resume;                    ///< path of the checkpoint that it goes on from; empty: from the beginning
  std::uint64_t checkpoint_every = 500;  ///< steps; 0: only at the end and when somebody asks
  bool stops_on_nan = true;              ///< pauses (where somebody could go on) or ends
  bool checks_backward = false;          ///< looks at all numbers of every gradient for the first that is bad
  bool is_paused = false;                ///< before the first statement
  std::string machine;                   ///< a name of this machine, for ranks on several
};

enum class LogLevel : std::uint8_t { Info, Warning, Error };
struct SavedCheckpoint {
  std::uint64_t step = 0;
  std::string name;
  std::uint64_t bytes = 0;
  double seconds = 0;  ///< that writing it took
};

/// Who keeps or shows what a training tells. Seconds are those that it ran, pauses left out.
class TrainingListener {
 public:
  virtual ~TrainingListener() = default;
  virtual void step_made(const StepReport& step, double seconds) = 0;
  virtual void scalar_logged(const std::string& name, bool is_evaluation, std::uint64_t step, double seconds,
                             double value) = 0;
  virtual void line_logged(LogLevel level, std::uint64_t step, double seconds, const std::string& text) = 0;
  /// A run that is killed goes on from the next checkpoint as soon as it has its name: what was told up to now has to
  /// be kept before that.
  virtual void checkpoint_begins() {}
  virtual void checkpoint_saved(const SavedCheckpoint& saved) = 0;
  /// What all ranks did in a step that rank 0 was looked at in detail.
  virtual void ranks_made(const RankReport& /*ranks*/) {}
};

/// A program that trains, seen from outside: its state and numbers, and what steers it. The program itself is run by
/// whoever owns the machine, with Machine::go_on(is_slice_over()).
/// Threads: that of the interpreter.
class Training final : public WatchClient {
 public:
  enum class State : std::uint8_t { Starting, Running, Paused, Finished, Failed, Stopped };

  /// `files`: the run's folder; null: nothing is kept.
  Training(python::Machine& machine, TrainingOptions options, std::shared_ptr<RunFiles> files = nullptr);
  ~Training() override;
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  const TrainingOptions& options() const { return options_; }
  const std::shared_ptr<RunFiles>& files() const { return files_; }
  Watch& watch() { return watch_; }
  void add_listener(TrainingListener& listener) { listeners_.push_back(&listener); }
  void remove_listener(TrainingListener& listener);
  /// What each step is watched for; asked again for every step.
  using Planner = std::function<StepPlan(const ModuleTable&)>;
  void set_planner(Planner planner) { planner_ = std::move(planner); }

  // What there is to know.
  State state() const { return state_; }
  /// Why it failed, or why it was paused by itself.
  const std::optional<base::Error>& problem() const { return problem_; }
  double seconds() const;
  const StepReport& last_step() const { return last_step_; }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t total_steps = 0, total_epochs = 0;  ///< as the program says; 0 is not known
  const std::vector<SavedCheckpoint>& checkpoints() const { return checkpoints_; }
  std::uint64_t version() const { return version_; }  ///< grows with every change
  /// Bytes of tensors: all of the program's on the CPU, now and at most; of these the models' parameters and buffers,
  /// gradients, and what the optimisers keep. The rest is activations and data.
  struct Memory {
    std::uint64_t now = 0, most = 0, model = 0, gradients = 0, optimizers = 0;
  };
  Memory memory() const;

  // What steers it. All of it acts between two statements of the program.
  void pause();
  void resume();
  /// Makes so many steps and pauses.
  void make_steps(std::uint64_t count);
  /// The program ends as after Ctrl+C, once it goes on.
  void stop();
  /// Schedulers of the optimiser go on from it: optim::rescale_schedulers().
  /// Errors: there is no such optimiser or group; a rate that is not finite or below 0; one that a scheduler cannot go
  /// on from.
  base::Result<void> set_learning_rate(std::uint32_t optimizer, std::uint32_t group, double rate);
  /// A checkpoint is taken when the program next says that it is between two steps. Errors: nothing keeps it; the
  /// program takes none (it has no nnscope.train.Run).
  base::Result<void> ask_checkpoint();
  bool is_checkpoint_asked() const { return is_checkpoint_asked_; }

  // For whoever runs the program.
  /// Whether the program must not go on now.
  bool is_paused() const { return state_ == State::Paused; }
  bool is_stop_asked() const { return is_stop_asked_; }
  void began();
  /// The program ended; with an error if it failed.
  void ended(std::optional<base::Error> problem, bool was_stopped);

  // For the program (python_bindings.cpp).
  void log_scalar(const std::string& name, bool is_evaluation, double value, std::optional<std::uint64_t> step);
  void log_line(LogLevel level, const std::string& text);
  bool wants_checkpoint();
  /// Gives the file `part` of the folder its name `checkpoints/…`, after which older checkpoints than the last `keep`
  /// go (0: none does). `seconds`: that writing it took. Whether it was done; if not, the part is removed and the log
  /// says why.
  bool save_checkpoint(const std::string& part, const std::string& name, double seconds, std::uint64_t keep);
  /// No checkpoint now: `part` goes, the log says `why`, and the run goes on.
  void checkpoint_failed(const std::string& part, const std::string& why);
  void takes_checkpoints() { takes_checkpoints_ = true; }
  /// This is one of several ranks that train together: a step is told when they have met for it.
  void join_ranks(int rank, int size);
  /// Null: this one trains alone.
  RankExchange* ranks() { return ranks_.get(); }
  /// The ranks have met: what they did is told.
  void tell_joined_step();
  void begin_joined_step(RankExchange::Next next);

  // WatchClient
  StepPlan plan_step(const ModuleTable& table) override;
  void step_made(StepReport report) override;

 private:
  using Clock = std::chrono::steady_clock;
  void set_state(State state);
  void tell_step(StepReport report);

  python::Machine& machine_;
  TrainingOptions options_;
  std::shared_ptr<RunFiles> files_;
  Planner planner_;
  std::vector<TrainingListener*> listeners_;
  State state_ = State::Starting;
  std::optional<base::Error> problem_;
  struct RateSet {
    std::uint32_t optimizer = kNone, group = kNone;
    double rate = 0;
  };
  std::optional<RateSet> rate_set_;  ///< by a viewer, since the last step
  std::uint64_t checks_backward_until_ = 0;
  std::unique_ptr<RankExchange> ranks_;
  StepReport last_step_;
  std::vector<SavedCheckpoint> checkpoints_;
  std::uint64_t version_ = 1, samples_ = 0, steps_until_pause_ = 0, last_checkpoint_ = 0;
  bool was_finite_ = true, is_stop_asked_ = false, is_checkpoint_asked_ = false, takes_checkpoints_ = false;
  tensor::ByteUse bytes_before_ = tensor::bytes_in_use();
  Clock::duration ran_{};
  Clock::time_point running_since_;
  Watch watch_;
};

/// Lets programs of the machine say more of their training: the module _training, which nnscope.train stands on.
/// Null: it is not there. Lifetime: the training outlives the machine's programs.
void add_training(python::Machine& machine, Training* training);

}  // namespace nns::train
