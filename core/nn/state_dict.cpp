#include "core/nn/state_dict.h"

#include <fmt/format.h>

#include "core/nn/module_events.h"
#include "core/object/operations.h"
#include "core/ops/overrides.h"
#include "core/tensor/distributed.h"

namespace nns::nn {
namespace {

// The class's _version, by default 1. An int is no descriptor: it is what it is, unless the module has its own.
PyResult<Value> class_version(Module& module) {
  const NnLibrary& library = NnLibrary::of(module.interpreter());
  const Name name = library.names.class_version;
  const Value* const found = module.type().lookup(name);
  const Dict* const own = module.dict_if_made();
  const bool reads_as_module = library.leaves_to_module(module.type(), NnLibrary::Way::Read);
  if (reads_as_module && found != nullptr && found->is_int() && (own == nullptr || !own->contains(name))) return *found;
  return module.getattr(name);
}

// destination._metadata, or Absent: an OrderedDict of PyTorch's own has it in its __dict__.
PyResult<Value> metadata_of(Interpreter& in, const Value& destination) {
  const Name name = NnLibrary::of(in).names.metadata;
  if (destination.is_object() && &destination.object()->type() == in.builtins().ordered_dict) {
    Dict* const attributes = destination.object()->instance_dict(false);
    const Value* const found = attributes == nullptr ? nullptr : attributes->find(name);
    if (found != nullptr) return *found;
  }
  return object::getattr_or_absent(in, destination, name);
}

PyResult<void> save_tensor(Interpreter& in, Dict* destination, const Value& destination_value, std::string_view key,
                           Tensor& tensor, bool keep_vars) {
  // Behaviour: LazyModuleMixin._save_to_state_dict: what has no shape yet is saved as it is.
  Value saved = keep_vars || tensor.is_uninitialized() ? Value(&tensor) : Value(tensor::detach(tensor));
  if (saved.object() != &tensor && (tensor::is_distributed(tensor) || ops::is_overriding(in))) {
    NNS_TRY_ASSIGN(saved, in.call_method(Value(&tensor), in.intern("detach")));
  }
  if (destination != nullptr) [[likely]] {
    destination->set(in.text(key), std::move(saved));
    return {};
  }
  return object::setitem(in, destination_value, in.text(key), saved);
}

}  // namespace

// Behaviour: Module._save_to_state_dict.
PyResult<void> save_to_state_dict(Module& module, const Value& destination, std::string_view prefix, bool keep_vars) {
  Interpreter& in = module.interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  Dict* dict = destination.as<Dict>();
  std::string key(prefix);
  const auto save_all = [&](Registry registry, const object::Set* left_out) -> PyResult<void> {
    if (!module.has_registry(registry)) NNS_TRY(module.required_registry(registry));
    Dict* entries = module.filled_registry(registry);
    if (entries == nullptr) return {};
    for (std::size_t at = 0; Dict::Entry* entry = entries->next(at);) {
      Tensor* tensor = entry->value.as<Tensor>();
      if (tensor == nullptr || (left_out != nullptr && left_out->contains(entry->key))) continue;
      key.resize(prefix.size());
      if (const object::Str* name = entry->key.as<object::Str>()) key += name->view();
      NNS_TRY(save_tensor(in, dict, destination, key, *tensor, keep_vars));
    }
    return {};
  };
  NNS_TRY(save_all(Registry::Parameters, nullptr));
  const object::Set* not_persistent = nullptr;
  if (module.filled_registry(Registry::Buffers) != nullptr) {
    NNS_TRY_ASSIGN(const Value set, module.getattr(library.key(Registry::NonPersistentBuffersSet)));
    not_persistent = set.as<object::Set>();
    if (not_persistent != nullptr && not_persistent->size() == 0) not_persistent = nullptr;
    NNS_TRY(save_all(Registry::Buffers, not_persistent));
  }
  if (!library.leaves_to_module(module.type(), NnLibrary::Way::GetExtraState)) {
    NNS_TRY_ASSIGN(const Value extra, in.call_method(Value(&module), library.names.get_extra_state));
    key = std::string(prefix) + "_extra_state";
    NNS_TRY(object::setitem(in, destination, in.text(key), extra));
  }
  return {};
}

// Behaviour: Module.state_dict.
PyResult<Value> state_dict_into(Module& module, Value destination, std::string_view prefix, bool keep_vars) {
  Interpreter& in = module.interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  const Interpreter::Depth depth(in);
  if (depth.too_deep()) return in.recursion_error();
  // 1. The destination and this module's entry in its metadata.
  if (destination.is_none()) {
    const Ref<Dict> made = in.ordered_dict();
    made->instance_dict(true)->set(library.names.metadata, Value(in.ordered_dict()));
    destination = Value(made);
  }
  const Ref<Dict> local_metadata = in.dict();
  NNS_TRY_ASSIGN(Value version, class_version(module));
  local_metadata->set(library.names.version, std::move(version));
  NNS_TRY_ASSIGN(const Value metadata, metadata_of(in, destination));
  if (!metadata.is_absent()) {
    Value path = in.text(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1));
    if (&in.type_of(metadata) == in.builtins().ordered_dict) [[likely]] {
      metadata.as<Dict>()->set(std::move(path), Value(local_metadata));
    } else {
      NNS_TRY(object::setitem(in, metadata, path, Value(local_metadata)));
    }
  }
  // 2. Pre-hooks.
  if (!module.has_registry(Registry::StateDictPreHooks)) NNS_TRY(module.required_registry(Registry::StateDictPreHooks));
  if (Dict* hooks = module.filled_registry(Registry::StateDictPreHooks)) {
    for (const auto& [id, hook] : snapshot(*hooks)) {
      tell_hook_fires(module, registry_key(Registry::StateDictPreHooks), id);
      NNS_TRY(in.call(hook, {Value(&module), in.text(prefix), Value(keep_vars)}));
    }
  }
  // 3. The own entries.
  if (library.leaves_to_module(module.type(), NnLibrary::Way::SaveToStateDict)) {
    NNS_TRY(save_to_state_dict(module, destination, prefix, keep_vars));
  } else {
    NNS_TRY(in.call_method(Value(&module), library.names.save_to_state_dict,
                           {destination, in.text(prefix), Value(keep_vars)}));
  }
  // 4. The children.
  if (!module.has_registry(Registry::Modules)) NNS_TRY(module.required_registry(Registry::Modules));
  if (Dict* children = module.filled_registry(Registry::Modules)) {
    std::string path(prefix);
    for (std::size_t at = 0; Dict::Entry* entry = children->next(at);) {
      Module* child = as_module(entry->value);
      if (child == nullptr) continue;
      path.resize(prefix.size());
      if (const object::Str* name = entry->key.as<object::Str>()) path += name->view();
      path += '.';
      if (library.leaves_to_module(child->type(), NnLibrary::Way::StateDict)) [[likely]] {
        NNS_TRY(state_dict_into(*child, destination, path, keep_vars));
        continue;
      }
      const Keyword keywords[] = {{library.names.destination, destination},
                                  {library.names.prefix, in.text(path)},
                                  {library.names.keep_vars, Value(keep_vars)}};
      NNS_TRY(in.call_method(Value(child), library.names.state_dict, {}, keywords));
    }
  }
  // 5. Post-hooks: a public one must return None, a private one may replace the result.
  if (!module.has_registry(Registry::StateDictHooks)) NNS_TRY(module.required_registry(Registry::StateDictHooks));
  if (Dict* hooks = module.filled_registry(Registry::StateDictHooks)) {
    for (const auto& [id, hook] : snapshot(*hooks)) {
      tell_hook_fires(module, registry_key(Registry::StateDictHooks), id);
      NNS_TRY_ASSIGN(const Value answer,
                     in.call(hook, {Value(&module), destination, in.text(prefix), Value(local_metadata)}));
      NNS_TRY_ASSIGN(const Value is_public, object::getattr_or_absent(in, hook, library.names.from_public_api));
      NNS_TRY_ASSIGN(const bool is_post_hook, object::truth(in, is_public));
      if (is_post_hook && !answer.is_none()) return object::runtime_error(in, "state_dict post-hook must return None");
      if (!is_post_hook && !answer.is_none()) destination = answer;
    }
  }
  return destination;
}

PyResult<Value> Module::state_dict(std::string_view prefix, bool keep_vars) {
  return state_dict_into(*this, Value(), prefix, keep_vars);
}

}  // namespace nns::nn
