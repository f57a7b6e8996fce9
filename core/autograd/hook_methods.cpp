#include "core/autograd/node_hooks.h"
#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/node.h"

// Hooks on tensors and on nodes. Behaviour: torch/_tensor.py (register_hook, register_post_accumulate_grad_hook),
// torch/csrc/autograd/python_cpp_function.cpp.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;
using object::Dict;

// The table of hooks that the tensor has from now on; null: none. Of a leaf the engine asks the tensor, of others their
// node. Behaviour: torch/csrc/autograd/python_variable.cpp, THPVariable_set_backwards_hooks.
PyResult<void> set_tensor_hooks(Tensor& self, Ref<Dict> table) {
  tensor::AutogradMeta& meta = self.autograd_meta();
  if (!self.is_leaf()) {
    NNS_TRY_ASSIGN(const Ref<ops::Node> node, ops::grad_node(self));
    std::erase_if(node->tensor_hooks, [&](const auto& one) { return one.hooks == meta.hooks; });
    if (table) node->tensor_hooks.push_back({self.output_number(), table});
  }
  meta.hooks = std::move(table);
  return {};
}

// Enters a hook and tells so.
Value add_told(Interpreter& in, object::Object& owner, std::string_view table_name, Dict& table, const Value& hook) {
  const auto handle = add_hook(in, table_name, table, hook);
  tell_hook_entered(in, owner, table_name, handle->id());
  return Value(handle);
}

PyResult<Value> register_tensor_hook(Interpreter& in, Args a) {
  Tensor& self = *a[0].as<Tensor>();
  if (!self.requires_grad()) {
    return object::runtime_error(in, "cannot register a hook on a tensor that doesn't require gradient");
  }
  tensor::AutogradMeta& meta = self.autograd_meta();
  if (!meta.hooks) NNS_TRY(set_tensor_hooks(self, in.ordered_dict()));
  return add_told(in, self, "_backward_hooks", *meta.hooks, a[1]);
}

PyResult<Value> register_after_hook(Interpreter& in, Args a) {
  Tensor& self = *a[0].as<Tensor>();
  if (!self.requires_grad()) {
    return object::runtime_error(in, "cannot register a hook on a tensor that doesn't require gradient");
  }
  if (!self.is_leaf()) {
    return object::runtime_error(in, "post accumulate grad hooks cannot be registered on non-leaf tensors");
  }
  tensor::AutogradMeta& meta = self.autograd_meta();
  if (!meta.after_accumulation_hooks) meta.after_accumulation_hooks = in.ordered_dict();
  return add_told(in, self, "_post_accumulate_grad_hooks", *meta.after_accumulation_hooks, a[1]);
}

PyResult<Value> register_node_hook(Interpreter& in, ops::Node& self, bool is_before, const Value& hook) {
  Ref<Dict>& table = is_before ? self.pre_hooks : self.post_hooks;
  if (!table) table = in.ordered_dict();
  return add_told(in, self, is_before ? kNodePreHooks : kNodePostHooks, *table, hook);
}

}  // namespace

void add_tensor_hook_methods(Interpreter& interpreter) {
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  cls.def("register_hook(self, hook)", register_tensor_hook);
  cls.def("register_post_accumulate_grad_hook(self, hook)", register_after_hook);
  cls.property(
      "_backward_hooks",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        const tensor::AutogradMeta* meta = self.as<Tensor>()->autograd();
        return meta == nullptr ? Value() : Value(meta->hooks);
      },
      [](Interpreter& in, const Value& value_of, const Value& value) -> PyResult<void> {
        auto* const table = value.as<Dict>();
        if (table == nullptr && !value.is_none())
          return object::type_error(in, "_backward_hooks must be a dict or None, not {}", in.type_of(value).name());
        return set_tensor_hooks(*value_of.as<Tensor>(), Ref<Dict>(table));
      });
}

void add_node_hook_methods(Interpreter& interpreter) {
  object::Class& cls = ops::node_base_class(interpreter);
  cls.def("register_hook(self, fn)", [](Interpreter& in, Args a) {
    return register_node_hook(in, static_cast<ops::Node&>(*a[0].object()), false, a[1]);
  });
  cls.def("register_prehook(self, fn)", [](Interpreter& in, Args a) {
    return register_node_hook(in, static_cast<ops::Node&>(*a[0].object()), true, a[1]);
  });
  cls.property("variable", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    if (const auto* leaf = self.as<ops::AccumulateGrad>()) return Value(leaf->variable);
    return object::attribute_error(in, "'{}' object has no attribute 'variable'", in.type_of(self).name());
  });
}

}  // namespace nns::autograd
