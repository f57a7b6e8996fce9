// Calls of functions, classes and objects.
// Behaviour: torch/_dynamo/variables/functions.py, user_defined.py.
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

constexpr int kDeepest = 150;

}  // namespace

Variable* Translator::call(Variable* given, Arguments args, Keywords keywords) {
  NNS_VARIABLE(callee, real(given));
  bool is_logged = false;
  if (Variable* told = logged_call(callee, args, keywords, is_logged); is_logged || has_failed()) return told;
  switch (callee->kind) {
    case VariableKind::Function:
      return inline_call(callee, args, keywords);
    case VariableKind::Method: {
      if (engine_.is_random_function(callee->value)) return call_random(callee, args, keywords);
      std::vector<Variable*> all = {callee->self};
      all.insert(all.end(), args.begin(), args.end());
      // What a class's own __getitem__ calls behind super() is traced as the Python that it is.
      const bool is_item_of_super = callee->is_super && callee->function->name.ends_with(".__getitem__");
      if (callee->self->kind == VariableKind::NNModule && callee->function->is_library && !is_item_of_super &&
          !(callee->name.empty() && callee->function->name == "Sequential.forward")) {
        return call_specialized_method(
            callee->self, in_.intern(callee->name.empty() ? callee->function->name : callee->name), args, keywords);
      }
      return call(callee->function, all, keywords);
    }
    case VariableKind::BoundBuiltin:
      return call_bound_builtin(callee, args, keywords);
    case VariableKind::Builtin:
      return call_builtin(callee, args, keywords);
    case VariableKind::Class:
      return call_class(callee, args, keywords);
    case VariableKind::Object: {
      if (!engine_.is_disabled_module(callee->value)) return call_object(callee, args, keywords);
      // Behaviour: torch/_dynamo/variables/misc.py, DelayGraphBreakVariable.
      const Value* const reason =
          callee->value.object()->instance_dict(true)->find(in_.intern("_torchdynamo_disable_msg"));
      const std::string name = callee->source == nullptr ? std::string("a module") : callee->source->name();
      PyResult<std::string> why = reason == nullptr ? PyResult<std::string>("None") : object::str(in_, *reason);
      return unsupported(
          "Unsupported function call (delayed)", "source: " + name,
          fmt::format("Dynamo determined that a graph break should occur when calling `{}`. Reason: Optimized "
                      "`nn.Module` is wrapped with `torch.compiler.disable` (reason: {})",
                      name, why.ok() ? why.value() : std::string("?")),
          {});
    }
    case VariableKind::NNModule:
      return call_specialized(callee, args, keywords);
    case VariableKind::Context:
      // What `with` keeps for its end; otherwise it decorates.
      if (args.size() == 1 && keywords.empty() && !callee->is_entered) {
        NNS_VARIABLE(function, real(args[0]));
        return decorated(*callee, function);
      }
      if (args.size() != 3) return unsupported_builtin(callee->value.as<Class>()->name(), args, !keywords.empty());
      return leave_mode(*callee) ? constant(Value()) : nullptr;
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
      const std::string shown = repr_of(in_, function->value);
      const std::string why = reason.is_none() ? "None" : std::string(reason.as<object::Str>()->view());
      if (is_method) {
        return unsupported(
            "Skip inlining `torch.compiler.disable()`d function", shown,
            fmt::format("Skip inlining function {} since it was wrapped with `torch.compiler.disable` (reason: {})",
                        shown, why),
            {"Remove the `torch.compiler.disable` call"});
      }
      return unsupported(
          "Skip calling `torch.compiler.disable()`d function", shown,
          fmt::format("Skip calling function `{}` since it was wrapped with `torch.compiler.disable` (reason: {})",
                      shown, why),
          {"Remove the `torch.compiler.disable` call"});
    }
    if (engine_.is_marked(*existing, "_dynamo_forbidden")) return forbidden_call(function->value);
    if (engine_.is_marked(*existing, "_dynamo_marked_constant"))
      return call_for_constant(function->value, args, keywords);
    if (engine_.torch_function(function->value) != nullptr) return call_builtin(function, args, keywords);
    if (existing->code().tree->source().name() == "<torch._checks>") {
      bool is_known = false;
      const std::string target = fmt::format("torch._checks.{}", existing->qualified_name());
      Variable* answer = answered_by_tracer(target, args, keywords, is_known);
      if (answer != nullptr || has_failed()) return answer;
    }
    if (engine_.is_named_tuple_maker(*existing)) return call_named_tuple(function->value, args, keywords);
    if (engine_.is_skipped_function(*existing)) {
      // torch.from_numpy is Python here.
      if (Variable* made = tensor_of_array(existing->qualified_name(), args, keywords); made != nullptr || has_failed())
        return made;
      // Of a tensor it is a question that its kind answers.
      if (existing->qualified_name() == "is_complex" && args.size() == 1 && real(args[0])->kind == VariableKind::Tensor)
        return tensor_method(real(args[0]), "is_complex", {}, {});
      std::string_view file = existing->code().tree->source().name();
      if (file.size() > 2) file = file.substr(1, file.size() - 2);
      const Engine::TorchFunction* torch = engine_.python_operator(function->value);
      const std::string target =
          torch != nullptr ? torch->target : fmt::format("{}.{}", file, existing->qualified_name());
      bool is_known = false;
      if (Variable* answer = answered_by_tracer(target, args, keywords, is_known); is_known || has_failed())
        return answer;
      if (torch != nullptr) return call_torch(function->value, torch->target, torch->name, args, keywords);
      return engine_.skipped_call(*this, *existing);
    }
    // What a cache remembers is not asked. Behaviour: functions.py, WrapperUserFunctionVariable.
    if (const Value cached = engine_.cached_function(*existing); !cached.is_absent()) {
      const Source* source = function->source == nullptr ? nullptr : sources_->attr(function->source, "__wrapped__");
      NNS_VARIABLE(target, build(cached, source));
      return call(target, args, keywords);
    }
    // torch.compile's wrapper of a function: the function itself is traced.
    const Value inner = engine_.wrapped_function(*existing);
    if (!inner.is_absent()) {
      NNS_VARIABLE(target, build(inner, nullptr));
      return call(target, args, keywords);
    }
  }
  if (depth_ >= kDeepest)
    return unsupported("Recursion too deep", "", "Dynamo does not follow calls nested so deeply.", {});
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
    if (const std::int32_t parameter = code->cell_parameters[i]; parameter >= 0)
      cell.function = frame->slots[static_cast<std::size_t>(parameter)];
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
  if (code->is_async) {
    return unsupported("Unsupported function call", code->qualified_name,
                       "Dynamo does not know how to trace asynchronous functions.", {});
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
    const auto* held = existing == nullptr ? nullptr : existing->defaults().as<object::Tuple>();
    const std::size_t optional = existing == nullptr ? function->defaults.size() : held == nullptr ? 0 : held->size();
    const std::string takes =
        optional == 0 ? std::to_string(code.positional_count)
                      : fmt::format("from {} to {}", code.positional_count - optional, code.positional_count);
    raise(object::type_error(in_, "{}() takes {} positional argument{} but {} {} given", name, takes,
                             takes == "1" ? "" : "s", args.size(), args.size() == 1 ? "was" : "were"));
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
      for (std::size_t i = 0; i < code.positional_only_count; ++i) {
        if (!(code.locals[i] == keyword.name)) continue;
        raise(object::type_error(in_, "{}() got some positional-only arguments passed as keyword arguments: '{}'", name,
                                 keyword.name.view()));
        return false;
      }
      raise(object::type_error(in_, "{}() got an unexpected keyword argument '{}'", name, keyword.name.view()));
      return false;
    }
  }
  const auto* defaults = existing == nullptr ? nullptr : existing->defaults().as<object::Tuple>();
  const std::size_t default_count = existing == nullptr   ? function->defaults.size()
                                    : defaults == nullptr ? 0
                                                          : defaults->size();
  if (existing != nullptr && defaults != nullptr && default_count > 0 && function->source != nullptr &&
      !function->is_library) {
    guard_length(sources_->attr(function->source, "__defaults__"), default_count, existing->defaults());
  }
  std::vector<std::string> missing, missing_keywords;
  for (std::size_t i = 0; i < code.positional_count; ++i) {
    const std::size_t left = code.positional_count - i;
    if (left <= default_count) {
      const std::size_t at = default_count - left;
      if (slots[i] != nullptr) continue;
      if (existing == nullptr) {
        slots[i] = function->defaults[at];
      } else {
        const Source* source = function->source == nullptr
                                   ? nullptr
                                   : sources_->default_of(function->source, static_cast<std::int64_t>(at));
        slots[i] = lazy((*defaults)[at], source);
      }
    } else if (slots[i] == nullptr) {
      missing.push_back(fmt::format("'{}'", code.locals[i].view()));
    }
  }
  for (std::size_t i = code.positional_count; i < named; ++i) {
    if (slots[i] != nullptr) continue;
    if (existing != nullptr) {
      auto* by_name = existing->keyword_defaults().as<Dict>();
      const Value* value = by_name == nullptr ? nullptr : by_name->find(code.locals[i]);
      if (value != nullptr) {
        const Source* source =
            function->source == nullptr ? nullptr : sources_->keyword_default_of(function->source, code.locals[i]);
        slots[i] = lazy(*value, source);
      }
    } else {
      for (const auto& [key, value] : function->keyword_defaults) {
        if (key == code.locals[i]) slots[i] = value;
      }
    }
    if (slots[i] == nullptr) missing_keywords.push_back(fmt::format("'{}'", code.locals[i].view()));
  }
  const bool is_of_keywords = missing.empty();
  const std::vector<std::string>& names = is_of_keywords ? missing_keywords : missing;
  if (names.empty()) return true;
  std::string listed = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) {
    const bool is_last = i + 1 == names.size();
    listed += (is_last ? (names.size() == 2 ? " and " : ", and ") : ", ") + names[i];
  }
  raise(object::type_error(in_, "{}() missing {} required {} argument{}: {}", name, names.size(),
                           is_of_keywords ? "keyword-only" : "positional", names.size() == 1 ? "" : "s", listed));
  return false;
}

bool Translator::constant_arguments(Arguments args, Keywords keywords, std::vector<Value>& positional,
                                    std::vector<object::Keyword>& named) {
  for (Variable* arg : args) {
    Value value = constant_value(arg);
    if (value.is_absent()) return false;
    positional.push_back(std::move(value));
  }
  for (const KeywordArgument& keyword : keywords) {
    Value value = constant_value(keyword.value);
    if (value.is_absent()) return false;
    named.push_back({keyword.name, std::move(value)});
  }
  return !has_failed();
}

Variable* Translator::call_constant(const Value& function, Arguments args, Keywords keywords) {
  std::vector<Value> positional;
  std::vector<object::Keyword> named;
  if (!constant_arguments(args, keywords, positional, named))
    return has_failed() ? nullptr : unsupported_builtin(engine_.name_of(function), args, !keywords.empty());
  PyResult<Value> result = in_.call(function, positional, named);
  if (!result.ok()) return raise(result.error());
  return build(result.value(), nullptr);
}

Variable* Translator::call_object(Variable* object, Arguments args, Keywords keywords) {
  if (is_module(*object)) return call_module(object, args, keywords);
  Class& cls = type_of(*object);
  if (is_op_of_torch(cls)) return call_op(object, args, keywords);
  if (is_decorated(cls)) return call_decorated(object->value, args, keywords);
  if (cls.name() == "partial" && cls.module() == "functools" && !object->is_new) {
    const auto held_value = [&](const char* name) -> Value {
      PyResult<Value> value = object::getattr(in_, object->value, in_.intern(name));
      return value.ok() ? std::move(value).value() : Value();
    };
    const auto part_source = [&](const char* name) {
      return object->source == nullptr ? nullptr : sources_->attr(object->source, name);
    };
    NNS_VARIABLE(function, build(held_value("func"), part_source("func")));
    const Value positional_value = held_value("args"), named_value = held_value("keywords");
    const auto* positional_held = positional_value.as<object::Tuple>();
    auto* named_held = named_value.as<Dict>();
    if (positional_held == nullptr || named_held == nullptr)
      return unsupported_builtin("partial", args, !keywords.empty());
    Variable* held = tuple({});
    if (object->source != nullptr) guard_length(part_source("args"), positional_held->size(), positional_value);
    for (std::size_t i = 0; i < positional_held->size(); ++i) {
      const Source* const source = object->source == nullptr
                                       ? nullptr
                                       : sources_->item(part_source("args"), Value(static_cast<std::int64_t>(i)));
      // Looked at at once, as builder.py does: what is a tensor becomes an input before the call's own arguments do.
      NNS_VARIABLE(part, build((*positional_held)[i], source));
      held->items.push_back(part);
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
      NNS_VARIABLE(part, is_constant_item ? constant(item) : build(item, source));
      named->items.push_back(part);
    }
    std::vector<Variable*> all = held->items;
    all.insert(all.end(), args.begin(), args.end());
    std::vector<KeywordArgument> more;
    for (std::size_t i = 0; i < named->keys.size(); ++i) {
      const Name key = in_.intern(key_of(*named->keys[i]).as<object::Str>()->view());
      const bool is_given =
          std::any_of(keywords.begin(), keywords.end(), [&](const KeywordArgument& one) { return one.name == key; });
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
    Variable& function = function_of(*found);
    if (object->source != nullptr)
      function.source = sources_->class_attr(object->source, in_.intern("__call__"), depth);
    std::vector<Variable*> all = {object};
    all.insert(all.end(), args.begin(), args.end());
    return inline_call(&function, all, keywords);
  }
  if (found == nullptr) return raise(object::type_error(in_, "'{}' object is not callable", cls.name()));
  return unsupported_builtin(cls.name(), args, !keywords.empty());
}

}  // namespace nns::dynamo
