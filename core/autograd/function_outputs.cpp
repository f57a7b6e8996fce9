#include <algorithm>

#include "core/autograd/forward_mode.h"
#include "core/autograd/function_node.h"
#include "core/object/operations.h"
#include "core/ops/history.h"
#include "core/ops/python_function.h"
#include "core/ops/saved_hooks.h"
#include "core/ops/view_nodes.h"

// What a custom function returns, and its tangents.
// Behaviour: torch/csrc/autograd/custom_function.cpp, _process_backward_mode_ad and _process_forward_mode_AD.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;
using tensor::ViewOrigin;

constexpr std::string_view kSavedAsIs =
    "A input that has been returned as-is as output is being saved for backward. This is not supported if you override "
    "setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside "
    "the forward function itself.";
constexpr std::string_view kSeveralOfAView =
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.";
constexpr std::string_view kNotAnInput =
    "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need to pass it "
    "to mark_dirty().";

bool is_among(const std::vector<Ref<Tensor>>& tensors, const Tensor* one) {
  return std::any_of(tensors.begin(), tensors.end(), [one](const Ref<Tensor>& each) { return each.get() == one; });
}

bool is_view(const Tensor& tensor) { return tensor.autograd() != nullptr && tensor.autograd()->view_base; }

std::vector<Value> items_of(const Value& value) {
  if (const auto* tuple = value.as<object::Tuple>()) return {tuple->items().begin(), tuple->items().end()};
  return {value};
}

// An argument that is returned: a view of it, without a history of its own.
PyResult<Ref<Tensor>> view_of_itself(Interpreter& in, const Ref<Tensor>& input) {
  const ops::GradModeGuard no_grad(in, false);
  const TangentPusher::Within none(TangentPusher::of(in), 0);
  // A subclass sees it. Behaviour: torch/csrc/autograd/python_function.cpp, view_as_self_fn.
  NNS_TRY_ASSIGN(const Value method, object::getattr(in, Value(input), in.intern("view_as")));
  NNS_TRY_ASSIGN(const Value made, in.call(method, {Value(input)}));
  Ref<Tensor> view(made.as<Tensor>());
  if (!view) return object::type_error(in, "view_as() of a Tensor gave no Tensor");
  return view;
}

// The target has a new history; of a view its base has.
PyResult<void> rebase(Tensor& target, FunctionNode& node, std::uint32_t number) {
  if (!is_view(target)) {
    ops::set_history(target, Ref<ops::Node>(&node), number);
    return {};
  }
  const Ref<Tensor> base = target.autograd()->view_base;
  const Ref<ops::Node> slices = ops::node_of_written_base(*base, target, Ref<ops::Node>(&node));
  NNS_TRY_ASSIGN(ops::Edge before, ops::gradient_edge(*base));
  slices->next.push_back(std::move(before));
  for (std::size_t i = 1; i < node.next.size(); ++i) slices->next.push_back(node.next[i]);
  ops::set_history(*base, slices, 0);
  return {};
}

struct Output {
  bool is_input = false, is_written = false, is_differentiable = false, is_saved = false;
};

// The output with its history.
PyResult<Ref<Tensor>> with_history(Interpreter& in, FunctionNode& node, Ref<Tensor> output, const Output& kind,
                                   std::uint32_t number, std::size_t count) {
  if (!kind.is_differentiable) {
    if (kind.is_input && !kind.is_written && !output->requires_grad()) {
      if (kind.is_saved) return object::runtime_error(in, "{}", kSavedAsIs);
      return view_of_itself(in, output);
    }
    if (!output->requires_grad()) return output;
    if (kind.is_input) return tensor::detach(*output);
    if (!is_view(*output)) {
      output->set_grad_fn(nullptr);
      NNS_TRY(output->set_requires_grad(false));
    }
    return output;
  }
  if (kind.is_written) {
    if (output->is_leaf() && output->requires_grad()) {
      return object::runtime_error(in, "a leaf Variable that requires grad has been used in an in-place operation.");
    }
    if (!kind.is_input) in.warn(object::ErrorKind::UserWarning, std::string(kNotAnInput));
    if (is_view(*output) && count > 1) return object::runtime_error(in, "{}", kSeveralOfAView);
    NNS_TRY(rebase(*output, node, number));
    return output;
  }
  if (kind.is_input) {
    if (kind.is_saved) return object::runtime_error(in, "{}", kSavedAsIs);
    NNS_TRY_ASSIGN(output, view_of_itself(in, output));
  }
  output->set_grad_fn(Ref<object::Object>(&node), number);
  return output;
}

PyResult<void> save(Interpreter& in, FunctionNode& node, const std::vector<Value>& outputs) {
  for (const Ref<Tensor>& one : node.to_save) {
    if (!one) {
      node.saved.emplace_back();
      continue;
    }
    std::optional<std::uint32_t> number;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].as<Tensor>() == one.get()) number = static_cast<std::uint32_t>(i);
    }
    node.saved.emplace_back(one, number.has_value() && one->grad_fn().get() == &node, number.value_or(0));
    if (ops::SavedTensorHooks::of(in).are_in_force()) NNS_TRY(node.saved.back().pack(one));
  }
  node.to_save.clear();
  return {};
}

}  // namespace

PyResult<Value> wrap_outputs(Interpreter& in, FunctionNode& node, Args inputs, const Value& made, bool is_recorded) {
  std::vector<Value> items = items_of(made);
  std::vector<Ref<Tensor>> given;
  for (const Value& input : inputs) given.emplace_back(input.as<Tensor>());
  std::size_t differentiable = 0;
  std::vector<Ref<Tensor>> returned;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Ref<Tensor> original(items[i].as<Tensor>());
    if (!original) {
      if (!is_recorded) continue;
      node.outputs.emplace_back();
      node.output_kinds.push_back(FunctionNode::Output::Other);
      continue;
    }
    returned.push_back(original);
    Output kind;
    kind.is_input = is_among(given, original.get());
    kind.is_written = is_among(node.dirty, original.get());
    kind.is_differentiable = is_recorded && tensor::is_differentiable(original->dtype()) &&
                             !is_among(node.non_differentiable, original.get());
    const bool is_for_jvp = std::any_of(node.saved_for_forward.begin(), node.saved_for_forward.end(),
                                        [&](const Value& one) { return one.as<Tensor>() == original.get(); });
    kind.is_saved = node.has_own_setup && (is_for_jvp || is_among(node.to_save, original.get()));
    if (kind.is_written) original->bump_version();
    if (is_recorded) {
      node.outputs.push_back(ops::facts_of(*original));
      node.output_kinds.push_back(kind.is_differentiable ? FunctionNode::Output::Tensor : FunctionNode::Output::Marked);
    }
    NNS_TRY_ASSIGN(const Ref<Tensor> output,
                   with_history(in, node, original, kind, static_cast<std::uint32_t>(i), items.size()));
    items[i] = Value(output);
    differentiable += kind.is_differentiable ? 1 : 0;
    // Writing it would go round the function's backward.
    if (!(kind.is_input && kind.is_written) && is_view(*output) && ops::OpLibrary::of(in).grad_mode.is_enabled) {
      tensor::AutogradMeta& meta = output->autograd_meta();
      meta.view_version = output->version();
      meta.view_origin = ViewOrigin::CustomFunction;
    }
  }
  if (differentiable > 1) {
    for (const Value& item : items) {
      const Tensor* const output = item.as<Tensor>();
      if (output != nullptr && is_view(*output))
        const_cast<Tensor*>(output)->autograd_meta().view_origin = ViewOrigin::SeveralOutputs;
    }
  }
  for (const Ref<Tensor>& one : node.dirty) {
    if (one && !is_among(returned, one.get())) {
      return object::runtime_error(in,
                                   "Some elements marked as dirty during the forward method were not returned as "
                                   "output. The inputs that are modified inplace must all be outputs of the "
                                   "Function.");
    }
  }
  if (is_recorded) NNS_TRY(save(in, node, items));
  return made.as<object::Tuple>() != nullptr ? Value(in.tuple(std::move(items))) : items[0];
}

namespace {

// The tangents of one level: what jvp is called with, and what checks of its results need.
struct Given {
  std::vector<Ref<Tensor>> tangents;
  std::vector<std::uint64_t> versions;
  bool has_any = false;
};

PyResult<Given> given_tangents(Interpreter& in, Args inputs, std::int64_t at) {
  Given given;
  for (const Value& input : inputs) {
    Ref<Tensor> one;
    if (Tensor* const tensor = input.as<Tensor>()) {
      NNS_TRY_ASSIGN(one, TangentPusher::of(in).tangent(*tensor, at));
    }
    given.has_any = given.has_any || one;
    given.versions.push_back(one ? one->version() : 0);
    given.tangents.push_back(std::move(one));
  }
  return given;
}

PyResult<std::vector<Value>> call_jvp(Interpreter& in, FunctionNode& node, Args inputs, const Given& given) {
  std::vector<Value> arguments = {Value(&node)};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor* const input = inputs[i].as<Tensor>();
    if (given.tangents[i] || input == nullptr || !node.makes_zeros || !tensor::is_differentiable(input->dtype())) {
      arguments.emplace_back(given.tangents[i]);
    } else {
      arguments.emplace_back(tensor::zeros(in, input->shape(), input->dtype(), input->device()));
    }
  }
  NNS_TRY_ASSIGN(const Value method,
                 object::getattr(in, Value(static_cast<object::Object*>(node.function.get())), in.intern("jvp")));
  node.is_in_jvp = true;
  PyResult<Value> made = in.call(method, arguments);
  node.is_in_jvp = false;
  if (!made.ok()) return std::move(made).error();
  return items_of(made.value());
}

// What was written in place has its tangent written in place, too.
PyResult<void> check_written(Interpreter& in, const Given& given, std::size_t input, const Tensor& tangent) {
  if (tangent.version() == given.versions[input]) {
    return object::runtime_error(
        in,
        "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying "
        "an input inplace, then the jvp function must modify the corresponding gradient inplace.");
  }
  if (given.tangents[input].get() != &tangent) {
    return object::runtime_error(
        in,
        "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying an "
        "input inplace, then the jvp function must modify the gradient inplace and return it as-is.");
  }
  return {};
}

const Tensor* root_of(const Tensor& one) { return is_view(one) ? one.autograd()->view_base.get() : &one; }

// A view of an argument has a view of that argument's tangent. True: it is one of an argument without a tangent.
PyResult<bool> check_view(Interpreter& in, Args inputs, const Given& given, const Tensor& output,
                          const Tensor& tangent) {
  if (!is_view(output)) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor* const input = inputs[i].as<Tensor>();
    if (input == nullptr || root_of(*input) != root_of(output)) continue;
    if (!given.tangents[i]) return true;
    if (!is_view(tangent)) {
      return object::runtime_error(in,
                                   "A custom Function's forward is returning a view (or an input as-is) but the jvp "
                                   "is not returning a view.");
    }
    if (root_of(tangent) != root_of(*given.tangents[i])) {
      return object::runtime_error(
          in, "A custom Function is returning a view but the jvp is not returning a view of {}",
          is_view(*given.tangents[i]) ? "the same base as the given grad input." : "the given grad input.");
    }
    return false;
  }
  return false;
}

PyResult<void> push_at(Interpreter& in, FunctionNode& node, Args inputs, const std::vector<Value>& raw,
                       const std::vector<Value>& outputs, std::int64_t at) {
  TangentPusher& pusher = TangentPusher::of(in);
  NNS_TRY_ASSIGN(const Given given, given_tangents(in, inputs, at));
  if (!given.has_any) return {};
  NNS_TRY_ASSIGN(const std::vector<Value> tangents, call_jvp(in, node, inputs, given));
  if (tangents.size() != outputs.size()) {
    return object::runtime_error(in,
                                 "Function's jvp returned an invalid number of forward gradients (expected {} but got "
                                 "{})",
                                 outputs.size(), tangents.size());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Tensor* const output = outputs[i].as<Tensor>();
    const Ref<Tensor> tangent(tangents[i].as<Tensor>());
    const Tensor* const original = raw[i].as<Tensor>();
    if (output == nullptr || !tensor::is_differentiable(output->dtype()) ||
        is_among(node.non_differentiable, original)) {
      if (!tangent) continue;
      return object::runtime_error(in,
                                   "Function's jvp returned a gradient at position {}, but  the corresponding forward "
                                   "output is not a differentiable Tensor.You should return None at that position "
                                   "instead.",
                                   i);
    }
    if (!tangent) continue;
    if (is_among(node.dirty, original)) {
      const auto place = std::find_if(inputs.begin(), inputs.end(),
                                      [&](const Value& input) { return input.as<Tensor>() == original; });
      if (place == inputs.end()) return object::runtime_error(in, "{}", kNotAnInput);
      const auto number = static_cast<std::size_t>(place - inputs.begin());
      if (given.tangents[number]) {
        NNS_TRY(check_written(in, given, number, *tangent));
      } else {
        NNS_TRY(pusher.set_tangent(*output, tangent, at, true));
      }
      continue;
    }
    NNS_TRY_ASSIGN(const bool is_of_plain, check_view(in, inputs, given, *output, *tangent));
    NNS_TRY(pusher.set_tangent(*output, tangent, at, is_of_plain));
  }
  return {};
}

}  // namespace

PyResult<void> push_tangents(Interpreter& in, FunctionNode& node, Args inputs, const Value& made,
                             const Value& wrapped) {
  TangentPusher& pusher = TangentPusher::of(in);
  const std::vector<Value> raw = items_of(made), outputs = items_of(wrapped);
  for (std::int64_t at = pusher.active(); at-- > 0;) {
    const TangentPusher::Within outer(pusher, static_cast<std::size_t>(at));
    NNS_TRY(push_at(in, node, inputs, raw, outputs, at));
  }
  return {};
}

}  // namespace nns::autograd
