// The beginning and the end of a synchronised backward.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/object/operations.h"
#include "core/parallel/reducer.h"

namespace nns::parallel {

PyResult<void> Reducer::prepare_for_backward(std::span<const Ref<Tensor>> outputs) {
  NNS_TRY(ensure_prior_reduction_finished());
  expects_hooks_ = true;
  marked_unused_ = false;
  queued_end_ = false;
  ready_.clear();
  ready_order_.clear();
  divisor_ = 0;
  reset_buckets();
  begin_backward_timeline();
  if (finds_unused()) {
    find_unused(outputs);
  } else if (!static_graph_) {
    unused_.clear();
  }
  return {};
}

// Behaviour: Reducer::search_unused_parameters: the graph from the outputs down to the accumulators.
void Reducer::find_unused(std::span<const Ref<Tensor>> outputs) {
  unused_.clear();
  std::unordered_set<const ops::Node*> seen;
  std::vector<Ref<ops::Node>> waiting;
  const auto visit = [&](const Ref<ops::Node>& node) {
    if (node && seen.insert(node.get()).second) waiting.push_back(node);
  };
  for (const Ref<Tensor>& output : outputs) {
    const PyResult<ops::Edge> edge = ops::gradient_edge(*output);
    if (edge.ok()) visit(PyResult<ops::Edge>(edge).value().node);
  }
  while (!waiting.empty()) {
    const Ref<ops::Node> node = waiting.back();
    waiting.pop_back();
    for (const ops::Edge& edge : node->next) visit(edge.node);
  }
  for (std::size_t i = 0; i < accumulators_.size(); ++i) {
    if (seen.count(accumulators_[i].get()) == 0) unused_.push_back(i);
  }
  if (unused_.empty() && !std::exchange(warned_, true)) {
    interpreter().warn(object::ErrorKind::UserWarning,
                       "find_unused_parameters=True was specified in DDP constructor, but did not find any unused "
                       "parameters in the forward pass. This flag results in an extra traversal of the autograd graph "
                       "every iteration,  which can adversely affect performance. If your model indeed never has any "
                       "unused parameters in the forward pass, consider turning this flag off. Note that this warning "
                       "may be a false positive if your model has flow control causing later iterations to have unused "
                       "parameters.");
  }
}

PyResult<void> Reducer::ensure_prior_reduction_finished() {
  if (!is_unfinished_) return {};
  std::vector<std::size_t> missing;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (ready_.count(i) != 0) continue;
    missing.push_back(i);
    if (i < options_.names.size()) names.push_back(options_.names[i]);
  }
  constexpr std::string_view kOutputs = "making sure all `forward` function outputs participate in calculating loss. ";
  constexpr std::string_view kStructure =
      "\nIf you already have done the above, then the distributed data parallel module wasn't able to locate the "
      "output "
      "tensors in the return value of your module's `forward` function. Please include the loss function and the "
      "structure of the return value of `forward` of your module when reporting this issue (e.g. list, dict, "
      "iterable).";
  std::string text = "Expected to have finished reduction in the prior iteration before starting a new one. ";
  if (static_graph_) {
    text +=
        "This error indicates that your training graph has changed in this iteration, e.g., one parameter is used in "
        "first iteration, but then got unused in the second iteration. this is not compatible with static_graph set to "
        "True.";
  } else {
    text += "This error indicates that your module has parameters that were not used in producing loss. ";
    text += options_.find_unused_parameters
                ? "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs "
                  "participate in computing loss. You can fix this by "
                : "You can enable unused parameter detection by passing the keyword argument "
                  "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \n";
    text += kOutputs;
    text += kStructure;
  }
  const std::string indices = fmt::format("\nParameter indices which did not receive grad for rank {}: {}",
                                          group_->rank(), fmt::join(missing, " "));
  if (options_.shows_names) {
    text += fmt::format("\nParameters which did not receive grad for rank {}: {}{}", group_->rank(),
                        fmt::join(names, ", "), indices);
  } else {
    text += indices;
    text +=
        "\n In addition, you can set the environment variable TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to "
        "print "
        "out information about which particular parameters did not receive gradient on this rank as part of this error";
  }
  return object::runtime_error(interpreter(), "{}", text);
}

// The first step of a static graph: now it is known what was used.
PyResult<void> Reducer::reduce_at_end() {
  const ops::GradModeGuard no_grad(interpreter(), false);
  unused_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (hook_counts_[i] == 0) {
      unused_.push_back(i);
      rebuilt_order_.push_back(i);
    }
  }
  start_used_reduction();
  for (std::size_t i = 0; i < parameters_.size(); ++i) NNS_TRY(mark_ready(i));
  return finish_backward();
}

PyResult<void> Reducer::finish_backward() {
  const ops::GradModeGuard no_grad(interpreter(), false);
  expects_hooks_ = false;
  is_unfinished_ = false;
  divisor_ = 0;
  forward_work_ = nullptr;
  live_ranks_ = nullptr;
  last_ready_order_ = ready_order_;
  note_done_buckets();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    note_wait(i, false);
    NNS_TRY(finish_bucket(buckets_[i], i));
    note_wait(i, true);
  }
  if (used_work_) NNS_TRY(wait_for_work(interpreter(), *std::exchange(used_work_, nullptr)));
  for (std::size_t i = 0; i < parameters_.size(); ++i) NNS_TRY(write_gradient(i));
  if (finds_unused()) used_.assign(parameters_.size(), 0);
  tell_timeline();
  return {};
}

PyResult<void> Reducer::finish_bucket(Bucket& bucket, std::size_t index) {
  Interpreter& in = interpreter();
  if (bucket.work) {
    NNS_TRY(wait_for_work(in, *std::exchange(bucket.work, nullptr)));
    const Ref<Tensor> carried = std::exchange(bucket.carried, nullptr);
    return carried == bucket.flat ? PyResult<void>() : tensor::copy_items(*bucket.flat, *carried);
  }
  // Behaviour: CppCommHookInterface::parseHookResult: a tensor, or a list with one.
  const Value future = std::exchange(bucket.future, Value());
  NNS_TRY_ASSIGN(Value result, in.call_method(future, in.intern("wait")));
  if (result.as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, result));
    if (!items.empty()) result = items[0];
  }
  const Tensor* const made = result.as<Tensor>();
  if (made == nullptr || made->numel() != bucket.flat->numel()) {
    return object::runtime_error(in, "expected the communication hook's future of {} to give a tensor of {} items",
                                 bucket_text(bucket, index), bucket.flat->numel());
  }
  if (made->storage() == bucket.flat->storage() && made->offset() == bucket.flat->offset()) return {};
  return tensor::copy_items(*bucket.flat,
                            *tensor::as_strided(*made, bucket.flat->shape(), bucket.flat->strides(), made->offset()));
}

// .grad becomes what the bucket holds; a parameter that no rank used keeps what it has.
PyResult<void> Reducer::write_gradient(std::size_t index) {
  const bool knows_use = options_.find_unused_parameters || static_graph_;
  if (knows_use && used_anywhere_ && (*used_anywhere_)[index] == 0) return {};
  const Place place = places_[index];
  const Ref<Tensor>& view = buckets_[place.bucket].views[place.item];
  Tensor& parameter = *parameters_[index];
  const Ref<Tensor>& grad = parameter.grad();
  if (options_.gradient_as_bucket_view) {
    if (!(grad == view)) parameter.set_grad(view);
    return {};
  }
  if (!grad) {
    parameter.set_grad(tensor::clone(*view));
    return {};
  }
  NNS_TRY(tensor::copy_items(*grad, *view));
  grad->bump_version();
  return {};
}

// For the ranks without data: the buckets, which are communicated as the others do.
PyResult<Value> Reducer::shadow_buckets() {
  std::vector<Value> found;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    tensor::fill_items(*buckets_[i].flat, 0);
    NNS_TRY_ASSIGN(Ref<GradBucket> shown, shown_bucket(buckets_[i], i));
    found.emplace_back(std::move(shown));
  }
  return Value(interpreter().list(std::move(found)));
}

PyResult<void> Reducer::all_reduce_used_parameters_as_none() {
  used_.assign(parameters_.size(), 0);
  start_used_reduction();
  return wait_for_work(interpreter(), *std::exchange(used_work_, nullptr));
}

}  // namespace nns::parallel
