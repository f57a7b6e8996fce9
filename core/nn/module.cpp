#include "core/nn/module.h"

#include <fmt/format.h>

#include "core/nn/arguments.h"
#include "core/nn/module_events.h"
#include "core/object/operations.h"

namespace nns::nn {
namespace {

// What a second Module.__init__ drops.
void report_lost_members(Module& module) {
  for (const Registry place : {Registry::Parameters, Registry::Buffers, Registry::Modules}) {
    Dict* const members = module.filled_registry(place);
    if (members == nullptr) continue;
    for (const Value& key : members->keys()) {
      if (object::Str* text = key.as<object::Str>()) {
        report_change(module, place, module.interpreter().intern(*text), events::RegistryChanged::Change::Removed);
      }
    }
  }
}

}  // namespace

std::string joined_path(std::string_view prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
}

Ref<Module> Module::make(Interpreter& interpreter, Class* cls) {
  auto made = object::make<Module>(cls != nullptr ? *cls : *NnLibrary::of(interpreter).module);
  made->init();
  return made;
}

// Behaviour: Module.__init__.
void Module::init() {
  const NnLibrary& library = NnLibrary::of(interpreter());
  Dict& own = dict();
  if (own.slot_count() == 0) {
    own.copy_from(library.fresh_dict());
    return;
  }
  if (interpreter().events().watched()) report_lost_members(*this);
  std::size_t i = 0;
  for (const Value& start : {
#define NNS_REGISTRY(id, key, start) start,
#include "core/nn/registries.def"
#undef NNS_REGISTRY
       }) {
    own.set(library.key(static_cast<Registry>(i++)), start);
  }
}

void Module::look_at_names(const Dict& own) const {
  const NnLibrary& library = NnLibrary::of(interpreter());
  names_.shape = own.shape_version();
  names_.has_registries_in_place = own.begins_with(library.keys());
  names_.has_forward = own.contains(interpreter().names().forward);
  names_.has_compiled_call = own.contains(library.names.compiled_call_impl);
}

const Value* Module::search_registry(const Dict& own, Registry registry) const {
  // While a module is built names come one after the other: only those that are asked about twice are worth a look.
  if (own.shape_version() != names_.shape) {
    if (own.shape_version() == names_.asked_shape) {
      look_at_names(own);
    } else {
      names_.asked_shape = own.shape_version();
    }
  }
  const Name key = NnLibrary::of(interpreter()).key(registry);
  const Value* const found = own.raw_at(static_cast<std::size_t>(registry), key);
  return found != nullptr ? found : own.find_raw(key);
}

Dict* Module::registry_dict(Registry registry) const {
  const Value* found = find_registry(registry);
  if (found == nullptr) return nullptr;
  if (found->is_empty_container()) [[unlikely]] {
    found = dict_if_made()->find(NnLibrary::of(interpreter()).key(registry));
  }
  return found->as<Dict>();
}

PyResult<Dict*> Module::required_registry(Registry registry) {
  Interpreter& in = interpreter();
  if (const Value* found = find_registry(registry)) {
    if (Dict* dict = registry_dict(registry)) return dict;
    return object::attribute_error(in, "'{}' object has no attribute 'items'", in.type_of(*found).name());
  }
  const Name key = NnLibrary::of(in).key(registry);
  NNS_TRY_ASSIGN(const Value found, object::getattr(in, Value(this), key));
  if (Dict* dict = found.as<Dict>()) return dict;
  return object::attribute_error(in, "'{}' object has no attribute 'items'", in.type_of(found).name());
}

PyResult<Value> Module::getattr(Name name) {
  // Most names are in no class: then it is the __dict__, and after that the registries.
  if (NnLibrary::of(interpreter()).leaves_to_module(type(), NnLibrary::Way::Read) && type().lookup(name) == nullptr) {
    if (Dict* own = dict_if_made()) {
      if (const Value* found = own->find(name)) return *found;
    }
    return registered_attribute(name);
  }
  return object::getattr(interpreter(), Value(this), name);
}

PyResult<void> Module::setattr(Name name, const Value& value) {
  if (NnLibrary::of(interpreter()).leaves_to_module(type(), NnLibrary::Way::Write)) return module_setattr(name, value);
  return object::setattr(interpreter(), Value(this), name, value);
}

PyResult<void> Module::delattr(Name name) { return object::delattr(interpreter(), Value(this), name); }

// Behaviour: Module.__getattr__.
PyResult<Value> Module::registered_attribute(Name name) {
  for (const Registry place : {Registry::Parameters, Registry::Buffers, Registry::Modules}) {
    Dict* registry = filled_registry(place);
    if (registry == nullptr) continue;
    if (const Value* found = registry->find(name)) return *found;
  }
  return object::attribute_error(interpreter(), "'{}' object has no attribute '{}'", type().name(), name.view());
}

void Module::forget(Name name, std::initializer_list<Registry> places) {
  if (Dict* own = dict_if_made()) own->erase(name);
  for (const Registry place : places) {
    const Value* registry = find_registry(place);
    if (registry == nullptr || registry->is_empty_container()) continue;
    if (Dict* dict = registry->as<Dict>(); dict != nullptr && dict->erase(name)) {
      report_change(*this, place, name, events::RegistryChanged::Change::Removed);
    }
    if (object::Set* set = registry->as<object::Set>()) set->discard(name.value());
  }
}

// Behaviour: Module.__setattr__. The first line that matches decides.
PyResult<void> Module::module_setattr(Name name, const Value& value) {
  Interpreter& in = interpreter();
  NnLibrary& library = NnLibrary::of(in);
  const Tensor* tensor = value.as<Tensor>();
  const auto report = [&](events::Place place) {
    in.events().report([&] {
      return events::AttributeSet{subject_of(*this), name.view(), place, in.type_of(value).name()};
    });
  };
  // 1. A Parameter leaves every other place and is registered.
  if (tensor != nullptr && tensor->is_parameter()) {
    if (!has_registry(Registry::Parameters)) {
      return object::attribute_error(in, "cannot assign parameters before Module.__init__() call");
    }
    forget(name, {Registry::Buffers, Registry::Modules, Registry::NonPersistentBuffersSet});
    if (library.leaves_to_module(type(), NnLibrary::Way::RegisterParameter)) {
      NNS_TRY(register_parameter(name.value(), value));
    } else {
      NNS_TRY(in.call_method(Value(this), library.names.register_parameter, {name.value(), value}));
    }
    report(events::Place::Parameters);
    return {};
  }
  // 2. Over a registered parameter only None may be written; the name stays registered.
  Dict* parameters = filled_registry(Registry::Parameters);
  if (parameters != nullptr && parameters->contains(name)) {
    if (!value.is_none()) {
      return object::type_error(in, "cannot assign '{}' as parameter '{}' (torch.nn.Parameter or None expected)",
                                shown_type(in, value), name.view());
    }
    NNS_TRY(in.call_method(Value(this), library.names.register_parameter, {name.value(), value}));
    report(events::Place::Parameters);
    return {};
  }
  const auto hooked = [&](GlobalHooks table, Value stored) -> PyResult<Value> {
    for (const auto& [id, hook] : snapshot(library.hooks(table))) {
      NNS_TRY_ASSIGN(const Value output, in.call(hook, {Value(this), name.value(), stored}));
      if (!output.is_none()) stored = output;
    }
    return stored;
  };
  // 3. A Module becomes a child; its name is not checked.
  Dict* modules = filled_registry(Registry::Modules);
  if (as_module(value) != nullptr) {
    if (!has_registry(Registry::Modules)) {
      return object::attribute_error(in, "cannot assign module before Module.__init__() call");
    }
    forget(name, {Registry::Parameters, Registry::Buffers, Registry::NonPersistentBuffersSet});
    NNS_TRY_ASSIGN(const Value stored, hooked(GlobalHooks::ModuleRegistration, value));
    if (modules = registry_dict(Registry::Modules); modules == nullptr) {
      return object::attribute_error(in, "cannot assign module before Module.__init__() call");
    }
    const bool replaced = modules->contains(name);
    modules->set(name, stored);
    report_stored(*this, Registry::Modules, name, replaced);
    report(events::Place::Modules);
    return {};
  }
  // 4. Over a child only None may be written.
  if (modules != nullptr && modules->contains(name)) {
    if (!value.is_none()) {
      return object::type_error(in, "cannot assign '{}' as child module '{}' (torch.nn.Module or None expected)",
                                shown_type(in, value), name.view());
    }
    NNS_TRY_ASSIGN(const Value stored, hooked(GlobalHooks::ModuleRegistration, value));
    modules->set(name, stored);
    report_stored(*this, Registry::Modules, name, true);
    report(events::Place::Modules);
    return {};
  }
  // 5. A Buffer, or the name of one.
  Dict* buffers = filled_registry(Registry::Buffers);
  const bool is_buffer = tensor != nullptr && tensor->is_buffer();
  if (is_buffer || (buffers != nullptr && buffers->contains(name))) {
    if (!value.is_none() && tensor == nullptr &&
        in.type_of(value).lookup(in.names().dunder_torch_function) == nullptr) {
      return object::type_error(in,
                                "cannot assign '{}' as buffer '{}' (torch.nn.Buffer, torch.Tensor or None expected)",
                                shown_type(in, value), name.view());
    }
    bool persistent = true;
    if (is_buffer) {
      persistent = tensor->is_persistent_buffer();
    } else if (const Value* set = find_registry(Registry::NonPersistentBuffersSet)) {
      const object::Set* names = set->as<object::Set>();
      persistent = names == nullptr || !names->contains(name.value());
    }
    if (library.leaves_to_module(type(), NnLibrary::Way::RegisterBuffer)) {
      NNS_TRY(register_buffer(name.value(), value, persistent));
    } else {
      const Value* method = type().lookup(library.names.register_buffer);
      bool takes_persistent = true;
      if (const auto* function = method == nullptr ? nullptr : method->as<object::NativeFunction>()) {
        takes_persistent = false;
        for (const object::Parameter& parameter : function->signature().parameters()) {
          takes_persistent = takes_persistent || parameter.name == library.names.persistent;
        }
      }
      if (takes_persistent) {
        NNS_TRY(in.call_method(Value(this), library.names.register_buffer, {name.value(), value, Value(persistent)}));
      } else if (!persistent) {
        return object::runtime_error(in,
                                     "Registering a non-persistent buffer on a Module subclass that implements "
                                     "register_buffer() without the persistent argument is not allowed.");
      } else {
        NNS_TRY(in.call_method(Value(this), library.names.register_buffer, {name.value(), value}));
      }
    }
    report(events::Place::Buffers);
    return {};
  }
  // 6. Anything else is a plain attribute.
  NNS_TRY(object::generic_setattr(in, Value(this), name, value));
  report(events::Place::Attribute);
  return {};
}

// Behaviour: Module.__delattr__.
PyResult<void> Module::module_delattr(Name name) {
  Interpreter& in = interpreter();
  const auto report = [&](events::Place place) {
    in.events().report([&] { return events::AttributeDeleted{subject_of(*this), name.view(), place}; });
  };
  const std::pair<Registry, events::Place> places[] = {{Registry::Parameters, events::Place::Parameters},
                                                       {Registry::Buffers, events::Place::Buffers},
                                                       {Registry::Modules, events::Place::Modules}};
  for (const auto& [registry, place] : places) {
    NNS_TRY_ASSIGN(Dict* const dict, required_registry(registry));
    if (!dict->erase(name)) continue;
    if (registry == Registry::Buffers) {
      const Value* set = find_registry(Registry::NonPersistentBuffersSet);
      if (object::Set* names = set == nullptr ? nullptr : set->as<object::Set>()) names->discard(name.value());
    }
    report_change(*this, registry, name, events::RegistryChanged::Change::Removed);
    report(place);
    return {};
  }
  NNS_TRY(object::generic_delattr(in, Value(this), name));
  report(events::Place::Attribute);
  return {};
}

bool Module::training() {
  const Value* found = find_registry(Registry::Training);
  return found != nullptr && found->is_bool() && found->as_bool();
}

}  // namespace nns::nn
