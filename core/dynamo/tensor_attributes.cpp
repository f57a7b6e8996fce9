// Attributes of tensors: reading and writing them.
// Behaviour: torch/_dynamo/variables/tensor.py, TensorVariable.var_getattr; variables/builtin.py, call_setattr.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

// What the tracer knows of a tensor itself; of the others, that give no tensor either, the graph has a node.
constexpr std::array<std::string_view, 6> kKnown = {"is_cuda", "is_sparse", "is_quantized",
                                                    "layout",  "is_nested", "requires_grad"};

bool is_attribute_of_tensors(const Value* found) {
  return found != nullptr && found->is_object() && found->object()->descriptor_kind() == object::DescriptorKind::Data;
}

// Whether a class of the program is asked for all that is done with its tensors.
bool has_own_torch_function(const Class& cls) {
  return std::any_of(cls.mro().begin(), cls.mro().end(), [](const Class* one) {
    const Value* const found = const_cast<Class*>(one)->attributes_for_reading().find("__torch_function__");
    const auto* const wrapped = found == nullptr ? nullptr : found->as<object::WrappedMethod>();
    return wrapped != nullptr && python::as_function(wrapped->function()) != nullptr;
  });
}

}  // namespace

Variable* Translator::tensor_attribute(Variable* self, Name name) {
  const std::string_view text = name.view();
  if (self->is_ndarray) return untraced_array(text);
  // What the frame wrote itself: _grad is another name of grad.
  if (Variable* written = pending(self, text == "_grad" ? in_.intern("grad") : name); written != nullptr) {
    if (written->kind != VariableKind::Deleted) return real(written);
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", self->tensor_class->name(), text));
  }
  // A class of the program may answer otherwise.
  if (const Value* const found = self->tensor_class->lookup(name);
      is_attribute_of_tensors(found) && has_own_torch_function(*self->tensor_class)) {
    return unsupported("Attribute of a tensor subclass", fmt::format("{}.{}", self->tensor_class->name(), text),
                       fmt::format("Dynamo does not trace the `__torch_function__` of `{}` for attributes.",
                                   self->tensor_class->name()),
                       {hints::kSupportable});
  }
  const Ref<Tensor>& fake = self->node->example;
  if (self->node->has_unknown_size && (text == "shape" || text == "nbytes")) return unknown_size(text);
  if (text == "shape") return shape_of(self);
  if (text == "nbytes" && !self->node->variants.empty()) {
    hold(symbols_of(*self->node));
    return nullptr;
  }
  if (text == "ndim") return constant(Value(static_cast<std::int64_t>(fake->ndim())));
  if (text == "dtype") return constant(tensor::TensorLibrary::of(in_).dtype_value(fake->dtype()));
  if (text == "device" || text == "is_cpu" || text == "is_meta") {
    const auto* original = self->value.as<Tensor>();
    const tensor::Device device = original != nullptr ? original->device() : tensor::Device::Cpu;
    if (text == "is_cpu") return constant(Value(tensor::is_cpu(device)));
    if (text == "is_meta") return constant(Value(device == tensor::Device::Meta));
    return constant(tensor::TensorLibrary::of(in_).device_value(device));
  }
  if (std::find(kKnown.begin(), kKnown.end(), text) != kKnown.end()) {
    PyResult<Value> value = object::getattr(in_, Value(fake), name);
    if (value.ok()) return constant(value.value());
  }
  if (text == "retain_grad") {
    return unsupported("Tensor.retain_grad() with AOTDispatcher", "getattro_impl TensorVariable() retain_grad",
                       "`Tensor.retain_grad()` does not work with AOTDispatcher.", {});
  }
  if (text == "grad_fn") {
    const auto* original = self->value.as<Tensor>();
    const bool has_function = fake->requires_grad() && !(original == nullptr ? fake->is_leaf() : original->is_leaf());
    if (!has_function) return constant(Value());
    return unsupported("Tensor with grad_fn()", "getattro_impl TensorVariable() grad_fn",
                       "Dynamo does not support tracing tensors with a grad_fn directly.", {});
  }
  if (text == "_version") {
    Node& node = add_node(Node::Op::CallFunction, "torch.ops.prims._tensor_version.default", "_tensor_version_default");
    node.callee = engine_.operator_function("_version");
    node.args.push_back(argument_of(*self->node));
    return number_of_symbol(
        add_symbol({.kind = Symbol::Kind::OfValues, .hint = Value(std::int64_t{0}), .node = &node}));
  }
  if (text == "__class__") {
    Variable& made = arena_->make(VariableKind::Class);
    made.value = Value(static_cast<object::Object*>(const_cast<Class*>(self->tensor_class)));
    return &made;
  }
  if ((text == "grad" || text == "_grad") && self->value.as<Tensor>() != nullptr && self->source != nullptr) {
    Guard made{.kind = GuardKind::HasAttr, .source = self->source};
    made.value = name.value();
    guard(std::move(made));
    const auto& grad = self->value.as<Tensor>()->grad();
    return build(grad ? Value(grad) : Value(), sources_->attr(self->source, "grad"));
  }
  // Attributes that a program put on a tensor.
  if (const auto* original = self->value.as<Tensor>(); original != nullptr && self->source != nullptr) {
    Dict* own = const_cast<Tensor*>(original)->instance_dict(false);
    if (const Value* found = own == nullptr ? nullptr : own->find(name))
      return build(*found, sources_->attr(self->source, text));
  }
  const Value* found = self->tensor_class->lookup(name);
  if (found == nullptr) {
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", self->tensor_class->name(), text));
  }
  const bool is_method = found->is_object() && found->object()->descriptor_kind() == object::DescriptorKind::Method;
  if (is_method) {
    Variable& made = arena_->make(VariableKind::BoundBuiltin);
    made.self = self;
    made.name = text;
    made.value = *found;
    return &made;
  }
  // A property of which the graph has a node: T, data, real, is_leaf.
  std::vector<Argument> of_self(1);
  if (!as_argument(self, of_self[0])) return nullptr;
  PyResult<Worlds> result =
      run_on_fakes(of_self, {}, [&](const auto& fakes, const auto&) { return object::getattr(in_, fakes[0], name); });
  if (has_failed()) return nullptr;
  if (!result.ok()) return raise(result.error());
  if (text == "data") {
    Node& node = add_node(Node::Op::CallFunction, "torch._C._autograd._get_data_attr", "_get_data_attr");
    node.callee = engine_.operator_function("_get_data_attr");
    node.args = std::move(of_self);
    return wrap_result(node, result.value());
  }
  Node& node = add_node(Node::Op::CallFunction, "builtins.getattr", "getattr");
  node.callee = engine_.builtin("getattr");
  node.args = std::move(of_self);
  node.args.push_back(constant_argument(name.value()));
  return wrap_result(node, result.value());
}

bool Translator::store_tensor_attribute(Variable* self, Name name, Variable* value) {
  const std::string_view text = name.view();
  const std::string context = fmt::format("setattr(TensorVariable(), {}, {})", text, shown(value));
  if (text == "requires_grad") {
    unsupported("setattr() on Tensor.requires_grad", context,
                "setattr() on Tensor.requires_grad not supported. Mutating requires_grad can introduce a new leaf from "
                "non-leaf or vice versa in the middle of the graph, which AOTAutograd does not currently know how to "
                "handle.",
                {hints::kSupportable});
    return false;
  }
  if (text == "data") {
    const bool is_tensor = value->kind == VariableKind::Tensor;
    const bool has_other_dtype = is_tensor && value->node->example->dtype() != self->node->example->dtype();
    if (self->source != nullptr && is_tensor && !has_other_dtype) return store_tensor_data(self, value);
    unsupported(has_other_dtype && self->source != nullptr ? "Failed to mutate tensor data attribute to different dtype"
                                                           : "Failed to mutate tensor data attribute",
                context,
                has_other_dtype && self->source != nullptr
                    ? "Dynamo only supports mutating `.data` of tensor to a new one with the same dtype"
                    : "Dynamo only supports mutating `.data` of tensor created outside `torch.compile` region",
                {"Don't mutate `.data` on this tensor, or move the mutation out of `torch.compile` region"});
    return false;
  }
  if (text == "grad" || text == "_grad") return plain_store(self, in_.intern("grad"), value);
  if (is_attribute_of_tensors(self->tensor_class->lookup(name))) {
    unsupported(
        "Failed to set tensor attribute", context, "Dynamo doesn't support setting these tensor attributes",
        {fmt::format("Don't mutate attribute '{}' on tensors, or move the mutation out of `torch.compile` region",
                     text)});
    return false;
  }
  return plain_store(self, name, value);
}

// t.data = other: t takes the other's storage, without a trace of it in autograd or in its version.
bool Translator::store_tensor_data(Variable* self, Variable* value) {
  const bool before = grad_mode_;
  set_grad_mode(false);
  Variable* args[] = {self, value};
  Variable* const set = call_torch(engine_.operator_function("set_"), "torch.Tensor.set_", "set_", args, {});
  set_grad_mode(before);
  if (set == nullptr) return false;
  Node& node = add_node(Node::Op::CallFunction, "torch._dynamo.variables.builtin._lower_version_count_by_1",
                        "_lower_version_count_by_1");
  node.callee = engine_.operator_function("_lower_version_count_by_1");
  node.args.push_back(argument_of(*set->node));
  return true;
}

}  // namespace nns::dynamo
