#pragma once

#include <chrono>
#include <deque>
#include <unordered_map>

#include "core/ops/node.h"
#include "core/ops/result_moments.h"
#include "core/ops/training_observer.h"
#include "core/python/eval/machine.h"
#include "core/train/module_table.h"
#include "core/train/step_report.h"

namespace nns::train {

/// Who is told what a Watch saw, and says what it is to look at.
class WatchClient {
 public:
  virtual ~WatchClient() = default;
  /// What the next step is watched for: asked when one was made, and when the table has changed.
  virtual StepPlan plan_step(const ModuleTable& table) = 0;
  /// A step was made.
  virtual void step_made(StepReport report) = 0;
};

/// Whether a tensor has numbers that may be not finite.
bool is_watchable(const Tensor& tensor);

/// Watches any program that trains: its steps (optimizer.step()), their loss (what backward was called on), the time of
/// their phases, and of modules and parameters what is wanted.
/// Moments of parameters, gradients and updates are found in the pass in which the optimiser writes the parameter;
/// those of activations when their module returns, while they are in the cache.
/// An object watches one interpreter for as long as it lives. Threads: that of the interpreter.
class Watch final : public ops::TrainingObserver {
 public:
  Watch(Interpreter& interpreter, WatchClient& client);
  ~Watch() override;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  const ModuleTable& table() const { return table_; }
  const std::vector<Ref<optim::Optimizer>>& optimizers() const { return optimizers_; }
  std::uint64_t steps() const { return steps_; }
  /// Epochs: loaders that were read to their end while steps were made; with the share of the one that is being read.
  std::uint64_t epochs() const { return epochs_; }
  double epoch() const;
  /// Steps go on from here: of a run that was taken up again.
  void set_steps(std::uint64_t steps, std::uint64_t epochs);
  /// What is to be seen of the next step has changed: the client is asked anew. Called between two steps.
  void plan_again() { plan(); }
  /// Forgets models and optimisers.
  void release();

  /// A loader is asked for a batch, and gave it; `batch` is null at its end. `length`: batches of the whole, 0 is not
  /// known.
  void batch_asked(std::uint64_t loader, std::uint64_t length);
  void batch_given(std::uint64_t loader, const Value* batch);
  /// What the client does counts as watching from now on, until `false`.
  void count_as_watching(bool begins);

  // ops::TrainingObserver
  void module_entered(object::Object& module) override;
  void module_left(object::Object& module, const Value* result) override;
  bool wants_attention() const override;
  void attended(const Ref<Tensor>& weights) override;
  void node_made(const ops::Node& node) override;
  void backward_began(std::span<const Ref<Tensor>> roots) override;
  void backward_ended(bool is_whole) override;
  void node_began(ops::Node& node, std::span<const Ref<Tensor>> grads) override;
  void node_ended(ops::Node& node, std::span<const Ref<Tensor>> given) override;
  void step_began(object::Object& optimizer) override;
  void step_ended(object::Object& optimizer, bool is_whole) override;
  ops::UpdateMoments* update_of(Tensor& parameter) override;
  void updated(Tensor& parameter, ops::UpdateMoments& found) override;
  void touched(const Tensor& tensor, ops::Touch touch) override;
  void registry_changed(object::Object& module) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Call {
    std::uint32_t module = kNone;
    Clock::time_point began;
  };
  // Nodes from `first` on were made in this module.
  struct Segment {
    std::uint64_t first = 0;
    std::uint32_t module = kNone;
  };
  // Nodes from `first` on were made by this instruction of the program.
  struct Line {
    std::uint64_t first = 0;
    Ref<python::Code> code;
    std::uint32_t instruction = 0;
  };
  struct Loader {
    std::uint64_t id = 0, length = 0, position = 0, steps_before = 0;
  };
  struct Update {
    ops::UpdateMoments found;
    bool is_found = false;
    bool has_history = false;
    std::uint64_t version = 0;  // of the parameter when the step began
    Ref<Tensor> before;         // its values then, where nobody tells of the update while it is made
  };

  void enter(Phase phase);
  std::uint64_t since_step(Clock::time_point time) const;
  void add_span(const Span& span);
  void note_model(nn::Module& module);
  void rebuild();
  void plan();
  bool wants(std::uint32_t module, std::uint32_t bit) const;
  bool wants_histogram(std::uint32_t module, std::uint32_t bit) const;
  void want_result_moments(bool wanted);
  object::PyResult<ops::Moments> moments_of(const Tensor& result) const;
  void look_at(const Tensor& tensor, std::uint32_t module, std::uint32_t bit);
  std::uint32_t module_of(const ops::Node& node) const;
  /// Of kNone nothing.
  std::string path_of(std::uint32_t module) const;
  void note_not_finite(NotFinite found);
  /// The innermost frame of the program's own files; null outside of it.
  const python::Frame* own_frame();
  /// Where the program is, and where it was when it made the node.
  SourcePlace place_now();
  void forget_lines();
  SourcePlace place_of(const ops::Node& node) const;
  NotFinite made_by(const ops::Node& node, Phase phase, bool is_nan) const;
  void find_origin(const Tensor& root, bool is_nan, std::uint32_t module);
  void add_backward(const ops::Node& node);
  bool is_steady(const ops::Node& node);
  void check_gradients(const ops::Node& node, std::span<const Ref<Tensor>> given);
  void glance_at_gradients(const ops::Node& node, std::span<const Ref<Tensor>> given);
  void tell_bad_gradient();
  /// Of a parameter that the step has written.
  bool is_gradient_finite(const Update& update, const Tensor& gradient) const;
  void keep_before(const optim::Optimizer& optimizer);
  void find_update(std::uint32_t tensor, Update& update) const;
  void tell_touches(std::uint32_t tensor, const Update& update);
  void finish_updates();
  /// Parameters and groups of all optimisers.
  std::size_t count_grouped() const;
  void read_learning_rates();
  void finish_step();

  Interpreter& interpreter_;
  WatchClient& client_;
  ModuleTable table_;
  std::vector<Ref<nn::Module>> models_;
  bool is_table_old_ = false;  ///< its modules or parameters have changed
  std::vector<Ref<optim::Optimizer>> optimizers_;
  StepPlan plan_;
  StepReport report_;
  ops::ResultMoments result_moments_;
  std::uint64_t steps_ = 0, epochs_ = 0;
  Clock::time_point step_began_, phase_began_;
  Phase phase_ = Phase::Other, phase_before_watching_ = Phase::Other;
  std::vector<Call> calls_;
  std::vector<Segment> segments_;
  std::deque<Line> lines_;
  const python::Code* own_code_ = nullptr;  // of the last line, as long as lines_ keeps it
  std::vector<Loader> loaders_;
  // The gradient of this output of a node is that of a module's output.
  std::unordered_multimap<const ops::Node*, std::pair<std::uint32_t, std::uint32_t>> output_nodes_;
  std::vector<Update> updates_;
  std::vector<bool> is_told_in_pass_;  // of each tensor, whether its optimiser finds the update while it writes
  std::size_t grouped_ = 0;            // count_grouped() of the table
  std::unordered_map<const object::Class*, bool> steady_;  // of nodes
  // What was looked at last: a container gives what its last module gave.
  struct Seen {
    Ref<tensor::Storage> storage;  // kept, so that no other has its address
    std::int64_t offset = 0, numel = 0;
    std::uint64_t version = 0;
    std::uint32_t bit = 0;
    std::size_t at = 0;
  } seen_;
  // The first node of the walks of this step that gave a gradient which is not finite.
  struct BadGradient {
    bool is_found = false, is_of_earlier_walk = false;
    NotFinite origin;
  } bad_gradient_;
  int backward_depth_ = 0, step_depth_ = 0;
  Clock::time_point node_began_;
  std::vector<std::uint64_t> backward_ns_;
};

}  // namespace nns::train
