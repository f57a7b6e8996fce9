#include "core/autograd/node_hooks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/autograd/removable_handle.h"
#include "core/object/operations.h"
#include "core/ops/history.h"
#include "core/ops/sparse_items.h"
#include "core/ops/training_observer.h"
#include "core/tensor/capture.h"

// Behaviour: torch/csrc/autograd/python_hook.cpp, torch/csrc/autograd/anomaly_mode.cpp.
namespace nns::autograd {
namespace {

using object::Dict;
using object::Value;

// A capture would not call it again.
constexpr std::string_view kHook = "a hook of a tensor or of a node ran in backward";

// The node as that of a leaf, or null. Only leaves have this number.
const ops::AccumulateGrad* accumulator(const ops::Node& node) {
  return node.sequence == ~std::uint64_t{0} ? dynamic_cast<const ops::AccumulateGrad*>(&node) : nullptr;
}

std::string name_of(Interpreter& in, const Value& hook) {
  const PyResult<Value> name = object::getattr_or_absent(in, hook, in.names().dunder_name);
  if (name.ok() && name.value().as<object::Str>() != nullptr)
    return std::string(name.value().as<object::Str>()->view());
  return "<unknown>";
}

// A gradient may be replaced by one of the same kind.
PyResult<void> check_replacement(Interpreter& in, const Value& hook, const Ref<Tensor>& before, const Value& after) {
  const Tensor* const made = after.as<Tensor>();
  if (made == nullptr) {
    return object::type_error(in, "expected Variable, but hook returned '{}'", in.type_of(after).name());
  }
  if (!before) return object::runtime_error(in, "can't replace a None gradient with a non-None value");
  if (before->dtype() != made->dtype()) {
    return object::runtime_error(in, "hook '{}' has changed the type of value (was {} got {})", name_of(in, hook),
                                 before->type_string(), made->type_string());
  }
  if (!(before->shape() == made->shape())) {
    return object::runtime_error(in, "hook '{}' has changed the size of value", name_of(in, hook));
  }
  return {};
}

// `owner`: the leaf, else the node that made the tensor.
PyResult<void> run_hooks(Interpreter& in, object::Object& owner, Dict& hooks, Ref<Tensor>& grad) {
  // A hook is called also where nothing came, with None.
  for (const auto& [id, hook] : snapshot(hooks)) {
    tensor::Capture::refuse_current(kHook);
    tell_hook_fires(in, owner, "_backward_hooks", id);
    NNS_TRY_ASSIGN(const Value made, in.call(hook, {Value(grad)}));
    if (made.is_none()) continue;
    NNS_TRY(check_replacement(in, hook, grad, made));
    grad = Ref<Tensor>(made.as<Tensor>());
  }
  return {};
}

Value tuple_of(Interpreter& in, std::span<const Ref<Tensor>> tensors) {
  return Value(in.tuple(std::vector<Value>(tensors.begin(), tensors.end())));
}

// Puts what a hook of a node returned in the place of `tensors`.
PyResult<void> replace(Interpreter& in, const Value& hook, const Value& made, std::vector<Ref<Tensor>>& tensors) {
  std::vector<Value> items;
  if (const auto* tuple = made.as<object::Tuple>()) {
    items.assign(tuple->items().begin(), tuple->items().end());
  } else {
    items.push_back(made);
  }
  if (items.size() != tensors.size()) {
    return object::runtime_error(in, "hook '{}' has returned an incorrect number of values (got {}, but expected {})",
                                 name_of(in, hook), items.size(), tensors.size());
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].is_none()) {
      tensors[i] = nullptr;
      continue;
    }
    NNS_TRY(check_replacement(in, hook, tensors[i], items[i]));
    tensors[i] = Ref<Tensor>(items[i].as<Tensor>());
  }
  return {};
}

}  // namespace

PyResult<void> run_tensor_hooks(Interpreter& interpreter, ops::Node& node, std::vector<Ref<Tensor>>& grads) {
  if (const auto* leaf = accumulator(node)) {
    const tensor::AutogradMeta* meta = leaf->variable->autograd();
    if (meta != nullptr && meta->hooks) {
      for (std::size_t i = 0; i < meta->hooks->size(); ++i) ops::tell_touched(*leaf->variable, ops::Touch::Hook);
      NNS_TRY(run_hooks(interpreter, *leaf->variable, *Ref<Dict>(meta->hooks), grads[0]));
    }
  }
  for (std::size_t i = 0; i < node.tensor_hooks.size(); ++i) {
    const ops::Node::TensorHooks one = node.tensor_hooks[i];
    NNS_TRY(run_hooks(interpreter, node, *one.hooks, grads[one.output]));
  }
  for (const ops::Node::Retained& kept : node.retained) {
    tensor::Capture::refuse_current("a tensor keeps its gradient (retain_grad)");
    const Ref<object::Object> alive = kept.tensor->get();
    const Ref<Tensor> grad = grads[kept.output];
    if (!alive || !grad) continue;
    auto& tensor = static_cast<Tensor&>(*alive);
    if (tensor.grad()) {
      NNS_TRY_ASSIGN(Ref<Tensor> sum, ops::sum_of_gradients(*Ref<Tensor>(tensor.grad()), *grad));
      tensor.set_grad(std::move(sum));
    } else {
      NNS_TRY_ASSIGN(Ref<Tensor> copy, ops::call_tensor_op(interpreter, ops::OpId::clone, std::array{Value(grad)}));
      tensor.set_grad(std::move(copy));
    }
  }
  return {};
}

PyResult<void> run_pre_hooks(Interpreter& interpreter, ops::Node& node, std::vector<Ref<Tensor>>& grads) {
  if (!node.pre_hooks) return {};
  for (const auto& [id, hook] : snapshot(*node.pre_hooks)) {
    tensor::Capture::refuse_current(kHook);
    if (id >= 0) tell_hook_fires(interpreter, node, kNodePreHooks, id);
    NNS_TRY_ASSIGN(const Value made, interpreter.call(hook, {tuple_of(interpreter, grads)}));
    if (!made.is_none()) NNS_TRY(replace(interpreter, hook, made, grads));
  }
  return {};
}

// What was registered on the leaf sees the gradient first: to torch it is a part of accumulating.
static PyResult<void> run_accumulation_hooks(Interpreter& interpreter, const ops::AccumulateGrad& leaf) {
  const Ref<Tensor> variable = leaf.variable;
  const tensor::AutogradMeta* meta = variable->autograd();
  if (meta == nullptr || !meta->after_accumulation_hooks) return {};
  for (const auto& [id, hook] : snapshot(*Ref<Dict>(meta->after_accumulation_hooks))) {
    tensor::Capture::refuse_current(kHook);
    ops::tell_touched(*variable, ops::Touch::Hook);
    tell_hook_fires(interpreter, *variable, "_post_accumulate_grad_hooks", id);
    NNS_TRY_ASSIGN(const Value made, interpreter.call(hook, {Value(variable)}));
    if (!made.is_none())
      return object::runtime_error(interpreter, "Tensor post accumulate grad hooks should return None.");
  }
  return {};
}

PyResult<void> run_post_hooks(Interpreter& interpreter, ops::Node& node, std::vector<Ref<Tensor>>& given,
                              std::span<const Ref<Tensor>> grads) {
  if (const auto* leaf = accumulator(node); leaf != nullptr && grads[0]) {
    NNS_TRY(run_accumulation_hooks(interpreter, *leaf));
  }
  if (!node.post_hooks) return {};
  for (const auto& [id, hook] : snapshot(*node.post_hooks)) {
    tensor::Capture::refuse_current(kHook);
    if (id >= 0) tell_hook_fires(interpreter, node, kNodePostHooks, id);
    NNS_TRY_ASSIGN(const Value made,
                   interpreter.call(hook, {tuple_of(interpreter, given), tuple_of(interpreter, grads)}));
    if (!made.is_none()) NNS_TRY(replace(interpreter, hook, made, given));
  }
  return {};
}

PyResult<std::vector<Ref<Tensor>>> check_anomaly(Interpreter& interpreter, const ops::Node& node,
                                                 std::vector<Ref<Tensor>> given) {
  if (!ops::OpLibrary::of(interpreter).grad_mode.checks_nan) return given;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) continue;
    const Tensor& items = given[i]->sparse() != nullptr ? *given[i]->sparse()->values : *given[i];
    if (items.is_meta() || tensor::is_integral(items.dtype())) continue;
    bool has_nan = false;
    tensor::for_each_place(items, [&](std::int64_t place) {
      const std::complex<double> number = tensor::read_complex(items, place);
      has_nan = has_nan || std::isnan(number.real()) || std::isnan(number.imag());
    });
    if (has_nan) {
      return object::runtime_error(interpreter, "Function '{}' returned nan values in its {}th output.",
                                   node.type().name(), i);
    }
  }
  return given;
}

// The lines of the program that made the node, in one text; none are known: empty.
static std::string lines_of(Interpreter& interpreter, const ops::Node& node) {
  object::Dict* const metadata = ops::metadata_of(node, false);
  const Value* const lines = metadata == nullptr ? nullptr : metadata->find(interpreter.intern("traceback_"));
  if (lines == nullptr) return {};
  const PyResult<std::vector<Value>> items = object::to_vector(interpreter, *lines);
  std::string text;
  if (!items.ok()) return text;
  for (const Value& line : items.value()) {
    if (const auto* const one = line.as<object::Str>()) text.append(one->view());
  }
  return text;
}

void tell_origin(Interpreter& interpreter, const ops::Node& node) {
  const std::string_view name = node.type().name();
  const std::string lines = lines_of(interpreter, node);
  std::string text;
  if (!lines.empty()) {
    text = fmt::format("Error detected in {}. Traceback of forward call that caused the error:\n{}", name, lines);
  } else if (!node.module_path.empty()) {
    // Differs: of a model that runs without a program, the module whose forward made the node is told.
    text = fmt::format("Error detected in {}. It was recorded in the forward of {}.", name, node.module_path);
  } else {
    text = fmt::format(
        "Error detected in {}. No forward pass information available. Enable detect anomaly during forward pass for "
        "more information.",
        name);
  }
  interpreter.warn(object::ErrorKind::UserWarning, text);
  // Whose backward made it, and so on.
  const ops::Node* below = &node;
  while (true) {
    object::Dict* const metadata = ops::metadata_of(*below, false);
    const Value* const parent = metadata == nullptr ? nullptr : metadata->find(interpreter.intern("parent_"));
    const auto* const above = parent == nullptr ? nullptr : parent->as<ops::Node>();
    if (above == nullptr) return;
    below = above;
    const std::string induced = lines_of(interpreter, *below);
    interpreter.warn(
        object::ErrorKind::UserWarning,
        induced.empty()
            ? std::string("\n\nPrevious calculation: No forward pass information available. Enable detect anomaly "
                          "during forward pass for more information.")
            : fmt::format("\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the "
                          "previous calculation:\n{}",
                          below->type().name(), induced));
  }
}

}  // namespace nns::autograd
