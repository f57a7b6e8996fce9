#include "core/nn/hooks.h"

#include "core/nn/module.h"
#include "core/nn/module_events.h"
#include "core/object/operations.h"

namespace nns::nn {

namespace {

Ref<RemovableHandle> add_global(Interpreter& in, GlobalHooks table, Value hook,
                                const std::vector<Dict*>& side_tables = {}) {
  const std::string_view name = kGlobalHooksNames[static_cast<std::size_t>(table)];
  auto handle = add_hook(in, name, NnLibrary::of(in).hooks(table), std::move(hook), side_tables);
  in.events().report([&] { return events::HookRegistered{{}, name, handle->id()}; });
  return handle;
}

}  // namespace

Ref<RemovableHandle> register_module_forward_pre_hook(Interpreter& interpreter, Value hook) {
  return add_global(interpreter, GlobalHooks::ForwardPre, std::move(hook));
}

Ref<RemovableHandle> register_module_forward_hook(Interpreter& interpreter, Value hook,
                                                  const ForwardHookOptions& options) {
  NnLibrary& library = NnLibrary::of(interpreter);
  Dict& with_kwargs = library.hooks(GlobalHooks::ForwardWithKwargs);
  Dict& always_called = library.hooks(GlobalHooks::ForwardAlwaysCalled);
  auto handle = add_global(interpreter, GlobalHooks::Forward, std::move(hook), {&with_kwargs, &always_called});
  if (options.with_kwargs) with_kwargs.set(Value(handle->id()), Value(true));
  if (options.always_call) always_called.set(Value(handle->id()), Value(true));
  return handle;
}

Ref<RemovableHandle> register_module_full_backward_pre_hook(Interpreter& interpreter, Value hook) {
  return add_global(interpreter, GlobalHooks::BackwardPre, std::move(hook));
}

PyResult<Ref<RemovableHandle>> register_module_backward_hook(Interpreter& interpreter, Value hook, bool full) {
  Value& kind = NnLibrary::of(interpreter).global_is_full_backward_hook;
  if (kind.is_bool() && kind.as_bool() != full) {
    return object::runtime_error(interpreter,
                                 "Cannot use both regular backward hooks and full backward hooks as a global Module "
                                 "hook. Please use only one of them.");
  }
  kind = Value(full);
  return add_global(interpreter, GlobalHooks::Backward, std::move(hook));
}

Ref<RemovableHandle> register_module_registration_hook(Interpreter& interpreter, GlobalHooks table, Value hook) {
  return add_global(interpreter, table, std::move(hook));
}

void add_hook_classes(Interpreter& interpreter, NnLibrary& library) {
  library.wrapped_hook = &define_wrapped_hook(interpreter);
}

// The methods of Module.

namespace {

PyResult<Ref<RemovableHandle>> add_to(Module& module, Registry table, Value hook, bool prepend = false,
                                      const std::vector<Registry>& sides = {}) {
  NNS_TRY_ASSIGN(Dict* const hooks, module.required_registry(table));
  std::vector<Dict*> side_tables;
  for (const Registry side : sides) {
    NNS_TRY_ASSIGN(Dict* const side_table, module.required_registry(side));
    side_tables.push_back(side_table);
  }
  Interpreter& in = module.interpreter();
  auto handle = add_hook(in, registry_key(table), *hooks, std::move(hook), side_tables);
  if (prepend) hooks->move_to_end(Value(handle->id()), false);
  in.events().report([&] { return events::HookRegistered{subject_of(module), registry_key(table), handle->id()}; });
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
