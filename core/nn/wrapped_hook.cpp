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

}  // namespace

Value wrap_hook(Module& module, Value hook, bool with_module) {
  return object::make<WrappedHook>(module, std::move(hook), with_module);
}

std::optional<WrappedHookParts> unwrap_hook(const Value& value) {
  if (const WrappedHook* wrapped = value.as<WrappedHook>()) return wrapped->parts();
  return std::nullopt;
}

}  // namespace nns::nn
