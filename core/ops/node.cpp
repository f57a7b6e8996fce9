#include "core/ops/node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_map>
#include <utility>

#include "core/object/class.h"
#include "core/object/dict.h"
#include "core/ops/final_callbacks.h"
#include "core/ops/history.h"
#include "core/ops/node_names.h"
#include "core/ops/python_function.h"
#include "core/ops/saved_hooks.h"
#include "core/ops/training_observer.h"
#include "core/ops/view_nodes.h"

namespace nns::ops {

TensorShape facts_of(const Tensor& tensor) {
  return {tensor.shape(), tensor.strides(), tensor.offset(), tensor.dtype(), tensor.device()};
}

namespace {

std::uint32_t reads_of(const OpCall& call) {
  return reads_of(
      call, [](const Tensor& input, std::int64_t) { return needs_gradient(input); }, 0);
}

// Classes of nodes, by name.
class NodeClasses final : public Interpreter::Extension {
 public:
  NodeClasses() = default;
  NodeClasses(const NodeClasses&) = delete;
  NodeClasses& operator=(const NodeClasses&) = delete;
  // What programs wrote to nodes may hold nodes, which look for theirs when they go.
  ~NodeClasses() override { const auto last = std::exchange(metadata, {}); }
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Autograd;
  object::Class* base = nullptr;
  std::vector<std::pair<std::string, object::Class*>> classes;
  FinalCallbacks final_callbacks;
  SavedTensorHooks saved_hooks;
  /// What programs wrote to the nodes that they asked for theirs.
  std::unordered_map<const Node*, Ref<object::Dict>> metadata;
};

NodeClasses& node_classes(Interpreter& interpreter) {
  NodeClasses* known = interpreter.extension<NodeClasses>();
  if (known == nullptr) {
    known = &interpreter.extend(std::make_unique<NodeClasses>());
    known->base = &interpreter.define_class({.name = "Node", .module = "torch.autograd.graph"});
    add_node_methods(*known->base);
    // Behaviour: torch/csrc/autograd/python_cpp_function.cpp, THPCppFunction_metadata.
    known->base->property("metadata", [](Interpreter&, const Value& self) -> PyResult<Value> {
      return Value(Ref<object::Dict>(metadata_of(static_cast<const Node&>(*self.object()), true)));
    });
  }
  return *known;
}

// What goes with it may take other nodes along.
void forget_metadata(const Node& node) {
  auto* const known = node.type().interpreter().extension<NodeClasses>();
  if (known == nullptr || known->metadata.empty()) return;
  const auto held = known->metadata.extract(&node);
}

}  // namespace

std::uint32_t reads_of(const OpCall& call, bool (*is_asked)(const Tensor& input, std::int64_t context),
                       std::int64_t context) {
  const OpBodies& bodies = call.op.bodies;
  if (bodies.joint != nullptr) return bodies.joint_reads;
  std::uint32_t reads = 0;
  for (const Gradient& gradient : bodies.gradients) {
    if (gradient.formula == nullptr) break;
    const Tensor* input = call.tensor(gradient.input);
    if (input != nullptr && is_asked(*input, context)) reads |= gradient.reads;
  }
  return reads;
}

object::Dict* metadata_of(const Node& node, bool create) {
  NodeClasses& known = node_classes(node.interpreter());
  const auto found = known.metadata.find(&node);
  if (found != known.metadata.end()) return found->second.get();
  if (!create) return nullptr;
  return known.metadata.emplace(&node, node.interpreter().dict()).first->second.get();
}

PyResult<void> note_origin(Node& node) {
  Interpreter& in = node.interpreter();
  for (const std::string& name : OpLibrary::of(in).running_modules) {
    node.module_path.append(node.module_path.empty() ? "" : " > ").append(name);
  }
  // Only a program in Python has lines to tell.
  const Value* const format = python_module(in, "torch._C._autograd").find(in.intern("_format_stack"));
  if (format == nullptr) return {};
  NNS_TRY_ASSIGN(const Value lines, in.call(*format, {}));
  object::Dict& metadata = *metadata_of(node, true);
  metadata.set(in.intern("traceback_"), lines);
  const RunningBackward* const running = FinalCallbacks::of(in).state();
  if (running == nullptr) return {};
  if (const Ref<Node> parent = running->current()) metadata.set(in.intern("parent_"), Value(parent));
  return {};
}

FinalCallbacks& FinalCallbacks::of(Interpreter& interpreter) { return node_classes(interpreter).final_callbacks; }
SavedTensorHooks& SavedTensorHooks::of(Interpreter& interpreter) { return node_classes(interpreter).saved_hooks; }

object::Class& node_base_class(Interpreter& interpreter) { return *node_classes(interpreter).base; }

object::Class& node_class(Interpreter& interpreter, std::string_view name) {
  NodeClasses& known = node_classes(interpreter);
  for (const auto& [text, cls] : known.classes) {
    if (text == name) return *cls;
  }
  object::Class& made = interpreter.define_class({.name = name, .module = "builtins", .bases = {known.base}});
  known.classes.emplace_back(name, &made);
  return made;
}

Node::Node(object::Class& cls) : Container(cls), sequence(OpLibrary::of(cls.interpreter()).next_node++) {}

Node::~Node() {
  forget_metadata(*this);
  // A graph can be long: its nodes are taken apart one after another, not each inside the one before.
  std::vector<Edge> waiting = std::move(next);
  while (!waiting.empty()) {
    Edge edge = std::move(waiting.back());
    waiting.pop_back();
    if (!edge.node || edge.node->reference_count() > 1) continue;
    for (Edge& further : edge.node->next) waiting.push_back(std::move(further));
    edge.node->next.clear();
  }
}

void Node::traverse(object::Visitor& visitor) const {
  for (const Edge& edge : next) visitor.visit(edge.node);
  for (const TensorHooks& one : tensor_hooks) visitor.visit(one.hooks);
  visitor.visit(pre_hooks);
  visitor.visit(post_hooks);
  for (const Retained& kept : retained) visitor.visit(kept.tensor);
  const auto* const known = type().interpreter().extension<NodeClasses>();
  if (known == nullptr || known->metadata.empty()) return;
  if (const auto held = known->metadata.find(this); held != known->metadata.end()) visitor.visit(held->second);
}

void Node::clear_references() {
  next.clear();
  tensor_hooks.clear();
  pre_hooks = nullptr;
  post_hooks = nullptr;
  retained.clear();
  forget_metadata(*this);
}

// ---------------------------------------------------------------- recorded ops

OpNode::OpNode(object::Class& cls, const OpInfo& info, OpCall& call, std::span<const Ref<Tensor>> saved_arguments)
    : Node(cls), op(info) {
  const std::uint32_t reads = reads_of(call);
  keep(call, saved_arguments, reads);
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if ((reads & result(static_cast<unsigned>(i))) != 0)
      saved_outputs[i] = SavedTensor(call.outputs[i], true, static_cast<std::uint32_t>(i));
  }
}

OpNode::OpNode(object::Class& cls, const OpInfo& info, OpCall& call, std::span<const Ref<Tensor>> saved_arguments,
               std::uint32_t reads)
    : Node(cls), op(info) {
  keep(call, saved_arguments, reads);
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if ((reads & result(static_cast<unsigned>(i))) != 0) saved_outputs[i] = SavedTensor(call.outputs[i], false, 0);
  }
}

void OpNode::keep(OpCall& call, std::span<const Ref<Tensor>> saved_arguments, std::uint32_t reads) {
  const std::size_t count = call.args.size();
  inputs.resize(count);
  saved.resize(count);
  first_edge.resize(count);
  arguments.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_read = (reads & argument(static_cast<unsigned>(i))) != 0;
    if (const Tensor* one = call.tensor(i)) {
      inputs[i].push_back(facts_of(*one));
      if (is_read) saved[i].emplace_back(saved_arguments[i], false, 0);
      arguments.emplace_back();
    } else if (op.parameters[i].type == ParameterType::Tensors) {
      for (Tensor* item : call.tensors(i)) {
        inputs[i].push_back(facts_of(*item));
        if (is_read) saved[i].emplace_back(Ref<Tensor>(item), false, 0);
      }
      arguments.emplace_back();
    } else {
      arguments.push_back(call.args[i]);
    }
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    outputs.push_back(facts_of(*call.outputs[i]));
    saved_outputs.emplace_back();
  }
}

void OpNode::release_saved() {
  released_ = false;
  for (std::vector<SavedTensor>& list : saved) {
    for (SavedTensor& one : list) {
      released_ = released_ || !one.is_empty();
      one.reset();
    }
  }
  for (SavedTensor& one : saved_outputs) {
    released_ = released_ || !one.is_empty();
    one.reset();
  }
}

void OpNode::traverse(object::Visitor& visitor) const {
  Node::traverse(visitor);
  for (const Value& value : arguments) visitor.visit(value);
  for (const std::vector<SavedTensor>& list : saved) {
    for (const SavedTensor& one : list) one.traverse(visitor);
  }
  for (const SavedTensor& one : saved_outputs) one.traverse(visitor);
}

void OpNode::clear_references() {
  Node::clear_references();
  arguments.clear();
  for (std::vector<SavedTensor>& list : saved) list.clear();
  for (SavedTensor& one : saved_outputs) one.reset();
}

namespace {

bool is_narrow(const Ref<Tensor>& tensor) {
  return tensor && (tensor->dtype() == DType::Float16 || tensor->dtype() == DType::BFloat16);
}

PyResult<void> widen(Ref<Tensor>& tensor) {
  if (!is_narrow(tensor)) return {};
  Interpreter& in = tensor->interpreter();
  NNS_TRY_ASSIGN(tensor,
                 call_tensor_op(in, OpId::to_dtype,
                                std::array{Value(tensor), tensor::TensorLibrary::of(in).dtype_value(DType::Float32)}));
  return {};
}

}  // namespace

PyResult<void> OpNode::apply_widened(Backward& backward) {
  std::vector<Ref<Tensor>> wide(backward.grads.begin(), backward.grads.end());
  for (Ref<Tensor>& one : wide) NNS_TRY(widen(one));
  for (std::vector<Ref<Tensor>>& list : backward.arguments_) {
    for (Ref<Tensor>& one : list) NNS_TRY(widen(one));
  }
  for (Ref<Tensor>& one : backward.outputs_) NNS_TRY(widen(one));
  backward.grads = wide;
  for (const Gradient& gradient : op.bodies.gradients) {
    if (gradient.formula == nullptr) break;
    if (!backward.is_tensor(gradient.input) || !backward.needs(gradient.input)) continue;
    NNS_TRY(backward.give(gradient.input, as_dtype(gradient.formula(backward), backward.input(gradient.input).dtype)));
  }
  return {};
}

PyResult<std::vector<Ref<Tensor>>> OpNode::apply(std::span<const Ref<Tensor>> grads) {
  Backward backward(*this, grads);
  backward.given_.resize(next.size());
  bool any = false;
  for (const Ref<Tensor>& grad : grads) any = any || grad;
  if (!any) return std::move(backward.given_);
  backward.arguments_.resize(saved.size());
  const auto unpack = [&](std::size_t i) -> PyResult<void> {
    for (const SavedTensor& one : saved[i]) {
      NNS_TRY_ASSIGN(Ref<Tensor> kept, one.unpack(*this));
      backward.arguments_[i].push_back(std::move(kept));
    }
    return {};
  };
  if (has_packed_arguments(*this)) [[unlikely]] {
    for (const std::size_t i : packing_order(*this)) NNS_TRY(unpack(i));
  } else {
    for (std::size_t i = 0; i < saved.size(); ++i) NNS_TRY(unpack(i));
  }
  backward.outputs_.resize(saved_outputs.size());
  for (std::size_t i = 0; i < saved_outputs.size(); ++i) {
    if (saved_outputs[i].is_empty()) continue;
    NNS_TRY_ASSIGN(backward.outputs_[i], saved_outputs[i].unpack(*this));
  }
  if (op.bodies.joint != nullptr) {
    NNS_TRY(op.bodies.joint(backward));
    return std::move(backward.given_);
  }
  if (op.bodies.widens_gradients && std::any_of(grads.begin(), grads.end(), is_narrow)) [[unlikely]] {
    NNS_TRY(apply_widened(backward));
    return std::move(backward.given_);
  }
  for (const Gradient& gradient : op.bodies.gradients) {
    if (gradient.formula == nullptr) break;
    if (backward.is_tensor(gradient.input) && backward.needs(gradient.input)) {
      NNS_TRY(backward.give(gradient.input, gradient.formula(backward)));
    }
  }
  return std::move(backward.given_);
}

Term Backward::grad(std::size_t i) const {
  if (grads[i]) return grads[i];
  const TensorShape& shape = node.outputs[i];
  return tensor::zeros(interpreter(), shape.shape, shape.dtype, shape.device);
}

TermArgument Backward::factor(std::size_t i) const {
  const Number given = number(i);
  if (!given.is_complex()) return TermArgument(node.arguments[i]);
  return TermArgument(Value(object::make<object::Complex>(interpreter(), std::conj(given.as_complex()))));
}

Term Backward::tensor_or_number(std::size_t i) const {
  if (is_tensor(i)) return arg(i);
  return full_of(interpreter(), Dims(), node.arguments[i], node.outputs[0].dtype, node.outputs[0].device);
}

PyResult<void> Backward::give(std::size_t i, Term gradient, std::size_t item) {
  if (gradient.is_none()) return {};
  const TensorShape& wanted = input(i, item);
  gradient = sum_to(gradient, wanted.shape);
  if (gradient.ok() && gradient.tensor().dtype() != wanted.dtype) {
    gradient = as_dtype(gradient, wanted.dtype);
  }
  NNS_TRY_ASSIGN(given_[node.first_edge[i] + item], std::move(gradient).take());
  return {};
}

// Behaviour: torch/csrc/autograd/variable.h, DifferentiableViewMeta::requires_grad: a view asks what its base asks.
bool needs_gradient(const Tensor& tensor) {
  if (tensor.requires_grad()) return true;
  const tensor::AutogradMeta* meta = tensor.autograd();
  return meta != nullptr && meta->view_base && meta->view_base->requires_grad();
}

void set_history(Tensor& tensor, const Ref<Node>& node, std::uint32_t number) {
  const auto before = Ref<object::Object>(tensor.grad_fn());
  auto* const meta =
      before && before.get() != node.get() && tensor.autograd() != nullptr ? &tensor.autograd_meta() : nullptr;
  if (meta != nullptr) {
    auto& kept = static_cast<Node&>(*before).retained;
    for (std::size_t i = kept.size(); i-- > 0;) {
      if (kept[i].output != tensor.output_number() || kept[i].tensor->get().get() != &tensor) continue;
      node->retained.push_back({number, std::move(kept[i].tensor)});
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    }
    meta->hooks = nullptr;
  }
  tensor.set_grad_fn(Ref<object::Object>(node.get()), number);
}

PyResult<Ref<Node>> grad_node(Tensor& tensor) {
  const tensor::AutogradMeta* meta = tensor.autograd();
  if (meta != nullptr && meta->view_base && meta->view_version != tensor.version() &&
      meta->view_base->requires_grad()) {
    NNS_TRY(check_written_base(tensor));
    const Ref<Tensor> base = meta->view_base;
    const Ref<Node> made = node_of_view(*base, tensor);
    NNS_TRY_ASSIGN(Edge edge, gradient_edge(*base));
    made->next.push_back(std::move(edge));
    set_history(tensor, made, 0);
    tensor.autograd_meta().view_version = tensor.version();
  }
  return Ref<Node>(static_cast<Node*>(tensor.grad_fn().get()));
}

PyResult<Edge> gradient_edge(Tensor& tensor) {
  if (!needs_gradient(tensor)) return Edge{};
  NNS_TRY_ASSIGN(Ref<Node> node, grad_node(tensor));
  if (node) return Edge{std::move(node), tensor.output_number()};
  // A view that was made without gradients leads nowhere.
  return tensor.requires_grad() ? Edge{accumulator_of(tensor), 0} : Edge{};
}

bool is_recording(const OpCall& call) {
  if (!call.op.is_differentiable()) return false;
  if (!OpLibrary::of(call.interpreter).grad_mode.is_enabled) return false;
  // Tensors of inference mode alone have no history.
  const auto asks = [](const Tensor& one) { return needs_gradient(one) && !one.is_inference(); };
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (const Tensor* one = call.tensor(i)) {
      if (asks(*one)) return true;
    } else if (call.op.parameters[i].type == ParameterType::Tensors) {
      for (const Tensor* item : call.tensors(i)) {
        if (asks(*item)) return true;
      }
    }
  }
  return false;
}

bool reads_first_argument(const OpCall& call) { return (reads_of(call) & argument(0)) != 0; }

// A tensor of inference mode has no count of writes, so none may be kept.
static PyResult<void> check_saved(const OpNode& node) {
  for (const std::vector<SavedTensor>& list : node.saved) {
    for (const SavedTensor& one : list) {
      if (!one.tensor() || !one.tensor()->is_inference()) continue;
      return object::runtime_error(
          node.interpreter(),
          "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
          "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
          "it "
          "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
    }
  }
  return {};
}

namespace {

// Stands where a frame is traced for the node that an op would have.
class TracedNode final : public Node {
 public:
  using Node::Node;
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>>) override {
    return object::runtime_error(interpreter(), "Cannot run backward through what only stands for a tensor");
  }
};

}  // namespace

bool is_traced(const OpCall& call) {
  return !OpLibrary::of(call.interpreter).autocast.meta_device_type.empty() && call.tensor(0) != nullptr &&
         call.tensor(0)->is_meta();
}

// Arguments that look at what was written got their nodes after the write was counted, but before it had a history.
static void forget_histories_of_views(const OpCall& call, const Tensor& target) {
  const tensor::AutogradMeta* const of_target = target.autograd();
  const Tensor* const root = of_target != nullptr && of_target->view_base ? of_target->view_base.get() : &target;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    Tensor* const one = call.tensor(i);
    if (one == nullptr || one->autograd() == nullptr || one->autograd()->view_base.get() != root) continue;
    one->autograd_meta().view_version = one->version() - 1;
  }
}

PyResult<void> record(OpCall& call, const Ref<Tensor>& original) {
  if (is_traced(call)) {
    // Nobody asks it for gradients: only that its outputs require grad counts.
    if (call.op.node_class == nullptr) call.op.node_class = &node_class(call.interpreter, call.op.node_name);
    const auto node = object::make<TracedNode>(*call.op.node_class);
    const tensor::AutogradMeta* meta = original && !call.outputs.empty() ? call.outputs[0]->autograd() : nullptr;
    if (meta != nullptr && meta->view_base) meta->view_base->set_grad_fn(Ref<object::Object>(node.get()));
    for (std::size_t i = 0; i < call.outputs.size() && i < call.op.bodies.differentiable_outputs; ++i) {
      if (tensor::is_differentiable(call.outputs[i]->dtype()))
        call.outputs[i]->set_grad_fn(Ref<object::Object>(node.get()), static_cast<std::uint32_t>(i));
    }
    return {};
  }
  std::array<Ref<Tensor>, 16> saved_arguments;
  for (std::size_t i = 0; i < call.args.size(); ++i) saved_arguments[i] = Ref<Tensor>(call.tensor(i));
  if (original) saved_arguments[0] = original;
  if (call.op.node_class == nullptr) call.op.node_class = &node_class(call.interpreter, call.op.node_name);
  const std::string_view overload = name_of_overload(call);
  object::Class& cls = overload.empty() ? *call.op.node_class : node_class(call.interpreter, overload);
  auto node = object::make<OpNode>(cls, call.op, call, saved_arguments);
  NNS_TRY(check_saved(*node));
  const OpLibrary& library = OpLibrary::of(call.interpreter);
  if (library.grad_mode.detects_anomalies) NNS_TRY(note_origin(*node));
  if (library.training != nullptr) [[unlikely]]
    library.training->node_made(*node);
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    node->first_edge[i] = static_cast<std::uint32_t>(node->next.size());
    if (Tensor* one = call.tensor(i)) {
      NNS_TRY_ASSIGN(Edge edge, gradient_edge(*one));
      node->next.push_back(std::move(edge));
    } else if (call.op.parameters[i].type == ParameterType::Tensors) {
      for (Tensor* item : call.tensors(i)) {
        NNS_TRY_ASSIGN(Edge edge, gradient_edge(*item));
        node->next.push_back(std::move(edge));
      }
    }
  }
  const bool is_packing = SavedTensorHooks::of(call.interpreter).are_in_force();
  if (original && !call.outputs.empty()) {
    Tensor& target = *call.outputs[0];
    forget_histories_of_views(call, target);
    for (std::size_t i = 1; i < node->saved.size(); ++i) {
      for (SavedTensor& one : node->saved[i]) {
        if (one.tensor() && one.tensor()->storage() == target.storage()) one.was_written();
      }
    }
    const tensor::AutogradMeta* meta = target.autograd();
    if (meta != nullptr && meta->view_base) {
      // Written through a view: the base has a new history, and the view asks it again.
      const Ref<Tensor> base = meta->view_base;
      const Ref<Node> slices = node_of_written_base(*base, target, node);
      NNS_TRY_ASSIGN(Edge before, gradient_edge(*base));
      slices->next.push_back(std::move(before));
      for (std::size_t i = 1; i < node->next.size(); ++i) slices->next.push_back(node->next[i]);
      set_history(*base, slices, 0);
      return is_packing ? node->pack_saved(call, saved_arguments) : PyResult<void>();
    }
  }
  for (std::size_t i = 0; i < call.outputs.size() && i < call.op.bodies.differentiable_outputs; ++i) {
    if (!tensor::is_differentiable(call.outputs[i]->dtype())) continue;
    if (original && i == 0) {
      set_history(*call.outputs[i], node, 0);
    } else {
      call.outputs[i]->set_grad_fn(Ref<object::Object>(node.get()), static_cast<std::uint32_t>(i));
    }
  }
  return is_packing ? node->pack_saved(call, saved_arguments) : PyResult<void>();
}

}  // namespace nns::ops
