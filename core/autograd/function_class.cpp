#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/history.h"
#include "core/ops/saved_hooks.h"
#include "core/ops/term.h"

// torch.autograd.Function: ops that a program defines.
// Behaviour: torch/autograd/function.py, torch/csrc/autograd/python_function.cpp.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;
using object::Class;
using object::Name;

// The node of a custom function, which is also the ctx that forward and backward get.
class FunctionNode final : public ops::Node {
 public:
  FunctionNode(Class& cls, Class& made_by) : Node(cls), function(&made_by) {}

  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override;
  void release_saved() override {
    is_released_ = !saved.empty();
    saved.clear();
  }
  bool is_released() const override { return false; }  // reading the saved tensors says so
  bool saved_are_gone() const { return is_released_; }
  object::Dict* instance_dict(bool create) override {
    if (!attributes_ && create) attributes_ = interpreter().dict();
    return attributes_.get();
  }
  void traverse(object::Visitor& visitor) const override {
    Node::traverse(visitor);
    visitor.visit(function);
    visitor.visit(attributes_);
    visitor.visit(needs_input_grad);
    for (const Ref<Tensor>& tensor : to_save) visitor.visit(tensor);
    for (const ops::SavedTensor& one : saved) one.traverse(visitor);
  }
  void clear_references() override {
    Node::clear_references();
    function = nullptr;
    attributes_ = nullptr;
    needs_input_grad = Value();
    to_save.clear();
    saved.clear();
  }

  Ref<Class> function;
  Value needs_input_grad;
  /// What forward asked to keep, and as it is kept.
  std::vector<Ref<Tensor>> to_save;
  std::vector<ops::SavedTensor> saved;
  std::vector<Ref<Tensor>> dirty;
  std::vector<Ref<Tensor>> non_differentiable;
  bool makes_zeros = true;
  /// The same for what is marked as not differentiable; what is no tensor never has any.
  bool makes_zeros_for_marked = true;
  enum class Output : std::uint8_t { Tensor, Marked, Other };
  std::vector<Output> output_kinds;
  /// By argument of forward: its edge in `next`, or none for what is no tensor.
  std::vector<std::optional<std::size_t>> edge_of;

 private:
  Ref<object::Dict> attributes_;
  bool is_released_ = false;
};

FunctionNode& self_of(Args a) { return static_cast<FunctionNode&>(*a[0].object()); }

PyResult<std::vector<Ref<Tensor>>> FunctionNode::apply(std::span<const Ref<Tensor>> grads) {
  Interpreter& in = interpreter();
  std::vector<Value> arguments = {Value(this)};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Output kind = i < output_kinds.size() ? output_kinds[i] : Output::Tensor;
    const bool has_zeros = makes_zeros && kind != Output::Other && (kind != Output::Marked || makes_zeros_for_marked);
    if (grads[i] || !has_zeros) {
      arguments.emplace_back(grads[i]);
    } else {
      arguments.emplace_back(tensor::zeros(in, outputs[i].shape, outputs[i].dtype, outputs[i].device));
    }
  }
  const Value cls(static_cast<object::Object*>(function.get()));
  const Name names[] = {in.intern("backward"), in.intern("vjp")};
  const Value* const base = ops::python_module(in, "torch.autograd").find(in.intern("Function"));
  const auto overrides = [&](Name name) {
    const Value *const own = function->lookup(name), *const stock = base->as<Class>()->lookup(name);
    return own != nullptr && stock != nullptr && !own->is(*stock);
  };
  const bool has_vjp = overrides(names[1]);
  if (has_vjp && overrides(names[0])) {
    return object::runtime_error(in,
                                 "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                                 "should only implement one of them.");
  }
  NNS_TRY_ASSIGN(const Value backward, object::getattr(in, cls, names[has_vjp ? 1 : 0]));
  NNS_TRY_ASSIGN(const Value made, in.call(backward, arguments));
  std::vector<Value> given;
  if (const auto* tuple = made.as<object::Tuple>()) {
    given.assign(tuple->items().begin(), tuple->items().end());
  } else {
    given.push_back(made);
  }
  // More than there are arguments may be returned if they are None.
  while (given.size() > edge_of.size() && given.back().is_none()) given.pop_back();
  if (given.size() != edge_of.size()) {
    return object::runtime_error(in, "function {} returned an incorrect number of gradients (expected {}, got {})",
                                 type().name(), edge_of.size(), given.size());
  }
  std::vector<Ref<Tensor>> found(next.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].is_none()) continue;
    if (!edge_of[i]) {
      return object::runtime_error(in,
                                   "function {} returned a gradient different than None at position {}, but the "
                                   "corresponding forward input was not a Variable",
                                   type().name(), i + 1);
    }
    found[*edge_of[i]] = Ref<Tensor>(given[i].as<Tensor>());
    if (!found[*edge_of[i]]) {
      return object::type_error(in, "expected Variable or None (got {})", in.type_of(given[i]).name());
    }
  }
  return found;
}

std::vector<Ref<Tensor>> tensors_among(Args values) {
  std::vector<Ref<Tensor>> found;
  for (const Value& value : values) found.emplace_back(value.as<Tensor>());
  return found;
}

PyResult<Value> saved_tensors(Interpreter& in, const Value& self) {
  auto& node = static_cast<FunctionNode&>(*self.object());
  if (node.saved_are_gone()) return object::runtime_error(in, "{}", ops::kSecondTime);
  std::vector<Value> items;
  if (node.saved.empty()) {
    for (const Ref<Tensor>& one : node.to_save) items.emplace_back(one);
  }
  for (const ops::SavedTensor& one : node.saved) {
    if (one.is_empty()) {
      items.emplace_back();
      continue;
    }
    NNS_TRY_ASSIGN(Ref<Tensor> kept, one.unpack(node));
    items.emplace_back(std::move(kept));
  }
  return Value(in.tuple(std::move(items)));
}

Class& context_class(Interpreter& in) {
  Class& cls = in.define_class(
      {.name = "BackwardCFunction", .module = "torch.autograd.function", .bases = {&ops::node_base_class(in)}});
  cls.def("save_for_backward(self, *tensors)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const auto items = a[1].as<object::Tuple>()->items();
    for (const Value& item : items) {
      if (item.is_none() || item.as<Tensor>() != nullptr) continue;
      return object::type_error(interpreter, "save_for_backward can only save variables, but argument {} is of type {}",
                                &item - items.data(), interpreter.type_of(item).name());
    }
    self_of(a).to_save = tensors_among(items);
    return Value();
  });
  cls.def("mark_dirty(self, *args)", [](Interpreter&, Args a) -> PyResult<Value> {
    self_of(a).dirty = tensors_among(a[1].as<object::Tuple>()->items());
    return Value();
  });
  cls.def("mark_non_differentiable(self, *args)", [](Interpreter&, Args a) -> PyResult<Value> {
    self_of(a).non_differentiable = tensors_among(a[1].as<object::Tuple>()->items());
    return Value();
  });
  cls.def("set_materialize_grads(self, value)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(self_of(a).makes_zeros, object::truth(interpreter, a[1]));
    return Value();
  });
  cls.property(
      "_materialize_non_diff_grads",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        return Value(static_cast<FunctionNode&>(*self.object()).makes_zeros_for_marked);
      },
      [](Interpreter& inner, const Value& self, const Value& value) -> PyResult<void> {
        NNS_TRY_ASSIGN(static_cast<FunctionNode&>(*self.object()).makes_zeros_for_marked, object::truth(inner, value));
        return {};
      });
  cls.property("saved_tensors", saved_tensors);
  cls.property("needs_input_grad", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return static_cast<FunctionNode&>(*self.object()).needs_input_grad;
  });
  return cls;
}

// The class of the nodes of a function: "ScaleBackward".
PyResult<Class*> node_class_of(Interpreter& in, Class& function) {
  const Name key = in.intern("_backward_cls");
  if (const Value* own = function.attributes_for_reading().find(key)) return own->as<Class>();
  const Value* base = ops::python_module(in, "torch.autograd.function").find(in.intern("BackwardCFunction"));
  NNS_TRY_ASSIGN(const Ref<Class> made, Class::make(in, {.name = fmt::format("{}Backward", function.name()),
                                                         .module = "torch.autograd.function",
                                                         .bases = {base->as<Class>()}}));
  function.set_attribute(key, Value(static_cast<object::Object*>(made.get())));
  return made.get();
}

bool is_among(const std::vector<Ref<Tensor>>& tensors, const Tensor* one) {
  for (const Ref<Tensor>& tensor : tensors) {
    if (tensor.get() == one) return true;
  }
  return false;
}

// Makes the outputs those of the node. An output that is an argument becomes a view of it, unless it was written.
PyResult<Value> wrap_outputs(Interpreter& in, FunctionNode& node, Args inputs, const Value& made, bool is_recorded) {
  std::vector<Value> items;
  const auto* tuple = made.as<object::Tuple>();
  if (tuple != nullptr)
    items.assign(tuple->items().begin(), tuple->items().end());
  else
    items.push_back(made);
  const std::vector<Ref<Tensor>> given = tensors_among(inputs);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Ref<Tensor> output(items[i].as<Tensor>());
    if (!output) {
      if (!is_recorded) continue;
      node.outputs.emplace_back();
      node.output_kinds.push_back(FunctionNode::Output::Other);
      continue;
    }
    const Tensor* const original = output.get();
    const bool is_input = is_among(given, original);
    const bool is_written = is_among(node.dirty, original);
    if (is_written) {
      output->bump_version();
    } else if (is_input) {
      output = tensor::detach(*output);
      items[i] = Value(output);
    }
    if (!is_recorded) continue;
    node.outputs.push_back(ops::facts_of(*output));
    const bool has_gradient =
        tensor::is_differentiable(output->dtype()) && !is_among(node.non_differentiable, original);
    node.output_kinds.push_back(has_gradient ? FunctionNode::Output::Tensor : FunctionNode::Output::Marked);
    if (!has_gradient) continue;
    if (is_written) {
      ops::set_history(*output, Ref<ops::Node>(&node), static_cast<std::uint32_t>(i));
      continue;
    }
    output->set_grad_fn(Ref<object::Object>(&node), static_cast<std::uint32_t>(i));
    // Writing it would go round the function's backward. Behaviour: torch/csrc/autograd/custom_function.cpp,
    // _process_backward_mode_ad.
    tensor::AutogradMeta& meta = output->autograd_meta();
    if (is_input) {
      Ref<Tensor> base(const_cast<Tensor*>(original));
      if (base->autograd() != nullptr && base->autograd()->view_base) base = base->autograd()->view_base;
      meta.view_base = std::move(base);
    }
    if (!meta.view_base) continue;
    meta.view_version = output->version();
    meta.view_origin = tensor::ViewOrigin::CustomFunction;
  }
  if (!is_recorded) return tuple != nullptr ? Value(in.tuple(std::move(items))) : items[0];
  for (const Ref<Tensor>& one : node.to_save) {
    std::optional<std::uint32_t> number;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (one && items[i].as<Tensor>() == one.get()) number = static_cast<std::uint32_t>(i);
    }
    if (!one) {
      node.saved.emplace_back();
      continue;
    }
    node.saved.emplace_back(one, number.has_value() && one->grad_fn().get() == &node, number.value_or(0));
    if (ops::SavedTensorHooks::of(in).are_in_force()) NNS_TRY(node.saved.back().pack(one));
  }
  node.to_save.clear();
  return tuple != nullptr ? Value(in.tuple(std::move(items))) : items[0];
}

// The arguments of a forward whose setup_context is asked, with the defaults that were left out.
// Behaviour: torch/autograd/function.py, Function.apply.
PyResult<std::vector<Value>> with_defaults(Interpreter& in, const Value& forward, Args given) {
  std::vector<Value> bound(given.begin(), given.end());
  NNS_TRY_ASSIGN(const Value defaults, object::getattr_or_absent(in, forward, in.intern("__defaults__")));
  NNS_TRY_ASSIGN(const Value code, object::getattr_or_absent(in, forward, in.intern("__code__")));
  const auto* const values = defaults.as<object::Tuple>();
  if (values == nullptr || code.is_absent()) return bound;
  NNS_TRY_ASSIGN(const Value count, object::getattr(in, code, in.intern("co_argcount")));
  const auto wanted = static_cast<std::size_t>(count.as_int());
  // The class of a classmethod is given already.
  const std::size_t own = forward.as<object::BoundMethod>() != nullptr ? 1 : 0;
  while (bound.size() + own < wanted && wanted - own - bound.size() <= values->size())
    bound.push_back((*values)[values->size() - (wanted - own - bound.size())]);
  return bound;
}

PyResult<Value> apply_function(Interpreter& in, Args a) {
  Class& function = *a[0].as<Class>();
  const Args inputs = a[1].as<object::Tuple>()->items();
  NNS_TRY_ASSIGN(Class* const node_class, node_class_of(in, function));
  const auto node = object::make<FunctionNode>(*node_class, function);
  const bool is_enabled = ops::OpLibrary::of(in).grad_mode.is_enabled;
  std::vector<Value> needs;
  bool is_recorded = false;
  for (const Value& input : inputs) {
    Tensor* const tensor = input.as<Tensor>();
    const bool is_needed = tensor != nullptr && ops::needs_gradient(*tensor);
    needs.emplace_back(is_needed);
    is_recorded = is_recorded || (is_needed && is_enabled);
    node->edge_of.emplace_back();
    if (tensor == nullptr) continue;
    node->edge_of.back() = node->next.size();
    NNS_TRY_ASSIGN(ops::Edge edge, ops::gradient_edge(*tensor));
    node->next.push_back(std::move(edge));
  }
  node->needs_input_grad = Value(in.tuple(std::move(needs)));
  const Value& cls = a[0];
  const Value context(node);
  Value made;
  {
    const ops::GradModeGuard no_grad(in, false);
    NNS_TRY_ASSIGN(const Value forward, object::getattr(in, cls, in.names().forward));
    NNS_TRY_ASSIGN(const Value setup, object::getattr(in, cls, in.intern("setup_context")));
    if (setup.as<object::NativeFunction>() == nullptr ||
        setup.as<object::NativeFunction>()->qualified_name() != "_SingleLevelFunction.setup_context") {
      NNS_TRY_ASSIGN(const std::vector<Value> bound, with_defaults(in, forward, inputs));
      NNS_TRY_ASSIGN(made, in.call(forward, bound));
      NNS_TRY(in.call(setup, {context, Value(in.tuple(bound)), made}));
    } else {
      std::vector<Value> arguments = {context};
      arguments.insert(arguments.end(), inputs.begin(), inputs.end());
      NNS_TRY_ASSIGN(made, in.call(forward, arguments));
    }
  }
  return wrap_outputs(in, *node, inputs, made, is_recorded);
}

PyResult<Value> must_be_overridden(Interpreter& in, std::string_view what) {
  return object::make_error(in, object::ErrorKind::NotImplementedError, what);
}

// backward of a function marked with once_differentiable: what it gives has no history, and says so when asked.
class ErrorNode final : public ops::Node {
 public:
  explicit ErrorNode(Class& cls) : Node(cls) {}
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>>) override {
    return object::runtime_error(interpreter(),
                                 "trying to differentiate twice a function that was marked with @once_differentiable");
  }
};

PyResult<Value> once_differentiable(Interpreter& in, Args a) {
  return Value(in.function("wrapper(ctx, *args)", [function = a[0]](Interpreter& inner, Args b) -> PyResult<Value> {
    const Args given = b[1].as<object::Tuple>()->items();
    std::vector<Value> arguments = {b[0]};
    arguments.insert(arguments.end(), given.begin(), given.end());
    bool asks = false;
    for (const Value& value : given) {
      const Tensor* const one = value.as<Tensor>();
      asks = asks || (one != nullptr && one->requires_grad());
    }
    asks = asks && ops::OpLibrary::of(inner).grad_mode.is_enabled;
    const ops::GradModeGuard no_grad(inner, false);
    NNS_TRY_ASSIGN(Value made, inner.call(function, arguments));
    if (!asks) return made;
    const auto node = object::make<ErrorNode>(ops::node_class(inner, "torch::autograd::Error"));
    const auto refuse = [&node](const Value& value) -> Value {
      const Tensor* const one = value.as<Tensor>();
      if (one == nullptr) return value;
      Ref<Tensor> marked = tensor::detach(*one);
      marked->set_grad_fn(Ref<object::Object>(node.get()), static_cast<std::uint32_t>(node->outputs.size()));
      node->outputs.push_back({one->shape(), one->strides(), one->offset(), one->dtype(), one->device()});
      return Value(std::move(marked));
    };
    const auto* tuple = made.as<object::Tuple>();
    if (tuple == nullptr) return refuse(made);
    std::vector<Value> items;
    for (const Value& item : tuple->items()) items.push_back(refuse(item));
    return Value(inner.tuple(std::move(items)));
  }));
}

}  // namespace

void add_function_class(Interpreter& interpreter) {
  constexpr std::string_view kModule = "torch.autograd.function";
  ops::python_module(interpreter, kModule)
      .set(interpreter.intern("BackwardCFunction"), Value(static_cast<object::Object*>(&context_class(interpreter))));
  Class& cls = add_python_class(interpreter, kModule, "Function");
  cls.def_class("apply(cls, *args)", apply_function);
  cls.def_static("forward(*args, **kwargs)", [](Interpreter& in, Args) {
    return must_be_overridden(in, "You must implement the forward function for custom autograd.Function.");
  });
  for (const char* const rule : {"backward(ctx, *grad_outputs)", "vjp(ctx, *grad_outputs)"}) {
    cls.def_static(rule, [](Interpreter& in, Args) {
      return must_be_overridden(
          in,
          "You must implement either the backward or vjp method for your custom autograd.Function "
          "to use it with backward mode AD.");
    });
  }
  cls.attribute(
      "setup_context",
      Value(object::make<object::WrappedMethod>(
          interpreter, object::WrappedMethod::Binding::Static,
          Value(object::NativeFunction::make(
              interpreter, "setup_context(ctx, inputs, output)",
              [](Interpreter& in, Args) { return must_be_overridden(in, "setup_context is not implemented."); },
              "_SingleLevelFunction")))));
  object::Dict& autograd = ops::python_module(interpreter, "torch.autograd");
  autograd.set(interpreter.intern("Function"), Value(static_cast<object::Object*>(&cls)));
  add_python_function(interpreter, kModule, "once_differentiable(fn)", once_differentiable);
}

}  // namespace nns::autograd
