#include "core/object/class.h"
#include "core/object/operations.h"
#include "core/ops/node.h"
#include "core/ops/python_function.h"
#include "core/ops/saved_hooks.h"

// torch._C._autograd.SavedTensor: what a node keeps, before any hook was asked.
// Behaviour: torch/csrc/autograd/python_saved_variable_hooks.cpp, saved_variable.cpp.
namespace nns::ops {
namespace {

constexpr std::string_view kFreed =
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
    "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved variables after calling backward.";

class SavedObject final : public object::Container {
 public:
  SavedObject(object::Class& cls, Ref<Node> made_by, std::function<SavedTensor*()> found)
      : Container(cls), node(std::move(made_by)), find(std::move(found)) {}
  void traverse(object::Visitor& visitor) const override { visitor.visit(node); }
  void clear_references() override {
    find = [] { return nullptr; };
    node = nullptr;
  }
  Ref<Node> node;
  std::function<SavedTensor*()> find;
};

PyResult<Value> register_hooks(Interpreter& in, std::span<const Value> a) {
  SavedTensor* const kept = static_cast<SavedObject&>(*a[0].object()).find();
  if (kept == nullptr) return object::runtime_error(in, "{}", kFreed);
  if (kept->is_empty())
    return object::runtime_error(in, "Calling register_hooks on a saved tensor with value None is forbidden");
  NNS_TRY(kept->register_hooks(a[1], a[2]));
  return Value();
}

}  // namespace

object::Class& saved_object_class(Interpreter& interpreter) {
  constexpr std::string_view kModule = "torch._C._autograd";
  const object::Name name = interpreter.intern("SavedTensor");
  object::Dict& module = python_module(interpreter, kModule);
  if (const Value* found = module.find(name)) return *found->as<object::Class>();
  object::Class& cls = interpreter.define_class({.name = "SavedTensor", .module = kModule});
  module.set(name, Value(static_cast<object::Object*>(&cls)));
  cls.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, std::span<const Value>) -> PyResult<Value> {
    return object::runtime_error(in, "Trying to create a SavedTensor object from Python is forbidden.");
  });
  cls.def("register_hooks(self, pack_hook, unpack_hook)", register_hooks);
  return cls;
}

Value saved_object(Interpreter& interpreter, Ref<Node> node, std::function<SavedTensor*()> find) {
  return Value(object::make<SavedObject>(saved_object_class(interpreter), std::move(node), std::move(find)));
}

}  // namespace nns::ops
