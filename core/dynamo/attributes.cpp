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
         name == "_forward_pre_hooks" || name == "_forward_hooks_with_kwargs" ||
         name == "_forward_pre_hooks_with_kwargs";
}

}  // namespace

Variable* Translator::load_attribute(Variable* given, Name name) {
  NNS_VARIABLE(object, real(given));
  const std::string_view text = name.view();
  switch (object->kind) {
    case VariableKind::Tensor:
      return tensor_attribute(object, name);
    case VariableKind::PythonModule: {
      if (Dict* const names = object->value.object()->instance_dict(false)) {
        if (Variable* const written = written_global(*names, name)) return real(written);
      }
      PyResult<Value> value = object::getattr(in_, object->value, name);
      if (!value.ok()) return raise(value.error());
      return build(value.value(), object->source == nullptr ? nullptr : sources_->attr(object->source, name));
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
      if (Variable* written = pending(object, name); written != nullptr && written->kind != VariableKind::Deleted)
        return real(written);
      if (Variable* own = exception_attribute(object, text); own != nullptr || has_failed()) return own;
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
      if (value.ok() && value.value().as<BoundMethod>() == nullptr && is_constant(constant(value.value())))
        return constant(value.value());
    }
    const Value* found = cls.lookup(name);
    if (found != nullptr && python::as_function(*found) != nullptr)
      return bind_class_attribute(object, *found, name, 0);
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
                           object->kind == VariableKind::Iterator || object->kind == VariableKind::Context ||
                           object->kind == VariableKind::HookHandle;
  if (found == nullptr && !is_own_kind) {
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", cls.name(), text));
  }
  const bool is_of_program = object->kind == VariableKind::Exception || object->kind == VariableKind::Tuple ||
                             object->kind == VariableKind::Dict || object->kind == VariableKind::List;
  if (found != nullptr && is_of_program && found->as<GetSet>() == nullptr && found->as<object::Member>() == nullptr)
    return bind_class_attribute(object, *found, name, 0);
  if (found != nullptr && object->kind != VariableKind::Context && python::as_function(*found) != nullptr)
    return bind_class_attribute(object, *found, name, 0);
  Variable& made = arena_->make(VariableKind::BoundBuiltin);
  made.self = object;
  made.name = text;
  if (found != nullptr) made.value = *found;
  return &made;
}

// Null without a failure: it is looked for as other attributes are.
Variable* Translator::exception_attribute(Variable* exception, std::string_view name) {
  if (name == "args") return tuple(exception->items);
  if (name == "__cause__") return exception->self != nullptr ? exception->self : constant(Value());
  if (name == "__context__") return exception->function != nullptr ? exception->function : constant(Value());
  if (name == "__suppress_context__") return constant(Value(exception->has_cause));
  if (name == "value" && is_exception(*exception, object::ErrorKind::StopIteration))
    return exception->items.empty() ? constant(Value()) : exception->items[0];
  return nullptr;
}

Variable* Translator::pending(Variable* object, Name name) {
  const auto found = write_index_.find({object, &name.str()});
  return found == write_index_.end() ? nullptr : writes_[found->second].value;
}

// The attribute of a class as the first of its order has it. `library`: what stands for a method of torch's own.
const Value* Translator::class_lookup(Class& cls, Name name, std::int64_t& depth, Variable** library) {
  depth = 0;
  if (library == nullptr) return plain_class_lookup(cls, name, depth);
  const auto [place, is_new] = looked_up_.try_emplace({&cls, &name.str()});
  Found& found = place->second;
  if (is_new) {
    const Value* value = library_lookup(cls, name, found.depth, found.library);
    if (value != nullptr) found.value = *value;
  }
  depth = found.depth;
  if (found.library != nullptr) *library = found.library;
  return found.value.is_absent() ? nullptr : &found.value;
}

const Value* Translator::library_lookup(Class& cls, Name name, std::int64_t& depth, Variable*& library) {
  for (Class* one : cls.mro()) {
    if (one->module().starts_with("torch.nn")) {
      library = library_function(one->name(), name.view());
      if (library != nullptr) return &library->value;
      continue;
    }
    const bool is_base = one->module() == "builtins";
    if (const Value* found = is_base ? nullptr : one->attributes_for_reading().find(name)) return found;
    ++depth;
  }
  return plain_class_lookup(cls, name, depth);
}

const Value* Translator::plain_class_lookup(Class& cls, Name name, std::int64_t& depth) {
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
  // torch.ops and what lies in it is as it is.
  if (cls.module() == "torch._ops") {
    PyResult<Value> found = object::getattr(in_, object->value, name);
    return found.ok() ? build(found.value(), nullptr) : raise(found.error());
  }
  // 1. A class that reads its attributes itself.
  const Value* reader = cls.lookup(in_.names().dunder_getattribute);
  if (reader != nullptr && python::as_function(*reader) != nullptr && text != "__class__") {
    Variable& function = function_of(*reader);
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
    Variable& function = function_of(*getter);
    if (object->source != nullptr)
      function.source = sources_->attr(sources_->attr(object->source, "__getattr__"), "__func__");
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
    if (object->source != nullptr) made.source = sources_->attr(object->source, name);
    return &made;
  }
  if (text == "__class__") {
    Variable& made = arena_->make(VariableKind::Class);
    made.value = Value(static_cast<object::Object*>(&cls));
    if (object->source != nullptr) {
      made.source = sources_->attr(object->source, name);
      guard_id(GuardKind::ClassMatch, made.source, made.value);
    }
    return &made;
  }
  const bool is_nn = is_module(*object);
  if (is_nn && is_special_hooks(text) && !object->is_new && pending(object, name) == nullptr)
    return hooks_attribute(object, name);
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* found = class_lookup(cls, name, depth, &library);
  const bool is_data = found != nullptr && library == nullptr && is_data_descriptor(*found);
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
      source = sources_->attr(object->source, name, true);
      if (object->is_fsdp) source = sources_->wrap(SourceKind::FSDPNNModule, source);
    }
    if (becomes_number(keep, source)) return lazy(keep, source);
    Variable* made = build(keep, source);
    if (made != nullptr && is_module(*made) && object->stack_source != nullptr)
      made->stack_source = sources_->attr(object->stack_source, name);
    return made;
  }
  if (found != nullptr) {
    if (object->source != nullptr) {
      const bool is_wrapped = found->as<Property>() != nullptr;
      if (!is_wrapped) guard_absent(object->source, text);
    }
    if (library != nullptr) {
      return method_of(object, library);
    }
    return bind_class_attribute(object, *found, name, depth);
  }
  is_found = false;
  return nullptr;
}

// What of a class goes before what the instance has under that name.
bool Translator::is_data_descriptor(const Value& found) const {
  if (!found.is_object()) return false;
  if (found.object()->descriptor_kind() == object::DescriptorKind::Data) return true;
  const Class& cls = in_.type_of(found);
  if (cls.is_immutable()) return false;
  return cls.lookup(in_.intern("__set__")) != nullptr || cls.lookup(in_.intern("__delete__")) != nullptr;
}

Variable& Translator::function_of(const Value& function, const Source* source) {
  Variable& made = arena_->make(VariableKind::Function);
  made.value = function;
  made.source = source;
  return made;
}

Variable* Translator::method_of(Variable* self, Variable* function, const Source* source) {
  Variable& made = arena_->make(VariableKind::Method);
  made.self = self;
  made.function = function;
  made.source = source;
  return &made;
}

Variable* Translator::wrapped_function(const Value& function) {
  return python::as_function(function) != nullptr ? &function_of(function) : build(function, nullptr);
}

Variable* Translator::bind_class_attribute(Variable* object, const Value& found, Name name, std::int64_t depth) {
  const bool is_specialized = object->kind == VariableKind::NNModule;
  const Source* source = nullptr;
  if (object->source != nullptr) {
    source = is_specialized ? sources_->attr(object->source, name) : sources_->class_attr(object->source, name, depth);
  }
  if (const auto* property = found.as<Property>()) {
    if (property->getter().is_none()) return raise(object::ErrorKind::AttributeError, "unreadable attribute");
    const auto* const native = property->getter().as<object::NativeFunction>();
    // torch.nn.utils.parametrize: the tensor is what the list of its parametrizations gives.
    if (native != nullptr && native->name() == "get_parametrized") {
      NNS_VARIABLE(lists, load_attribute(object, in_.intern("parametrizations")));
      NNS_VARIABLE(list, get_item(lists, constant(name.value())));
      return call(list, {}, {});
    }
    Variable& function = function_of(property->getter());
    if (python::as_function(function.value) == nullptr) return call_constant(property->getter(), {&object, 1}, {});
    Variable* args[] = {object};
    return inline_call(&function, args, {});
  }
  if (python::as_function(found) != nullptr) {
    Variable& function = function_of(found, source == nullptr ? nullptr
                                            : is_specialized  ? sources_->attr(source, "__func__")
                                                              : source);
    return method_of(object, &function, source);
  }
  if (const auto* wrapped = found.as<WrappedMethod>()) {
    Variable* const function = wrapped_function(wrapped->function());
    if (wrapped->binding() == WrappedMethod::Binding::Static) return function;
    // Behind super() of a class it is that class.
    if (object->kind == VariableKind::Class) return method_of(object, function);
    Variable& cls = arena_->make(VariableKind::Class);
    cls.value = Value(static_cast<object::Object*>(&type_of(*object)));
    if (object->source != nullptr && !is_specialized) {
      cls.source = sources_->attr(object->source, "__class__");
      guard_id(GuardKind::ClassMatch, cls.source, cls.value);
    }
    return method_of(&cls, function);
  }
  if (found.as<NativeFunction>() != nullptr ||
      (found.is_object() && found.object()->descriptor_kind() == object::DescriptorKind::Method)) {
    Variable& made = arena_->make(VariableKind::BoundBuiltin);
    made.self = object;
    made.value = found;
    made.name = name.view();
    return &made;
  }
  if (found.as<GetSet>() != nullptr || found.as<object::Member>() != nullptr) {
    if (Variable* written = pending(object, name); written != nullptr && written->kind != VariableKind::Deleted)
      return real(written);
    PyResult<Value> value = object::getattr(in_, object->value, name);
    if (!value.ok()) return raise(value.error());
    return build(value.value(), object->source == nullptr ? nullptr : sources_->attr(object->source, name));
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
  // What becomes an input of the graph becomes it where it is used.
  if (found.as<tensor::Tensor>() != nullptr || becomes_number(found, source)) return lazy(found, source);
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
      value->stack_source = sources_->attr(object->stack_source, name);
    return value;
  }
  return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*object).name(), name.view()));
}

Variable* Translator::hooks_attribute(Variable* object, Name name) {
  const Value* stored = object->value.object()->instance_dict(true)->find(name);
  auto* dict = stored == nullptr ? nullptr : stored->as<Dict>();
  if (dict == nullptr) return module_registry_attribute(object, name);
  const Source* source = object->source == nullptr ? nullptr : sources_->attr(object->source, name, true);
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

}  // namespace nns::dynamo
