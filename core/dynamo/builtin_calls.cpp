// Calls of what is written in C++: functions of torch, builtins, methods of containers and tensors.
// Behaviour: torch/_dynamo/variables/builtin.py, torch.py, tensor.py, lists.py, dicts.py.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/mode_context.h"
#include "core/nn/module.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

namespace {

/// Whether functions of that module give the same for the same arguments, so that a call with constants is one.
bool is_folded(std::string_view module) {
  return module.empty() || module == "builtins" || module == "math" || module == "operator" || module == "_operator" ||
         module == "itertools" || module == "functools" || module == "collections" || module.starts_with("torch");
}

/// What draws from a generator of random numbers, or sets it.
bool is_method_of_generator(const Variable& self, std::string_view name) {
  if (!self.value.is_object() || self.value.object()->type().name() != "Generator" ||
      !self.value.object()->type().module().starts_with("torch"))
    return false;
  return name == "manual_seed" || name == "seed" || name == "initial_seed" || name == "get_state" ||
         name == "set_state" || name == "graphsafe_get_state" || name == "graphsafe_set_state";
}

}  // namespace

Variable* Translator::call_builtin(Variable* function, Arguments args, Keywords keywords) {
  const Value& value = function->value;
  if (engine_.is_disallowed(value)) return skipped_builtin(engine_.module_of(value), engine_.name_of(value));
  if (const Engine::TorchFunction* torch = engine_.torch_function(value)) {
    const std::string_view target = torch->target;
    bool is_known = false;
    if (Variable* answer = answered_by_tracer(target, args, keywords, is_known); is_known || has_failed())
      return answer;
    const bool is_query = target == "torch.get_default_dtype" || target.starts_with("torch.cuda.is_") ||
                          target == "torch.finfo" || target.starts_with("torch.is_autocast") ||
                          target.starts_with("torch.get_autocast");
    if (is_query) return call_constant(value, args, keywords);
    if (Variable* made = tensor_of_array(torch->name, args, keywords); made != nullptr || has_failed()) return made;
    return call_torch(value, torch->target, torch->name, args, keywords);
  }
  if (value.is_object() && is_decorated(value.object()->type())) return call_decorated(value, args, keywords);
  const std::string name = engine_.name_of(value);
  if (name == "compile" && engine_.library_value("torch", name).is(value)) {
    bool is_known = false;
    return answered_by_tracer("torch.compile", args, keywords, is_known);
  }
  if (name == "apply" && !args.empty()) {
    NNS_VARIABLE(cls, real(args[0]));
    if (cls->kind == VariableKind::Class && is_custom_function(*cls->value.as<Class>()))
      return call_custom_function(cls, args.subspan(1), keywords);
  }
  if (name == "__new__" && !args.empty()) {
    NNS_VARIABLE(cls, real(args[0]));
    if (cls->kind == VariableKind::Class) return allocate_by(function, cls, args.subspan(1), keywords);
  }
  if (name == "fromkeys" && function->cls != nullptr && (args.size() == 1 || args.size() == 2) && keywords.empty()) {
    Variable& cls = arena_->make(VariableKind::Class);
    cls.value = Value(static_cast<object::Object*>(function->cls));
    return dict_from_keys(cls, args);
  }
  // A method of a class that is called through the class.
  if (function->cls != nullptr && !args.empty()) {
    NNS_VARIABLE(self, real(args[0]));
    if (self->kind == VariableKind::Tensor && !self->is_ndarray) {
      if (self->source != nullptr && is_inplace_view(function->name)) {
        return unsupported("Inplace op on input tensor", "",
                           "Attempted to trace an inplace view op on input tensor method_descriptor.",
                           {hints::kSupportable, "Ensure you do not modify input tensor in place."});
      }
      return tensor_method(self, function->name, args.subspan(1), keywords);
    }
    if (function->name == "__setattr__" && args.size() == 3) {
      const Value attribute = constant_value(args[1]);
      if (attribute.as<object::Str>() != nullptr) {
        NNS_VARIABLE(written, real(args[2]));
        return plain_store(self, in_.intern(attribute.as<object::Str>()->view()), written) ? constant(Value())
                                                                                           : nullptr;
      }
    }
    if (function->name == "__getattribute__" && args.size() == 2 && self->kind == VariableKind::Object) {
      const Value attribute = constant_value(args[1]);
      if (attribute.as<object::Str>() != nullptr) {
        const Name wanted = in_.intern(attribute.as<object::Str>()->view());
        bool is_found = false;
        Variable* own = own_attribute(self, wanted, is_found);
        if (is_found || has_failed()) return own;
        if (self->value.as<nn::Module>() != nullptr) return module_registry_attribute(self, wanted);
        return raise(
            object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*self).name(), wanted.view()));
      }
    }
    bool is_known = false;
    if (self->contents != nullptr) {
      Variable* result = call_contents_method(self, function->name, args.subspan(1), keywords, is_known);
      if (is_known || has_failed()) return result;
    }
    Variable* result = self->kind == VariableKind::Dict || self->kind == VariableKind::AttributeDict
                           ? call_dict_method(self, function->name, args.subspan(1), keywords, is_known)
                           : call_container_method(self, function->name, args.subspan(1), keywords, is_known);
    if (is_known || has_failed()) return result;
  }
  const Value* known = machine_.builtins().find(std::string_view(name));
  if (known != nullptr && known->is(value)) {
    bool is_known = false;
    if (Variable* result = call_python_builtin(name, function, args, keywords, is_known); is_known || has_failed())
      return result;
  }
  const std::string module = engine_.module_of(value);
  // What it tells changes between calls, and no guard looks at it.
  if (name == "_profiler_enabled" && engine_.library_value("torch._C._autograd", name).is(value))
    return skipped_builtin("torch._C._autograd", name);
  if (name == "grad" && value.is(engine_.operator_function("torch.autograd.grad"))) {
    return unsupported("using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`",
                       "trace_autograd_ops=False",
                       "Attempted to call `torch.autograd.grad` with config `torch._dynamo.config.trace_autograd_ops` "
                       "set to `False`.",
                       {"Change `torch._dynamo.config.trace_autograd_ops` to `True`."});
  }
  if (module == "copy" && !args.empty()) {
    NNS_VARIABLE(copied, real(args[0]));
    if (copied->kind == VariableKind::Tensor && name == "deepcopy")
      return tensor_method(copied, "__deepcopy__", {}, {});
  }
  if (module == "sys" && (name == "exc_info" || name == "exception") && args.empty()) return handled_exception(name);
  if (module == "copy" && (name == "copy" || name == "deepcopy") && args.size() == 1) {
    std::map<const Variable*, Variable*> done;
    if (Variable* made = copy_of(args[0], name == "deepcopy", done); made != nullptr || has_failed()) return made;
  }
  if (module == "math" && args.size() == 1) {
    bool is_known = false;
    Variable* result = call_protocol_builtin(name, args, keywords, is_known);
    if (is_known || has_failed()) return result;
  }
  if (const Value followed = engine_.stand_in(value); !followed.is_absent()) {
    Variable& made = function_of(followed);
    made.is_library = true;
    return inline_call(&made, args, keywords);
  }
  // torch.Tensor.cos, read outside of the frame.
  if (function->cls == nullptr && !args.empty() && value.is_object()) {
    const Value* const method = tensor::TensorLibrary::of(in_).tensor->lookup(in_.intern(name));
    if (method != nullptr && method->is(value)) {
      NNS_VARIABLE(self, real(args[0]));
      if (self->kind == VariableKind::Tensor && !self->is_ndarray)
        return tensor_method(self, name, args.subspan(1), keywords);
    }
  }
  if (!is_folded(module)) return skipped_builtin(module, name);
  if (module == "math" || module == "builtins") {
    // Containers of constants are constants for what only looks at them.
    std::vector<Value> whole;
    for (Variable* arg : args) {
      whole.push_back(folded_value(arg));
      if (has_failed()) return nullptr;
    }
    const bool is_known = std::none_of(whole.begin(), whole.end(), [](const Value& one) { return one.is_absent(); });
    if (is_known && keywords.empty()) {
      PyResult<Value> made = in_.call(value, whole);
      return made.ok() ? build(made.value(), nullptr) : raise(made.error());
    }
  }
  return call_constant(value, args, keywords);
}

Variable* Translator::call_bound_builtin(Variable* method, Arguments args, Keywords keywords) {
  NNS_VARIABLE(self, real(method->self));
  const auto* held = method->value.as<object::BoundMethod>();
  if (const Value& function = held != nullptr ? held->function() : method->value;
      function.is_object() && is_decorated(function.object()->type())) {
    std::vector<Variable*> all = {self};
    all.insert(all.end(), args.begin(), args.end());
    return call_decorated(function, all, keywords);
  }
  std::string name = method->name;
  if (name.empty() && method->value.as<object::BoundMethod>() != nullptr)
    name = engine_.name_of(method->value.as<object::BoundMethod>()->function());
  if (name == "nn.Module.__getattr__" && args.size() == 1) {
    const Value attribute = constant_value(args[0]);
    // Traced as the Python that it is: __dict__["_parameters"] and so on.
    for (const char* registry : {"_parameters", "_buffers", "_modules"}) {
      bool is_found = false;
      NNS_VARIABLE(whole, own_attribute(self, in_.intern("__dict__"), is_found));
      bool is_known = false;
      Variable* key[] = {text(registry)};
      NNS_VARIABLE(has, call_dict_method(whole, "__contains__", key, {}, is_known));
      if (!has->value.as_bool()) continue;
      NNS_VARIABLE(dict, call_dict_method(whole, "__getitem__", key, {}, is_known));
      NNS_VARIABLE(inside, contains(dict, args[0]));
      if (!inside->value.as_bool()) continue;
      NNS_VARIABLE(value, get_item(dict, args[0]));
      return value;
    }
    if (method->source != nullptr)
      guard_constant(GuardKind::ConstantMatch, method->source, in_.text(type_of(*self).name()));
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*self).name(),
                                         attribute.as<object::Str>()->view()));
  }
  if (self->kind == VariableKind::Tensor) return tensor_method(self, name, args, keywords);
  bool is_known = false;
  if (self->contents != nullptr) {
    Variable* result = call_contents_method(self, name, args, keywords, is_known);
    if (is_known || has_failed()) return result;
  }
  if (self->kind == VariableKind::Dict || self->kind == VariableKind::AttributeDict) {
    Variable* result = call_dict_method(self, name, args, keywords, is_known);
    if (is_known || has_failed()) return result;
  }
  Variable* result = call_container_method(self, name, args, keywords, is_known);
  if (is_known || has_failed()) return result;
  if (self->kind == VariableKind::NNModule || self->value.as<nn::Module>() != nullptr) {
    if (name == "forward" && method->is_super) {
      // nn.Module's own only says that there is none.
      return raise(object::ErrorKind::NotImplementedError,
                   fmt::format("Module [{}] is missing the required \"forward\" function", type_of(*self).name()));
    }
    return unsupported(
        "UnspecializedNNModuleVariable missing method", fmt::format("call_method: {}", name),
        fmt::format("Dynamo does not support tracing method {} of nn.Module {}", name, type_of(*self).name()),
        {"Dynamo does not really define unspecialized nn.Module very well.", hints::kDifficult});
  }
  if (self->kind == VariableKind::HookHandle && name == "remove" && args.empty()) {
    std::erase(hooks_, self);
    self->is_mutated = true;
    return constant(Value());
  }
  if (name == "format" && self->kind == VariableKind::Constant && self->value.as<object::Str>() != nullptr) {
    const bool has_tensor = std::any_of(args.begin(), args.end(), [&](Variable* one) { return holds_tensor(one); }) ||
                            std::any_of(keywords.begin(), keywords.end(),
                                        [&](const KeywordArgument& one) { return holds_tensor(one.value); });
    if (has_failed()) return nullptr;
    if (has_tensor) return format(std::string(self->value.as<object::Str>()->view()), args, keywords);
  }
  if (is_method_of_generator(*self, name)) {
    return unsupported("torch.Generator method", fmt::format("torch.Generator.{}", name),
                       fmt::format("torch.Generator.{}() is a stateful RNG operation that cannot be soundly traced in "
                                   "the FX graph.",
                                   name),
                       {hints::kFundamental});
  }
  if (self->kind == VariableKind::Class && name == "fromkeys" && (args.size() == 1 || args.size() == 2) &&
      keywords.empty())
    return dict_from_keys(*self, args);
  if (self->kind == VariableKind::Class && name == "__call__") return make_instance(self, args, keywords);
  if (self->kind == VariableKind::Class && name == "__new__") return allocate_by(method, self, args, keywords);
  const Value whole = constant_value(self);
  if (!whole.is_absent()) {
    if (self->kind == VariableKind::Constant && whole.as<object::Str>() != nullptr && name == "format")
      return format_text(self, args, keywords);
    PyResult<Value> bound = object::getattr(in_, whole, in_.intern(name));
    if (!bound.ok()) return raise(bound.error());
    // join and its like take lists.
    std::vector<Value> positional;
    for (Variable* arg : args) {
      Value value = constant_value(arg);
      if (value.is_absent() && !has_failed() && real(arg)->kind == VariableKind::Dict && name != "join") {
        value = dict_of_constants(real(arg));
        if (value.is_absent()) return has_failed() ? nullptr : unsupported_builtin(name, args, !keywords.empty());
      }
      if (value.is_absent() && !has_failed()) {
        std::vector<Variable*> items;
        Variable* list_argument = real(arg);
        const bool is_walked =
            list_argument != nullptr &&
            (list_argument->kind == VariableKind::List || list_argument->kind == VariableKind::Iterator ||
             list_argument->kind == VariableKind::Generator || list_argument->kind == VariableKind::Dict ||
             list_argument->kind == VariableKind::DictView || list_argument->kind == VariableKind::Set ||
             list_argument->kind == VariableKind::AttributeDict);
        if (!is_walked || !items_of(list_argument, items)) {
          if (has_failed()) return nullptr;
          return unsupported_builtin(name, args, !keywords.empty());
        }
        std::vector<Value> values;
        for (Variable* item : items) values.push_back(constant_value(item));
        const bool all = std::none_of(values.begin(), values.end(), [](const Value& one) { return one.is_absent(); });
        if (!all) return unsupported_builtin(name, args, !keywords.empty());
        value = in_.list(std::move(values));
      }
      if (has_failed()) return nullptr;
      positional.push_back(std::move(value));
    }
    std::vector<object::Keyword> named;
    for (const KeywordArgument& keyword : keywords) {
      Value value = constant_value(keyword.value);
      if (value.is_absent()) return unsupported_builtin(name, args, true);
      named.push_back({keyword.name, std::move(value)});
    }
    PyResult<Value> value = in_.call(bound.value(), positional, named);
    if (!value.ok()) return raise(value.error());
    return build(value.value(), nullptr);
  }
  return unsupported_builtin(name, args, !keywords.empty());
}

}  // namespace nns::dynamo
