// What a Watch sees of walks backward: times, gradients of outputs, and where a NaN came from.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "core/train/watch.h"

namespace nns::train {

std::uint32_t Watch::module_of(const ops::Node& node) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), node.sequence,
                                      [](std::uint64_t sequence, const Segment& one) { return sequence < one.first; });
  return after == segments_.begin() ? kNone : std::prev(after)->module;
}

std::string Watch::path_of(std::uint32_t module) const {
  return module == kNone ? std::string() : table_.modules()[module].path;
}

void Watch::backward_began(std::span<const Ref<Tensor>> roots) {
  if (backward_depth_++ > 0) return;
  enter(Phase::Backward);
  bad_gradient_.is_of_earlier_walk = true;
  if (roots.size() != 1 || roots[0]->numel() != 1 || roots[0]->is_meta()) return;
  if (!tensor::is_floating(roots[0]->dtype())) return;
  report_.loss = tensor::read_double(*roots[0], roots[0]->offset());
  report_.has_loss = true;
  if (!std::isfinite(report_.loss)) {
    enter(Phase::Watch);
    find_origin(*roots[0], std::isnan(report_.loss), kNone);
    enter(Phase::Backward);
  }
}

void Watch::backward_ended(bool /*is_whole*/) {
  if (--backward_depth_ == 0) enter(Phase::Other);
}

void Watch::node_began(ops::Node& node, std::span<const Ref<Tensor>> grads) {
  if (!output_nodes_.empty()) {
    const auto [begin, end] = output_nodes_.equal_range(&node);
    if (begin != end) {
      count_as_watching(true);
      for (auto at = begin; at != end; ++at) {
        const auto [output, module] = at->second;
        if (output < grads.size() && grads[output]) look_at(*grads[output], module, subject::kOutputGradients);
      }
      count_as_watching(false);
    }
  }
  if (plan_.times || plan_.timeline) node_began_ = Clock::now();
}

void Watch::node_ended(ops::Node& node, std::span<const Ref<Tensor>> given) {
  if (plan_.times || plan_.timeline) add_backward(node);
  if (!report_.is_finite || (bad_gradient_.is_found && !bad_gradient_.is_of_earlier_walk)) return;
  if (plan_.checks_gradients || !is_steady(node)) {
    check_gradients(node, given);
  } else {
    glance_at_gradients(node, given);
  }
}

void Watch::add_backward(const ops::Node& node) {
  const std::uint32_t module = module_of(node);
  if (module == kNone) return;
  const Clock::time_point now = Clock::now();
  const std::uint64_t begin = since_step(node_began_), end = since_step(now);
  if (module < backward_ns_.size()) backward_ns_[module] += end - begin;
  // Neighbours of one module are one span.
  if (plan_.timeline && !report_.spans.empty()) {
    Span& last = report_.spans.back();
    if (last.kind == Span::Kind::ModuleBackward && last.module == module) {
      last.end_ns = end;
      return;
    }
  }
  add_span({begin, end, module, Span::Kind::ModuleBackward, Phase::Backward, 1});
}

// Gradients that come in are what other nodes gave: the first node that gives a bad one has made it.
void Watch::check_gradients(const ops::Node& node, std::span<const Ref<Tensor>> given) {
  // Of small ones looking at the clock would cost more than looking at them.
  constexpr std::int64_t kCounted = 1 << 14;
  std::int64_t numel = 0;
  for (const Ref<Tensor>& gradient : given) numel += gradient ? gradient->numel() : 0;
  if (numel >= kCounted) count_as_watching(true);
  for (const Ref<Tensor>& gradient : given) {
    if (!gradient || !is_watchable(*gradient)) continue;
    // Unless it was asked for, nobody waits for the device.
    if (gradient->is_cuda() && !plan_.checks_gradients) continue;
    const auto is_fine = ops::is_all_finite(*gradient);
    if (!is_fine.ok() || is_fine.value()) continue;
    const auto moments = ops::moments_of(*gradient);
    bad_gradient_ = {true, false, made_by(node, Phase::Backward, moments.ok() && moments.value().nan > 0)};
    break;
  }
  if (numel >= kCounted) count_as_watching(false);
}

// Whether what the node gives of finite gradients is finite unless it is too large for the dtype: what it multiplies
// with is something that forward has kept, and that was finite.
bool Watch::is_steady(const ops::Node& node) {
  const auto [known, is_new] = steady_.emplace(&node.type(), false);
  if (!is_new) return known->second;
  using ops::OpId;
  static constexpr OpId kSteady[] = {
      // Products and sums.
      OpId::add,
      OpId::sub,
      OpId::mul,
      OpId::neg,
      OpId::mm,
      OpId::bmm,
      OpId::mv,
      OpId::dot,
      OpId::matmul,
      OpId::addmm,
      OpId::linear,
      OpId::convolution,
      OpId::sum,
      OpId::sum_dim,
      OpId::mean,
      OpId::mean_dim,
      OpId::cumsum,
      OpId::mse_loss,
      OpId::lerp,
      // Activations whose derivative is bounded.
      OpId::relu,
      OpId::leaky_relu,
      OpId::elu,
      OpId::selu,
      OpId::celu,
      OpId::silu,
      OpId::mish,
      OpId::gelu,
      OpId::softplus,
      OpId::hardtanh,
      OpId::hardswish,
      OpId::hardsigmoid,
      OpId::sigmoid,
      OpId::tanh,
      OpId::softmax,
      OpId::log_softmax,
      OpId::softmax_same,
      OpId::log_softmax_same,
      OpId::native_dropout,
      OpId::sin,
      OpId::cos,
      OpId::clamp,
      OpId::abs,
      OpId::exp,
      // Norms: what they divide by was kept as a factor.
      OpId::native_layer_norm,
      OpId::native_group_norm,
      OpId::fused_rms_norm,
      OpId::native_batch_norm,
      // Losses of classes, attention.
      OpId::nll_loss_forward,
      OpId::cross_entropy_fused,
      OpId::flash_attention,
      OpId::dropped_attention,
      // What moves numbers.
      OpId::view,
      OpId::reshape,
      OpId::flatten,
      OpId::transpose,
      OpId::t,
      OpId::permute,
      OpId::squeeze,
      OpId::unsqueeze,
      OpId::expand,
      OpId::select,
      OpId::slice,
      OpId::narrow,
      OpId::split,
      OpId::unbind,
      OpId::chunk,
      OpId::cat,
      OpId::stack,
      OpId::clone,
      OpId::contiguous,
      OpId::to_dtype,
      OpId::to_device,
      OpId::copy,
      OpId::where,
      OpId::masked_fill,
      OpId::gather,
      OpId::index,
      OpId::index_select,
      OpId::embedding,
      OpId::constant_pad_nd,
      OpId::max_pool2d_with_indices,
      OpId::avg_pool2d,
      OpId::adaptive_avg_pool2d_windows,
      OpId::upsample_nearest2d,
      OpId::repeat,
      OpId::tril,
      OpId::triu,
  };
  const auto* const recorded = dynamic_cast<const ops::OpNode*>(&node);
  known->second =
      recorded != nullptr && std::find(std::begin(kSteady), std::end(kSteady), recorded->op.id) != std::end(kSteady);
  return known->second;
}

// Numbers that grow too large do so in many places: a few of them are looked at.
void Watch::glance_at_gradients(const ops::Node& node, std::span<const Ref<Tensor>> given) {
  for (const Ref<Tensor>& gradient : given) {
    if (!gradient || gradient->is_cuda() || !is_watchable(*gradient)) continue;
    const std::int64_t count = gradient->numel();
    if (count == 0 || gradient->sparse() != nullptr || !gradient->is_contiguous()) continue;
    constexpr std::int64_t kLooks = 4;
    for (std::int64_t i = 0; i < kLooks; ++i) {
      const double value =
          std::abs(tensor::read_complex(*gradient, gradient->offset() + i * (count - 1) / (kLooks - 1)));
      if (std::isfinite(value)) continue;
      NotFinite found = made_by(node, Phase::Backward, std::isnan(value));
      found.is_op_about = true;
      bad_gradient_ = {true, false, std::move(found)};
      return;
    }
  }
}

// A bad gradient is no mistake where it reaches no parameter: a hook may have put it right, or the program left it out.
void Watch::tell_bad_gradient() {
  if (!bad_gradient_.is_found || !report_.is_finite) return;
  for (const ModuleTable::Parameter& row : table_.tensors()) {
    const Ref<Tensor>& gradient = row.tensor->grad();
    if (row.optimizer == kNone || !gradient || !is_watchable(*gradient)) continue;
    const auto is_fine = ops::is_all_finite(*gradient);
    if (!is_fine.ok() || is_fine.value()) continue;
    NotFinite origin = bad_gradient_.origin;
    // What no module ran is told by the parameter that it reached.
    if (origin.module == kNone) {
      origin.module = row.module;
      origin.path = row.path;
    }
    return note_not_finite(std::move(origin));
  }
}

namespace {

// What an op that goes item by item gave, from what it read; nothing if not all of that was kept, or not all finite.
std::optional<ops::Moments> moments_of_result(const ops::OpNode& node) {
  if (!node.op.bodies.is_elementwise) return std::nullopt;
  std::vector<Value> arguments = node.arguments;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty()) continue;
    if (i >= node.saved.size() || node.saved[i].size() != 1 || !node.saved[i][0].tensor()) return std::nullopt;
    const Ref<Tensor>& read = node.saved[i][0].tensor();
    const auto is_fine = read->is_meta() ? object::PyResult<bool>(false) : ops::is_all_finite(*read);
    if (!is_fine.ok() || !is_fine.value()) return std::nullopt;
    arguments[i] = Value(read);
  }
  Interpreter& in = node.interpreter();
  const ops::GradModeGuard unrecorded(in, false);
  const auto made = ops::call_tensor_op(in, node.op.id, arguments);
  if (!made.ok() || !is_watchable(*made.value())) return std::nullopt;
  const auto moments = ops::moments_of(*made.value());
  return moments.ok() ? std::optional(moments.value()) : std::nullopt;
}

}  // namespace

// The graph keeps what most nodes read and gave: the earliest of these numbers that is not finite was made first.
// Where neither the result was kept nor all that it was made of, the op that read it first is named.
void Watch::find_origin(const Tensor& root, bool is_nan, std::uint32_t module_of_root) {
  std::vector<ops::Node*> nodes;
  std::unordered_set<const ops::Node*> seen;
  std::vector<ops::Node*> waiting;
  if (root.grad_fn()) waiting.push_back(static_cast<ops::Node*>(root.grad_fn().get()));
  while (!waiting.empty()) {
    ops::Node* const node = waiting.back();
    waiting.pop_back();
    if (!seen.insert(node).second) continue;
    nodes.push_back(node);
    for (const ops::Edge& edge : node->next) {
      if (edge.node) waiting.push_back(edge.node.get());
    }
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const ops::Node* a, const ops::Node* b) { return a->sequence < b->sequence; });
  const auto look = [](const Tensor& tensor) {
    if (tensor.is_meta() || !tensor::is_floating(tensor.dtype())) return ops::Moments();
    const auto moments = ops::moments_of(tensor);
    return moments.ok() ? moments.value() : ops::Moments();
  };
  for (ops::Node* const node : nodes) {
    auto* const recorded = dynamic_cast<ops::OpNode*>(node);
    if (recorded == nullptr || recorded->is_released()) continue;
    for (const std::vector<ops::SavedTensor>& argument : recorded->saved) {
      for (const ops::SavedTensor& saved : argument) {
        if (!saved.tensor()) continue;
        const Tensor& read = *saved.tensor();
        // A mask of -inf and its like are constants of the program, no mistake.
        if (!read.requires_grad()) continue;
        const ops::Moments moments = look(read);
        if (moments.finite() == moments.count) continue;
        const std::uint32_t number = table_.find(&read);
        if (number != kNone) {
          const ModuleTable::Parameter& row = table_.tensors()[number];
          return note_not_finite({moments.nan > 0, Phase::Optimizer, row.module, row.path});
        }
        const auto* maker = static_cast<const ops::Node*>(read.grad_fn().get());
        return note_not_finite(made_by(maker == nullptr ? *node : *maker, Phase::Forward, moments.nan > 0));
      }
    }
    if (const std::optional<ops::Moments> made = moments_of_result(*recorded); made && made->finite() != made->count)
      return note_not_finite(made_by(*node, Phase::Forward, made->nan > 0));
    for (const ops::SavedTensor& saved : recorded->saved_outputs) {
      if (!saved.tensor()) continue;
      const ops::Moments moments = look(*saved.tensor());
      if (moments.nan == 0) continue;  // -inf is what a softmax's logarithm may give
      return note_not_finite(made_by(*node, Phase::Forward, true));
    }
  }
  NotFinite found{is_nan, Phase::Forward, module_of_root, path_of(module_of_root)};
  if (root.grad_fn()) {
    const auto& maker = static_cast<const ops::Node&>(*root.grad_fn());
    found.op = std::string(maker.type().name());
    found.place = place_of(maker);
  }
  note_not_finite(std::move(found));
}

}  // namespace nns::train
