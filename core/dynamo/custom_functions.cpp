// torch.autograd.Function in what is traced: its forward, or an operator of its forward and its backward.
// Behaviour: torch/_dynamo/variables/misc.py, AutogradFunctionVariable; higher_order_ops.py,
// AutogradFunctionApplyVariable.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

// torch.autograd.Function, from which a class derives; null: it does not.
const Class* function_base(const Class& cls) {
  const auto mro = cls.mro();
  const auto found = std::find_if(mro.begin(), mro.end(), [](const Class* one) {
    return one->name() == "Function" && one->module() == "torch.autograd.function";
  });
  return found == mro.end() ? nullptr : *found;
}

bool overrides(const Class& cls, Name name) {
  const Value *const own = cls.lookup(name), *const stock = function_base(cls)->lookup(name);
  return own != nullptr && (stock == nullptr || !own->is(*stock));
}

}  // namespace

bool Translator::is_custom_function(const Class& cls) { return function_base(cls) != nullptr; }

Variable* Translator::run_forward(CustomCall& made, Arguments args) {
  Variable* const needs[] = {tuple(made.needs_input_grad)};
  made.context = call(made.context_class, needs, {});
  if (made.context == nullptr) return nullptr;
  NNS_VARIABLE(forward, load_attribute(made.cls, in_.intern("forward")));
  const Name setup_name = in_.intern("setup_context");
  if (!overrides(*made.cls->value.as<Class>(), setup_name)) {
    std::vector<Variable*> all = {made.context};
    all.insert(all.end(), args.begin(), args.end());
    return call(forward, all, {});
  }
  NNS_VARIABLE(result, call(forward, args, {}));
  Variable* const given[] = {made.context, tuple(std::vector<Variable*>(args.begin(), args.end())), result};
  NNS_VARIABLE(setup, load_attribute(made.cls, setup_name));
  return call(setup, given, {}) == nullptr ? nullptr : result;
}

Variable* Translator::call_custom_function(Variable* cls, Arguments args, Keywords keywords) {
  if (!keywords.empty()) return raise(object::type_error(in_, "apply() takes no keyword arguments"));
  CustomCall made{.cls = cls};
  bool needs_any = false;
  for (Variable* const arg : args) {
    NNS_VARIABLE(value, real(arg));
    const bool is_needed = value->kind == VariableKind::Tensor && value->node->example->requires_grad() && grad_mode_;
    made.needs_input_grad.push_back(constant(Value(is_needed)));
    needs_any = needs_any || is_needed;
  }
  made.context_class = build(engine_.library_value("torch._dynamo._library.autograd", "FunctionContext"), nullptr);
  if (made.context_class == nullptr) return nullptr;
  if (!needs_any) return run_forward(made, args);
  for (const std::string_view rule : {"vjp", "jvp"}) {
    if (!overrides(*cls->value.as<Class>(), in_.intern(rule))) continue;
    return unsupported(fmt::format("Unsupported custom {}", rule), fmt::format("call_apply {}", shown(cls)),
                       fmt::format("Dynamo does not support tracing `torch.autograd.Function` subclasses that define a "
                                   "custom `{}` method.",
                                   rule),
                       {fmt::format("Remove the custom `{}` method if possible.", rule), hints::kSupportable});
  }
  return custom_function_operator(made, args);
}

// The backward as a graph; what it takes of the forward's is its input. False with a failure.
bool Translator::trace_backward(CustomCall& made, Body& backward, std::span<Variable* const> results) {
  const auto run = [&]() -> Variable* {
    std::vector<Variable*> given = {made.context};
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i]->is_none()) {
        given.push_back(constant(Value()));
        continue;
      }
      Tensor& like = *results[i]->node->example;
      Node& grad = graph_->add_placeholder(results.size() == 1 ? "grad" : fmt::format("grad_{}", i));
      grad.is_kept = true;
      grad.variants = results[i]->node->variants;
      const ops::GradModeGuard no_grad(in_, false);
      const PyResult<Value> detached = in_.call_method(Value(Ref<Tensor>(&like)), in_.intern("detach"));
      if (!detached.ok()) return raise(detached.error());
      given.push_back(tensor_of(grad, Ref<Tensor>(detached.value().as<Tensor>())));
      given.back()->has_free_sizes = results[i]->has_free_sizes;
    }
    NNS_VARIABLE(function, load_attribute(made.cls, in_.intern("backward")));
    NNS_VARIABLE(result, call(function, given, {}));
    NNS_VARIABLE(grads, real(result));
    std::vector<Variable*> all = {grads};
    if (grads->kind == VariableKind::Tuple || grads->kind == VariableKind::List) all = grads->items;
    // More than there are inputs may be given where they are None.
    const std::size_t wanted = made.needs_input_grad.size();
    while (all.size() > wanted && real(all.back())->is_none()) all.pop_back();
    if (all.size() != wanted) {
      return raise(object::ErrorKind::RuntimeError,
                   fmt::format("function {}Backward returned an incorrect number of gradients (expected {}, got {})",
                               made.cls->value.as<Class>()->name(), wanted, all.size()));
    }
    return tuple(std::move(all));
  };
  if (!trace_body(backward, run)) return false;
  // One an input that is a tensor.
  backward.outputs.clear();
  for (std::size_t i = 0, leaf = 0; i < made.needs_input_grad.size(); ++i) {
    Variable* const grad = real(backward.result->items[i]);
    const bool is_leaf = grad->kind == VariableKind::Tensor;
    const Argument argument = is_leaf ? node_argument(*backward.leaf_nodes[leaf++]) : constant_argument(Value());
    if (made.is_tensor[i]) backward.outputs.push_back(argument);
  }
  return true;
}

// Both graphs are bodies, the backward's inside of the forward's: what it takes of that is what is saved.
Variable* Translator::custom_function_operator(CustomCall& made, Arguments args) {
  Body forward, backward;
  std::vector<Variable*> results;
  bool is_tuple = false;
  Argument mask{.kind = Argument::Kind::List}, not_differentiable{.kind = Argument::Kind::List};
  // A tensor that is given twice is two inputs.
  for (Variable* const arg : args) {
    const Variable& value = *real(arg);
    made.is_tensor.push_back(value.kind == VariableKind::Tensor);
    mask.items.push_back(constant_argument(Value(bool{made.is_tensor.back()})));
    if (!made.is_tensor.back()) continue;
    const Node* const outside = node_here(*value.node);
    if (outside == nullptr) return nullptr;
    Node& inside = placeholder_for(*forward.graph, *outside, outside->name);
    inside.is_kept = true;
    forward.inputs.push_back({outside, &inside});
  }
  const bool grad_mode = grad_mode_;
  const auto run = [&]() -> Variable* {
    std::vector<Variable*> taken;
    auto input = forward.inputs.begin();
    for (Variable* const arg : args) {
      Variable* const value = real(arg);
      taken.push_back(value);
      if (value->kind != VariableKind::Tensor) continue;
      taken.back() = tensor_of(*input->inside, input->inside->example);
      taken.back()->tensor_class = value->tensor_class;
      taken.back()->has_free_sizes = value->has_free_sizes;
      ++input;
    }
    // Whoever runs the operator turns gradients off around both.
    grad_mode_ = ops::OpLibrary::of(in_).grad_mode.is_enabled = false;
    NNS_VARIABLE(result, run_forward(made, taken));
    NNS_VARIABLE(whole, real(result));
    is_tuple = whole->kind == VariableKind::Tuple;
    results = is_tuple ? whole->items : std::vector<Variable*>{whole};
    for (Variable*& one : results) {
      one = real(one);
      if (one == nullptr) return nullptr;
      if (one->kind == VariableKind::Tensor || one->is_none()) continue;
      return unsupported("autograd.Function forward returned non-Tensor", std::string(type_of(*one).name()),
                         "The forward of a torch.autograd.Function gives a tensor, or a tuple of tensors.",
                         {hints::kUserError});
    }
    return trace_backward(made, backward, results) ? whole : nullptr;
  };
  const bool is_fine = trace_body(forward, run);
  grad_mode_ = ops::OpLibrary::of(in_).grad_mode.is_enabled = grad_mode;
  if (!is_fine) return nullptr;
  std::vector<Variable*> marks;
  NNS_VARIABLE(marked, load_attribute(made.context, in_.intern("_not_differentiable")));
  if (!items_of(marked, marks)) return nullptr;
  for (Variable*& mark : marks) mark = real(mark);
  const auto is_marked = [&](const Variable& one) {
    return std::any_of(marks.begin(), marks.end(), [&](const Variable* mark) { return mark->node == one.node; });
  };
  close_body(backward);
  // The forward's graph gives what it gives, and what the backward's takes.
  Argument given{.kind = Argument::Kind::Tuple}, saved{.kind = Argument::Kind::List};
  std::vector<bool> requires_grad;
  std::size_t leaf = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_none = results[i]->is_none();
    given.items.push_back(is_none ? constant_argument(Value()) : forward.outputs[leaf++]);
    requires_grad.push_back(!is_none && !is_marked(*results[i]) &&
                            tensor::is_differentiable(results[i]->node->example->dtype()));
    if (!is_none && is_marked(*results[i]))
      not_differentiable.items.push_back(constant_argument(Value(static_cast<std::int64_t>(i))));
  }
  for (const BodyInput& one : backward.inputs) saved.items.push_back(node_argument(*one.outside));
  forward.outputs = {is_tuple ? std::move(given) : Argument(given.items[0]), std::move(saved)};
  close_body(forward);
  Node* const of_forward = install_body(forward, "fwd_body");
  Node* const of_backward = of_forward == nullptr ? nullptr : install_body(backward, "bwd_body");
  if (of_backward == nullptr) return nullptr;
  Node& node = operator_node("autograd_function_apply");
  node.args = {node_argument(*of_forward), node_argument(*of_backward)};
  for (const BodyInput& one : forward.inputs) node.args.push_back(node_argument(*one.outside));
  node.kwargs = {{"args_tensor_mask", std::move(mask)}, {"non_differentiable_idx", std::move(not_differentiable)}};
  std::vector<Variable*> parts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]->is_none()) {
      parts.push_back(constant(Value()));
      continue;
    }
    const Node& inner = *results[i]->node;
    Node& part = is_tuple ? item_node(node, i, inner) : node;
    Ref<Tensor> example = inner.example;
    if (requires_grad[i]) {
      // What follows from others, as the program sees it.
      const ops::GradModeGuard with_grad(in_, true);
      const Ref<Tensor> leaf_example = tensor::detach(*example);
      if (leaf_example->set_requires_grad(true).ok()) {
        const PyResult<Value> followed =
            in_.call_method(Value(leaf_example), in_.intern("view_as"), {Value(leaf_example)});
        if (followed.ok()) example = Ref<Tensor>(followed.value().as<Tensor>());
      }
    }
    part.variants = inner.variants;
    parts.push_back(tensor_of(part, example));
    parts.back()->has_free_sizes = results[i]->has_free_sizes;
  }
  return is_tuple ? tuple(std::move(parts)) : parts[0];
}

}  // namespace nns::dynamo
