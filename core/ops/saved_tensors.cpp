#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/object/class.h"
#include "core/ops/dispatch.h"
#include "core/ops/node.h"
#include "core/ops/saved_hooks.h"

// Tensors that nodes keep for backward.
// Behaviour: torch/csrc/autograd/saved_variable.cpp.
namespace nns::ops {
namespace {

// "Exp" of "ExpBackward0", as errors call an op.
std::string_view short_name(std::string_view name) {
  const std::size_t end = name.rfind("Backward");
  return end == std::string_view::npos || name.find_first_not_of("0123456789", end + 8) != std::string_view::npos
             ? name
             : name.substr(0, end);
}

// The name that torch has for an argument: it packs in the order of these.
std::string_view packing_name(const OpParameter& parameter) {
  return parameter.name == "input" ? std::string_view("self") : std::string_view(parameter.name);
}

}  // namespace

SavedTensor::SavedTensor(Ref<Tensor> tensor, bool is_output, std::uint32_t number)
    : tensor_(is_output ? same_items(*tensor) : tensor),
      version_(tensor->version()),
      number_(number),
      is_output_(is_output),
      has_node_(tensor->grad_fn() != nullptr) {}

PyResult<void> SavedTensor::check_version(const Tensor& kept, Node& owner) const {
  if (kept.version() == version_) return {};
  const Node* maker = is_output_ ? &owner : static_cast<const Node*>(kept.grad_fn().get());
  std::string text = fmt::format(
      "one of the variables needed for gradient computation has been modified by an inplace operation: [{} [{}]]",
      kept.type_string(), fmt::join(kept.shape().span(), ", "));
  if (maker != nullptr) {
    text += fmt::format(", which is output {} of {},", is_output_ ? number_ : kept.output_number(),
                        short_name(maker->type().name()));
  }
  text += fmt::format(" is at version {}; expected version {} instead.", kept.version(), version_);
  text += OpLibrary::of(owner.interpreter()).grad_mode.detects_anomalies
              ? " Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
                "variable in question was changed in there or anywhere later. Good luck!"
              : " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
                "torch.autograd.set_detect_anomaly(True, check_nan=False).";
  return object::runtime_error(owner.interpreter(), "{}", text);
}

PyResult<Ref<Tensor>> SavedTensor::unpack(Node& owner) const {
  if (packed_) return unpack_by_hook(owner);
  NNS_TRY(check_version(*tensor_, owner));
  if (!is_output_ && has_node_ && !tensor_->grad_fn()) {
    return object::runtime_error(
        owner.interpreter(),
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, "
        "please use out-of-place `.detach()` instead");
  }
  if (!is_output_) return tensor_;
  Ref<Tensor> made = same_items(*tensor_);
  made->set_grad_fn(Ref<object::Object>(&owner), number_);
  return made;
}

PyResult<void> SavedTensor::pack(const Ref<Tensor>& seen) {
  const SavedTensorHooks::Pair hooks = SavedTensorHooks::of(seen->interpreter()).pairs.back();
  return pack_by(seen, hooks.pack, hooks.unpack);
}

PyResult<void> SavedTensor::register_hooks(Value pack_hook, Value unpack_hook) {
  if (packed_) {
    const object::Object* const any = packed_->unpack_hook.object();
    return object::runtime_error(any->type().interpreter(),
                                 "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: "
                                 "only one pair of hooks is allowed at a time.");
  }
  // The graph of what is packed is kept beside it.
  const Ref<Tensor> kept = tensor_;
  Edge edge;
  if (!is_output_) {
    NNS_TRY_ASSIGN(edge, gradient_edge(*kept));
  }
  NNS_TRY(pack_by(is_output_ ? kept : tensor::detach(*kept), std::move(pack_hook), std::move(unpack_hook)));
  packed_->edge = std::move(edge);
  return {};
}

PyResult<void> SavedTensor::pack_by(const Ref<Tensor>& seen, Value pack_hook, Value unpack_hook) {
  Interpreter& in = seen->interpreter();
  auto packed = std::make_unique<Packed>();
  packed->unpack_hook = std::move(unpack_hook);
  if (!is_output_) {
    NNS_TRY_ASSIGN(packed->edge, gradient_edge(*seen));
  }
  const std::uint64_t before = seen->version();
  {
    const GradModeGuard no_grad(in, false);
    NNS_TRY_ASSIGN(packed->value, in.call(pack_hook, {Value(seen)}));
  }
  if (seen->version() != before) {
    return object::runtime_error(
        in,
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not be "
        "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need "
        "to perform in-place operations on the input to a pack hook.");
  }
  packed_ = std::move(packed);
  tensor_ = nullptr;
  return {};
}

PyResult<Ref<Tensor>> SavedTensor::unpack_by_hook(Node& owner) const {
  Interpreter& in = owner.interpreter();
  NNS_TRY_ASSIGN(const Value given, in.call(packed_->unpack_hook, {packed_->value}));
  const Ref<Tensor> data(given.as<Tensor>());
  if (!data) {
    return object::type_error(in,
                              "Output of saved tensor unpack_hook expected to be a Tensor but got result of type {}",
                              in.type_of(given).name());
  }
  const Ref<Node> goes_to = is_output_ ? Ref<Node>(&owner) : packed_->edge.node;
  if (!goes_to && !data->requires_grad()) return data;
  const std::uint32_t number = is_output_ ? number_ : packed_->edge.number;
  NNS_TRY_ASSIGN(const Edge already, gradient_edge(*data));
  if (already.node == goes_to && already.number == number) return data;
  Ref<Tensor> made = same_items(*data);
  // Of a leaf this is its accumulator.
  if (goes_to) made->set_grad_fn(Ref<object::Object>(goes_to.get()), number);
  return made;
}

void SavedTensor::traverse(object::Visitor& visitor) const {
  visitor.visit(tensor_);
  if (!packed_) return;
  visitor.visit(packed_->value);
  visitor.visit(packed_->unpack_hook);
  visitor.visit(packed_->edge.node);
}

std::vector<std::size_t> packing_order(const OpNode& node) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < node.saved.size(); ++i) {
    if (!node.saved[i].empty()) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&node](std::size_t a, std::size_t b) {
    return packing_name(node.op.parameters[a]) < packing_name(node.op.parameters[b]);
  });
  return order;
}

bool has_packed_arguments(const OpNode& node) {
  for (const std::vector<SavedTensor>& list : node.saved) {
    if (!list.empty()) return !list.front().is_empty() && !list.front().tensor();
  }
  return false;
}

PyResult<void> OpNode::pack_saved(const OpCall& call, std::span<const Ref<Tensor>> saved_arguments) {
  for (const std::size_t i : packing_order(*this)) {
    const bool is_list = op.parameters[i].type == ParameterType::Tensors;
    const std::vector<Tensor*> items = is_list ? call.tensors(i) : std::vector<Tensor*>();
    for (std::size_t k = 0; k < saved[i].size(); ++k) {
      NNS_TRY(saved[i][k].pack(is_list ? Ref<Tensor>(items[k]) : saved_arguments[i]));
    }
  }
  for (std::size_t i = 0; i < saved_outputs.size(); ++i) {
    if (!saved_outputs[i].is_empty()) NNS_TRY(saved_outputs[i].pack(call.outputs[i]));
  }
  return {};
}

}  // namespace nns::ops
