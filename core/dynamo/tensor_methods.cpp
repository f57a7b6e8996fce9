// Methods of tensors that are no plain nodes of the graph: what is answered at once, rewritten, or breaks the graph.
// Behaviour: torch/_dynamo/variables/tensor.py, TensorVariable.call_method and its handlers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

// What tells of sizes and kinds, which are known while a frame is traced.
constexpr std::array<std::string_view, 13> kQueries = {
    "size",       "dim",          "stride",        "numel",
    "nelement",   "ndimension",   "is_contiguous", "is_floating_point",
    "is_complex", "element_size", "get_device",    "__len__",
    "is_signed"};

// The methods with aten's tag inplace_view: they change the sizes of the tensor itself.
constexpr std::array<std::string_view, 14> kInplaceViews = {
    "as_strided_", "detach_",    "rename_",         "resize_",          "resize_as_",
    "set_",        "squeeze_",   "swapaxes_",       "swapdims_",        "t_",
    "transpose_",  "unsqueeze_", "_resize_output_", "resize_as_sparse_"};

template <std::size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_plain_integer(tensor::DType dtype) {
  return dtype == tensor::DType::Int8 || dtype == tensor::DType::Int16 || dtype == tensor::DType::Int32 ||
         dtype == tensor::DType::Int64;
}

/// A source as Python shows it: AttrSource(base=LocalSource(...), member='add_').
std::string shown_member(const Source& base, std::string_view member) {
  const std::string of =
      base.kind == SourceKind::Local
          ? fmt::format("LocalSource(local_name='{}', is_input=True, dynamism=None, is_derefed_cell_contents=False)",
                        base.text.view())
          : base.name();
  return fmt::format("AttrSource(base={}, member='{}')", of, member);
}

}  // namespace

bool Translator::is_inplace_view(std::string_view method) { return is_among(kInplaceViews, method); }

Variable* Translator::unsupported_tensor_call(std::string_view name, Arguments args, Keywords keywords,
                                              std::vector<std::string> given) {
  return unsupported(fmt::format("Unsupported Tensor.{}() call", name),
                     fmt::format("call_method TensorVariable() {} {} {}", name, shown(args, '('), shown(keywords)),
                     fmt::format("Dynamo currently does not support tracing `Tensor.{}()`{}", name,
                                 name == "set_" ? " overloads that include more than one argument." : "."),
                     std::move(given));
}

// NOLINTNEXTLINE(readability-function-size): one case a method.
Variable* Translator::tensor_method(Variable* self, std::string_view name, Arguments args, Keywords keywords) {
  if (self->source != nullptr && is_inplace_view(name)) {
    return unsupported("Unsupported function call (delayed)", "source: " + shown_member(self->source->bare(), name),
                       fmt::format("Dynamo determined that a graph break should occur when calling `{}`. Reason: "
                                   "Getting an inplace view on a graph input is not supported",
                                   sources_->attr(self->source, name)->name()),
                       {});
  }
  if (name == "item" && args.empty()) {
    if (!config_.capture_scalar_outputs && !engine_.is_fullgraph()) {
      return unsupported("Unsupported Tensor.item() call with capture_scalar_outputs=False",
                         "call_method TensorVariable() item () {}",
                         "Dynamo does not support tracing `Tensor.item()` with config.capture_scalar_outputs=False.",
                         {"Set `torch._dynamo.config.capture_scalar_outputs = True` or `export "
                          "TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS=1` to include these operations in the captured graph."});
    }
    return item_of(self);
  }
  if (name == "tolist") return list_of_numbers(self);
  if (name == "backward") {
    std::array<Variable*, 4> given = {};
    constexpr std::array<std::string_view, 4> kNames = {"gradient", "retain_graph", "create_graph", "inputs"};
    for (std::size_t i = 0; i < args.size() && i < given.size(); ++i) given[i] = args[i];
    for (const KeywordArgument& one : keywords) {
      const auto at = std::find(kNames.begin(), kNames.end(), one.name.view());
      if (at != kNames.end()) given[static_cast<std::size_t>(at - kNames.begin())] = one.value;
    }
    std::string context = "call_method TensorVariable() backward";
    for (Variable* one : given) context += " " + (one == nullptr ? std::string("None") : shown(one));
    return unsupported("Unsupported Tensor.backward() call", std::move(context),
                       "Dynamo currently does not support tracing `Tensor.backward()` when trace_autograd_ops is off.",
                       {"Set torch._dynamo.trace_autograd_ops=True"});
  }
  if (name == "data_ptr") {
    Variable& made = arena_->make(VariableKind::DataPtr);
    made.self = self;
    made.value = Value(std::int64_t{1});
    return &made;
  }
  if (self->is_ndarray) return untraced_array(name);
  if (name == "numpy") return array_of(self, args, keywords);
  const bool has_from = std::any_of(keywords.begin(), keywords.end(),
                                    [](const KeywordArgument& one) { return one.name.view() == "from"; });
  if (name == "random_" || (name == "uniform_" && has_from)) {
    return unsupported(
        name == "random_" ? "Tensor.random_ op" : "Tensor.uniform_ op called with `from` keyword",
        fmt::format("Tensor.{}(args={}, kwargs={})", name, shown(args, '['), shown(keywords)),
        "This is currently not supported.",
        {name == "random_" ? "Use the out-of-place version of this op" : "Avoid using the `from` keyword.",
         hints::kSupportable});
  }
  if (name == "resize_" || name == "resize_as_" || name == "sparse_resize_" || name == "sparse_resize_and_clear_")
    return unsupported_tensor_call(name, args, keywords, {});
  if (name == "set_" && args.size() > 1) return unsupported_tensor_call(name, args, keywords, {hints::kSupportable});
  if (name == "share_memory_") {
    return unsupported("Unsupported Tensor.share_memory_() call", "call_method TensorVariable() share_memory_",
                       "Dynamo does not support Tensor.share_memory_() which modifies tensor storage for IPC",
                       {"Move share_memory_() call outside the compiled region. ", hints::kSupportable});
  }
  if (name == "is_inference") {
    return unsupported(
        "Encountered tensor.is_inference() during tracing", "", "tensor.is_inference() is not supported",
        {hints::kFundamental,
         "Avoid using `tensor.is_inference()` and `torch.is_inference_mode_enabled()` in your compile code. This is "
         "primarily used in conjunction with `torch.inference_mode`. Consider using `torch.no_grad` instead because "
         "`torch.no_grad` leads to same improvements as `inference_mode` when `torch.compile` is used."});
  }
  if (name == "__deepcopy__") {
    return unsupported("copy.deepcopy(tensor)", "copy.deepcopy(TensorVariable())",
                       "Dynamo does not support copy.deepcopy() on tensors.",
                       {"Avoid calling copy.deepcopy() on tensors inside compiled regions.", hints::kSupportable});
  }
  if (name == "__repr__" || name == "__str__" || name == "__format__") return untraced_repr(*self);
  if (name == "requires_grad_" && args.size() + keywords.size() <= 1) {
    Variable* const wanted = !args.empty() ? args[0] : !keywords.empty() ? keywords[0].value : nullptr;
    return change_requires_grad(self, wanted);
  }
  if ((name == "register_hook" || name == "register_post_accumulate_grad_hook") && args.size() == 1 && keywords.empty())
    return register_tensor_hook(self, name, args);
  if (name == "type" && args.empty() && keywords.empty())
    return text(tensor::empty(in_, {0}, self->node->example->dtype())->type_string());
  if (name == "type" && args.size() == 1) {
    NNS_VARIABLE(wanted, real(args[0]));
    // Kinds of tensors go into the graph by their names.
    const bool is_kind = wanted->value.is_object() && wanted->kind != VariableKind::Tensor &&
                         in_.type_of(wanted->value).name() == "tensortype";
    if (is_kind) {
      const auto* const kind = wanted->value.as<Class>();
      if (kind == nullptr) return unsupported_builtin(name, args, false);
      Variable* by_name[] = {text(fmt::format("{}.{}", kind->module(), kind->name()))};
      return call_tensor_method(self, in_.intern(name), by_name, keywords);
    }
  }
  if (name == "__contains__" && args.size() == 1) return contains(self, args[0]);
  if (name == "__iter__" && args.empty()) return iterate(self);
  if (name == "__getitem__" && args.size() == 1) return get_item(self, args[0]);
  if (name == "__setitem__" && args.size() == 2) return set_item(self, args[0], args[1]) ? constant(Value()) : nullptr;
  if (name == "__bool__" && args.empty()) return data_dependent("aten._local_scalar_dense.default");
  if (name == "new" && !args.empty()) {
    // With a size it is another method than with a tuple of one.
    const auto is_size = [&](Variable* one) {
      const Value value = one->kind == VariableKind::Number ? Value::absent() : constant_value(one);
      return value.is_int() || (args.size() == 1 && value.is_object() && in_.type_of(value).name() == "Size");
    };
    if (std::all_of(args.begin(), args.end(),
                    [&](Variable* one) { return real(one) != nullptr && is_size(real(one)); }))
      return call_tensor_method(self, in_.intern("new_empty"), args, keywords);
    if (has_failed()) return nullptr;
  }
  const bool is_about_size =
      name == "size" || name == "stride" || name == "numel" || name == "nelement" || name == "__len__";
  if (is_about_size && self->node->has_unknown_size) return unknown_size(name);
  if (is_among(kQueries, name)) return size_query(self, name, args, keywords);
  return call_tensor_method(self, in_.intern(name), args, keywords);
}

// tolist() of integers, which are read one by one.
Variable* Translator::list_of_numbers(Variable* self) {
  const Ref<Tensor> fake = self->node->example;
  if (!is_plain_integer(fake->dtype())) {
    return unsupported("Tensor.tolist() with non-integer tensor", "call_method TensorVariable() to_list",
                       "Dynamo currently does not support tracing `tolist()` on non-integer tensors.",
                       {"Ensure the input tensor to `tolist()` is an integer type (e.g., int8, int16, int32, int64)."});
  }
  if (self->node->has_unknown_size) return unknown_size("tolist");
  if (fake->ndim() == 0) {
    const bool captures = config_.capture_scalar_outputs || engine_.is_fullgraph();
    return captures ? item_of(self) : data_dependent("aten._local_scalar_dense.default");
  }
  NNS_VARIABLE(size, size_of(self, 0));
  if (constant_value(size).is_absent()) return nullptr;
  std::vector<Variable*> items;
  for (std::int64_t i = 0; i < fake->shape()[0]; ++i) {
    NNS_VARIABLE(item, get_item(self, constant(Value(i))));
    NNS_VARIABLE(number, list_of_numbers(item));
    items.push_back(number);
  }
  return list(std::move(items));
}

// Behaviour: TensorVariable.method_requires_grad_: a tensor that the frame made becomes a leaf in the graph, if it does
// not leave it.
Variable* Translator::change_requires_grad(Variable* self, Variable* given) {
  bool wanted = true;
  if (given != nullptr) {
    const Value value = constant_value(given);
    if (!value.is_bool()) {
      return has_failed()
                 ? nullptr
                 : raise(object::ErrorKind::TypeError, "requires_grad_(): argument 'requires_grad' must be bool");
    }
    wanted = value.as_bool();
  }
  const Ref<Tensor>& fake = self->node->example;
  if (fake->requires_grad() == wanted) return self;
  const std::string context = "call_method TensorVariable() requires_grad_";
  if (self->source != nullptr) {
    return unsupported("Unsupported Tensor.requires_grad_() call", context,
                       "Dynamo does not support changes to a Tensor's `requires_grad` through calling "
                       "`requires_grad_()`.",
                       {});
  }
  if (speculation_.breaks_at_requires_grad) {
    return unsupported("requires_grad_() intermediate leaked as output", context,
                       "An intermediate tensor with requires_grad_() called on it (or a tensor derived from it) is "
                       "returned from the compiled region. Graph breaking here to preserve partial acceleration.",
                       {"Call .detach() before returning if you only need values.",
                        "Consume the gradient inside the compiled function (call backward() and use .grad), or move "
                        "requires_grad_() outside torch.compile."});
  }
  if (!fake->set_requires_grad(wanted).ok())
    return raise(object::ErrorKind::RuntimeError, "you can only change requires_grad flags of leaf variables.");
  const auto allow = [&](bool mode) {
    Node& node = add_node(Node::Op::CallFunction, "torch._C._functorch.set_inplace_requires_grad_allowed",
                          "set_inplace_requires_grad_allowed");
    node.callee = engine_.operator_function("set_inplace_requires_grad_allowed");
    node.args.push_back(constant_argument(Value(mode)));
  };
  allow(true);
  Node& node = add_node(Node::Op::CallMethod, "requires_grad_", "requires_grad_");
  node.args.push_back(argument_of(*self->node));
  if (!wanted) node.args.push_back(constant_argument(Value(false)));
  allow(false);
  if (wanted) new_leaves_.push_back(self);
  return self;
}

// What such a leaf gives must not leave the graph with its gradients.
// Behaviour: torch/_dynamo/output_graph.py, _check_requires_grad_intermediate_outputs.
bool Translator::keeps_new_leaves(std::span<const Node* const> outputs) {
  if (new_leaves_.empty()) return true;
  std::set<const Node*> tainted;
  for (const Variable* leaf : new_leaves_) tainted.insert(leaf->node);
  for (const Node& node : graph_->all()) {
    bool takes = false;
    for_each_argument(node, [&](const Node& other) { takes = takes || tainted.contains(&other); });
    if (takes) tainted.insert(&node);
  }
  const bool leaks = std::any_of(outputs.begin(), outputs.end(), [&](const Node* node) {
    return node->example && node->example->requires_grad() && tainted.contains(node);
  });
  if (!leaks) return true;
  if (engine_.is_fullgraph()) {
    unsupported("returning intermediate with requires_grad_()", "graph output depends on source-less requires_grad_()",
                "An intermediate tensor that had requires_grad_() called on it (or a tensor derived from it) is being "
                "returned from the compiled region. AOTAutograd's functionalization drops the requires_grad_() effect "
                "on graph outputs, producing wrong results. If you only need the tensor values without gradients, call "
                ".detach() before returning.",
                {"If you only need the tensor values without gradients, call .detach() before returning.",
                 "Consume the gradient inside the compiled function (call backward() and use .grad), or move "
                 "requires_grad_() outside torch.compile."});
    return false;
  }
  speculation_.breaks_at_requires_grad = true;
  failure_.kind = Failure::Kind::Restart;
  return false;
}

// Behaviour: TensorVariable._method_register_hook. Differs: a hook of what the frame makes breaks the graph.
Variable* Translator::register_tensor_hook(Variable* self, std::string_view method, Arguments args) {
  NNS_VARIABLE(hook, real(args[0]));
  if (self->source == nullptr) {
    return unsupported("Compilation of intermediate hooks requires compiled autograd",
                       fmt::format("var_getattr TensorVariable() {}", method),
                       "Dynamo must be in compiled_autograd to register hooks.",
                       {"Consider using torch.autograd.Function with a custom backward() method instead of "
                        "register_hook()."});
  }
  Variable& handle = arena_->make(VariableKind::HookHandle);
  handle.self = self;
  handle.function = hook;
  handle.name = method;
  handle.is_new = true;
  hooks_.push_back(&handle);
  return &handle;
}

Variable* Translator::untraced_repr(Variable& of) {
  return unsupported("repr() on tensor", fmt::format("repr() on {}", type_of(of).name()),
                     "Tensor repr requires actual runtime values which are not available during tracing.",
                     {hints::kSupportable});
}

}  // namespace nns::dynamo
