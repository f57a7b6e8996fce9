// Calls of modules, and the names that nodes get from them.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/default_dict.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Translator::StackMark Translator::push_module(Variable* module) {
  if (module->stack_source == nullptr) return {};
  // ._modules['x'] is shown as .x.
  constexpr std::string_view kChildren = "._modules['";
  std::string name;
  std::string_view rest = module->stack_source->name();
  for (std::size_t at = 0; (at = rest.find(kChildren)) != std::string_view::npos;) {
    const std::size_t end = rest.find("']", at);
    if (end == std::string_view::npos) break;
    name.append(rest.substr(0, at)).append(1, '.');
    name.append(rest.substr(at + kChildren.size(), end - at - kChildren.size()));
    rest.remove_prefix(end + 2);
  }
  name.append(rest);
  const int count = call_counts_[name]++;
  const std::string suffix = count > 0 ? fmt::format("@{}", count) : std::string();
  StackEntry entry;
  entry.name = name;
  entry.class_name = type_of(*module).qualified_name();
  if (module->kind == VariableKind::NNModule) {
    entry.key = module->module_key + suffix;
  } else {
    entry.module_id = in_.id_of(*module->value.object());
    entry.key = suffix;
  }
  return {true,
          std::exchange(module_stack_, std::make_shared<const StackLink>(StackLink{std::move(entry), module_stack_}))};
}

void Translator::pop_module(const StackMark& mark) {
  if (mark.is_pushed) module_stack_ = mark.before;
}

void Translator::guard_forward(Variable* module) {
  if (module->source == nullptr) return;
  Dict& own = *module->value.object()->instance_dict(true);
  const Value* patched = own.find(in_.intern("forward"));
  if (patched == nullptr) return guard_absent(module->source, "forward");
  const Source* source = sources_->attr(module->source, "forward", true);
  const Value function =
      patched->as<object::BoundMethod>() != nullptr ? patched->as<object::BoundMethod>()->function() : *patched;
  if (patched->as<object::BoundMethod>() != nullptr) source = sources_->attr(source, "__func__");
  if (Function* plain = python::as_function(function)) {
    Guard made{.kind = GuardKind::ClosureMatch, .source = source};
    made.id = in_.id_of(*plain->code_reference());
    guard(std::move(made));
  }
}

// What a lazy module is initialised with: fakes for tensors, in tuples of the same class.
bool Translator::fake_argument(Variable* given, Value& made) {
  Variable* const value = real(given);
  if (value == nullptr) return false;
  if (value->kind != VariableKind::Tuple || value->cls == nullptr) {
    Argument argument;
    if (!as_argument(value, argument)) return false;
    made = fake_value(argument);
    return true;
  }
  std::vector<Value> items(value->items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!fake_argument(value->items[i], items[i])) return false;
  }
  PyResult<Value> whole = value->cls->lookup(in_.intern("_fields")) != nullptr
                              ? in_.call(Value(static_cast<object::Object*>(value->cls)), items)
                              : PyResult<Value>(Value(in_.tuple(std::move(items))));
  if (!whole.ok()) return raise(whole.error()), false;
  made = std::move(whole).value();
  return true;
}

bool Translator::initialize_lazy(const Value& module, Arguments args, Keywords keywords) {
  Dict& own = *module.object()->instance_dict(true);
  if (!own.contains(in_.intern("_initialize_hook"))) return true;
  std::vector<Value> positional(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!fake_argument(args[i], positional[i])) return false;
  }
  const Ref<Dict> named = in_.dict();
  for (const KeywordArgument& keyword : keywords) {
    Value made;
    if (!fake_argument(keyword.value, made)) return false;
    named->set(keyword.name, std::move(made));
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
  // A GraphModule is always entered through its _call_impl.
  const bool is_graph_module = own_impl != nullptr && engine_.is_graph_module(cls);
  Dict& own = *module->value.object()->instance_dict(true);
  const Name forward = in_.intern("forward");
  const bool is_patched = own.contains(forward) || pending(module, forward) != nullptr;
  constexpr const char* kHooks[] = {
      "_backward_hooks",    "_backward_pre_hooks",        "_forward_hooks",
      "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs"};
  bool hooks = engine_.has_global_hooks();
  for (const char* name : kHooks) {
    const Name hook_name = in_.intern(name);
    if (Variable* written = pending(module, hook_name); written != nullptr) {
      hooks = hooks || truth(written) != 0;
      continue;
    }
    if (const Value* dict = own.find(hook_name); dict != nullptr) {
      if (auto known = known_.find(dict->object()); known != known_.end() && known->second->is_mutated)
        hooks = hooks || !known->second->keys.empty();
      if (dict->as<Dict>() != nullptr && !dict->as<Dict>()->empty()) hooks = true;
    }
  }
  static_cast<void>(impl);
  if (hooks && is_stock && !module->is_new && !is_patched) {
    constexpr const char* kAsked[] = {"_backward_hooks",    "_backward_pre_hooks",
                                      "_forward_hooks",     "_forward_hooks_with_kwargs",
                                      "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"};
    for (const char* name : kAsked) {
      const Name hook_name = in_.intern(name);
      if (pending(module, hook_name) != nullptr) break;
      NNS_VARIABLE(dict, hooks_attribute(module, hook_name));
      if (!dict->keys.empty()) break;
    }
  }
  Variable* function = nullptr;
  if (is_stock && !is_patched && !hooks && !is_graph_module) {
    Variable* library_forward = nullptr;
    const Value* found = class_lookup(cls, forward, depth, &library_forward);
    if (library_forward != nullptr) {
      function = library_forward;
    } else if (found != nullptr && python::as_function(*found) != nullptr) {
      function = &function_of(*found);
      if (module->source != nullptr) function->source = sources_->class_attr(module->source, forward, depth);
    }
    if (function != nullptr && !module->is_new) {
      for (const char* name : kHooks) {
        const Name hook_name = in_.intern(name);
        // All that it would leave is a guard that nobody checks.
        if (config_.skip_nnmodule_hook_guards && !engine_.is_recording() && own.find(hook_name) != nullptr) continue;
        if (hooks_attribute(module, hook_name) == nullptr) return nullptr;
      }
    }
  }
  if (function == nullptr) {
    if (caller == nullptr) return raise(object::type_error(in_, "'{}' object is not callable", cls.name()));
    if (module->source != nullptr) guard_absent(module->source, is_graph_module ? "_call_impl" : "__call__");
    if (is_graph_module) {
      function = own_impl;
    } else if (is_stock_call) {
      function = library;
    } else {
      function = &function_of(*caller);
      if (python::as_function(*caller) == nullptr) return unsupported_builtin("__call__", args, !keywords.empty());
    }
  }
  guard_forward(module);
  const StackMark mark = push_module(module);
  Variable* result = nullptr;
  const bool is_native =
      engine_.is_opaque_module(cls) && function->is_library == false && python::as_function(function->value) == nullptr;
  result = is_native ? unsupported("UnspecializedNNModuleVariable missing method", std::string(cls.name()),
                                   "Dynamo does not trace this module.", {})
                     : inline_call(function, all, keywords);
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
      return done(unsupported("Sequential called with other than one argument", "",
                              "Dynamo unrolls nn.Sequential for one argument.", {}));
    }
    Variable* value = args[0];
    auto* children = own.find(in_.intern("_modules"))->as<Dict>();
    for (const Value& key : children->keys()) {
      const std::string child(key.as<object::Str>()->view());
      Variable* callee =
          register_attribute(*children->find(key), module->module_key, child,
                             sources_->wrap(SourceKind::NNModule, sources_->attr(module->source, child)));
      if (callee == nullptr) return done(nullptr);
      if (is_module(*callee) && callee->kind == VariableKind::NNModule && callee->stack_source == nullptr)
        callee->stack_source = callee->source;
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
  // Of a GraphModule forward itself is traced, past its hooks.
  const bool is_graph = engine_.is_graph_module(now) && found != nullptr && python::as_function(*found) != nullptr;
  Variable* impl = is_graph ? &function_of(*found) : library_function("Module", "_call_impl");
  std::vector<Variable*> all = {module};
  all.insert(all.end(), args.begin(), args.end());
  return done(inline_call(impl, all, keywords));
}

}  // namespace nns::dynamo
