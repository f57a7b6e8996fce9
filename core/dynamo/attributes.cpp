// Reading and writing attributes of trackers.
// Behaviour: torch/_dynamo/variables/user_defined.py, nn_module.py.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using object::BoundMethod;
using object::GetSet;
using object::NativeFunction;
using object::Property;
using object::WrappedMethod;

namespace {

bool is_special_hooks(std::string_view name) {
  return name == "_backward_hooks" || name == "_backward_pre_hooks" || name == "_forward_hooks" ||
         name == "_forward_pre_hooks" || name == "_forward_hooks_with_kwargs" || name == "_forward_pre_hooks_with_kwargs";
}

bool is_module(const Variable& variable) { return variable.value.as<nn::Module>() != nullptr; }

}  // namespace

Variable* Translator::load_attribute(Variable* given, Name name) {
  NNS_VARIABLE(object, real(given));
  const std::string_view text = name.view();
  switch (object->kind) {
    case VariableKind::Tensor:
      return tensor_attribute(object, name);
    case VariableKind::PythonModule: {
      PyResult<Value> value = object::getattr(in_, object->value, name);
      if (!value.ok()) return raise(value.error());
      return build(value.value(), object->source == nullptr ? nullptr : sources_->attr(object->source, text));
    }
    case VariableKind::Class:
      return class_attribute(object, name);
    case VariableKind::Object:
      return object_attribute(object, name);
    case VariableKind::NNModule:
      return specialized_attribute(object, name);
    case VariableKind::Super:
      return super_attribute(object, name);
    case VariableKind::Function:
    case VariableKind::Method:
    case VariableKind::BoundBuiltin:
    case VariableKind::Builtin:
      return function_attribute(object, name);
    case VariableKind::Exception:
      if (text == "args") return tuple(object->items);
      if (Variable* written = pending(object, name); written != nullptr) return written;
      break;
    default:
      break;
  }
  if (text == "__class__") {
    Variable& made = arena_->make(VariableKind::Class);
    made.value = Value(static_cast<object::Object*>(&type_of(*object)));
    return &made;
  }
  Class& cls = type_of(*object);
  // A field of a named tuple is an item.
  if (object->kind == VariableKind::Tuple && object->cls != nullptr) {
    const Value* fields = cls.lookup(in_.intern("_fields"));
    const auto* names = fields == nullptr ? nullptr : fields->as<object::Tuple>();
    for (std::size_t i = 0; names != nullptr && i < names->size() && i < object->items.size(); ++i) {
      const auto* field = (*names)[i].as<object::Str>();
      if (field != nullptr && field->view() == text) return real(object->items[i]);
    }
    const Value whole = constant_value(object);
    if (names == nullptr && !whole.is_absent()) {
      PyResult<Value> value = object::getattr(in_, whole, name);
      if (value.ok() && value.value().as<BoundMethod>() == nullptr && is_constant(constant(value.value()))) return constant(value.value());
    }
    const Value* found = cls.lookup(name);
    if (found != nullptr && python::as_function(*found) != nullptr) return bind_class_attribute(object, *found, name, 0);
    if (names == nullptr && found != nullptr && whole.is_absent() == true && object->kind == VariableKind::Tuple) {
      // torch.return_types: fields by getset; asked of an example.
      Argument argument;
      if (as_argument(object, argument)) {
        std::vector<Value> items;
        for (const Argument& item : argument.items) items.push_back(fake_value(item));
        const Value example = object::make_tuple(cls, items);
        PyResult<Value> value = object::getattr(in_, example, name);
        for (std::size_t i = 0; value.ok() && i < items.size(); ++i) {
          if (items[i].is(value.value())) return real(object->items[i]);
        }
      }
    }
  }
  if (object->kind == VariableKind::Constant) {
    PyResult<Value> value = object::getattr(in_, object->value, name);
    if (!value.ok()) return raise(value.error());
    const Value& found = value.value();
    if (found.as<BoundMethod>() == nullptr && found.as<NativeFunction>() == nullptr) return build(found, nullptr);
  } else if (object->kind == VariableKind::Slice && (text == "start" || text == "stop" || text == "step")) {
    return object->items[text == "start" ? 0 : text == "stop" ? 1 : 2];
  }
  const Value* found = cls.lookup(name);
  const bool is_own_kind = object->kind == VariableKind::AttributeDict || object->kind == VariableKind::Generator ||
                           object->kind == VariableKind::Iterator || object->kind == VariableKind::Context;
  if (found == nullptr && !is_own_kind) {
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", cls.name(), text));
  }
  if (found != nullptr && python::as_function(*found) != nullptr) return bind_class_attribute(object, *found, name, 0);
  Variable& made = arena_->make(VariableKind::BoundBuiltin);
  made.self = object;
  made.name = text;
  if (found != nullptr) made.value = *found;
  return &made;
}

Variable* Translator::pending(Variable* object, Name name) {
  const auto found = write_index_.find({object, &name.str()});
  return found == write_index_.end() ? nullptr : writes_[found->second].value;
}

// The attribute of a class as the first of its order has it. `library`: what stands for a method of torch's own.
const Value* Translator::class_lookup(Class& cls, Name name, std::int64_t& depth, Variable** library) {
  depth = 0;
  if (library != nullptr) {
    for (Class* one : cls.mro()) {
      if (one->module().starts_with("torch.nn")) {
        *library = library_function(one->name(), name.view());
        if (*library != nullptr) return &(*library)->value;
        continue;
      }
      const bool is_base = one->module() == "builtins";
      if (const Value* found = is_base ? nullptr : one->attributes_for_reading().find(name)) return found;
      ++depth;
    }
  }
  depth = 0;
  for (Class* one : cls.mro()) {
    if (const Value* found = one->attributes_for_reading().find(name)) return found;
    ++depth;
  }
  return nullptr;
}

Variable* Translator::object_attribute(Variable* object, Name name) {
  Class& cls = type_of(*object);
  const std::string_view text = name.view();
  // 1. A class that reads its attributes itself.
  const Value* reader = cls.lookup(in_.names().dunder_getattribute);
  if (reader != nullptr && python::as_function(*reader) != nullptr && text != "__class__") {
    Variable& function = arena_->make(VariableKind::Function);
    function.value = *reader;
    Variable* args[] = {object, constant(name.value())};
    return inline_call(&function, args, {});
  }
  bool is_found = false;
  Variable* own = own_attribute(object, name, is_found);
  if (is_found || has_failed()) return own;
  // The rest: __getattr__.
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* getter = class_lookup(cls, in_.names().dunder_getattr, depth, nullptr);
  if (getter != nullptr && python::as_function(*getter) != nullptr) {
    Variable& function = arena_->make(VariableKind::Function);
    function.value = *getter;
    if (object->source != nullptr) function.source = sources_->class_attr(object->source, "__getattr__", depth);
    Variable* args[] = {object, constant(name.value())};
    return inline_call(&function, args, {});
  }
  static_cast<void>(library);
  if (is_module(*object)) return module_registry_attribute(object, name);
  return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", cls.name(), text));
}

Variable* Translator::own_attribute(Variable* object, Name name, bool& is_found) {
  Class& cls = type_of(*object);
  const std::string_view text = name.view();
  is_found = true;
  if (text == "__dict__") {
    Variable& made = arena_->make(VariableKind::AttributeDict);
    made.self = object;
    made.value = Value(in_.dict());
    if (object->source != nullptr) made.source = sources_->attr(object->source, text);
    return &made;
  }
  if (text == "__class__") {
    Variable& made = arena_->make(VariableKind::Class);
    made.value = Value(static_cast<object::Object*>(&cls));
    if (object->source != nullptr) {
      made.source = sources_->attr(object->source, text);
      guard_id(GuardKind::ClassMatch, made.source, made.value);
    }
    return &made;
  }
  const bool is_nn = is_module(*object);
  if (is_nn && is_special_hooks(text) && !object->is_new && pending(object, name) == nullptr) return hooks_attribute(object, name);
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* found = class_lookup(cls, name, depth, &library);
  const bool is_data = found != nullptr && library == nullptr && found->is_object() &&
                       found->object()->descriptor_kind() == object::DescriptorKind::Data;
  if (is_data) return bind_class_attribute(object, *found, name, depth);
  // Written while the frame runs.
  bool is_deleted = false;
  if (Variable* written = pending(object, name); written != nullptr) {
    if (written->kind != VariableKind::Deleted) return real(written);
    is_deleted = true;
  }
  Dict* own = object->value.is_object() ? object->value.object()->instance_dict(false) : nullptr;
  const Value* stored = own == nullptr || is_deleted ? nullptr : own->find(name);
  if (stored != nullptr) {
    const Value keep = *stored;
    const Source* source = nullptr;
    if (object->source != nullptr) {
      source = sources_->attr(object->source, text, true);
      if (object->is_fsdp) source = sources_->wrap(SourceKind::FSDPNNModule, source);
    }
    Variable* made = build(keep, source);
    if (made != nullptr && is_module(*made) && object->stack_source != nullptr)
      made->stack_source = sources_->attr(object->stack_source, text);
    return made;
  }
  if (found != nullptr) {
    if (object->source != nullptr) {
      const bool is_wrapped = found->as<Property>() != nullptr;
      if (!is_wrapped) guard_absent(object->source, text);
    }
    if (library != nullptr) {
      Variable& made = arena_->make(VariableKind::Method);
      made.self = object;
      made.function = library;
      return &made;
    }
    return bind_class_attribute(object, *found, name, depth);
  }
  is_found = false;
  return nullptr;
}

Variable* Translator::bind_class_attribute(Variable* object, const Value& found, Name name, std::int64_t depth) {
  const bool is_specialized = object->kind == VariableKind::NNModule;
  const Source* source = nullptr;
  if (object->source != nullptr) {
    source = is_specialized ? sources_->attr(object->source, name.view())
                            : sources_->class_attr(object->source, name.view(), depth);
  }
  if (const auto* property = found.as<Property>()) {
    if (property->getter().is_none()) return raise(object::ErrorKind::AttributeError, "unreadable attribute");
    Variable& function = arena_->make(VariableKind::Function);
    function.value = property->getter();
    if (python::as_function(function.value) == nullptr) return call_constant(property->getter(), {&object, 1}, {});
    Variable* args[] = {object};
    return inline_call(&function, args, {});
  }
  if (python::as_function(found) != nullptr) {
    Variable& function = arena_->make(VariableKind::Function);
    function.value = found;
    function.source = source == nullptr ? nullptr : is_specialized ? sources_->attr(source, "__func__") : source;
    Variable& method = arena_->make(VariableKind::Method);
    method.self = object;
    method.function = &function;
    method.source = source;
    return &method;
  }
  if (const auto* wrapped = found.as<WrappedMethod>()) {
    Variable* function = nullptr;
    if (python::as_function(wrapped->function()) != nullptr) {
      function = &arena_->make(VariableKind::Function);
      function->value = wrapped->function();
    } else {
      function = build(wrapped->function(), nullptr);
    }
    if (wrapped->binding() == WrappedMethod::Binding::Static) return function;
    Variable& cls = arena_->make(VariableKind::Class);
    cls.value = Value(static_cast<object::Object*>(&type_of(*object)));
    if (object->source != nullptr && !is_specialized) {
      cls.source = sources_->attr(object->source, "__class__");
      guard_id(GuardKind::ClassMatch, cls.source, cls.value);
    }
    Variable& method = arena_->make(VariableKind::Method);
    method.self = &cls;
    method.function = function;
    return &method;
  }
  if (found.as<NativeFunction>() != nullptr || (found.is_object() && found.object()->descriptor_kind() == object::DescriptorKind::Method)) {
    Variable& made = arena_->make(VariableKind::BoundBuiltin);
    made.self = object;
    made.value = found;
    made.name = name.view();
    return &made;
  }
  if (found.as<GetSet>() != nullptr || found.as<object::Member>() != nullptr) {
    if (Variable* written = pending(object, name); written != nullptr && written->kind != VariableKind::Deleted) return real(written);
    PyResult<Value> value = object::getattr(in_, object->value, name);
    if (!value.ok()) return raise(value.error());
    return build(value.value(), object->source == nullptr ? nullptr : sources_->attr(object->source, name.view()));
  }
  // A descriptor of a program: __get__ is traced.
  if (found.is_object()) {
    const Value* getter = found.object()->type().lookup(in_.intern("__get__"));
    if (getter != nullptr && python::as_function(*getter) != nullptr) {
      NNS_VARIABLE(descriptor, build(found, source));
      Variable& cls = arena_->make(VariableKind::Class);
      cls.value = Value(static_cast<object::Object*>(&type_of(*object)));
      Variable* args[] = {object, &cls};
      return call_method(descriptor, in_.intern("__get__"), args);
    }
  }
  if (found.as<tensor::Tensor>() != nullptr) return lazy(found, source);
  return build(found, source);
}

// Parameters, children, buffers: what nn.Module.__getattr__ finds.
Variable* Translator::module_registry_attribute(Variable* object, Name name) {
  Variable key;
  key.kind = VariableKind::Constant;
  key.value = name.value();
  for (const char* registry : {"_parameters", "_modules", "_buffers"}) {
    bool is_found = false;
    Variable* dict = own_attribute(object, in_.intern(registry), is_found);
    if (has_failed()) return nullptr;
    if (!is_found || dict == nullptr || dict->kind != VariableKind::Dict) continue;
    const std::ptrdiff_t at = find_key(*dict, key);
    if (at < 0) continue;
    NNS_VARIABLE(value, real(dict->items[static_cast<std::size_t>(at)]));
    if (is_module(*value) && object->stack_source != nullptr)
      value->stack_source = sources_->attr(object->stack_source, name.view());
    return value;
  }
  return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*object).name(), name.view()));
}

Variable* Translator::hooks_attribute(Variable* object, Name name) {
  const Value* stored = object->value.object()->instance_dict(true)->find(name);
  auto* dict = stored == nullptr ? nullptr : stored->as<Dict>();
  if (dict == nullptr) return module_registry_attribute(object, name);
  const Source* source = object->source == nullptr ? nullptr : sources_->attr(object->source, name.view(), true);
  if (const auto known = known_.find(dict); known != known_.end()) return known->second;
  if (dict->empty()) {
    if (source != nullptr) {
      Guard made{.kind = GuardKind::EmptyHooks, .source = source};
      made.is_silent = config_.skip_nnmodule_hook_guards;
      guard(std::move(made));
    }
    Variable& made = arena_->make(VariableKind::Dict);
    made.cls = &dict->type();
    made.source = source;
    made.value = *stored;
    return track(*stored, &made);
  }
  const bool is_kept = name.view().starts_with("_forward");
  if (!is_kept || source == nullptr) return build(*stored, source);
  Variable& made = arena_->make(VariableKind::Dict);
  made.cls = &dict->type();
  made.source = source;
  made.value = *stored;
  made.is_hooks_dict = true;
  guard_length(source, dict->size(), *stored);
  std::int64_t at = 0;
  for (const Value& key : dict->keys()) {
    made.keys.push_back(constant(key));
    made.items.push_back(lazy(*dict->find(key), sources_->dict_value_at(source, at++)));
  }
  return track(*stored, &made);
}

// Behaviour: torch/_dynamo/variables/nn_module.py, NNModuleVariable.var_getattr.
Variable* Translator::specialized_attribute(Variable* module, Name name) {
  const std::string_view text = name.view();
  Dict& own = *module->value.object()->instance_dict(true);
  Class& cls = type_of(*module);
  const Source* attr = sources_->attr(module->source, text, own.contains(name));
  if (text == "__dict__") {
    bool is_found = false;
    return own_attribute(module, name, is_found);
  }
  const auto found_in = [&](const Value& value) -> Variable* {
    Variable* made = build(value, sources_->wrap(SourceKind::NNModule, attr));
    if (made != nullptr && is_module(*made)) made->stack_source = sources_->attr(module->stack_source, text);
    return made;
  };
  const Value* stored = own.find(name);
  if (stored != nullptr) {
    if (text == "forward") guard_forward(module);
    return found_in(Value(*stored));
  }
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* found = class_lookup(cls, name, depth, &library);
  const auto registry = [&](const char* which) -> const Value* {
    const Value* dict = own.find(in_.intern(which));
    auto* entries = dict == nullptr ? nullptr : dict->as<Dict>();
    return entries == nullptr ? nullptr : entries->find(name);
  };
  if (found == nullptr) {
    if (const Value* child = registry("_modules")) return found_in(Value(*child));
  }
  if (const Value* parameter = registry("_parameters")) return found_in(Value(*parameter));
  if (const Value* buffer = registry("_buffers")) return found_in(Value(*buffer));
  if (found == nullptr) {
    const Value* reader = cls.lookup(in_.names().dunder_getattribute);
    if (reader != nullptr && python::as_function(*reader) != nullptr && (frame_ == nullptr || frame_->code->name != "__getattribute__")) {
      Variable& function = arena_->make(VariableKind::Function);
      function.value = *reader;
      Variable* args[] = {module, constant(name.value())};
      return inline_call(&function, args, {});
    }
    const Value* getter = cls.lookup(in_.names().dunder_getattr);
    if (getter != nullptr && python::as_function(*getter) != nullptr) {
      Variable& function = arena_->make(VariableKind::Function);
      function.value = *getter;
      function.source = sources_->attr(sources_->attr(module->source, "__getattr__"), "__func__");
      Variable* args[] = {module, constant(name.value())};
      return inline_call(&function, args, {});
    }
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", cls.name(), text));
  }
  if (text == "forward") guard_forward(module);
  if (text == "__class__") {
    Variable& made = arena_->make(VariableKind::Class);
    made.value = Value(static_cast<object::Object*>(&cls));
    made.source = attr;
    guard_id(GuardKind::ClassMatch, attr, made.value);
    return &made;
  }
  if (library != nullptr) {
    Variable& made = arena_->make(VariableKind::Method);
    made.self = module;
    made.function = library;
    made.name = text;
    return &made;
  }
  const bool is_function = python::as_function(*found) != nullptr || found->as<Property>() != nullptr ||
                           found->as<WrappedMethod>() != nullptr || found->as<NativeFunction>() != nullptr;
  if (is_function) return bind_class_attribute(module, *found, name, depth);
  const bool is_simple = !found->is_object() || found->as<object::Str>() != nullptr || found->as<tensor::Tensor>() != nullptr ||
                         (found->as<object::Tuple>() != nullptr);
  if (is_simple) return build(*found, sources_->wrap(SourceKind::NNModule, attr));
  const std::string type(in_.type_of(*found).name());
  return unsupported(
      "Unsupported nn.Module attribute type",
      fmt::format("nn.Module subclass: {}, name: {}, attribute type: {}", cls.name(), text, type),
      fmt::format("Dynamo does not support tracing nn.Module attributes of type `{}`", type),
      {fmt::format("Refactor your code so that `{}` (type `{}`) is not an attribute of `{}`", text, type, cls.name()),
       "Currently supported attribute types are methods, classmethods, staticmethods, properties, constants, and tensors.",
       hints::kSupportable});
}

Variable* Translator::class_attribute(Variable* cls, Name name) {
  Class& of = *cls->value.as<Class>();
  const std::string_view text = name.view();
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* found = class_lookup(of, name, depth, &library);
  if (library != nullptr) return library;
  const Source* source = cls->source == nullptr ? nullptr : sources_->attr(cls->source, text);
  if (found == nullptr || text == "__name__" || text == "__qualname__" || text == "__module__" || text == "__dict__" ||
      text == "__mro__" || text == "__bases__") {
    PyResult<Value> value = object::getattr(in_, cls->value, name);
    if (!value.ok()) return raise(value.error());
    if (text == "__name__" || text == "__qualname__" || text == "__module__") return constant(value.value());
    return build(value.value(), source);
  }
  if (const auto* wrapped = found->as<WrappedMethod>()) {
    Variable* function = nullptr;
    if (python::as_function(wrapped->function()) != nullptr) {
      function = &arena_->make(VariableKind::Function);
      function->value = wrapped->function();
    } else {
      function = build(wrapped->function(), nullptr);
    }
    if (wrapped->binding() == WrappedMethod::Binding::Static) return function;
    Variable& method = arena_->make(VariableKind::Method);
    method.self = cls;
    method.function = function;
    return &method;
  }
  if (python::as_function(*found) != nullptr) {
    Variable& function = arena_->make(VariableKind::Function);
    function.value = *found;
    function.source = source;
    return &function;
  }
  if (found->as<NativeFunction>() != nullptr || (found->is_object() && found->object()->descriptor_kind() == object::DescriptorKind::Method)) {
    Variable& made = arena_->make(VariableKind::Builtin);
    made.value = *found;
    made.source = source;
    made.cls = &of;
    made.name = text;
    return &made;
  }
  return build(*found, source);
}

Variable* Translator::super_attribute(Variable* super, Name name) {
  Variable* self = super->self;
  Class& start = self->kind == VariableKind::Class ? *self->value.as<Class>() : type_of(*self);
  Class& after = *super->function->value.as<Class>();
  bool is_past = false;
  std::int64_t depth = 0;
  for (Class* one : start.mro()) {
    if (is_past) {
      if (one->module().starts_with("torch.nn")) {
        if (Variable* library = library_function(one->name(), name.view())) {
          Variable& made = arena_->make(VariableKind::Method);
          made.self = self;
          made.function = library;
          return &made;
        }
        if (name.view() == "__getattr__" && one->name() == "Module") {
          Variable& made = arena_->make(VariableKind::BoundBuiltin);
          made.self = self;
          made.name = "nn.Module.__getattr__";
          return &made;
        }
      }
      if (const Value* found = one->attributes_for_reading().find(name)) {
        if (name.view() == "__new__") return build(*found, nullptr);
        return bind_class_attribute(self, *found, name, depth);
      }
    }
    is_past = is_past || one == &after;
    ++depth;
  }
  return raise(object::attribute_error(in_, "'super' object has no attribute '{}'", name.view()));
}

Variable* Translator::function_attribute(Variable* function, Name name) {
  const std::string_view text = name.view();
  if (text == "__func__" && function->function != nullptr) return function->function;
  if (text == "__self__" && function->self != nullptr) return function->self;
  Variable* plain = function->kind == VariableKind::Method ? function->function : function;
  if (plain->value.is_object() && plain->kind != VariableKind::BoundBuiltin) {
    PyResult<Value> value = object::getattr(in_, plain->value, name);
    if (!value.ok()) return raise(value.error());
    if (text == "__name__" || text == "__qualname__") return constant(value.value());
    return build(value.value(), plain->source == nullptr ? nullptr : sources_->attr(plain->source, text));
  }
  if (text == "__name__") {
    const auto& code = plain->code;
    return this->text(plain->kind == VariableKind::BoundBuiltin ? plain->name : code ? code->name : plain->name);
  }
  if (text == "__call__") return function;
  return raise(object::attribute_error(in_, "'function' object has no attribute '{}'", text));
}

Variable* Translator::has_attribute(Variable* given, Name name) {
  NNS_VARIABLE(object, real(given));
  if ((object->kind == VariableKind::Object || object->kind == VariableKind::NNModule || object->kind == VariableKind::Tensor) &&
      object->source != nullptr && pending(object, name) == nullptr) {
    PyResult<bool> has = object::hasattr(in_, object->value, name);
    Guard made{.kind = GuardKind::HasAttr, .source = object->source};
    made.detail = fmt::format("[attr='{}']", name.view());
    made.value = name.value();
    made.expects = has.ok() && has.value();
    const bool result = made.expects;
    guard(std::move(made));
    // A module that is compiled for all of its class is asked as the program would.
    if (object->kind == VariableKind::Object && is_module(*object)) {
      if (load_attribute(object, name) == nullptr) {
        if (failure_.kind != Failure::Kind::Observed) return nullptr;
        failure_ = {};
      }
    }
    return constant(Value(result));
  }
  Variable* value = load_attribute(object, name);
  if (value != nullptr) return constant(Value(true));
  if (failure_.kind != Failure::Kind::Observed) return nullptr;
  failure_ = {};
  return constant(Value(false));
}

bool Translator::store_attribute(Variable* given, Name name, Variable* value) {
  Variable* object = real(given);
  if (object == nullptr) return false;
  if (value->kind == VariableKind::Lazy) value = real(value);
  if (value == nullptr) return false;
  if (object->kind == VariableKind::NNModule) {
    Dict& own = *object->value.object()->instance_dict(true);
    const Value* stored = own.find(name);
    if (stored != nullptr && stored->is_object() && value->kind == VariableKind::Tensor && stored->is(value->value)) return true;
    if (value->kind == VariableKind::Deleted) {
      unsupported("Unsupported nn.Module delattr", "", "Dynamo does not support deleting attributes of nn.Module", {});
      return false;
    }
    restart_unspecialized(object->value);
    return false;
  }
  if (object->kind == VariableKind::Object) {
    Class& cls = type_of(*object);
    std::int64_t depth = 0;
    Variable* library = nullptr;
    const bool is_deletion = value->kind == VariableKind::Deleted;
    const Name special = in_.intern(is_deletion ? "__delattr__" : "__setattr__");
    const Value* setter = class_lookup(cls, special, depth, &library);
    std::vector<Variable*> args = {object, constant(name.value())};
    if (!is_deletion) args.push_back(value);
    if (library != nullptr) {
      if (object->source != nullptr && !is_deletion) guard_absent(object->source, special.view());
      return inline_call(library, args, {}) != nullptr;
    }
    if (setter != nullptr && python::as_function(*setter) != nullptr) {
      if (object->source != nullptr) guard_absent(object->source, special.view());
      Variable& function = arena_->make(VariableKind::Function);
      function.value = *setter;
      return inline_call(&function, args, {}) != nullptr;
    }
    return plain_store(object, name, value);
  }
  if (object->kind == VariableKind::Exception || (object->kind == VariableKind::Function && object->is_new)) {
    return plain_store(object, name, value);
  }
  if (object->kind == VariableKind::Tensor && value->is_none() && name.view() == "grad") {
    return plain_store(object, name, value);
  }
  unsupported("Unsupported attribute assignment", fmt::format("{}.{}", type_of(*object).name(), name.view()),
              "Dynamo does not support assigning this attribute.", {hints::kSupportable});
  return false;
}

// object.__setattr__ and __delattr__.
bool Translator::plain_store(Variable* object, Name name, Variable* value) {
  if (object->kind == VariableKind::Object) {
    std::int64_t depth = 0;
    const Value* found = class_lookup(type_of(*object), name, depth, nullptr);
    if (const auto* property = found == nullptr ? nullptr : found->as<Property>()) {
      if (property->setter().is_none()) {
        raise(object::attribute_error(in_, "property '{}' of '{}' object has no setter", name.view(), type_of(*object).name()));
        return false;
      }
      Variable& function = arena_->make(VariableKind::Function);
      function.value = property->setter();
      Variable* args[] = {object, value};
      return inline_call(&function, args, {}) != nullptr;
    }
    if (value->kind == VariableKind::Deleted) {
      Variable* written = pending(object, name);
      Dict* own = object->value.object()->instance_dict(false);
      const bool exists = written != nullptr ? written->kind != VariableKind::Deleted : own != nullptr && own->contains(name);
      if (!exists) {
        raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*object).name(), name.view()));
        return false;
      }
    }
  }
  const std::pair<const Variable*, const object::Object*> key{object, &name.str()};
  const auto found = write_index_.find(key);
  if (found != write_index_.end()) {
    writes_[found->second].value = value;
    return true;
  }
  write_index_[key] = writes_.size();
  writes_.push_back({object, name, value});
  return true;
}

// Whether a module has hooks that a call would run.
bool Translator::has_hooks(const Value& module, bool backward_only) {
  Dict& own = *module.object()->instance_dict(true);
  const auto is_filled = [&](const char* name) {
    const Value* dict = own.find(in_.intern(name));
    auto* entries = dict == nullptr ? nullptr : dict->as<Dict>();
    return entries != nullptr && !entries->empty();
  };
  if (is_filled("_backward_hooks") || is_filled("_backward_pre_hooks")) return true;
  if (backward_only) return false;
  return is_filled("_forward_hooks") || is_filled("_forward_pre_hooks");
}

}  // namespace nns::dynamo
