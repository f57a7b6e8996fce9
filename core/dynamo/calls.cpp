// Calls of functions, classes and objects.
// Behaviour: torch/_dynamo/variables/functions.py, user_defined.py.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/default_dict.h"
#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

constexpr int kDeepest = 150;

bool is_module(const Variable& variable) { return variable.value.as<nn::Module>() != nullptr; }

}  // namespace

Variable* Translator::call(Variable* given, Arguments args, Keywords keywords) {
  NNS_VARIABLE(callee, real(given));
  switch (callee->kind) {
    case VariableKind::Function:
      return inline_call(callee, args, keywords);
    case VariableKind::Method: {
      std::vector<Variable*> all = {callee->self};
      all.insert(all.end(), args.begin(), args.end());
      if (callee->self->kind == VariableKind::NNModule && callee->function->is_library && !(callee->name.empty() && callee->function->name == "Sequential.forward")) {
        return call_specialized_method(callee->self, in_.intern(callee->name.empty() ? callee->function->name : callee->name), args, keywords);
      }
      return call(callee->function, all, keywords);
    }
    case VariableKind::BoundBuiltin:
      return call_bound_builtin(callee, args, keywords);
    case VariableKind::Builtin:
      return call_builtin(callee, args, keywords);
    case VariableKind::Class:
      return call_class(callee, args, keywords);
    case VariableKind::Object:
      return call_object(callee, args, keywords);
    case VariableKind::NNModule:
      return call_specialized(callee, args, keywords);
    case VariableKind::Context:
      // What `with` keeps for its end.
      return leave_context(callee);
    case VariableKind::Constant: {
      const Value function = callee->value;
      if (function.is_object() && !args.empty()) return call_constant(function, args, keywords);
      return raise(object::type_error(in_, "'{}' object is not callable", type_of(*callee).name()));
    }
    default:
      return raise(object::type_error(in_, "'{}' object is not callable", type_of(*callee).name()));
  }
}

Variable* Translator::call_method(Variable* object, Name name, Arguments args, Keywords keywords) {
  NNS_VARIABLE(method, load_attribute(object, name));
  return call(method, args, keywords);
}

// A function of a program or of the library's own Python is traced in a frame of its own.
Variable* Translator::inline_call(Variable* function, Arguments args, Keywords keywords) {
  Function* existing = python::as_function(function->value);
  const Ref<Code>& code = existing != nullptr ? existing->code_reference() : function->code;
  if (existing != nullptr && engine_.is_library_function(*existing)) function->is_library = true;
  if (existing != nullptr) {
    const Value reason = engine_.disabled_reason(*existing);
    if (!reason.is_absent()) {
      const bool is_method = !args.empty() && is_module(*args[0]);
      const std::string shown = fmt::format("<function {} at <addr>>", existing->qualified_name());
      const std::string why = reason.is_none() ? "None" : std::string(reason.as<object::Str>()->view());
      if (is_method) {
        return unsupported("Skip inlining `torch.compiler.disable()`d function", shown,
                           fmt::format("Skip inlining function {} since it was wrapped with `torch.compiler.disable` (reason: {})", shown, why),
                           {"Remove the `torch.compiler.disable` call"});
      }
      return unsupported("Skip calling `torch.compiler.disable()`d function", shown,
                         fmt::format("Skip calling function `{}` since it was wrapped with `torch.compiler.disable` (reason: {})", shown, why),
                         {"Remove the `torch.compiler.disable` call"});
    }
    if (engine_.is_skipped_function(*existing)) {
      return engine_.skipped_call(*this, *existing);
    }
    // torch.compile's wrapper of a function: the function itself is traced.
    const Value inner = engine_.wrapped_function(*existing);
    if (!inner.is_absent()) {
      NNS_VARIABLE(target, build(inner, nullptr));
      return call(target, args, keywords);
    }
  }
  if (depth_ >= kDeepest) return unsupported("Recursion too deep", "", "Dynamo does not follow calls nested so deeply.", {});
  auto frame = std::make_shared<TracedFrame>();
  frame->code = code;
  frame->function = function;
  frame->globals = existing != nullptr ? Ref<Dict>(&existing->globals()) : function->globals;
  frame->is_library = function->is_library;
  frame->slots.assign(code->locals.size() + code->cells.size() + code->free.size(), nullptr);
  if (!bind_arguments(function, args, keywords, frame->slots)) return nullptr;
  const std::size_t locals = code->locals.size();
  for (std::size_t i = 0; i < code->cells.size(); ++i) {
    Variable& cell = arena_->make(VariableKind::Cell);
    cell.is_new = true;
    if (const std::int32_t parameter = code->cell_parameters[i]; parameter >= 0) cell.function = frame->slots[static_cast<std::size_t>(parameter)];
    frame->slots[locals + i] = &cell;
  }
  for (std::size_t i = 0; i < code->free.size(); ++i) {
    Variable* cell = nullptr;
    if (existing == nullptr) {
      cell = function->closure[i];
    } else {
      python::Cell& real_cell = *existing->closure[i];
      if (const auto known = known_.find(&real_cell); known != known_.end()) {
        cell = known->second;
      } else {
        cell = &arena_->make(VariableKind::Cell);
        cell->value = Value(static_cast<object::Object*>(&real_cell));
        if (function->source != nullptr) cell->source = sources_->cell(function->source, static_cast<std::int64_t>(i));
        if (!real_cell.value.is_absent()) cell->function = lazy(real_cell.value, cell->source);
        track(cell->value, cell);
      }
    }
    frame->slots[locals + code->cells.size() + i] = cell;
  }
  if (code->is_generator) {
    Variable& generator = arena_->make(VariableKind::Generator);
    generator.frame = frame;
    generator.is_new = true;
    return &generator;
  }
  ++depth_;
  const Step step = run_frame(*frame);
  --depth_;
  return step == Step::Returned ? frame->result : nullptr;
}

bool Translator::bind_arguments(Variable* function, Arguments args, Keywords keywords, std::vector<Variable*>& slots) {
  Function* existing = python::as_function(function->value);
  const Code& code = existing != nullptr ? existing->code() : *function->code;
  const std::size_t named = code.positional_count + code.keyword_only_count;
  const std::string name = existing != nullptr ? std::string(existing->qualified_name()) : code.qualified_name;
  const std::size_t taken = std::min<std::size_t>(args.size(), code.positional_count);
  for (std::size_t i = 0; i < taken; ++i) slots[i] = args[i];
  if (code.has_var_positional) {
    std::vector<Variable*> rest(args.begin() + static_cast<std::ptrdiff_t>(taken), args.end());
    slots[named] = tuple(std::move(rest));
  } else if (args.size() > code.positional_count) {
    raise(object::type_error(in_, "{}() takes {} positional argument{} but {} {} given", name, code.positional_count,
                             code.positional_count == 1 ? "" : "s", args.size(), args.size() == 1 ? "was" : "were"));
    return false;
  }
  Variable* others = nullptr;
  if (code.has_var_keyword) {
    others = dict();
    slots[named + (code.has_var_positional ? 1 : 0)] = others;
  }
  for (const KeywordArgument& keyword : keywords) {
    std::size_t at = code.positional_only_count;
    while (at < named && !(code.locals[at] == keyword.name)) ++at;
    if (at < named) {
      if (slots[at] != nullptr) {
        raise(object::type_error(in_, "{}() got multiple values for argument '{}'", name, keyword.name.view()));
        return false;
      }
      slots[at] = keyword.value;
    } else if (others != nullptr) {
      others->keys.push_back(constant(keyword.name.value()));
      others->items.push_back(keyword.value);
    } else {
      raise(object::type_error(in_, "{}() got an unexpected keyword argument '{}'", name, keyword.name.view()));
      return false;
    }
  }
  const auto* defaults = existing == nullptr ? nullptr : existing->defaults().as<object::Tuple>();
  const std::size_t default_count = existing == nullptr ? function->defaults.size() : defaults == nullptr ? 0 : defaults->size();
  if (existing != nullptr && defaults != nullptr && default_count > 0 && function->source != nullptr && !function->is_library) {
    guard_length(sources_->attr(function->source, "__defaults__"), default_count, existing->defaults());
  }
  std::string missing;
  for (std::size_t i = 0; i < code.positional_count; ++i) {
    const std::size_t left = code.positional_count - i;
    if (left <= default_count) {
      const std::size_t at = default_count - left;
      if (slots[i] != nullptr) continue;
      if (existing == nullptr) {
        slots[i] = function->defaults[at];
      } else {
        const Source* source = function->source == nullptr ? nullptr : sources_->default_of(function->source, static_cast<std::int64_t>(at));
        slots[i] = lazy((*defaults)[at], source);
      }
    } else if (slots[i] == nullptr) {
      missing = code.locals[i].view();
    }
  }
  for (std::size_t i = code.positional_count; i < named; ++i) {
    if (slots[i] != nullptr) continue;
    if (existing != nullptr) {
      auto* by_name = existing->keyword_defaults().as<Dict>();
      const Value* value = by_name == nullptr ? nullptr : by_name->find(code.locals[i]);
      if (value != nullptr) {
        const Source* source = function->source == nullptr ? nullptr : sources_->keyword_default_of(function->source, code.locals[i].view());
        slots[i] = lazy(*value, source);
      }
    } else {
      for (const auto& [key, value] : function->keyword_defaults) {
        if (key == code.locals[i]) slots[i] = value;
      }
    }
    if (slots[i] == nullptr) missing = code.locals[i].view();
  }
  if (!missing.empty()) {
    raise(object::type_error(in_, "{}() missing 1 required positional argument: '{}'", name, missing));
    return false;
  }
  return true;
}

Variable* Translator::call_constant(const Value& function, Arguments args, Keywords keywords) {
  std::vector<Value> positional;
  std::vector<object::Keyword> named;
  for (Variable* arg : args) {
    Value value = constant_value(arg);
    if (has_failed()) return nullptr;
    if (value.is_absent()) return unsupported_builtin(engine_.name_of(function), args, !keywords.empty());
    positional.push_back(std::move(value));
  }
  for (const KeywordArgument& keyword : keywords) {
    Value value = constant_value(keyword.value);
    if (has_failed()) return nullptr;
    if (value.is_absent()) return unsupported_builtin(engine_.name_of(function), args, true);
    named.push_back({keyword.name, std::move(value)});
  }
  PyResult<Value> result = in_.call(function, positional, named);
  if (!result.ok()) return raise(result.error());
  return build(result.value(), nullptr);
}

Variable* Translator::call_class(Variable* given, Arguments args, Keywords keywords) {
  Class& cls = *given->value.as<Class>();
  const std::string_view name = cls.name();
  const auto& builtins = in_.builtins();
  const auto is_in_mro = [&](const Class* wanted) { return std::find(cls.mro().begin(), cls.mro().end(), wanted) != cls.mro().end(); };
  const bool is_exception = is_in_mro(&builtins.exception(object::ErrorKind::BaseException));
  if (is_exception) {
    // An exception whose class has its own __init__ still keeps its arguments.
    Variable& made = arena_->make(VariableKind::Exception);
    made.value = given->value;
    made.items.assign(args.begin(), args.end());
    made.is_new = true;
    const Value* init = cls.lookup(in_.intern("__init__"));
    if (init != nullptr && python::as_function(*init) != nullptr) {
      Variable& function = arena_->make(VariableKind::Function);
      function.value = *init;
      std::vector<Variable*> all = {&made};
      all.insert(all.end(), args.begin(), args.end());
      if (inline_call(&function, all, keywords) == nullptr) return nullptr;
    }
    return &made;
  }
  if (cls.module().starts_with("torch") && (name == "Parameter" || name == "Buffer")) {
    return unsupported("Attempted to use `torch.nn.Parameter()` constructor with Dynamo", "", "Dynamo does not support this",
                       {"Try to construct `torch.nn.Parameter()` outside the compiled region.",
                        "If this is not possible, turn `graph_break_on_nn_param_ctor` off", hints::kSupportable});
  }
  if (cls.module().starts_with("torch")) {
    const bool is_grad = name == "no_grad" || name == "enable_grad" || name == "set_grad_enabled" || name == "inference_mode";
    if (is_grad) {
      Variable& made = arena_->make(VariableKind::Context);
      made.source = given->source;
      made.value = given->value;
      made.mode = name == "enable_grad";
      if (name == "set_grad_enabled" && !args.empty()) {
        const Value mode = constant_value(args[0]);
        made.mode = mode.is_bool() && mode.as_bool();
      }
      // torch.no_grad(function) decorates.
      if (name == "no_grad" && args.size() == 1) return unsupported_builtin("no_grad", args, false);
      return &made;
    }
  }
  bool is_known = false;
  if (cls.is_immutable() || cls.module() == "builtins") {
    if (name == "super") {
      Variable& made = arena_->make(VariableKind::Super);
      if (args.empty()) {
        const TracedFrame& frame = *frame_;
        Variable* owner = nullptr;
        for (std::size_t i = 0; i < frame.code->free.size(); ++i) {
          if (frame.code->free[i].view() == "__class__") owner = frame.slots[frame.code->locals.size() + frame.code->cells.size() + i];
        }
        Variable* self = frame.slots.empty() ? nullptr : frame.slots[0];
        // A parameter that inner functions use lies in a cell.
        for (std::size_t i = 0; i < frame.code->cells.size(); ++i) {
          if (frame.code->cell_parameters[i] == 0) self = frame.slots[frame.code->locals.size() + i]->function;
        }
        if (owner == nullptr || owner->function == nullptr || self == nullptr) return raise(object::ErrorKind::RuntimeError, "super(): no arguments");
        if (owner->source != nullptr && owner->source->kind == SourceKind::Cell && owner->function->kind == VariableKind::Lazy && owner->function->value.as<Class>() != nullptr) {
          // The class around the method is known by its name.
          const Class& around = *owner->function->value.as<Class>();
          guard_constant(GuardKind::ConstantMatch, sources_->attr(owner->source, "__name__"), in_.text(around.name()));
          made.function = build(owner->function->value, nullptr);
        } else {
          made.function = real(owner->function);
        }
        made.self = real(self);
      } else if (args.size() == 2) {
        made.function = real(args[0]);
        made.self = real(args[1]);
      }
      if (made.function == nullptr || made.self == nullptr || made.function->value.as<Class>() == nullptr) return unsupported_builtin("super", args, false);
      return &made;
    }
    if (Variable* result = call_python_builtin(name, given, args, keywords, is_known); is_known || has_failed()) return result;
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
          if (found == nullptr) return raise(object::ErrorKind::TypeError, fmt::format("{}.__new__() missing 1 required positional argument", name));
          value = build(*found, nullptr);
        }
        made->items.push_back(value);
      }
      return made;
    }
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
        return unsupported("Attempted to use `torch.nn.Parameter()` constructor with Dynamo", "", "Dynamo does not support this",
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
  if (is_of_program || (creator != nullptr && python::as_function(*creator) != nullptr)) return new_object(cls, args, keywords);
  return call_constant(given->value, args, keywords);
}

// An instance that the frame makes: __init__ is traced on a stand-in.
Variable* Translator::new_object(Class& cls, Arguments args, Keywords keywords) {
  const Value* creator = cls.lookup(in_.intern("__new__"));
  if (creator != nullptr && (python::as_function(*creator) != nullptr ||
                             (creator->as<object::WrappedMethod>() != nullptr && python::as_function(creator->as<object::WrappedMethod>()->function()) != nullptr))) {
    return unsupported("Class with a __new__ of its own", std::string(cls.name()), "Dynamo does not trace this class's `__new__`.", {hints::kSupportable});
  }
  PyResult<Value> stand_in = cls.new_instance();
  if (!stand_in.ok()) return raise(stand_in.error());
  Variable* object = nullptr;
  if (stand_in.value().as<nn::Module>() != nullptr) {
    object = build_unspecialized(stand_in.value(), nullptr, false);
  } else {
    object = &arena_->make(VariableKind::Object);
    object->value = stand_in.value();
    object->cls = &cls;
    track(object->value, object);
  }
  object->is_new = true;
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* init = class_lookup(cls, in_.intern("__init__"), depth, &library);
  std::vector<Variable*> all = {object};
  all.insert(all.end(), args.begin(), args.end());
  if (library != nullptr) return inline_call(library, all, keywords) == nullptr ? nullptr : object;
  if (init != nullptr && python::as_function(*init) != nullptr) {
    Variable& function = arena_->make(VariableKind::Function);
    function.value = *init;
    return inline_call(&function, all, keywords) == nullptr ? nullptr : object;
  }
  if (!args.empty() || !keywords.empty()) {
    if (init != nullptr && init->as<object::NativeFunction>() != nullptr && init->as<object::NativeFunction>()->qualified_name().starts_with("object"))
      return raise(object::type_error(in_, "{}() takes no arguments", cls.name()));
    return unsupported("Class with an __init__ of C++", std::string(cls.name()), "Dynamo does not trace this class's `__init__`.", {hints::kSupportable});
  }
  return object;
}

Variable* Translator::call_object(Variable* object, Arguments args, Keywords keywords) {
  if (is_module(*object)) return call_module(object, args, keywords);
  Class& cls = type_of(*object);
  if (cls.name() == "partial" && cls.module() == "functools") {
    const auto held_value = [&](const char* name) -> Value {
      PyResult<Value> value = object::getattr(in_, object->value, in_.intern(name));
      return value.ok() ? std::move(value).value() : Value();
    };
    const auto part_source = [&](const char* name) { return object->source == nullptr ? nullptr : sources_->attr(object->source, name); };
    if (object->is_new) return unsupported_builtin("partial", args, !keywords.empty());
    NNS_VARIABLE(function, build(held_value("func"), part_source("func")));
    const Value positional_value = held_value("args"), named_value = held_value("keywords");
    const auto* positional_held = positional_value.as<object::Tuple>();
    auto* named_held = named_value.as<Dict>();
    if (positional_held == nullptr || named_held == nullptr) return unsupported_builtin("partial", args, !keywords.empty());
    Variable* held = tuple({});
    if (object->source != nullptr) guard_length(part_source("args"), positional_held->size(), positional_value);
    for (std::size_t i = 0; i < positional_held->size(); ++i) {
      held->items.push_back(lazy((*positional_held)[i], object->source == nullptr ? nullptr : sources_->item(part_source("args"), Value(static_cast<std::int64_t>(i)))));
    }
    Variable* named = dict();
    if (object->source != nullptr) {
      Guard keys{.kind = GuardKind::DictKeysMatch, .source = part_source("keywords")};
      keys.keys = named_held->keys();
      guard(std::move(keys));
    }
    for (const Value& key : named_held->keys()) {
      const Source* source = object->source == nullptr ? nullptr : sources_->dict_item(part_source("keywords"), key);
      const Value item = *named_held->find(key);
      named->keys.push_back(constant(key));
      const bool is_constant_item = !item.is_object() || item.as<object::Str>() != nullptr;
      if (is_constant_item && source != nullptr) guard_constant(GuardKind::EqualsMatch, source, item);
      named->items.push_back(is_constant_item ? constant(item) : lazy(item, source));
    }
    std::vector<Variable*> all = held->items;
    all.insert(all.end(), args.begin(), args.end());
    std::vector<KeywordArgument> more;
    for (std::size_t i = 0; i < named->keys.size(); ++i) {
      const Name key = in_.intern(key_of(*named->keys[i]).as<object::Str>()->view());
      const bool is_given = std::any_of(keywords.begin(), keywords.end(), [&](const KeywordArgument& one) { return one.name == key; });
      if (!is_given) more.push_back({key, named->items[i]});
    }
    more.insert(more.end(), keywords.begin(), keywords.end());
    return call(function, all, more);
  }
  std::int64_t depth = 0;
  const Value* found = class_lookup(cls, in_.intern("__call__"), depth, nullptr);
  if (found != nullptr && python::as_function(*found) != nullptr) {
    if (const Value inner = engine_.wrapped_object(object->value); !inner.is_absent()) {
      NNS_VARIABLE(target, build(inner, nullptr));
      return call(target, args, keywords);
    }
    Variable& function = arena_->make(VariableKind::Function);
    function.value = *found;
    if (object->source != nullptr) function.source = sources_->class_attr(object->source, "__call__", depth);
    std::vector<Variable*> all = {object};
    all.insert(all.end(), args.begin(), args.end());
    return inline_call(&function, all, keywords);
  }
  if (found == nullptr) return raise(object::type_error(in_, "'{}' object is not callable", cls.name()));
  return unsupported_builtin(cls.name(), args, !keywords.empty());
}

Translator::StackMark Translator::push_module(Variable* module) {
  if (module->stack_source == nullptr) return {};
  // ._modules['x'] is shown as .x.
  std::string name = module->stack_source->name;
  for (std::size_t at = 0; (at = name.find("._modules['", at)) != std::string::npos;) {
    const std::size_t end = name.find("']", at);
    if (end == std::string::npos) break;
    name = name.substr(0, at) + "." + name.substr(at + 11, end - at - 11) + name.substr(end + 2);
  }
  const int count = call_counts_[name]++;
  const std::string suffix = count > 0 ? fmt::format("@{}", count) : std::string();
  StackEntry entry;
  entry.name = name;
  entry.class_name = type_of(*module).name();
  if (module->kind == VariableKind::NNModule) {
    entry.key = module->module_key + suffix;
  } else {
    entry.module_id = in_.id_of(*module->value.object());
    entry.key = suffix;
  }
  module_stack_.push_back(std::move(entry));
  return {true};
}

void Translator::pop_module(StackMark mark) {
  if (mark.is_pushed) module_stack_.pop_back();
}

void Translator::guard_forward(Variable* module) {
  if (module->source == nullptr) return;
  Dict& own = *module->value.object()->instance_dict(true);
  const Value* patched = own.find(in_.intern("forward"));
  if (patched == nullptr) return guard_absent(module->source, "forward");
  const Source* source = sources_->attr(module->source, "forward", true);
  const Value function = patched->as<object::BoundMethod>() != nullptr ? patched->as<object::BoundMethod>()->function() : *patched;
  if (patched->as<object::BoundMethod>() != nullptr) source = sources_->attr(source, "__func__");
  if (Function* plain = python::as_function(function)) {
    Guard made{.kind = GuardKind::ClosureMatch, .source = source};
    made.id = in_.id_of(*plain->code_reference());
    guard(std::move(made));
  }
}

bool Translator::initialize_lazy(const Value& module, Arguments args, Keywords keywords) {
  Dict& own = *module.object()->instance_dict(true);
  if (!own.contains(in_.intern("_initialize_hook"))) return true;
  std::vector<Value> positional;
  for (Variable* arg : args) {
    Argument argument;
    if (!as_argument(arg, argument)) return false;
    positional.push_back(fake_value(argument));
  }
  const Ref<Dict> named = in_.dict();
  for (const KeywordArgument& keyword : keywords) {
    Argument argument;
    if (!as_argument(keyword.value, argument)) return false;
    named->set(keyword.name, fake_value(argument));
  }
  std::vector<Value> all = {module, Value(in_.tuple(std::move(positional)))};
  if (!keywords.empty()) all.push_back(Value(named));
  PyResult<Value> done = in_.call_method(module, in_.intern("_infer_parameters"), all);
  if (done.ok()) return true;
  raise(done.error());
  return false;
}

// A module that is compiled for all of its class. Behaviour: UnspecializedNNModuleVariable.call_function.
Variable* Translator::call_module(Variable* module, Arguments args, Keywords keywords) {
  Class* before = &type_of(*module);
  if (!module->is_new || module->function != nullptr) {
    if (!initialize_lazy(module->value, args, keywords)) return nullptr;
    module->cls = &in_.type_of(module->value);
    if (module->cls != before && module->source != nullptr) compiled_->guards.retarget(*module->source, *module->cls);
  }
  Class& cls = type_of(*module);
  std::vector<Variable*> all = {module};
  all.insert(all.end(), args.begin(), args.end());
  std::int64_t depth = 0;
  Variable* library = nullptr;
  const Value* caller = class_lookup(cls, in_.intern("__call__"), depth, &library);
  const bool is_stock_call = library != nullptr;
  Variable* own_impl = nullptr;
  const Value* impl = class_lookup(cls, in_.intern("_call_impl"), depth, &own_impl);
  const bool is_stock = is_stock_call && own_impl != nullptr;
  Dict& own = *module->value.object()->instance_dict(true);
  const Name forward = in_.intern("forward");
  const bool is_patched = own.contains(forward) || pending(module, forward) != nullptr;
  constexpr const char* kHooks[] = {"_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs"};
  bool hooks = engine_.has_global_hooks();
  for (const char* name : kHooks) {
    const Name hook_name = in_.intern(name);
    if (Variable* written = pending(module, hook_name); written != nullptr) {
      hooks = hooks || truth(written) != 0;
      continue;
    }
    if (const Value* dict = own.find(hook_name); dict != nullptr) {
      if (auto known = known_.find(dict->object()); known != known_.end() && known->second->is_mutated) hooks = hooks || !known->second->keys.empty();
      if (dict->as<Dict>() != nullptr && !dict->as<Dict>()->empty()) hooks = true;
    }
  }
  static_cast<void>(impl);
  if (hooks && is_stock && !module->is_new && !is_patched) {
    constexpr const char* kAsked[] = {"_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"};
    for (const char* name : kAsked) {
      const Name hook_name = in_.intern(name);
      if (pending(module, hook_name) != nullptr) break;
      NNS_VARIABLE(dict, hooks_attribute(module, hook_name));
      if (!dict->keys.empty()) break;
    }
  }
  Variable* function = nullptr;
  if (is_stock && !is_patched && !hooks) {
    Variable* library_forward = nullptr;
    const Value* found = class_lookup(cls, forward, depth, &library_forward);
    if (library_forward != nullptr) {
      function = library_forward;
    } else if (found != nullptr && python::as_function(*found) != nullptr) {
      function = &arena_->make(VariableKind::Function);
      function->value = *found;
      if (module->source != nullptr) function->source = sources_->class_attr(module->source, "forward", depth);
    }
    if (function != nullptr && !module->is_new) {
      for (const char* name : kHooks) {
        if (hooks_attribute(module, in_.intern(name)) == nullptr) return nullptr;
      }
    }
  }
  if (function == nullptr) {
    if (caller == nullptr) return raise(object::type_error(in_, "'{}' object is not callable", cls.name()));
    if (module->source != nullptr) guard_absent(module->source, "__call__");
    if (is_stock_call) {
      function = library;
    } else {
      function = &arena_->make(VariableKind::Function);
      function->value = *caller;
      if (python::as_function(*caller) == nullptr) return unsupported_builtin("__call__", args, !keywords.empty());
    }
  }
  guard_forward(module);
  const StackMark mark = push_module(module);
  Variable* result = nullptr;
  const bool is_native = engine_.is_opaque_module(cls) && function->is_library == false && python::as_function(function->value) == nullptr;
  result = is_native ? unsupported("UnspecializedNNModuleVariable missing method", std::string(cls.name()), "Dynamo does not trace this module.", {}) : inline_call(function, all, keywords);
  pop_module(mark);
  return result;
}

// A module that is compiled as this one instance. Behaviour: NNModuleVariable.call_function.
Variable* Translator::call_specialized(Variable* module, Arguments args, Keywords keywords) {
  const StackMark mark = push_module(module);
  const auto done = [&](Variable* result) {
    pop_module(mark);
    return result;
  };
  Class& cls = type_of(*module);
  Dict& own = *module->value.object()->instance_dict(true);
  const bool is_lazy = own.contains(in_.intern("_initialize_hook"));
  std::int64_t depth = 0;
  Variable* forward = nullptr;
  const Value* found = class_lookup(cls, in_.intern("forward"), depth, &forward);
  const bool is_sequential = forward != nullptr && forward->name == "Sequential.forward";
  if (is_sequential) {
    if (has_hooks(module->value)) return done(restart_unspecialized(module->value));
    if (args.size() != 1 || !keywords.empty()) {
      return done(unsupported("Sequential called with other than one argument", "", "Dynamo unrolls nn.Sequential for one argument.", {}));
    }
    Variable* value = args[0];
    auto* children = own.find(in_.intern("_modules"))->as<Dict>();
    for (const Value& key : children->keys()) {
      const std::string child(key.as<object::Str>()->view());
      Variable* callee = register_attribute(*children->find(key), module->module_key, child,
                                            sources_->wrap(SourceKind::NNModule, sources_->attr(module->source, child)));
      if (callee == nullptr) return done(nullptr);
      if (is_module(*callee) && callee->kind == VariableKind::NNModule && callee->stack_source == nullptr) callee->stack_source = callee->source;
      Variable* one[] = {value};
      value = call(callee, one, {});
      if (value == nullptr) return done(nullptr);
    }
    return done(value);
  }
  if (is_lazy) {
    if (!initialize_lazy(module->value, args, keywords)) return done(nullptr);
  }
  Class& now = in_.type_of(module->value);
  module->cls = &now;
  const bool is_torch = (now.module().starts_with("torch.nn.") || now.module().starts_with("torch.ao.")) &&
                        now.module() != "torch.nn.utils.parametrize";
  if (is_torch) {
    if (has_hooks(module->value)) return done(restart_unspecialized(module->value));
    return done(call_module_node(module, args, keywords));
  }
  static_cast<void>(found);
  Variable* impl = library_function("Module", "_call_impl");
  std::vector<Variable*> all = {module};
  all.insert(all.end(), args.begin(), args.end());
  return done(inline_call(impl, all, keywords));
}

Variable* Translator::unsupported(BreakReason reason) {
  if (has_failed()) return nullptr;
  failure_.kind = Failure::Kind::Unsupported;
  failure_.reason = located(std::move(reason));
  return nullptr;
}

Variable* Translator::unsupported(std::string type, std::string context, std::string explanation, std::vector<std::string> given) {
  BreakReason reason;
  reason.type = std::move(type);
  reason.context = std::move(context);
  reason.explanation = std::move(explanation);
  reason.hints = std::move(given);
  return unsupported(std::move(reason));
}

Variable* Translator::unsupported_builtin(std::string_view name, Arguments args, bool has_keywords) {
  std::string types;
  for (Variable* arg : args) {
    Variable* value = real(arg);
    if (value == nullptr) return nullptr;
    types += (types.empty() ? "'" : ", '") + std::string(type_of(*value).name()) + "'";
  }
  const std::string call = fmt::format("builtin `{}` with argument types [{}]", name, types);
  return unsupported("Failed to trace builtin operator", fmt::format("builtin {} [{}] {}", name, types, has_keywords ? "True" : "False"),
                     fmt::format("Dynamo does not know how to trace builtin operator `{}` with argument types [{}] (has_kwargs {})", name, types, has_keywords ? "True" : "False"),
                     {fmt::format("Avoid calling {}. Consider using an equivalent alternative function/method to `{}`.", call, name),
                      fmt::format("If you are attempting to call a logging function (e.g. `print`), you can try adding it to `torch._dynamo.config.reorderable_logging_functions`."),
                      "Please report an issue to PyTorch."});
}

Variable* Translator::raise(Variable* exception) {
  failure_.kind = Failure::Kind::Observed;
  failure_.exception = exception;
  failure_.reason = located({});
  return nullptr;
}

Variable* Translator::raise(object::ErrorKind kind, std::string_view message) { return raise(object::make_error(in_, kind, message)); }

Variable* Translator::raise(const PyError& error) {
  const object::Exception& exception = error.exception();
  Variable& made = arena_->make(VariableKind::Exception);
  made.value = Value(static_cast<object::Object*>(&exception.type()));
  if (exception.arguments()) {
    for (const Value& item : exception.arguments()->items()) made.items.push_back(constant(item));
  }
  return raise(&made);
}

Variable* Translator::restart_unspecialized(const Value& module) {
  engine_.mark_unspecialized(module, frame_ == nullptr || frame_->code->name != "__init__");
  failure_.kind = Failure::Kind::RestartUnspecialized;
  return nullptr;
}

BreakReason Translator::located(BreakReason reason) const {
  for (const TracedFrame* frame = frame_; frame != nullptr; frame = frame->back) {
    if (frame->is_library) continue;
    reason.stack.insert(reason.stack.begin(), {frame->is_root ? start_.name : frame->code->name, frame->line()});
    if (reason.code.empty()) reason.code = engine_.line_text(*frame->code, frame->line());
  }
  return reason;
}

Variable* Translator::library_function(std::string_view cls, std::string_view name) {
  const Value found = engine_.library_method(cls, name);
  if (found.is_absent()) return nullptr;
  if (const auto known = known_.find(found.object()); known != known_.end()) return known->second;
  Variable& made = arena_->make(VariableKind::Function);
  made.value = found;
  made.is_library = true;
  made.name = fmt::format("{}.{}", cls, name);
  return track(found, &made);
}

}  // namespace nns::dynamo
