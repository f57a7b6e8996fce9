#include "core/nn/hooks.h"

#include "core/nn/module.h"
#include "core/object/operations.h"

namespace nns::nn {

RemovableHandle::RemovableHandle(Interpreter& interpreter, std::int64_t id, std::string_view table_name, Dict& table,
                                 std::vector<Dict*> side_tables)
    : Instance(*NnLibrary::of(interpreter).removable_handle),
      id_(id),
      table_name_(table_name),
      table_(object::make<object::WeakReference>(table)) {
  for (Dict* side : side_tables) side_tables_.push_back(object::make<object::WeakReference>(*side));
}

void RemovableHandle::remove() {
  const auto erase_from = [this](const Ref<object::WeakReference>& reference) {
    const Ref<object::Object> alive = reference ? reference->get() : nullptr;
    return alive && static_cast<Dict&>(*alive).erase(Value(id_));
  };
  if (erase_from(table_)) {
    interpreter().events().report([this] { return events::HookRemoved{table_name_, id_}; });
  }
  for (const auto& side : side_tables_) erase_from(side);
}

void RemovableHandle::traverse(object::Visitor& visitor) const { Instance::traverse(visitor); }

void RemovableHandle::clear_references() {
  Instance::clear_references();
  table_ = nullptr;
  side_tables_.clear();
}

Ref<RemovableHandle> add_hook(Interpreter& interpreter, std::string_view table_name, Dict& table, Value hook,
                              std::vector<Dict*> side_tables) {
  const std::int64_t id = interpreter.next_hook_id();
  auto handle = object::make<RemovableHandle>(interpreter, id, table_name, table, std::move(side_tables));
  table.set(Value(id), std::move(hook));
  return handle;
}

std::vector<std::pair<std::int64_t, Value>> snapshot(Dict& table) {
  std::vector<std::pair<std::int64_t, Value>> hooks;
  hooks.reserve(table.size());
  for (std::size_t at = 0; Dict::Entry* entry = table.next(at);) {
    hooks.emplace_back(entry->key.is_int() ? entry->key.as_int() : -1, entry->value);
  }
  return hooks;
}

namespace {

Ref<RemovableHandle> add_global(Interpreter& in, GlobalHooks table, std::string_view name, Value hook,
                                std::vector<Dict*> side_tables = {}) {
  auto handle = add_hook(in, name, NnLibrary::of(in).hooks(table), std::move(hook), std::move(side_tables));
  in.events().report([&] { return events::HookRegistered{{}, name, handle->id()}; });
  return handle;
}

}  // namespace

Ref<RemovableHandle> register_module_forward_pre_hook(Interpreter& interpreter, Value hook) {
  return add_global(interpreter, GlobalHooks::ForwardPre, "_global_forward_pre_hooks", std::move(hook));
}

Ref<RemovableHandle> register_module_forward_hook(Interpreter& interpreter, Value hook,
                                                  const ForwardHookOptions& options) {
  NnLibrary& library = NnLibrary::of(interpreter);
  Dict& with_kwargs = library.hooks(GlobalHooks::ForwardWithKwargs);
  Dict& always_called = library.hooks(GlobalHooks::ForwardAlwaysCalled);
  auto handle = add_global(interpreter, GlobalHooks::Forward, "_global_forward_hooks", std::move(hook),
                           {&with_kwargs, &always_called});
  if (options.with_kwargs) with_kwargs.set(Value(handle->id()), Value(true));
  if (options.always_call) always_called.set(Value(handle->id()), Value(true));
  return handle;
}

Ref<RemovableHandle> register_module_full_backward_pre_hook(Interpreter& interpreter, Value hook) {
  return add_global(interpreter, GlobalHooks::BackwardPre, "_global_backward_pre_hooks", std::move(hook));
}

PyResult<Ref<RemovableHandle>> register_module_backward_hook(Interpreter& interpreter, Value hook, bool full) {
  Value& kind = NnLibrary::of(interpreter).global_is_full_backward_hook;
  if (kind.is_bool() && kind.as_bool() != full) {
    return object::runtime_error(interpreter,
                                 "Cannot use both regular backward hooks and full backward hooks as a global Module "
                                 "hook. Please use only one of them.");
  }
  kind = Value(full);
  return add_global(interpreter, GlobalHooks::Backward, "_global_backward_hooks", std::move(hook));
}

Ref<RemovableHandle> register_module_registration_hook(Interpreter& interpreter, GlobalHooks table, Value hook) {
  const std::string_view name = table == GlobalHooks::ParameterRegistration ? "_global_parameter_registration_hooks"
                                : table == GlobalHooks::BufferRegistration  ? "_global_buffer_registration_hooks"
                                                                            : "_global_module_registration_hooks";
  return add_global(interpreter, table, name, std::move(hook));
}

void add_hook_classes(Interpreter& interpreter, NnLibrary& library) {
  library.removable_handle = &interpreter.define_class({.name = "RemovableHandle", .module = "torch.utils.hooks"});
  library.wrapped_hook = &interpreter.define_class({.name = "_WrappedHook", .module = "torch.nn.modules.module"});
  Class& cls = *library.removable_handle;
  cls.property(
      "id", [](Interpreter&, const Value& self) -> PyResult<Value> { return Value(self.as<RemovableHandle>()->id()); });
  cls.def("remove(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    a[0].as<RemovableHandle>()->remove();
    return Value();
  });
  cls.def("__enter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__exit__(self, type, value, tb)", [](Interpreter&, Args a) -> PyResult<Value> {
    a[0].as<RemovableHandle>()->remove();
    return Value();
  });
}

// The methods of Module.

namespace {

PyResult<Ref<RemovableHandle>> add_to(Module& module, Registry table, Value hook, bool prepend = false,
                                      std::vector<Registry> sides = {}) {
  NNS_TRY_ASSIGN(Dict* const hooks, module.required_registry(table));
  std::vector<Dict*> side_tables;
  for (const Registry side : sides) {
    NNS_TRY_ASSIGN(Dict* const side_table, module.required_registry(side));
    side_tables.push_back(side_table);
  }
  Interpreter& in = module.interpreter();
  auto handle = add_hook(in, registry_key(table), *hooks, std::move(hook), std::move(side_tables));
  if (prepend) hooks->move_to_end(Value(handle->id()), false);
  in.events().report([&] {
    return events::HookRegistered{{in.id_of(module), module.type().name()}, registry_key(table), handle->id()};
  });
  return handle;
}

PyResult<void> note(Module& module, Registry side, std::int64_t id) {
  NNS_TRY_ASSIGN(Dict* const table, module.required_registry(side));
  table->set(Value(id), Value(true));
  return {};
}

// Full and regular backward hooks exclude each other, also after removal.
PyResult<void> claim_backward_kind(Module& module, bool full) {
  Interpreter& in = module.interpreter();
  const Name key = NnLibrary::of(in).key(Registry::IsFullBackwardHook);
  NNS_TRY_ASSIGN(const Value kind, module.getattr(key));
  if (kind.is_bool() && kind.as_bool() != full) {
    return object::runtime_error(in,
                                 "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                                 "Please use only one of them.");
  }
  return module.setattr(key, Value(full));
}

}  // namespace

PyResult<Ref<RemovableHandle>> Module::register_forward_pre_hook(Value hook, const ForwardHookOptions& options) {
  NNS_TRY_ASSIGN(auto handle, add_to(*this, Registry::ForwardPreHooks, std::move(hook), options.prepend,
                                     {Registry::ForwardPreHooksWithKwargs}));
  if (options.with_kwargs) NNS_TRY(note(*this, Registry::ForwardPreHooksWithKwargs, handle->id()));
  return handle;
}

PyResult<Ref<RemovableHandle>> Module::register_forward_hook(Value hook, const ForwardHookOptions& options) {
  NNS_TRY_ASSIGN(auto handle, add_to(*this, Registry::ForwardHooks, std::move(hook), options.prepend,
                                     {Registry::ForwardHooksWithKwargs, Registry::ForwardHooksAlwaysCalled}));
  if (options.with_kwargs) NNS_TRY(note(*this, Registry::ForwardHooksWithKwargs, handle->id()));
  if (options.always_call) NNS_TRY(note(*this, Registry::ForwardHooksAlwaysCalled, handle->id()));
  return handle;
}

PyResult<Ref<RemovableHandle>> Module::register_full_backward_pre_hook(Value hook, bool prepend) {
  return add_to(*this, Registry::BackwardPreHooks, std::move(hook), prepend);
}

PyResult<Ref<RemovableHandle>> Module::register_full_backward_hook(Value hook, bool prepend) {
  NNS_TRY(claim_backward_kind(*this, true));
  return add_to(*this, Registry::BackwardHooks, std::move(hook), prepend);
}

PyResult<Ref<RemovableHandle>> Module::register_backward_hook(Value hook) {
  NNS_TRY(claim_backward_kind(*this, false));
  return add_to(*this, Registry::BackwardHooks, std::move(hook));
}

PyResult<Ref<RemovableHandle>> Module::register_state_dict_pre_hook(Value hook) {
  return add_to(*this, Registry::StateDictPreHooks, std::move(hook));
}

PyResult<Ref<RemovableHandle>> Module::register_state_dict_post_hook(Value hook) {
  NNS_TRY(object::setattr(interpreter(), hook, NnLibrary::of(interpreter()).names.from_public_api, Value(true)));
  return add_to(*this, Registry::StateDictHooks, std::move(hook));
}

PyResult<Ref<RemovableHandle>> Module::register_state_dict_hook_private(Value hook) {
  Interpreter& in = interpreter();
  NNS_TRY_ASSIGN(const Value is_public, object::getattr_or_absent(in, hook, NnLibrary::of(in).names.from_public_api));
  NNS_TRY_ASSIGN(const bool refuse, object::truth(in, is_public));
  if (refuse) {
    return object::runtime_error(in,
                                 "Cannot register the same function as the state dict post hook that was previously "
                                 "registered via register_state_dict_post_hook");
  }
  return add_to(*this, Registry::StateDictHooks, std::move(hook));
}

PyResult<Ref<RemovableHandle>> Module::register_load_state_dict_pre_hook(Value hook, bool with_module) {
  return add_to(*this, Registry::LoadStateDictPreHooks, wrap_hook(*this, std::move(hook), with_module));
}

PyResult<Ref<RemovableHandle>> Module::register_load_state_dict_post_hook(Value hook) {
  return add_to(*this, Registry::LoadStateDictPostHooks, std::move(hook));
}

}  // namespace nns::nn
