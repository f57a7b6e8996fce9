#pragma once

#include <optional>

#include "core/ops/op.h"
#include "core/ops/term.h"

namespace nns::ops {

/// What a tensor was when it was recorded: enough to shape its gradient.
struct TensorShape {
  Dims shape;
  Dims strides;
  std::int64_t offset = 0;
  DType dtype = DType::Float32;
  Device device = Device::Cpu;
};

class Node;
/// Where a gradient goes: to output `number` of a node. No node: nobody asks for it.
struct Edge {
  Ref<Node> node;
  std::uint32_t number = 0;
};

/// A node of the graph that backward walks: torch.autograd.graph.Node. Its class is named after it ("AddBackward0").
/// Lifetime: held by the tensors that it made and by the nodes that came after.
class Node : public object::Container {
 public:
  explicit Node(object::Class& cls);
  ~Node() override;

  /// Gradients of the outputs (some may be none) to gradients of the inputs, one an edge.
  virtual PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) = 0;
  /// Drops what was kept for apply().
  virtual void release_saved() {}
  /// Whether release_saved() dropped something that apply() needs.
  virtual bool is_released() const { return false; }

  std::vector<Edge> next;
  /// One an output of the op.
  std::vector<TensorShape> outputs;
  /// Nodes made later come first when both could run.
  std::uint64_t sequence = 0;
  /// Called with the gradient of one output before apply(); what they return replaces it (Tensor.register_hook). The
  /// table is that of the tensor. By id.
  struct TensorHooks {
    std::uint32_t output = 0;
    Ref<object::Dict> hooks;
  };
  std::vector<TensorHooks> tensor_hooks;
  /// Node.register_prehook and register_hook, by id; none until one is registered.
  Ref<object::Dict> pre_hooks, post_hooks;
  /// Tensors that asked to keep their gradient (Tensor.retain_grad).
  struct Retained {
    std::uint32_t output = 0;
    Ref<object::WeakReference> tensor;
  };
  std::vector<Retained> retained;
  /// The qualified name of the module in whose forward the op ran; for anomaly messages.
  std::string module_path;

  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;
};

/// A tensor kept for backward, with the count of writes that it had; or what a pack hook made of it (saved_hooks.h).
class SavedTensor {
 public:
  SavedTensor() = default;
  /// `node` if the tensor is an output of that node: then it is kept without the node, which would hold itself.
  SavedTensor(Ref<Tensor> tensor, bool is_output, std::uint32_t number);

  bool is_empty() const { return !tensor_ && !packed_; }
  /// The tensor as it was. `owner`: the node that keeps it.
  /// Errors: RuntimeError  it was written in place since; what the unpack hook raises; TypeError  that gave no tensor.
  PyResult<Ref<Tensor>> unpack(Node& owner) const;
  /// Hands the tensor, as the program sees it, to the pack hook in force, and keeps what that gives instead.
  /// Behaviour: torch/csrc/autograd/saved_variable.cpp, set_hooks_and_pack_data.
  /// Errors: what the hook raises; RuntimeError  it wrote to the tensor.
  PyResult<void> pack(const Ref<Tensor>& seen);
  /// The same with these hooks, after it was kept: SavedTensor.register_hooks.
  /// Errors: RuntimeError  it has hooks already.
  PyResult<void> register_hooks(Value pack_hook, Value unpack_hook);
  /// Null of an empty or a packed one.
  const Ref<Tensor>& tensor() const { return tensor_; }
  void reset() { *this = SavedTensor(); }
  /// The op that kept it has written it since, too.
  void was_written() { --version_; }
  void traverse(object::Visitor& visitor) const;

 private:
  PyResult<Ref<Tensor>> unpack_by_hook(Node& owner) const;
  PyResult<void> check_version(const Tensor& kept, Node& owner) const;
  PyResult<void> pack_by(const Ref<Tensor>& seen, Value pack_hook, Value unpack_hook);

  Ref<Tensor> tensor_;
  std::uint64_t version_ = 0;
  std::uint32_t number_ = 0;
  bool is_output_ = false;
  /// Whether it had a node of its own when it was kept.
  bool has_node_ = false;
  /// What the pack hook gave, what undoes it, and where gradients of the tensor go unless it is an output.
  struct Packed {
    Value value, unpack_hook;
    Edge edge;
  };
  std::unique_ptr<Packed> packed_;
};

/// A recorded op.
class OpNode final : public Node {
 public:
  OpNode(object::Class& cls, const OpInfo& info, OpCall& call, std::span<const Ref<Tensor>> saved_arguments);
  /// One of forward mode: keeps what `reads` says, and outputs as they are, with their own histories.
  OpNode(object::Class& cls, const OpInfo& info, OpCall& call, std::span<const Ref<Tensor>> saved_arguments,
         std::uint32_t reads);
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override;
  void release_saved() override;
  bool is_released() const override { return released_; }
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;
  /// Gives what is kept to the pack hook in force: arguments by their names in torch, then outputs.
  PyResult<void> pack_saved(const OpCall& call, std::span<const Ref<Tensor>> saved_arguments);

  const OpInfo& op;
  /// The arguments; tensors are left out.
  std::vector<Value> arguments;
  /// By argument: what is known of a tensor (of a list: of each).
  std::vector<std::vector<TensorShape>> inputs;
  std::vector<std::vector<SavedTensor>> saved;
  std::vector<SavedTensor> saved_outputs;
  /// By argument: its first edge in `next`.
  std::vector<std::uint32_t> first_edge;

 private:
  PyResult<void> apply_widened(Backward& backward);
  void keep(OpCall& call, std::span<const Ref<Tensor>> saved_arguments, std::uint32_t reads);

  bool released_ = false;
};

/// Adds the gradient that reaches a leaf to its .grad: torch's AccumulateGrad.
class AccumulateGrad final : public Node {
 public:
  AccumulateGrad(object::Class& cls, Ref<Tensor> leaf);
  ~AccumulateGrad() override;
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override;
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;
  Ref<Tensor> variable;
};

/// One call of a derivative.
class Backward {
 public:
  Backward(OpNode& recorded, std::span<const Ref<Tensor>> gradients) : node(recorded), grads(gradients) {}

  OpNode& node;
  std::span<const Ref<Tensor>> grads;

  Interpreter& interpreter() const { return node.interpreter(); }
  /// The gradient of output `i`; a zero one is made where none came.
  Term grad(std::size_t i = 0) const;
  bool has_grad(std::size_t i) const { return static_cast<bool>(grads[i]); }
  /// A kept argument or result. Must hold: its bit stands in the gradient's `reads`.
  Term arg(std::size_t i, std::size_t item = 0) const { return Term(arguments_[i][item]); }
  Term out(std::size_t i = 0) const { return Term(outputs_[i]); }
  bool is_tensor(std::size_t i) const { return !node.inputs[i].empty(); }
  /// A kept argument that may be None: then a term without a tensor.
  Term optional(std::size_t i) const { return is_tensor(i) ? arg(i) : Term(); }
  /// Whether what the derivative does is recorded, or pushed forward: then it is a formula of ops, else a fused body
  /// may do it.
  bool is_recorded() const {
    const OpLibrary& library = OpLibrary::of(interpreter());
    return library.grad_mode.is_enabled || library.forward != nullptr;
  }
  const Value& value(std::size_t i) const { return node.arguments[i]; }
  std::int64_t integer(std::size_t i) const { return node.arguments[i].as_int(); }
  double real(std::size_t i) const { return Number::of(node.arguments[i]).as_double(); }
  Number number(std::size_t i) const { return Number::of(node.arguments[i]); }
  /// A number that an argument is multiplied by, as its gradient is multiplied: conjugate.
  TermArgument factor(std::size_t i) const;
  bool flag(std::size_t i) const { return node.arguments[i].as_bool(); }
  const TensorShape& input(std::size_t i, std::size_t item = 0) const { return node.inputs[i][item]; }
  std::size_t item_count(std::size_t i) const { return node.inputs[i].size(); }
  /// A number or, where argument `i` was a tensor, that tensor.
  Term tensor_or_number(std::size_t i) const;

  /// Whether anybody asks for the gradient of argument `i`.
  bool needs(std::size_t i, std::size_t item = 0) const {
    return static_cast<bool>(node.next[node.first_edge[i] + item].node);
  }
  /// Gives the gradient of argument `i`.
  PyResult<void> give(std::size_t i, Term gradient, std::size_t item = 0);

 private:
  friend class OpNode;
  std::vector<std::vector<Ref<Tensor>>> arguments_;
  std::vector<Ref<Tensor>> outputs_;
  std::vector<Ref<Tensor>> given_;
};

/// Which arguments the gradients read that `is_asked` says somebody asks for.
std::uint32_t reads_of(const OpCall& call, bool (*is_asked)(const Tensor& input, std::int64_t context),
                       std::int64_t context);
/// The node whose output `tensor` is, made up to date after writes to what it looks at; or none for a leaf.
PyResult<Ref<Node>> grad_node(Tensor& tensor);
/// Where the gradient of `tensor` goes: its node, or for a leaf that requires grad its accumulator.
PyResult<Edge> gradient_edge(Tensor& tensor);
/// The accumulator of a leaf, made at the first question.
Ref<AccumulateGrad> accumulator_of(Tensor& leaf);
/// Adds name() and next_functions to the class of all nodes.
void add_node_methods(object::Class& cls);
/// torch.autograd.graph.Node.
object::Class& node_base_class(Interpreter& interpreter);
/// The class of nodes with this name.
object::Class& node_class(Interpreter& interpreter, std::string_view name);

/// Whether a gradient may be asked of `tensor`: of a view also because what it looks at was written.
bool needs_gradient(const Tensor& tensor);
/// Whether a call on these arguments is to be recorded.
bool is_recording(const OpCall& call);
/// Whether a gradient that is asked reads the first argument, which an in-place call overwrites.
bool reads_first_argument(const OpCall& call);
/// A write in place is about to be recorded.
/// Errors: RuntimeError  the tensor is a view that was made without gradients.
/// Behaviour: torch/csrc/autograd/variable.cpp, handle_view_on_rebase.
PyResult<void> check_recorded_write(const Tensor& target);
/// Errors: RuntimeError  the tensor is a leaf that requires grad, a view of one, or a view that may not be written.
PyResult<void> check_writable(Tensor& target);
/// Notes what a view looks at.
void note_view(OpCall& call);
/// Makes the node of a call that gave its outputs. `original`: of an in-place call, the target as it was before.
PyResult<void> record(OpCall& call, const Ref<Tensor>& original);

}  // namespace nns::ops
