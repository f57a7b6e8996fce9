// Gradients as they arrive: into their bucket, and the bucket to the other ranks.
#include "core/parallel/reducer.h"

#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/ops/final_callbacks.h"

namespace nns::parallel {

using tensor::DType;

GradBucket::GradBucket(object::Class& cls, std::size_t number, bool last, Ref<Tensor> flat,
                       std::vector<Ref<Tensor>> parts, std::vector<Ref<Tensor>> whose)
    : Container(cls),
      index(number),
      is_last(last),
      buffer(std::move(flat)),
      gradients(std::move(parts)),
      parameters(std::move(whose)) {}

void GradBucket::traverse(object::Visitor& visitor) const {
  visitor.visit(buffer);
  for (const Ref<Tensor>& one : gradients) visitor.visit(one);
  for (const Ref<Tensor>& one : parameters) visitor.visit(one);
}

void GradBucket::clear_references() {
  buffer = nullptr;
  gradients.clear();
  parameters.clear();
}

Reducer::Reducer(object::Class& cls, std::shared_ptr<ProcessGroup> group, std::vector<Ref<Tensor>> parameters,
                 std::vector<std::vector<std::size_t>> buckets, ReducerOptions options)
    : Container(cls), group_(std::move(group)), parameters_(std::move(parameters)), options_(std::move(options)) {
  make_buckets(std::move(buckets));
  hook_counts_.assign(parameters_.size(), 0);
  used_.assign(parameters_.size(), 0);
  add_hooks();
}

Reducer::~Reducer() { remove_hooks(); }

void Reducer::add_hooks() {
  Interpreter& in = interpreter();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    Ref<ops::AccumulateGrad> accumulator = ops::accumulator_of(*parameters_[i]);
    if (!accumulator->post_hooks) accumulator->post_hooks = in.ordered_dict();
    const std::int64_t id = -1 - in.next_hook_id();
    // The hook goes with the reducer.
    accumulator->post_hooks->set(Value(id),
                                 Value(in.function("reduce(grad_inputs, grad_outputs)",
                                                   [this, i](Interpreter&, std::span<const Value>) -> PyResult<Value> {
                                                     NNS_TRY(on_gradient(i));
                                                     return Value();
                                                   })));
    hook_ids_.push_back(id);
    accumulators_.push_back(std::move(accumulator));
  }
}

void Reducer::remove_hooks() {
  for (std::size_t i = 0; i < accumulators_.size(); ++i) {
    if (accumulators_[i]->post_hooks) accumulators_[i]->post_hooks->erase(Value(hook_ids_[i]));
  }
  accumulators_.clear();
  hook_ids_.clear();
}

void Reducer::traverse(object::Visitor& visitor) const {
  for (const Ref<Tensor>& one : parameters_) visitor.visit(one);
  for (const Ref<ops::AccumulateGrad>& one : accumulators_) visitor.visit(one);
  for (const Bucket& bucket : buckets_) {
    visitor.visit(bucket.flat);
    visitor.visit(bucket.carried);
    for (const Ref<Tensor>& view : bucket.views) visitor.visit(view);
    visitor.visit(bucket.future);
  }
  visitor.visit(live_ranks_);
  visitor.visit(comm_hook_);
  visitor.visit(comm_hook_state_);
}

void Reducer::clear_references() {
  remove_hooks();
  // What is under way reads and writes the buckets.
  for (Bucket& bucket : buckets_) {
    if (bucket.work) bucket.work->wait_for(std::chrono::seconds(1));
  }
  parameters_.clear();
  buckets_.clear();
  live_ranks_ = nullptr;
  comm_hook_ = Value::absent();
  comm_hook_state_ = Value();
}

PyResult<void> Reducer::register_comm_hook(Value state, Value hook) {
  if (has_comm_hook()) {
    return object::runtime_error(interpreter(),
                                 "register_comm_hook or register_builtin_comm_hook can only be called once.");
  }
  comm_hook_ = std::move(hook);
  comm_hook_state_ = std::move(state);
  return {};
}

void Reducer::set_forward_pass_work(WorkHandle work, Ref<Tensor> live) {
  forward_work_ = std::move(work);
  live_ranks_ = std::move(live);
}

// Behaviour: Reducer::autograd_hook. 1. Hooks count only after a synchronised forward. 2. A static graph learns in its
// first step how often each hook runs, and reduces at the end of it. 3. Parameters that backward does not reach are
// ready from the start.
PyResult<void> Reducer::on_gradient(std::size_t index) {
  if (!expects_hooks_) return {};
  const ops::GradModeGuard no_grad(interpreter(), false);
  ready_order_.push_back(index);
  note_done_buckets();
  if ((finds_unused() || is_first_static_step()) && parameters_[index]->grad()) used_[index] = 1;
  if (is_first_static_step()) {
    ++hook_counts_[index];
    if (hook_counts_[index] == 1) rebuilt_order_.push_back(index);
    is_unfinished_ = true;
    if (!std::exchange(queued_end_, true)) {
      ops::FinalCallbacks::of(interpreter()).queue([this, keep = Ref<Reducer>(this)] { return reduce_at_end(); });
    }
    return {};
  }
  if (!std::exchange(marked_unused_, true)) {
    for (const std::size_t unused : unused_) NNS_TRY(mark_ready(unused));
  }
  if (static_graph_ && --hooks_left_[index] > 0) return {};
  if (should_rebuild_buckets()) rebuilt_order_.push_back(index);
  return mark_ready(index);
}

PyResult<void> Reducer::mark_ready(std::size_t index) {
  if (!ready_.insert(index).second) {
    const std::string shown = options_.shows_names && index < options_.names.size()
                                  ? fmt::format("Parameter at index {} with name {}", index, options_.names[index])
                                  : fmt::format("Parameter at index {}", index);
    const std::string_view advice =
        options_.shows_names ? ""
                             : " You can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL "
                               "to print parameter names for further debugging.";
    return object::runtime_error(
        interpreter(),
        "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of "
        "a module parameter outside the `forward` function. Please make sure model parameters are not shared across "
        "multiple concurrent forward-backward passes. or try to use _set_static_graph() as a workaround if this module "
        "graph does not change during training loop.2) Reused parameters in multiple reentrant backward passes. For "
        "example, if you use multiple `checkpoint` functions to wrap the same part of your model, it would result in "
        "the same set of parameters been used by different reentrant backward passes multiple times, and hence marking "
        "a variable ready multiple times. DDP does not support such use cases in default. You can try to use "
        "_set_static_graph() as a workaround if your module graph does not change over iterations.\n{} has been marked "
        "as ready twice. This means that multiple autograd engine  hooks have fired for this particular parameter "
        "during this iteration.{}",
        shown, advice);
  }
  is_unfinished_ = true;
  NNS_TRY(fill_view(index));
  --buckets_[places_[index].bucket].waiting_for;
  return launch_ready();
}

PyResult<void> Reducer::launch_ready() {
  while (next_bucket_ < buckets_.size() && buckets_[next_bucket_].waiting_for == 0) {
    NNS_TRY(launch(buckets_[next_bucket_], next_bucket_));
    ++next_bucket_;
  }
  if (next_bucket_ < buckets_.size()) return {};
  if (finds_unused()) start_used_reduction();
  ops::FinalCallbacks& callbacks = ops::FinalCallbacks::of(interpreter());
  // The end of what runs now; reduce_at_end() is already that.
  if (!std::exchange(queued_end_, true)) {
    callbacks.queue([this, keep = Ref<Reducer>(this)] { return finish_backward(); });
  }
  return {};
}

// The world's size, or while ranks without data shadow the others, how many still have some.
PyResult<void> Reducer::find_divisor() {
  if (divisor_ != 0) return {};
  divisor_ = group_->size();
  if (!forward_work_ || !live_ranks_) return {};
  NNS_TRY(wait_for_work(interpreter(), *forward_work_));
  divisor_ = tensor::read_double(*live_ranks_, live_ranks_->offset());
  return {};
}

// Puts a gradient into its part of the bucket, divided by the number of ranks unless a hook will see it.
namespace {

bool is_plain(const Tensor& tensor) {
  return tensor.dtype() == DType::Float32 && tensor.device() == tensor::Device::Cpu && tensor.is_contiguous();
}

// view = grad * factor; both may be the same.
PyResult<void> write_share(Interpreter& in, const Tensor& grad, double factor, Tensor& view) {
  if (is_plain(grad) && is_plain(view)) {
    // In one pass, which is what memory takes the time for.
    const auto* const from = reinterpret_cast<const float*>(grad.data());
    auto* const to = reinterpret_cast<float*>(view.data());
    const auto number = static_cast<float>(factor);
    const std::int64_t count = view.numel();
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] * number;
    return {};
  }
  if (grad.data() != view.data()) NNS_TRY(tensor::copy_items(view, grad));
  if (factor == 1) return {};
  NNS_TRY(ops::call_in_place(in, ops::OpId::mul, std::array{Value(Ref<Tensor>(&view)), Value(factor)}));
  return {};
}

}  // namespace

PyResult<void> Reducer::fill_view(std::size_t index) {
  const Place place = places_[index];
  Tensor& view = *buckets_[place.bucket].views[place.item];
  Tensor& parameter = *parameters_[index];
  const Ref<Tensor> grad = parameter.grad();
  if (!grad) {
    tensor::fill_items(view, 0);
    return {};
  }
  if (grad->sparse() != nullptr) {
    return object::error<object::ErrorKind::NotImplementedError>(
        interpreter(), "DistributedDataParallel reduces no gradients of layout torch.sparse_coo: use sparse=False");
  }
  const bool is_view = grad->storage() == view.storage() && grad->offset() == view.offset();
  if (has_comm_hook()) {
    if (!is_view) NNS_TRY(tensor::copy_items(view, *grad));
  } else {
    NNS_TRY(find_divisor());
    NNS_TRY(write_share(interpreter(), *grad, 1.0 / divisor_, view));
  }
  if (options_.gradient_as_bucket_view && !is_view) parameter.set_grad(buckets_[place.bucket].views[place.item]);
  return {};
}

PyResult<void> Reducer::launch(Bucket& bucket, std::size_t index) {
  Interpreter& in = interpreter();
  note_launch(index);
  if (!has_comm_hook()) {
    bucket.carried = bucket.flat;
    const bool is_reached = group_->reaches(bucket.flat->device());
    if (!is_reached) {
      NNS_TRY_ASSIGN(bucket.carried, tensor::on_host(*bucket.flat));
    }
    Collective sum;
    sum.kind = CollectiveKind::AllReduce;
    sum.dtype = bucket.carried->dtype();
    sum.device = bucket.carried->device();
    sum.outputs = {bytes_of(*bucket.carried)};
    sum.subject = bucket_text(bucket, index);
    sum.keeper = std::make_shared<Ref<Tensor>>(bucket.carried);
    sum.timeout = options_.timeout;
    bucket.work = group_->start(std::move(sum));
    return {};
  }
  NNS_TRY_ASSIGN(Ref<GradBucket> shown, shown_bucket(bucket, index));
  NNS_TRY_ASSIGN(bucket.future, in.call(comm_hook_, {comm_hook_state_, Value(std::move(shown))}));
  return {};
}

PyResult<Ref<GradBucket>> Reducer::shown_bucket(const Bucket& bucket, std::size_t index) {
  Interpreter& in = interpreter();
  std::vector<Ref<Tensor>> whose;
  for (const std::size_t parameter : bucket.parameters) whose.push_back(parameters_[parameter]);
  NNS_TRY_ASSIGN(const Value cls,
                 object::getattr(in, Value(static_cast<object::Object*>(&type())), in.intern("_grad_bucket")));
  return object::make<GradBucket>(*cls.as<object::Class>(), index, index + 1 == buckets_.size(), bucket.flat,
                                  bucket.views, std::move(whose));
}

void Reducer::start_used_reduction() {
  used_anywhere_ = std::make_shared<std::vector<std::int32_t>>(used_);
  Collective sum;
  sum.kind = CollectiveKind::AllReduce;
  sum.dtype = DType::Int32;
  sum.outputs = {std::as_writable_bytes(std::span(*used_anywhere_))};
  sum.keeper = used_anywhere_;
  sum.subject = "which parameters were used";
  sum.timeout = options_.timeout;
  used_work_ = group_->start(std::move(sum));
}

}  // namespace nns::parallel
