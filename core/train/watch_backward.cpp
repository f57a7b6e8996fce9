// What a Watch sees of walks backward: times, gradients of outputs, and where a NaN came from.
#include <algorithm>
#include <unordered_set>

#include "core/train/watch.h"

namespace nns::train {

std::uint32_t Watch::module_of(const ops::Node& node) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), node.sequence,
                                      [](std::uint64_t sequence, const Segment& one) { return sequence < one.first; });
  return after == segments_.begin() ? kNone : std::prev(after)->module;
}

void Watch::backward_began(std::span<const Ref<Tensor>> roots) {
  if (backward_depth_++ > 0) return;
  enter(Phase::Backward);
  if (roots.size() != 1 || roots[0]->numel() != 1 || roots[0]->is_meta()) return;
  if (!tensor::is_floating(roots[0]->dtype())) return;
  report_.loss = tensor::read_double(*roots[0], roots[0]->offset());
  report_.has_loss = true;
  if (!std::isfinite(report_.loss)) {
    enter(Phase::Watch);
    find_origin(roots[0]);
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

void Watch::node_ended(ops::Node& node) {
  if (!plan_.times && !plan_.timeline) return;
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

// The graph keeps what its nodes read and gave: the earliest of these numbers that is not finite was made first. Nodes
// whose result nobody keeps are passed over; then the op that read it first is named.
void Watch::find_origin(const Ref<Tensor>& root) {
  std::vector<ops::Node*> nodes;
  std::unordered_set<const ops::Node*> seen;
  std::vector<ops::Node*> waiting;
  if (root->grad_fn()) waiting.push_back(static_cast<ops::Node*>(root->grad_fn().get()));
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
        if (saved.is_empty()) continue;
        const Tensor& read = *saved.tensor();
        // A mask of -inf and its like are constants of the program, no mistake.
        if (!read.requires_grad()) continue;
        const ops::Moments moments = look(read);
        if (moments.finite() == moments.count) continue;
        const std::uint32_t number = table_.find(&read);
        if (number != kNone) {
          const ModuleTable::Parameter& row = table_.tensors()[number];
          return note_not_finite(Phase::Optimizer, moments.nan > 0, row.module, row.path, {});
        }
        const auto* maker = static_cast<const ops::Node*>(read.grad_fn().get());
        const ops::Node& blamed = maker == nullptr ? *node : *maker;
        const std::uint32_t module = module_of(blamed);
        return note_not_finite(Phase::Forward, moments.nan > 0, module,
                               module == kNone ? std::string() : table_.modules()[module].path,
                               std::string(blamed.type().name()));
      }
    }
    for (const ops::SavedTensor& saved : recorded->saved_outputs) {
      if (saved.is_empty()) continue;
      const ops::Moments moments = look(*saved.tensor());
      if (moments.nan == 0) continue;  // -inf is what a softmax's logarithm may give
      const std::uint32_t module = module_of(*node);
      return note_not_finite(Phase::Forward, true, module,
                             module == kNone ? std::string() : table_.modules()[module].path,
                             std::string(node->type().name()));
    }
  }
  note_not_finite(Phase::Forward, std::isnan(report_.loss), kNone, {},
                  root->grad_fn() ? std::string(root->grad_fn()->type().name()) : std::string());
}

}  // namespace nns::train
