#include "core/nn/module.h"
#include "core/object/copy.h"
#include "core/object/operations.h"

namespace nns::nn {
namespace {

// Behaviour: torch/nn/modules/module.py, class _WrappedHook: a hook that may want its module in front, held weakly.
class WrappedHook final : public object::Container, public object::DeepCopyable {
 public:
  WrappedHook(Interpreter& in, Value hook) : Container(*NnLibrary::of(in).wrapped_hook), hook_(std::move(hook)) {}
  WrappedHook(Module& module, Value hook, bool with_module) : WrappedHook(module.interpreter(), std::move(hook)) {
    if (with_module) module_ = object::make<object::WeakReference>(module);
  }

  PyResult<Value> call(const object::Arguments& arguments) override {
    Interpreter& in = interpreter();
    const Value hook = hook_;
    if (!module_) return in.call(hook, arguments.positional, arguments.keywords);
    const Ref<object::Object> module = module_->get();
    if (!module) return object::runtime_error(in, "You are trying to call the hook of a dead Module!");
    std::vector<Value> positional{Value(module)};
    positional.insert(positional.end(), arguments.positional.begin(), arguments.positional.end());
    return in.call(hook, positional, arguments.keywords);
  }
  void set_parts(Value hook, Ref<object::WeakReference> module) {
    hook_ = std::move(hook);
    module_ = std::move(module);
  }
  Value module() const { return module_ ? Value(module_->get()) : Value(); }
  WrappedHookParts parts() const { return {hook_, static_cast<bool>(module_)}; }
  PyResult<Value> deep_copied(const Copier& copy) const override {
    NNS_TRY_ASSIGN(Value hook, copy(hook_));
    const Ref<object::Object> module = module_ ? module_->get() : nullptr;
    if (!module) return Value(object::make<WrappedHook>(interpreter(), std::move(hook)));
    NNS_TRY_ASSIGN(const Value copied, copy(Value(module)));
    return wrap_hook(*as_module(copied), std::move(hook), true);
  }
  void traverse(object::Visitor& visitor) const override { visitor.visit(hook_); }
  void clear_references() override {
    hook_ = Value();
    module_ = nullptr;
  }

 private:
  Value hook_;
  Ref<object::WeakReference> module_;
};

// What pickles keep of it. Behaviour: _WrappedHook.__getstate__ and __setstate__.
PyResult<Value> getstate(Interpreter& in, Args a) {
  const WrappedHook& self = *a[0].as<WrappedHook>();
  const Ref<Dict> state = in.dict();
  state->set(in.intern("hook"), self.parts().hook);
  state->set(in.intern("with_module"), Value(self.parts().with_module));
  if (self.parts().with_module) state->set(in.intern("module"), self.module());
  return Value(state);
}

PyResult<Value> wrapped_setstate(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Value hook, object::getitem(in, a[1], in.text("hook")));
  NNS_TRY_ASSIGN(const Value flag, object::getitem(in, a[1], in.text("with_module")));
  NNS_TRY_ASSIGN(const bool with_module, object::truth(in, flag));
  Ref<object::WeakReference> module;
  if (with_module) {
    NNS_TRY_ASSIGN(const Value given, object::getitem(in, a[1], in.text("module")));
    if (given.as<Module>() == nullptr) {
      return object::runtime_error(in, "You are trying to revive the hook of a dead Module!");
    }
    module = object::make<object::WeakReference>(*given.object());
  }
  a[0].as<WrappedHook>()->set_parts(std::move(hook), std::move(module));
  return Value();
}

}  // namespace

Class& define_wrapped_hook(Interpreter& interpreter) {
  Class& cls = interpreter.define_class(
      {.name = "_WrappedHook", .module = "torch.nn.modules.module", .make_instance = [](Class& made) {
         return Ref<object::Object>(object::make<WrappedHook>(made.interpreter(), Value()));
       }});
  cls.def("__getstate__(self)", getstate);
  cls.def("__setstate__(self, state)", wrapped_setstate);
  return cls;
}

Value wrap_hook(Module& module, Value hook, bool with_module) {
  return object::make<WrappedHook>(module, std::move(hook), with_module);
}

std::optional<WrappedHookParts> unwrap_hook(const Value& value) {
  if (const WrappedHook* wrapped = value.as<WrappedHook>()) return wrapped->parts();
  return std::nullopt;
}

}  // namespace nns::nn
