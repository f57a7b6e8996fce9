#include "core/autograd/forward_mode.h"
#include "core/autograd/function_node.h"
#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/history.h"
#include "core/ops/saved_hooks.h"
#include "core/ops/term.h"
#include "core/ops/training_observer.h"

// torch.autograd.Function: ops that a program defines.
// Behaviour: torch/autograd/function.py, torch/csrc/autograd/python_function.cpp.
namespace nns::autograd {
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
  const object::Name names[] = {in.intern("backward"), in.intern("vjp")};
  const Value* const base = ops::python_module(in, "torch.autograd").find(in.intern("Function"));
  const auto overrides = [&](object::Name name) {
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

namespace {

using Args = std::span<const Value>;
using object::Class;
using object::Name;

FunctionNode& self_of(Args a) { return static_cast<FunctionNode&>(*a[0].object()); }

std::vector<Ref<Tensor>> tensors_among(Args values) {
  std::vector<Ref<Tensor>> found;
  for (const Value& value : values) found.emplace_back(value.as<Tensor>());
  return found;
}

PyResult<Value> saved_tensors(Interpreter& in, const Value& self) {
  auto& node = static_cast<FunctionNode&>(*self.object());
  if (node.saved_are_gone()) return object::runtime_error(in, "{}", ops::kSecondTime);
  if (node.is_in_jvp) return Value(in.tuple(node.saved_for_forward));
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
  cls.def("save_for_forward(self, *tensors)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const auto items = a[1].as<object::Tuple>()->items();
    for (const Value& item : items) {
      if (item.is_none() || item.as<Tensor>() != nullptr) continue;
      return object::type_error(interpreter,
                                "save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                                "attributes on ctx.");
    }
    self_of(a).saved_for_forward.assign(items.begin(), items.end());
    return Value();
  });
  cls.def("mark_dirty(self, *args)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const auto items = a[1].as<object::Tuple>()->items();
    for (const Value& item : items) {
      if (item.as<Tensor>() != nullptr) continue;
      return object::type_error(interpreter, "mark_dirty can only accept variables, but argument {} is of type {}",
                                &item - items.data(), interpreter.type_of(item).name());
    }
    self_of(a).dirty = tensors_among(items);
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
  cls.property("saved_variables", [](Interpreter& interpreter, const Value& self) -> PyResult<Value> {
    interpreter.warn(object::ErrorKind::DeprecationWarning, "'saved_variables' is deprecated; use 'saved_tensors'");
    return saved_tensors(interpreter, self);
  });
  cls.property("_raw_saved_tensors", [](Interpreter& interpreter, const Value& self) -> PyResult<Value> {
    auto& node = static_cast<FunctionNode&>(*self.object());
    if (node.saved_are_gone()) return object::runtime_error(interpreter, "{}", ops::kSecondTime);
    std::vector<Value> items;
    for (std::size_t i = 0; i < node.saved.size(); ++i) {
      items.push_back(ops::saved_object(interpreter, Ref<ops::Node>(&node),
                                        [&node, i] { return i < node.saved.size() ? &node.saved[i] : nullptr; }));
    }
    return Value(interpreter.tuple(std::move(items)));
  });
  cls.property("non_differentiable", [](Interpreter& interpreter, const Value& self) -> PyResult<Value> {
    const auto& marked = static_cast<FunctionNode&>(*self.object()).non_differentiable;
    return Value(interpreter.tuple(std::vector<Value>(marked.begin(), marked.end())));
  });
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
  const ops::OpLibrary& library = ops::OpLibrary::of(in);
  if (library.grad_mode.detects_anomalies && is_recorded) NNS_TRY(ops::note_origin(*node));
  if (library.training != nullptr && is_recorded) library.training->node_made(*node);
  const Value& cls = a[0];
  const Value context(node);
  Value made;
  {
    const ops::GradModeGuard no_grad(in, false);
    const TangentPusher::Disabled none(TangentPusher::of(in));
    NNS_TRY_ASSIGN(const Value forward, object::getattr(in, cls, in.names().forward));
    NNS_TRY_ASSIGN(const Value setup, object::getattr(in, cls, in.intern("setup_context")));
    if (setup.as<object::NativeFunction>() == nullptr ||
        setup.as<object::NativeFunction>()->qualified_name() != "_SingleLevelFunction.setup_context") {
      node->has_own_setup = true;
      NNS_TRY_ASSIGN(const std::vector<Value> bound, with_defaults(in, forward, inputs));
      NNS_TRY_ASSIGN(made, in.call(forward, bound));
      NNS_TRY(in.call(setup, {context, Value(in.tuple(bound)), made}));
    } else {
      // torch.func counts its transforms. Behaviour: torch/autograd/function.py, Function.apply.
      const Value* const transforms = ops::python_module(in, "torch._C._autograd").find(in.intern("_transforms"));
      // Those of torch itself stand for ops.
      if (transforms != nullptr && transforms->is_int() && transforms->as_int() > 0 &&
          !function.module().starts_with("torch.")) {
        return object::runtime_error(
            in,
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html");
      }
      std::vector<Value> arguments = {context};
      arguments.insert(arguments.end(), inputs.begin(), inputs.end());
      NNS_TRY_ASSIGN(made, in.call(forward, arguments));
    }
  }
  NNS_TRY_ASSIGN(Value wrapped, wrap_outputs(in, *node, inputs, made, is_recorded));
  if (ops::OpLibrary::of(in).forward != nullptr) [[unlikely]]
    NNS_TRY(push_tangents(in, *node, inputs, made, wrapped));
  node->saved_for_forward.clear();
  return wrapped;
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
  cls.def("__init__(self, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    in.warn(
        object::ErrorKind::DeprecationWarning,
        fmt::format("<class '{}.{}'> should not be instantiated. Methods on autograd functions are all static, so you "
                    "should invoke them on the class itself. Instantiating an autograd function will raise an error "
                    "in a future version of PyTorch.",
                    in.type_of(a[0]).module(), in.type_of(a[0]).name()));
    return Value();
  });
  cls.def("__call__(self, *args, **kwargs)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::runtime_error(
        in,
        "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
        "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)");
  });
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
  cls.def_static("jvp(ctx, *grad_inputs)", [](Interpreter& in, Args) {
    return must_be_overridden(
        in, "You must implement the jvp function for custom autograd.Function to use it with forward mode AD.");
  });
  cls.def_static("vmap(info, in_dims, *args)", [](Interpreter& in, Args) {
    return must_be_overridden(in,
                              "To use autograd.Function with vmap, you must either override the vmap staticmethod or "
                              "set generate_vmap_rule=True.");
  });
  cls.attribute("generate_vmap_rule", Value(false));
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
