#include "core/autograd/engine.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <queue>
#include <typeinfo>
#include <unordered_map>

#include "core/autograd/node_hooks.h"
#include "core/object/operations.h"
#include "core/ops/dispatch.h"
#include "core/ops/final_callbacks.h"
#include "core/ops/history.h"
#include "core/ops/sparse_items.h"
#include "core/ops/training_observer.h"
#include "core/tensor/capture.h"

namespace nns::autograd {
namespace {

using ops::Edge;
using ops::Node;
using ops::OpId;

// What a run knows of a node.
struct Visit {
  /// Gradients that are still to come.
  std::int64_t waiting_for = 0;
  std::vector<Ref<Tensor>> grads;
  bool is_needed = true;
  bool is_counted = false;
  bool is_queued = false;
  bool is_marked = false;
};

// A gradient that somebody asked for: of this output of this node.
struct Capture {
  Node* node = nullptr;
  std::uint32_t number = 0;
  Ref<Tensor> grad;
};

bool can_be_expanded(const tensor::Dims& from, const tensor::Dims& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t size = from[from.size() - 1 - i];
    if (size != 1 && size != to[to.size() - 1 - i]) return false;
  }
  return true;
}

struct Later {
  bool operator()(const Ref<Node>& a, const Ref<Node>& b) const { return a->sequence < b->sequence; }
};

// What is known of the tensor at the end of an edge.
ops::TensorShape shape_of(const Endpoint& end) {
  if (end.tensor) return ops::facts_of(*end.tensor);
  return end.edge.number < end.edge.node->outputs.size() ? end.edge.node->outputs[end.edge.number] : ops::TensorShape{};
}

class Run final : public ops::RunningBackward {
 public:
  Run(Interpreter& interpreter, const BackwardOptions& options) : interpreter_(interpreter), options_(options) {}

  PyResult<void> add_root(const Endpoint& root, const Ref<Tensor>& given) {
    const Edge& edge = root.edge;
    if (!edge.node) {
      return object::runtime_error(
          interpreter_, "element {} of tensors does not require grad and does not have a grad_fn", roots_.size());
    }
    Ref<Tensor> grad = given;
    const ops::TensorShape known = shape_of(root);
    if (!grad) {
      if (tensor::element_count(known.shape) != 1)
        return object::runtime_error(interpreter_, "grad can be implicitly created only for scalar outputs");
      if (tensor::is_complex(known.dtype)) {
        return object::runtime_error(interpreter_,
                                     "grad can be implicitly created only for real scalar outputs but got {}",
                                     tensor::info(known.dtype).scalar_name);
      }
      if (root.tensor && ops::is_dispatched(*root.tensor)) {
        NNS_TRY_ASSIGN(const Value made, ops::dispatch(interpreter_, "ones_like", {{"self", Value(root.tensor)}}));
        grad = Ref<Tensor>(made.as<Tensor>());
      }
      if (!grad) grad = tensor::ones(interpreter_, known.shape, known.dtype, known.device);
    } else if (!(grad->shape() == known.shape)) {
      return object::runtime_error(
          interpreter_, "Mismatch in shape: grad_output[{}] has a shape of {} and output[{}] has a shape of {}.",
          roots_.size(), tensor::size_text(grad->shape()), roots_.size(), tensor::size_text(known.shape));
    }
    roots_.push_back(edge.node);
    if (root.tensor) root_tensors_.push_back(root.tensor);
    NNS_TRY(deliver(visits_[edge.node.get()], edge, std::move(grad)));
    return {};
  }

  void add_capture(Capture* capture) { captures_.push_back(capture); }
  /// A node that is evaluated, and only those that lead to such are.
  void add_target(Node* node) { targets_.push_back(node); }

  bool will_evaluate(const Node& node) const override {
    const auto found = visits_.find(const_cast<Node*>(&node));
    return found != visits_.end() && found->second.is_counted && (goes_everywhere() || found->second.is_needed);
  }
  bool captures_at(const Node& node) const override {
    return std::any_of(captures_.begin(), captures_.end(), [&](const Capture* one) { return one->node == &node; });
  }
  Ref<Node> current() const override { return Ref<Node>(current_); }
  std::vector<Ref<Node>> order() const override {
    std::unordered_map<const Node*, std::int64_t> waiting_for;
    Queue ready = ready_;
    std::vector<Ref<Node>> found;
    const auto walk_on = [&](const Node& node) {
      for (const Edge& edge : node.next) {
        if (!edge.node) continue;
        const auto visit = visits_.find(edge.node.get());
        if (visit == visits_.end()) continue;
        std::int64_t& count = waiting_for.try_emplace(edge.node.get(), visit->second.waiting_for).first->second;
        if (--count == 0 && will_evaluate(*edge.node)) ready.push(edge.node);
      }
    };
    if (current_ != nullptr) {
      found.emplace_back(current_);
      walk_on(*current_);
    }
    while (!ready.empty()) {
      const Ref<Node> node = ready.top();
      ready.pop();
      found.push_back(node);
      walk_on(*node);
    }
    return found;
  }

  PyResult<void> run() {
    ops::TrainingObserver* const watching = ops::OpLibrary::of(interpreter_).training;
    if (watching == nullptr) [[likely]]
      return walk();
    watching->backward_began(root_tensors_);
    PyResult<void> done = walk();
    watching->backward_ended(done.ok());
    return done;
  }

 private:
  using Queue = std::priority_queue<Ref<Node>, std::vector<Ref<Node>>, Later>;

  PyResult<void> walk() {
    count_dependencies();
    if (!goes_everywhere()) mark_needed();
    ops::FinalCallbacks::Backward callbacks(ops::FinalCallbacks::of(interpreter_), goes_everywhere(), *this);
    ops::GradModeGuard mode(interpreter_, options_.create_graph);
    Queue& ready = ready_;
    for (const Ref<Node>& root : roots_) {
      Visit& visit = visits_[root.get()];
      if (visit.waiting_for == 0 && !std::exchange(visit.is_queued, true)) ready.push(root);
    }
    while (!ready.empty()) {
      const Ref<Node> node = ready.top();
      ready.pop();
      Visit& known = visits_[node.get()];
      Visit visit{.grads = std::move(known.grads), .is_needed = known.is_needed};
      known.grads.clear();
      visit.grads.resize(std::max<std::size_t>(node->outputs.size(), 1));
      std::vector<Ref<Tensor>> given;
      if (visit.is_needed) {
        current_ = node.get();
        NNS_TRY_ASSIGN(given, evaluate(*node, visit));
        current_ = nullptr;
      }
      for (std::size_t i = 0; i < node->next.size(); ++i) {
        const Edge& edge = node->next[i];
        if (!edge.node) continue;
        Visit& next = visits_[edge.node.get()];
        if (i < given.size() && given[i]) {
          NNS_TRY(validate(*node, i, edge, given[i]));
          NNS_TRY(deliver(next, edge, std::move(given[i])));
        }
        if (--next.waiting_for == 0 && !std::exchange(next.is_queued, true)) ready.push(edge.node);
      }
    }
    return callbacks.finish();
  }

  // A gradient has the shape and the dtype of what it is the gradient of.
  // Behaviour: torch/csrc/autograd/engine.cpp, validate_outputs.
  PyResult<void> validate(const Node& node, std::size_t index, const Edge& edge, Ref<Tensor>& grad) const {
    // The class is final: no need to search its bases.
    const Node& target = *edge.node;
    const auto* const leaf =
        typeid(target) == typeid(ops::AccumulateGrad) ? static_cast<const ops::AccumulateGrad*>(&target) : nullptr;
    if ((leaf == nullptr && edge.number >= edge.node->outputs.size()) || grad->sparse() != nullptr) return {};
    // A leaf may have got other data since.
    const tensor::Dims& shape = leaf != nullptr ? leaf->variable->shape() : edge.node->outputs[edge.number].shape;
    const tensor::DType dtype = leaf != nullptr ? leaf->variable->dtype() : edge.node->outputs[edge.number].dtype;
    if (!(grad->shape() == shape)) {
      if (!can_be_expanded(shape, grad->shape())) {
        return object::runtime_error(
            interpreter_,
            "Function {} returned an invalid gradient at index {} - got [{}] but expected shape compatible with [{}]",
            node.type().name(), index, fmt::join(grad->shape().span(), ", "), fmt::join(shape.span(), ", "));
      }
      NNS_TRY_ASSIGN(grad, ops::sum_to(grad, shape).take());
    }
    const bool is_other = grad->dtype() != dtype && tensor::is_floating(grad->dtype()) && tensor::is_floating(dtype);
    if (!is_other) return {};
    NNS_TRY_ASSIGN(
        grad, ops::call_tensor_op(interpreter_, OpId::to_dtype,
                                  std::array{Value(grad), tensor::TensorLibrary::of(interpreter_).dtype_value(dtype)}));
    return {};
  }

  // Adds a gradient to those that wait at a node, the one that `visit` is about.
  PyResult<void> deliver(Visit& visit, const Edge& edge, Ref<Tensor> grad) {
    if (visit.grads.size() <= edge.number)
      visit.grads.resize(std::max<std::size_t>(edge.number + 1, edge.node->outputs.size()));
    Ref<Tensor>& sum = visit.grads[edge.number];
    if (!sum) {
      sum = std::move(grad);
      return {};
    }
    NNS_TRY_ASSIGN(sum, ops::sum_of_gradients(*sum, *grad));
    return {};
  }

  void count_dependencies() {
    std::vector<Node*> waiting;
    for (const Ref<Node>& root : roots_) {
      if (!std::exchange(visits_[root.get()].is_counted, true)) waiting.push_back(root.get());
    }
    while (!waiting.empty()) {
      Node* const node = waiting.back();
      waiting.pop_back();
      order_.push_back(node);
      for (const Edge& edge : node->next) {
        if (!edge.node) continue;
        Visit& visit = visits_[edge.node.get()];
        ++visit.waiting_for;
        if (!std::exchange(visit.is_counted, true)) waiting.push_back(edge.node.get());
      }
    }
  }

  bool goes_everywhere() const { return captures_.empty() && targets_.empty(); }

  // Of torch.autograd.grad: only nodes on a way to an input are evaluated.
  void mark_needed() {
    for (Node* const node : order_) visits_[node].is_needed = false;
    for (const Capture* capture : captures_) visits_[capture->node].is_needed = true;
    for (Node* const target : targets_) visits_[target].is_needed = true;
    // What a node leads to is known before the node. Numbers of nodes do not tell: that of a view whose base was
    // written is made when somebody asks for it, behind the node that asks.
    struct Step {
      Node* node;
      std::size_t next = 0;
    };
    std::vector<Step> path;
    const auto enter = [&](Node* node) {
      if (!std::exchange(visits_[node].is_marked, true)) path.push_back({node});
    };
    for (const Ref<Node>& root : roots_) {
      enter(root.get());
      while (!path.empty()) {
        Step& step = path.back();
        if (step.next < step.node->next.size()) {
          Node* const below = step.node->next[step.next++].node.get();
          if (below != nullptr) enter(below);
          continue;
        }
        for (const Edge& edge : step.node->next) {
          if (edge.node && visits_[edge.node.get()].is_needed) visits_[step.node].is_needed = true;
        }
        path.pop_back();
      }
    }
  }

  PyResult<std::vector<Ref<Tensor>>> evaluate(Node& node, Visit& visit) {
    // What is asked for at a node that is evaluated too, is what came in; else what the tensor's hooks made of that.
    // Behaviour: torch/csrc/autograd/engine.cpp, evaluate_function.
    bool is_leading_on = goes_everywhere() || std::find(targets_.begin(), targets_.end(), &node) != targets_.end();
    for (const Edge& edge : node.next)
      is_leading_on = is_leading_on || (edge.node && visits_[edge.node.get()].is_needed);
    if (!is_leading_on) NNS_TRY(run_tensor_hooks(interpreter_, node, visit.grads));
    for (Capture* const capture : captures_) {
      if (capture->node == &node) capture->grad = visit.grads[capture->number];
    }
    if (!is_leading_on) return std::vector<Ref<Tensor>>();
    NNS_TRY(run_tensor_hooks(interpreter_, node, visit.grads));
    NNS_TRY(run_pre_hooks(interpreter_, node, visit.grads));
    if (node.is_released()) return object::runtime_error(interpreter_, "{}", ops::kSecondTime);
    ops::TrainingObserver* const watching = ops::OpLibrary::of(interpreter_).training;
    if (watching != nullptr) [[unlikely]]
      watching->node_began(node, visit.grads);
    PyResult<std::vector<Ref<Tensor>>> given = node.apply(visit.grads);
    if (watching != nullptr) [[unlikely]]
      watching->node_ended(node,
                           given.ok() ? std::span<const Ref<Tensor>>(given.value()) : std::span<const Ref<Tensor>>());
    if (ops::OpLibrary::of(interpreter_).grad_mode.detects_anomalies) {
      if (given.ok()) given = check_anomaly(interpreter_, node, std::move(given).value());
      if (!given.ok()) tell_origin(interpreter_, node);
    }
    if (!given.ok()) return given;
    NNS_TRY(run_post_hooks(interpreter_, node, given.value(), visit.grads));
    if (!options_.retain_graph) node.release_saved();
    return given;
  }

  Interpreter& interpreter_;
  BackwardOptions options_;
  Queue ready_;
  Node* current_ = nullptr;
  std::vector<Ref<Node>> roots_;
  std::vector<Ref<Tensor>> root_tensors_;
  std::vector<Node*> order_;
  std::vector<Capture*> captures_;
  std::vector<Node*> targets_;
  std::unordered_map<Node*, Visit> visits_;
};

BackwardOptions completed(BackwardOptions options) {
  options.retain_graph = options.retain_graph || options.create_graph;
  return options;
}

PyResult<std::vector<Endpoint>> endpoints_of(std::span<const Ref<Tensor>> tensors) {
  std::vector<Endpoint> made;
  for (const Ref<Tensor>& tensor : tensors) {
    NNS_TRY_ASSIGN(Endpoint one, endpoint_of(tensor));
    made.push_back(std::move(one));
  }
  return made;
}

constexpr std::string_view kNotUsed =
    "appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.";

}  // namespace

PyResult<Endpoint> endpoint_of(const Ref<Tensor>& tensor) {
  NNS_TRY_ASSIGN(Edge edge, ops::gradient_edge(*tensor));
  return Endpoint{std::move(edge), tensor};
}

PyResult<void> backward(Interpreter& interpreter, std::span<const Ref<Tensor>> roots,
                        std::span<const Ref<Tensor>> gradients, const BackwardOptions& options) {
  NNS_TRY_ASSIGN(const std::vector<Endpoint> from, endpoints_of(roots));
  return backward_into(interpreter, from, {}, gradients, options);
}

PyResult<void> backward_into(Interpreter& interpreter, std::span<const Endpoint> roots,
                             std::span<const Endpoint> inputs, std::span<const Ref<Tensor>> gradients,
                             const BackwardOptions& options) {
  Run run(interpreter, completed(options));
  for (std::size_t i = 0; i < roots.size(); ++i) {
    NNS_TRY(run.add_root(roots[i], i < gradients.size() ? gradients[i] : Ref<Tensor>()));
  }
  for (const Endpoint& input : inputs) {
    if (!input.edge.node)
      return object::runtime_error(interpreter, "One of the differentiated Tensors does not require grad");
    // What is no leaf keeps its gradient from then on.
    if (input.tensor) NNS_TRY(retain_gradient(*input.tensor));
    run.add_target(input.edge.node.get());
  }
  return run.run();
}

PyResult<std::vector<Ref<Tensor>>> grad(Interpreter& interpreter, std::span<const Endpoint> roots,
                                        std::span<const Endpoint> inputs, std::span<const Ref<Tensor>> gradients,
                                        const BackwardOptions& options) {
  Run run(interpreter, completed(options));
  for (std::size_t i = 0; i < roots.size(); ++i) {
    NNS_TRY(run.add_root(roots[i], i < gradients.size() ? gradients[i] : Ref<Tensor>()));
  }
  std::vector<Capture> captures;
  for (const Endpoint& input : inputs) {
    if (!input.edge.node)
      return object::runtime_error(interpreter, "One of the differentiated Tensors does not require grad");
    captures.push_back({input.edge.node.get(), input.edge.number, {}});
  }
  for (Capture& capture : captures) run.add_capture(&capture);
  NNS_TRY(run.run());
  std::vector<Ref<Tensor>> found;
  for (std::size_t i = 0; i < captures.size(); ++i) {
    if (!captures[i].grad && !options.allow_unused) {
      return object::runtime_error(interpreter, "The differentiated Tensor at index {} {}", i, kNotUsed);
    }
    found.push_back(captures[i].grad);
  }
  return found;
}

PyResult<std::vector<Ref<Tensor>>> grad(Interpreter& interpreter, std::span<const Ref<Tensor>> roots,
                                        std::span<const Ref<Tensor>> inputs, std::span<const Ref<Tensor>> gradients,
                                        const BackwardOptions& options) {
  NNS_TRY_ASSIGN(const std::vector<Endpoint> from, endpoints_of(roots));
  NNS_TRY_ASSIGN(const std::vector<Endpoint> to, endpoints_of(inputs));
  return grad(interpreter, from, to, gradients, options);
}

}  // namespace nns::autograd
