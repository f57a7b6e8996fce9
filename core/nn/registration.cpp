#include <fmt/format.h>

#include "core/nn/arguments.h"
#include "core/nn/module.h"
#include "core/nn/module_events.h"
#include "core/object/operations.h"

namespace nns::nn {
namespace {

PyError already_exists(Interpreter& in, std::string_view name) {
  return object::key_error(in, in.text(fmt::format("attribute '{}' already exists", name)));
}

PyError key_text(Interpreter& in, std::string_view text) { return object::key_error(in, in.text(text)); }

// hasattr(module, name), without making the error of a name that is nowhere where Module alone decides.
PyResult<bool> has_attribute(Module& module, Name name) {
  const NnLibrary& library = NnLibrary::of(module.interpreter());
  if (!library.leaves_to_module(module.type(), NnLibrary::Way::Read) || module.type().lookup(name) != nullptr) {
    return object::hasattr(module.interpreter(), Value(&module), name);
  }
  const Dict* const own = module.dict_if_made();
  if (own != nullptr && own->contains(name)) return true;
  for (const Registry place : {Registry::Parameters, Registry::Buffers, Registry::Modules}) {
    const Dict* const registry = module.filled_registry(place);
    if (registry != nullptr && registry->contains(name)) return true;
  }
  return false;
}

// Runs the registration hooks: what one returns instead of None is registered instead.
PyResult<Value> after_hooks(Interpreter& in, GlobalHooks table, const Value& module, Name name, Value value) {
  Dict& hooks = NnLibrary::of(in).hooks(table);
  if (hooks.empty()) [[likely]]
    return value;
  for (const auto& [id, hook] : snapshot(hooks)) {
    tell_hook_fires(*as_module(module), kGlobalHooksNames[static_cast<std::size_t>(table)], id);
    NNS_TRY_ASSIGN(const Value output, in.call(hook, {module, name.value(), value}));
    if (!output.is_none()) value = output;
  }
  return value;
}

}  // namespace

// Behaviour: Module.register_parameter.
PyResult<void> Module::register_parameter(const Value& name_value, const Value& parameter) {
  Interpreter& in = interpreter();
  if (!has_registry(Registry::Parameters)) {
    return object::attribute_error(in, "cannot assign parameter before Module.__init__() call");
  }
  object::Str* text = name_value.as<object::Str>();
  if (text == nullptr) {
    return object::type_error(in, "parameter name should be a string. Got {}", in.type_of(name_value).full_name());
  }
  const std::string_view view = text->view();
  if (view.find('.') != std::string_view::npos) return key_text(in, "parameter name can't contain \".\"");
  if (view.empty()) return key_text(in, "parameter name can't be empty string \"\"");
  const Name name = in.intern(*text);
  const Dict* filled = filled_registry(Registry::Parameters);
  const bool registered = filled != nullptr && filled->contains(name);
  if (!registered) {
    NNS_TRY_ASSIGN(const bool taken, has_attribute(*this, name));
    if (taken) return already_exists(in, view);
  }
  Value stored = parameter;
  if (!parameter.is_none()) {
    const Tensor* tensor = parameter.as<Tensor>();
    if (tensor == nullptr || !tensor->is_parameter()) {
      return object::type_error(in, "cannot assign '{}' object to parameter '{}' (torch.nn.Parameter or None required)",
                                shown_type(in, parameter), view);
    }
    if (tensor->grad_fn()) {
      return object::value_error(in,
                                 "Cannot assign non-leaf Tensor to parameter '{0}'. Model parameters must be created "
                                 "explicitly. To express '{0}' as a function of another Tensor, compute the value in "
                                 "the forward() method.",
                                 view);
    }
    NNS_TRY_ASSIGN(stored, after_hooks(in, GlobalHooks::ParameterRegistration, Value(this), name, parameter));
  }
  NNS_TRY_ASSIGN(Dict* const parameters, required_registry(Registry::Parameters));
  parameters->set(name, std::move(stored));
  report_stored(*this, Registry::Parameters, name, registered);
  return {};
}

// Behaviour: Module.register_buffer.
PyResult<void> Module::register_buffer(const Value& name_value, const Value& tensor, bool persistent) {
  Interpreter& in = interpreter();
  if (!has_registry(Registry::Buffers)) {
    return object::attribute_error(in, "cannot assign buffer before Module.__init__() call");
  }
  object::Str* text = name_value.as<object::Str>();
  if (text == nullptr) {
    return object::type_error(in, "buffer name should be a string. Got {}", in.type_of(name_value).full_name());
  }
  const std::string_view view = text->view();
  if (view.find('.') != std::string_view::npos) return key_text(in, "buffer name can't contain \".\"");
  if (view.empty()) return key_text(in, "buffer name can't be empty string \"\"");
  const Name name = in.intern(*text);
  const Dict* filled = filled_registry(Registry::Buffers);
  const bool registered = filled != nullptr && filled->contains(name);
  if (!registered) {
    NNS_TRY_ASSIGN(const bool taken, has_attribute(*this, name));
    if (taken) return already_exists(in, view);
  }
  if (!tensor.is_none() && tensor.as<Tensor>() == nullptr &&
      in.type_of(tensor).lookup(in.names().dunder_torch_function) == nullptr) {
    return object::type_error(in, "cannot assign '{}' object to buffer '{}' (torch Tensor or None required)",
                              shown_type(in, tensor), view);
  }
  NNS_TRY_ASSIGN(Value stored, after_hooks(in, GlobalHooks::BufferRegistration, Value(this), name, tensor));
  NNS_TRY_ASSIGN(Dict* const buffers, required_registry(Registry::Buffers));
  buffers->set(name, std::move(stored));
  NNS_TRY_ASSIGN(const Value set, getattr(NnLibrary::of(in).key(Registry::NonPersistentBuffersSet)));
  if (object::Set* names = set.as<object::Set>()) persistent ? names->discard(name.value()) : names->add(name.value());
  report_stored(*this, Registry::Buffers, name, registered);
  return {};
}

// Behaviour: Module.add_module.
PyResult<void> Module::add_module(const Value& name_value, const Value& module) {
  Interpreter& in = interpreter();
  if (!module.is_none() && as_module(module) == nullptr) {
    return object::type_error(in, "{} is not a Module subclass", shown_type(in, module));
  }
  object::Str* text = name_value.as<object::Str>();
  if (text == nullptr) {
    return object::type_error(in, "module name should be a string. Got {}", in.type_of(name_value).full_name());
  }
  const std::string_view view = text->view();
  const Name name = in.intern(*text);
  NNS_TRY_ASSIGN(const bool taken, has_attribute(*this, name));
  NNS_TRY_ASSIGN(Dict * modules, required_registry(Registry::Modules));
  const bool registered = modules->contains(name);
  if (taken && !registered) return already_exists(in, view);
  if (view.find('.') != std::string_view::npos) {
    return key_text(in, fmt::format("module name can't contain \".\", got: {}", view));
  }
  if (view.empty()) return key_text(in, "module name can't be empty string \"\"");
  NNS_TRY_ASSIGN(Value stored, after_hooks(in, GlobalHooks::ModuleRegistration, Value(this), name, module));
  NNS_TRY_ASSIGN(modules, required_registry(Registry::Modules));
  modules->set(name, std::move(stored));
  report_stored(*this, Registry::Modules, name, registered);
  return {};
}

// Behaviour: Module.get_submodule.
PyResult<Ref<Module>> Module::get_submodule(std::string_view target) {
  Interpreter& in = interpreter();
  Ref<Module> at(this);
  if (target.empty()) return at;
  while (true) {
    const std::size_t dot = target.find('.');
    const std::string_view atom = target.substr(0, dot);
    NNS_TRY_ASSIGN(const Value found, object::getattr_or_absent(in, Value(at), in.intern(atom)));
    if (found.is_absent()) {
      // The class's own name, as _get_name gives it.
      NNS_TRY_ASSIGN(const Value shown, in.call_method(Value(at), NnLibrary::of(in).names.get_name));
      NNS_TRY_ASSIGN(const std::string name, object::str(in, shown));
      return object::attribute_error(in, "{} has no attribute `{}`", name, atom);
    }
    Module* next = as_module(found);
    if (next == nullptr) return object::attribute_error(in, "`{}` is not an nn.Module", atom);
    at = Ref<Module>(next);
    if (dot == std::string_view::npos) return at;
    target.remove_prefix(dot + 1);
  }
}

namespace {

struct Target {
  Ref<Module> owner;
  Value found;
  std::string_view name;
};

// What a path leads to: the module before the last dot, and its attribute.
PyResult<Target> find_target(Module& self, std::string_view target) {
  Interpreter& in = self.interpreter();
  const std::size_t dot = target.rfind('.');
  const std::string_view path = dot == std::string_view::npos ? std::string_view() : target.substr(0, dot);
  const std::string_view name = dot == std::string_view::npos ? target : target.substr(dot + 1);
  NNS_TRY_ASSIGN(Ref<Module> owner, self.get_submodule(path));
  NNS_TRY_ASSIGN(Value found, object::getattr_or_absent(in, Value(owner), in.intern(name)));
  if (found.is_absent()) {
    NNS_TRY_ASSIGN(const Value shown, in.call_method(Value(owner), NnLibrary::of(in).names.get_name));
    NNS_TRY_ASSIGN(const std::string class_name, object::str(in, shown));
    return object::attribute_error(in, "{} has no attribute `{}`", class_name, name);
  }
  return Target{std::move(owner), std::move(found), name};
}

}  // namespace

PyResult<Ref<Tensor>> Module::get_parameter(std::string_view target) {
  NNS_TRY_ASSIGN(const Target at, find_target(*this, target));
  Tensor* tensor = at.found.as<Tensor>();
  if (tensor == nullptr || !tensor->is_parameter()) {
    return object::attribute_error(interpreter(), "`{}` is not an nn.Parameter", at.name);
  }
  return Ref<Tensor>(tensor);
}

PyResult<Ref<Tensor>> Module::get_buffer(std::string_view target) {
  NNS_TRY_ASSIGN(const Target at, find_target(*this, target));
  const Dict* buffers = at.owner->filled_registry(Registry::Buffers);
  Tensor* tensor = at.found.as<Tensor>();
  if (tensor == nullptr || buffers == nullptr || !buffers->contains(interpreter().intern(at.name))) {
    return object::attribute_error(interpreter(), "`{}` is not a buffer", at.name);
  }
  return Ref<Tensor>(tensor);
}

// Behaviour: Module.set_submodule.
PyResult<void> Module::set_submodule(std::string_view target, const Value& module, bool strict) {
  Interpreter& in = interpreter();
  if (target.empty()) return object::value_error(in, "Cannot set the submodule without a target name!");
  if (as_module(module) == nullptr) {
    return object::value_error(in, "`module` is not an nn.Module, found {}", object::class_repr(in.type_of(module)));
  }
  const std::size_t dot = target.rfind('.');
  const std::string_view path = dot == std::string_view::npos ? std::string_view() : target.substr(0, dot);
  const Name name = in.intern(dot == std::string_view::npos ? target : target.substr(dot + 1));
  NNS_TRY_ASSIGN(const Ref<Module> parent, get_submodule(path));
  NNS_TRY_ASSIGN(const Value found, object::getattr_or_absent(in, Value(parent), name));
  if (strict && found.is_absent()) {
    return object::attribute_error(in, "{} has no attribute `{}`", parent->type().name(), name.view());
  }
  if (!found.is_absent() && as_module(found) == nullptr) {
    return object::attribute_error(in, "`{}` is not an nn.Module", name.view());
  }
  return parent->setattr(name, module);
}

}  // namespace nns::nn
