#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/ops/node.h"
#include "core/parallel/bucket_assignment.h"
#include "core/parallel/connector.h"

namespace nns::parallel {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

/// What a communication hook gets: the gradients of one bucket. Behaviour: torch.distributed.GradBucket.
class GradBucket final : public object::Container {
 public:
  GradBucket(object::Class& cls, std::size_t index, bool is_last, Ref<Tensor> buffer,
             std::vector<Ref<Tensor>> gradients, std::vector<Ref<Tensor>> parameters);
  std::size_t index;
  bool is_last;
  Ref<Tensor> buffer;
  bool has_other_buffer = false;  ///< a hook has put it there: `gradients` are views of the first one
  std::vector<Ref<Tensor>> gradients, parameters;

  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;
};

struct ReducerOptions {
  bool find_unused_parameters = false;
  bool gradient_as_bucket_view = false;
  /// The limits of the buckets that are made anew after the first step. Units: bytes.
  std::vector<std::int64_t> bucket_limits;
  /// One a parameter, for errors.
  std::vector<std::string> names;
  std::vector<bool> expects_sparse;
  std::chrono::milliseconds timeout{std::chrono::minutes(30)};
  /// TORCH_DISTRIBUTED_DEBUG is INFO or DETAIL: errors name parameters.
  bool shows_names = false;
};

/// Averages gradients over the ranks of a group while backward still runs: a bucket is communicated as soon as the last
/// of its gradients is there, buckets in their order. At the end of backward the averages stand in .grad.
/// Behaviour: torch/csrc/distributed/c10d/reducer.cpp. It acts only after prepare_for_backward().
/// Lifetime: holds the parameters and their accumulators, on which its hooks are.
class Reducer final : public object::Container {
 public:
  Reducer(object::Class& cls, std::shared_ptr<ProcessGroup> group, std::vector<Ref<Tensor>> parameters,
          std::vector<std::vector<std::size_t>> buckets, ReducerOptions options);
  ~Reducer() override;

  /// Counts a forward whose backward will be synchronised.
  void prepare_for_forward();
  /// Arms the hooks for the backward from `outputs` (needed only to find parameters that it does not reach).
  /// Errors: RuntimeError  the backward before did not reach all parameters.
  PyResult<void> prepare_for_backward(std::span<const Ref<Tensor>> outputs);
  /// Makes the buckets anew, in the order in which gradients arrived, as rank 0 saw it; once. Whether it did.
  PyResult<bool> rebuild_buckets();
  /// Notes all parameters as if their gradients had arrived: what a rank without data does before rebuild_buckets().
  void push_all_parameters();

  /// Errors: RuntimeError  there is one already.
  PyResult<void> register_comm_hook(Value state, Value hook);
  void set_static_graph() { static_graph_ = true; }
  /// `live`: a one-item count of the ranks that still have data, known when `work` is done; null: all ranks divide.
  void set_forward_pass_work(WorkHandle work, Ref<Tensor> live);
  /// The buckets, filled with zeros, as a list of GradBucket: what a rank without data adds to the others' sums.
  PyResult<Value> shadow_buckets();
  /// Takes part in finding out what was used, where nothing was.
  PyResult<void> all_reduce_used_parameters_as_none();

  std::shared_ptr<ProcessGroup> group() const { return group_; }
  std::int64_t iterations() const { return iterations_; }
  bool has_rebuilt_buckets() const { return has_rebuilt_; }
  /// Whether a rebuild comes with the next forward.
  bool should_rebuild_buckets() const { return (static_graph_ || !options_.find_unused_parameters) && !has_rebuilt_; }
  bool has_comm_hook() const { return !comm_hook_.is_absent(); }
  bool is_static() const { return static_graph_; }
  const std::vector<Ref<Tensor>>& parameters() const { return parameters_; }
  const std::vector<std::size_t>& grad_ready_order() const { return last_ready_order_; }
  struct BucketFacts {
    std::vector<std::size_t> parameters;
    std::uint64_t bytes = 0;
  };
  std::vector<BucketFacts> bucket_facts() const;
  const ReducerOptions& options() const { return options_; }

  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  struct Bucket {
    std::vector<std::size_t> parameters;
    Ref<Tensor> flat;
    /// One a parameter: its part of `flat`, in its shape.
    std::vector<Ref<Tensor>> views;
    std::size_t waiting_for = 0;
    WorkHandle work;
    /// What is communicated: `flat`, or a copy of it on the CPU where the group does not reach its device.
    Ref<Tensor> carried;
    /// What a communication hook returned.
    Value future;
  };
  struct Place {
    std::size_t bucket = 0, item = 0;
  };

  // reducer_buckets.cpp
  void make_buckets(std::vector<std::vector<std::size_t>> assignment);
  void reset_buckets();
  std::string bucket_text(const Bucket& bucket, std::size_t index) const;

  // reducer.cpp
  void add_hooks();
  void remove_hooks();
  PyResult<void> on_gradient(std::size_t index);
  PyResult<void> mark_ready(std::size_t index);
  PyResult<void> fill_view(std::size_t index);
  PyResult<void> find_divisor();
  PyResult<void> launch(Bucket& bucket, std::size_t index);
  PyResult<Ref<GradBucket>> shown_bucket(const Bucket& bucket, std::size_t index);
  PyResult<void> launch_ready();
  void start_used_reduction();

  // reducer_timeline.cpp
  void begin_timeline();
  void begin_backward_timeline();
  void note_launch(std::size_t index);
  void note_wait(std::size_t index, bool is_over);
  void note_done_buckets();
  void tell_timeline();

  // reducer_finish.cpp
  PyResult<void> ensure_prior_reduction_finished();
  void find_unused(std::span<const Ref<Tensor>> outputs);
  PyResult<void> finish_backward();
  PyResult<void> finish_bucket(Bucket& bucket, std::size_t index);
  PyResult<void> write_gradient(std::size_t index);
  PyResult<void> reduce_at_end();

  bool finds_unused() const { return options_.find_unused_parameters && !static_graph_; }
  bool is_first_static_step() const { return static_graph_ && iterations_ == 1; }

  std::shared_ptr<ProcessGroup> group_;
  std::vector<Ref<Tensor>> parameters_;
  ReducerOptions options_;
  std::vector<Ref<ops::AccumulateGrad>> accumulators_;
  /// The number of the hook on each accumulator.
  std::vector<std::int64_t> hook_ids_;
  std::vector<Bucket> buckets_;
  std::vector<Place> places_;
  std::size_t next_bucket_ = 0;

  bool static_graph_ = false;
  /// Between prepare_for_backward() and the end of that backward.
  bool expects_hooks_ = false;
  /// Whether a reduction began that did not end.
  bool is_unfinished_ = false;
  bool marked_unused_ = false;
  bool queued_end_ = false;
  bool has_rebuilt_ = false;
  bool warned_ = false;
  std::int64_t iterations_ = 0;
  std::vector<std::size_t> unused_;
  /// The parameters that are ready in this backward, and their order; that of the backward before.
  std::unordered_set<std::size_t> ready_;
  std::vector<std::size_t> ready_order_, last_ready_order_;
  /// The order in which buckets will be made anew.
  std::vector<std::size_t> rebuilt_order_;
  /// How often each hook ran in the first step of a static graph, and how often it still has to in this step.
  std::vector<std::int64_t> hook_counts_, hooks_left_;

  /// 1 for each parameter that got a gradient here; its sum over the ranks once used_work_ is done.
  std::vector<std::int32_t> used_;
  std::shared_ptr<std::vector<std::int32_t>> used_anywhere_;
  WorkHandle used_work_;

  double divisor_ = 0;
  WorkHandle forward_work_;
  Ref<Tensor> live_ranks_;

  /// Of the step that runs, if somebody looks.
  std::unique_ptr<StepTimeline> timeline_;

  Value comm_hook_ = Value::absent();
  Value comm_hook_state_;
};

/// The bytes of a tensor that lies in order without gaps, where it lies.
std::span<std::byte> bytes_of(const Tensor& tensor);

}  // namespace nns::parallel
