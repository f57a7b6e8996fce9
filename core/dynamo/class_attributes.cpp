// Attributes of modules that are compiled as one instance, of classes and functions; writing attributes.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"

namespace nns::dynamo {

using object::NativeFunction;
using object::Property;
using object::WrappedMethod;

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
    if (reader != nullptr && python::as_function(*reader) != nullptr &&
        (frame_ == nullptr || frame_->code->name != "__getattribute__")) {
      Variable& function = function_of(*reader);
      Variable* args[] = {module, constant(name.value())};
      return inline_call(&function, args, {});
    }
    const Value* getter = cls.lookup(in_.names().dunder_getattr);
    if (getter != nullptr && python::as_function(*getter) != nullptr) {
      Variable& function =
          function_of(*getter, sources_->attr(sources_->attr(module->source, "__getattr__"), "__func__"));
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
  const bool is_simple = !found->is_object() || found->as<object::Str>() != nullptr ||
                         found->as<tensor::Tensor>() != nullptr || (found->as<object::Tuple>() != nullptr);
  if (is_simple) return build(*found, sources_->wrap(SourceKind::NNModule, attr));
  const std::string type(in_.type_of(*found).name());
  return unsupported(
      "Unsupported nn.Module attribute type",
      fmt::format("nn.Module subclass: {}, name: {}, attribute type: {}", cls.name(), text, type),
      fmt::format("Dynamo does not support tracing nn.Module attributes of type `{}`", type),
      {fmt::format("Refactor your code so that `{}` (type `{}`) is not an attribute of `{}`", text, type, cls.name()),
       "Currently supported attribute types are methods, classmethods, staticmethods, properties, constants, and "
       "tensors.",
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
    Variable* const function = wrapped_function(wrapped->function());
    if (wrapped->binding() == WrappedMethod::Binding::Static) return function;
    return method_of(cls, function);
  }
  if (python::as_function(*found) != nullptr) {
    Variable& function = function_of(*found, source);
    return &function;
  }
  if (found->as<NativeFunction>() != nullptr ||
      (found->is_object() && found->object()->descriptor_kind() == object::DescriptorKind::Method)) {
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
  Class& after = *super->function->value.as<Class>();
  // Of a class it is the class itself in its class methods, its metaclass in the methods of that.
  const auto derives = [&](const Class& cls) {
    return std::find(cls.mro().begin(), cls.mro().end(), &after) != cls.mro().end();
  };
  const bool is_of_class = self->kind == VariableKind::Class && derives(*self->value.as<Class>());
  Class& start = is_of_class ? *self->value.as<Class>() : type_of(*self);
  bool is_past = false;
  std::int64_t depth = 0;
  for (Class* one : start.mro()) {
    if (is_past) {
      if (one->module().starts_with("torch.nn")) {
        if (Variable* library = library_function(one->name(), name.view())) {
          Variable* made = method_of(self, library);
          made->is_super = true;
          return made;
        }
        if (name.view() == "__getattr__" && one->name() == "Module") {
          Variable& made = arena_->make(VariableKind::BoundBuiltin);
          made.self = self;
          made.name = "nn.Module.__getattr__";
          if (&start == &after) made.source = super->source;
          return &made;
        }
      }
      if (const Value* found = one->attributes_for_reading().find(name)) {
        if (name.view() == "__new__") return build(*found, nullptr);
        Variable* made = bind_class_attribute(self, *found, name, depth);
        if (made != nullptr && made->kind == VariableKind::BoundBuiltin) made->is_super = true;
        return made;
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
  if (Variable* written = pending(plain, name); written != nullptr && written->kind != VariableKind::Deleted)
    return real(written);
  if (plain->kind == VariableKind::Function && text == "__dict__") {
    Variable& made = arena_->make(VariableKind::AttributeDict);
    made.self = plain;
    made.value = Value(in_.dict());
    return &made;
  }
  if (plain->value.is_object() && plain->kind != VariableKind::BoundBuiltin) {
    PyResult<Value> value = object::getattr(in_, plain->value, name);
    if (!value.ok()) return raise(value.error());
    if (text == "__name__" || text == "__qualname__") return constant(value.value());
    return build(value.value(), plain->source == nullptr ? nullptr : sources_->attr(plain->source, text));
  }
  if (text == "__name__" || text == "__qualname__") {
    const auto& code = plain->code;
    if (plain->kind == VariableKind::BoundBuiltin || !code) return this->text(plain->name);
    return this->text(text == "__name__" ? code->name : code->qualified_name);
  }
  if (text == "__call__") return function;
  if (plain->kind == VariableKind::Function) {
    if (Variable* made = new_function_attribute(plain, text); made != nullptr || has_failed()) return made;
  }
  return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*function).name(), text));
}

// Of a function that the frame makes. Null without a failure: it has none of that name.
Variable* Translator::new_function_attribute(Variable* function, std::string_view name) {
  if (name == "__defaults__") return function->defaults.empty() ? constant(Value()) : tuple(function->defaults);
  if (name == "__kwdefaults__") {
    if (function->keyword_defaults.empty()) return constant(Value());
    Variable* made = dict();
    for (const auto& [key, value] : function->keyword_defaults) {
      made->keys.push_back(constant(key.value()));
      made->items.push_back(value);
    }
    return made;
  }
  if (name == "__closure__" && function->closure.empty()) return constant(Value());
  if (name != "__doc__" && name != "__module__" && name != "__code__" && name != "__annotations__" &&
      name != "__type_params__" && name != "__globals__" && name != "__annotate__")
    return nullptr;
  if (name == "__module__") {
    const Value* module = function->globals->find(in_.intern("__name__"));
    return module == nullptr ? constant(Value()) : constant(*module);
  }
  // As a function of that code has it.
  const Ref<python::Function> example = object::make<python::Function>(in_, function->code, function->globals);
  for (std::size_t i = 0; i < function->closure.size(); ++i)
    example->closure.push_back(object::make<python::Cell>(*machine_.classes.cell, Value::absent()));
  PyResult<Value> value = object::getattr(in_, Value(example), in_.intern(name));
  if (!value.ok()) return raise(value.error());
  return build(value.value(), nullptr);
}

Variable* Translator::has_attribute(Variable* given, Name name) {
  NNS_VARIABLE(object, real(given));
  // What all tensors have is not guarded.
  if (object->kind == VariableKind::Tensor && !object->is_ndarray &&
      tensor::TensorLibrary::of(in_).tensor->lookup(name) != nullptr)
    return constant(Value(true));
  if ((object->kind == VariableKind::Object || object->kind == VariableKind::NNModule ||
       object->kind == VariableKind::Tensor) &&
      object->source != nullptr && pending(object, name) == nullptr) {
    PyResult<bool> has = object::hasattr(in_, object->value, name);
    Guard made{.kind = GuardKind::HasAttr, .source = object->source};
    made.value = name.value();
    made.expects = has.ok() && has.value();
    bool result = made.expects;
    guard(std::move(made));
    // A module that is compiled for all of its class is asked as the program would: what the frame has put into its
    // tables counts, too.
    if (object->kind == VariableKind::Object && is_module(*object)) {
      result = load_attribute(object, name) != nullptr;
      if (!result) {
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
    if (stored != nullptr && stored->is_object() && value->kind == VariableKind::Tensor && stored->is(value->value))
      return true;
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
      Variable& function = function_of(*setter);
      return inline_call(&function, args, {}) != nullptr;
    }
    return plain_store(object, name, value);
  }
  if (object->kind == VariableKind::Exception && name.view() == "__cause__") {
    object->self = value;
    object->has_cause = true;
    return true;
  }
  if (object->kind == VariableKind::Exception || (object->kind == VariableKind::Function && object->is_new)) {
    return plain_store(object, name, value);
  }
  // A module of the program's; one whose class says what an assignment does is left to it.
  if (object->kind == VariableKind::PythonModule && value->kind != VariableKind::Deleted) {
    const Value* const setter = type_of(*object).lookup(in_.intern("__setattr__"));
    Dict* const names = object->value.object()->instance_dict(true);
    if (names != nullptr && (setter == nullptr || python::as_function(*setter) == nullptr)) {
      write_global(Ref<Dict>(names), name, value);
      return true;
    }
  }
  if (object->kind == VariableKind::Tensor && !object->is_ndarray && value->kind != VariableKind::Deleted)
    return store_tensor_attribute(object, name, value);
  if (object->kind == VariableKind::Class) {
    const std::string held = value->is_constant() ? fmt::format("ConstantVariable({}: {})", type_of(*value).name(),
                                                                repr_of(in_, value->value))
                                                  : std::string(type_of(*value).name());
    unsupported("setattr() on unsupported type",
                fmt::format("setattr(UserDefinedClassVariable({}), ConstantVariable(str: '{}'), {})",
                            repr_of(in_, object->value), name.view(), held),
                "setattr() is not supported on type type", {hints::kSupportable});
    return false;
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
    const bool is_deletion = value->kind == VariableKind::Deleted;
    if (const auto* property = found == nullptr ? nullptr : found->as<Property>()) {
      const Value& accessor = is_deletion ? property->deleter() : property->setter();
      if (accessor.is_none()) {
        raise(object::attribute_error(in_, "property '{}' of '{}' object has no {}", name.view(),
                                      type_of(*object).name(), is_deletion ? "deleter" : "setter"));
        return false;
      }
      Variable* args[] = {object, value};
      return call(wrapped_function(accessor), std::span<Variable* const>(args, is_deletion ? 1 : 2), {}) != nullptr;
    }
    const bool is_member = found != nullptr && found->as<object::Member>() != nullptr;
    if (found != nullptr && !is_member && is_data_descriptor(*found)) {
      // A descriptor of the program: its __set__ or __delete__ is traced.
      const Name method = in_.intern(is_deletion ? "__delete__" : "__set__");
      if (found->object()->type().lookup(method) == nullptr) {
        raise(object::ErrorKind::AttributeError, is_deletion ? "__delete__" : "__set__");
        return false;
      }
      Variable* descriptor =
          build(*found, object->source == nullptr ? nullptr : sources_->class_attr(object->source, name, depth));
      Variable* args[] = {object, value};
      return descriptor != nullptr &&
             call_method(descriptor, method, std::span<Variable* const>(args, is_deletion ? 1 : 2)) != nullptr;
    }
    if (!is_member && object->value.is_object() && object->value.object()->instance_dict(true) == nullptr) {
      const std::string_view cls = type_of(*object).name();
      if (found != nullptr)
        raise(object::attribute_error(in_, "'{}' object attribute '{}' is read-only", cls, name.view()));
      else
        raise(object::attribute_error(
            in_, "'{}' object has no attribute '{}' and no __dict__ for setting new attributes", cls, name.view()));
      return false;
    }
    if (value->kind == VariableKind::Deleted) {
      Variable* written = pending(object, name);
      Dict* own = object->value.object()->instance_dict(false);
      const bool exists =
          written != nullptr ? written->kind != VariableKind::Deleted : own != nullptr && own->contains(name);
      if (!exists) {
        raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*object).name(), name.view()));
        return false;
      }
    }
  }
  if (!bodies_.empty()) note_write(*object);
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
