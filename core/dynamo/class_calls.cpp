// Calls of classes: instances that a frame makes.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/mode_context.h"
#include "core/nn/module.h"
#include "core/object/default_dict.h"
#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

// torch.finfo, torch.iinfo and those of numpy: what they tell of a dtype is constant.
bool is_type_info(const Class& cls) {
  return (cls.name() == "finfo" || cls.name() == "iinfo") &&
         (cls.module().starts_with("torch") || cls.module().starts_with("numpy"));
}

}  // namespace

// A class: its metaclass's __call__ where it has one.
Variable* Translator::call_class(Variable* given, Arguments args, Keywords keywords) {
  if (Class& metaclass = in_.type_of(given->value); &metaclass != in_.builtins().type) {
    if (is_enum_class(metaclass)) return call_constant(given->value, args, keywords);
    const Value* caller = metaclass.lookup(in_.intern("__call__"));
    if (caller != nullptr && python::as_function(*caller) != nullptr) {
      std::vector<Variable*> all = {given};
      all.insert(all.end(), args.begin(), args.end());
      return inline_call(&function_of(*caller), all, keywords);
    }
  }
  return make_instance(given, args, keywords);
}

bool Translator::is_enum_class(const Class& metaclass) {
  return std::any_of(metaclass.mro().begin(), metaclass.mro().end(),
                     [](const Class* one) { return one->name() == "EnumType"; });
}

Variable* Translator::make_instance(Variable* given, Arguments args, Keywords keywords) {
  Class& cls = *given->value.as<Class>();
  const std::string_view name = cls.name();
  const auto& builtins = in_.builtins();
  const auto is_in_mro = [&](const Class* wanted) {
    return std::find(cls.mro().begin(), cls.mro().end(), wanted) != cls.mro().end();
  };
  const bool is_exception = is_in_mro(&builtins.exception(object::ErrorKind::BaseException));
  if (is_exception) {
    // An exception whose class has its own __init__ still keeps its arguments.
    Variable& made = arena_->make(VariableKind::Exception);
    made.value = given->value;
    made.items.assign(args.begin(), args.end());
    made.is_new = true;
    const Value* init = cls.lookup(in_.intern("__init__"));
    if (init != nullptr && python::as_function(*init) != nullptr) {
      Variable& function = function_of(*init);
      std::vector<Variable*> all = {&made};
      all.insert(all.end(), args.begin(), args.end());
      if (inline_call(&function, all, keywords) == nullptr) return nullptr;
    }
    return &made;
  }
  if (cls.module().starts_with("torch") && (name == "Parameter" || name == "Buffer")) {
    return unsupported("Attempted to use `torch.nn.Parameter()` constructor with Dynamo", "",
                       "Dynamo does not support this",
                       {"Try to construct `torch.nn.Parameter()` outside the compiled region.",
                        "If this is not possible, turn `graph_break_on_nn_param_ctor` off", hints::kSupportable});
  }
  if (is_mode_context(cls)) return context_of(*given, args, keywords);
  bool is_known = false;
  if (cls.is_immutable() || cls.module() == "builtins") {
    if (name == "super") {
      Variable& made = arena_->make(VariableKind::Super);
      if (args.empty()) {
        const TracedFrame& frame = *frame_;
        Variable* owner = nullptr;
        for (std::size_t i = 0; i < frame.code->free.size(); ++i) {
          if (frame.code->free[i].view() == "__class__")
            owner = frame.slots[frame.code->locals.size() + frame.code->cells.size() + i];
        }
        Variable* self = frame.slots.empty() ? nullptr : frame.slots[0];
        // A parameter that inner functions use lies in a cell.
        for (std::size_t i = 0; i < frame.code->cells.size(); ++i) {
          if (frame.code->cell_parameters[i] == 0) self = frame.slots[frame.code->locals.size() + i]->function;
        }
        if (owner == nullptr || owner->function == nullptr || self == nullptr)
          return raise(object::ErrorKind::RuntimeError, "super(): no arguments");
        if (owner->source != nullptr && owner->source->kind == SourceKind::Cell &&
            owner->function->kind == VariableKind::Lazy && owner->function->value.as<Class>() != nullptr) {
          // The class around the method is known by its name.
          const Class& around = *owner->function->value.as<Class>();
          const Source* called = sources_->attr(owner->source, "__name__");
          // Module.__getattr__ asks for the name only where it raises.
          if (frame.code->name == "__getattr__")
            made.source = called;
          else
            guard_constant(GuardKind::ConstantMatch, called, in_.text(around.name()));
          made.function = build(owner->function->value, nullptr);
        } else {
          made.function = real(owner->function);
        }
        made.self = real(self);
      } else if (args.size() == 2) {
        made.function = real(args[0]);
        made.self = real(args[1]);
      }
      if (made.function == nullptr || made.self == nullptr || made.function->value.as<Class>() == nullptr)
        return unsupported_builtin("super", args, false);
      return &made;
    }
    if (Variable* result = call_python_builtin(name, given, args, keywords, is_known); is_known || has_failed())
      return result;
  }
  if (is_in_mro(builtins.tuple)) {
    const Value* fields = cls.lookup(in_.intern("_fields"));
    if (fields != nullptr && fields->as<object::Tuple>() != nullptr) {
      Variable* made = tuple({});
      made->cls = &cls;
      const auto& names = *fields->as<object::Tuple>();
      made->items.assign(args.begin(), args.end());
      for (std::size_t i = args.size(); i < names.size(); ++i) {
        Variable* value = nullptr;
        for (const KeywordArgument& keyword : keywords) {
          if (keyword.name.view() == names[i].as<object::Str>()->view()) value = keyword.value;
        }
        if (value == nullptr) {
          const Value* defaults = cls.lookup(in_.intern("_field_defaults"));
          auto* by_name = defaults == nullptr ? nullptr : defaults->as<Dict>();
          const Value* found = by_name == nullptr ? nullptr : by_name->find(names[i]);
          if (found == nullptr)
            return raise(object::ErrorKind::TypeError,
                         fmt::format("{}.__new__() missing 1 required positional argument", name));
          value = build(*found, nullptr);
        }
        made->items.push_back(value);
      }
      return made;
    }
  }
  if (user_container_kind(cls) != VariableKind::Null) return new_object(*given, args, keywords);
  const bool is_scalar = is_in_mro(builtins.integer) || is_in_mro(builtins.floating) || is_in_mro(builtins.str);
  if (is_scalar && !cls.is_immutable()) {
    // A number or text of a class of the program is a constant.
    std::vector<Value> positional;
    std::vector<object::Keyword> named;
    if (!constant_arguments(args, keywords, positional, named))
      return has_failed() ? nullptr : unsupported_builtin(name, args, !keywords.empty());
    PyResult<Value> made = in_.call(given->value, positional, named);
    return made.ok() ? constant(made.value()) : raise(made.error());
  }
  if (is_in_mro(builtins.dict)) {
    Variable* made = dict();
    made->cls = &cls;
    if (name == "defaultdict") {
      if (!args.empty()) made->function = real(args[0]);
      if (args.size() > 1) {
        bool known = false;
        if (call_dict_method(made, "update", args.subspan(1), keywords, known) == nullptr) return nullptr;
      }
      return made;
    }
    bool known = false;
    if (call_dict_method(made, "update", args, keywords, known) == nullptr) return nullptr;
    return made;
  }
  if (&cls == tensor::TensorLibrary::of(in_).device || is_type_info(cls))
    return call_constant(given->value, args, keywords);
  if (&cls == tensor::TensorLibrary::of(in_).size && args.size() <= 1 && keywords.empty()) {
    NNS_VARIABLE(made, call_python_builtin("tuple", given, args, keywords, is_known));
    made->cls = &cls;
    return made;
  }
  const Value* creator = cls.lookup(in_.intern("__new__"));
  const bool is_of_program = cls.lookup(in_.intern("__init__")) != nullptr && !cls.is_immutable();
  if (cls.module().starts_with("torch.nn.modules.") && engine_.makes_real_modules(cls)) {
    // A module of torch.nn is made for real, to be read from; the program's own is made when the graph has run.
    std::vector<Value> positional;
    std::vector<object::Keyword> named;
    bool all_constant = true;
    for (Variable* arg : args) positional.push_back(constant_value(arg));
    for (const KeywordArgument& keyword : keywords) named.push_back({keyword.name, constant_value(keyword.value)});
    for (const Value& value : positional) all_constant = all_constant && !value.is_absent();
    for (const object::Keyword& value : named) all_constant = all_constant && !value.value.is_absent();
    if (has_failed()) return nullptr;
    if (all_constant) {
      const tensor::Generator before = tensor::TensorLibrary::of(in_).generator;
      PyResult<Value> example = in_.call(given->value, positional, named);
      tensor::TensorLibrary::of(in_).generator = before;
      if (!example.ok()) return raise(example.error());
      auto* module = example.value().as<nn::Module>();
      if (module == nullptr) return unsupported_builtin(name, args, !keywords.empty());
      PyResult<std::vector<nn::NamedTensor>> parameters = module->named_parameters();
      if (!parameters.ok() || !parameters.value().empty()) {
        Variable stand_in;
        stand_in.value = example.value();
        note_module("UnspecializedNNModuleVariable", stand_in);
        return unsupported("Attempted to use `torch.nn.Parameter()` constructor with Dynamo", "",
                           "Dynamo does not support this",
                           {"Try to construct `torch.nn.Parameter()` outside the compiled region.",
                            "If this is not possible, turn `graph_break_on_nn_param_ctor` off", hints::kSupportable});
      }
      Variable* made = build_unspecialized(example.value(), nullptr, false);
      if (made == nullptr) return nullptr;
      made->is_new = true;
      made->function = given;
      made->items.assign(args.begin(), args.end());
      made->keyword_defaults.clear();
      for (const KeywordArgument& keyword : keywords) made->keyword_defaults.emplace_back(keyword.name, keyword.value);
      return made;
    }
  }
  if (is_of_program || (creator != nullptr && python::as_function(*creator) != nullptr))
    return new_object(*given, args, keywords);
  return call_constant(given->value, args, keywords);
}

// An instance that the frame makes: __new__ and __init__ are traced, the latter on a stand-in.
Variable* Translator::new_object(Variable& given, Arguments args, Keywords keywords) {
  Class& cls = *given.value.as<Class>();
  const Value* creator = cls.lookup(in_.intern("__new__"));
  const auto* wrapped = creator == nullptr ? nullptr : creator->as<object::WrappedMethod>();
  const Value function = creator == nullptr ? Value() : wrapped != nullptr ? wrapped->function() : *creator;
  Variable* object = nullptr;
  if (python::as_function(function) != nullptr) {
    std::vector<Variable*> all = {&given};
    all.insert(all.end(), args.begin(), args.end());
    object = real(inline_call(&function_of(function), all, keywords));
    if (object == nullptr) return nullptr;
    // What is no instance of it is not initialised.
    const auto& mro = type_of(*object).mro();
    if (object->kind != VariableKind::Object || std::find(mro.begin(), mro.end(), &cls) == mro.end()) return object;
  } else {
    object = allocate(cls, args);
    if (object == nullptr) return nullptr;
  }
  return initialize(object, args, keywords, python::as_function(function) != nullptr);
}

// A stand-in of a class, which nothing has initialised.
Variable* Translator::allocate(Class& cls, Arguments args) {
  PyResult<Value> stand_in = cls.new_instance();
  if (!stand_in.ok()) return raise(stand_in.error());
  Variable* object = nullptr;
  if (stand_in.value().as<nn::Module>() != nullptr) {
    object = build_unspecialized(stand_in.value(), nullptr, false);
  } else {
    object = &arena_->make(VariableKind::Object);
    object->value = stand_in.value();
    object->cls = &cls;
    // The arguments that it is made with live as long as it does.
    for (Variable* arg : args) {
      if (real(arg) == nullptr) return nullptr;
      if (real(arg)->kind == VariableKind::Tensor) object->items.push_back(arg);
    }
    track(object->value, object);
    if (const VariableKind kind = user_container_kind(cls); kind != VariableKind::Null) {
      object->contents = &arena_->make(kind);
      object->contents->is_new = true;
      if (std::find(cls.mro().begin(), cls.mro().end(), in_.builtins().ordered_dict) != cls.mro().end())
        object->contents->cls = in_.builtins().ordered_dict;
      if (kind == VariableKind::Tuple && !args.empty() && !items_of(args[0], object->contents->items)) return nullptr;
    }
  }
  object->is_new = true;
  return object;
}

// object.__new__, tuple.__new__ and their like, with the class as a program gives it.
Variable* Translator::allocate_by(Variable* function, Variable* given, Arguments args, Keywords keywords) {
  Class& cls = *given->value.as<Class>();
  const auto& builtins = in_.builtins();
  const bool is_of_program = !cls.is_immutable();
  const Value* fields = cls.lookup(in_.intern("_fields"));
  const bool is_tuple = std::find(cls.mro().begin(), cls.mro().end(), builtins.tuple) != cls.mro().end();
  if (is_tuple && (fields != nullptr || !is_of_program)) {
    std::vector<Variable*> items;
    if (args.size() == 1 && !items_of(args[0], items)) return nullptr;
    Variable* made = tuple(std::move(items));
    if (&cls != builtins.tuple) made->cls = &cls;
    return made;
  }
  if (is_of_program || &cls == builtins.object) return allocate(cls, args);
  std::vector<Variable*> all = {given};
  all.insert(all.end(), args.begin(), args.end());
  if (!function->value.is_object()) return unsupported_builtin("__new__", all, !keywords.empty());
  return call_constant(function->value, all, keywords);
}

Variable* Translator::initialize(Variable* object, Arguments args, Keywords keywords, bool has_own_new) {
  Class& cls = type_of(*object);
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* init = class_lookup(cls, in_.intern("__init__"), depth, &library);
  std::vector<Variable*> all = {object};
  all.insert(all.end(), args.begin(), args.end());
  if (library != nullptr) return inline_call(library, all, keywords) == nullptr ? nullptr : object;
  if (init != nullptr && python::as_function(*init) != nullptr) {
    Variable& function = function_of(*init);
    return inline_call(&function, all, keywords) == nullptr ? nullptr : object;
  }
  if (object->contents != nullptr) {
    if (object->contents->kind == VariableKind::Tuple) return object;
    bool is_known = false;
    return call_contents_method(object, "__init__", args, keywords, is_known) == nullptr ? nullptr : object;
  }
  if (!args.empty() || !keywords.empty()) {
    const bool is_of_object = init != nullptr && init->as<object::NativeFunction>() != nullptr &&
                              init->as<object::NativeFunction>()->qualified_name().starts_with("object");
    // A class with a __new__ of its own is not asked again what it takes.
    if (is_of_object && has_own_new) return object;
    if (is_of_object) return raise(object::type_error(in_, "{}() takes no arguments", cls.name()));
    return unsupported("Class with an __init__ of C++", std::string(cls.name()),
                       "Dynamo does not trace this class's `__init__`.", {hints::kSupportable});
  }
  return object;
}

}  // namespace nns::dynamo
