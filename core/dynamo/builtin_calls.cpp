// Calls of what is written in C++: functions of torch, builtins, methods of containers and tensors.
// Behaviour: torch/_dynamo/variables/builtin.py, torch.py, tensor.py, lists.py, dicts.py.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
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

}  // namespace

// Behaviour: torch/_dynamo/variables/functions.py, SkipFunctionVariable.
Variable* Translator::skipped_builtin(std::string_view module, std::string_view name) {
  return unsupported(
      "Attempted to call function marked as skipped",
      fmt::format("module: {0}, qualname: {1}, skip reason: cannot determine source file for {0} (likely a C extension "
                  "or builtin)",
                  module, name),
      fmt::format("Dynamo does not know how to trace the builtin `{}.{}.` This function is either a Python builtin "
                  "(e.g. _warnings.warn) or a third-party C/C++ Python extension (perhaps created with pybind).",
                  module, name),
      {"If it is a Python builtin, please file an issue on GitHub so the PyTorch team can add support for it and see "
       "the next case for a workaround.",
       "If it is a third-party C/C++ Python extension, please either wrap it into a PyTorch-understood custom operator "
       "(see https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html for more details) or, if it is "
       "traceable, use `torch.compiler.allow_in_graph`."});
}

Variable* Translator::call_builtin(Variable* function, Arguments args, Keywords keywords) {
  const Value& value = function->value;
  if (const Engine::TorchFunction* torch = engine_.torch_function(value)) {
    const std::string_view target = torch->target;
    if (target == "torch.is_grad_enabled") return constant(Value(grad_mode_));
    if (target.ends_with(".is_compiling") || target.ends_with(".is_dynamo_compiling")) return constant(Value(true));
    if (target == "torch.is_tensor" && args.size() == 1) {
      NNS_VARIABLE(arg, real(args[0]));
      return constant(Value(arg->kind == VariableKind::Tensor));
    }
    if (target == "torch.numel" || target == "torch.is_floating_point" || target == "torch.is_complex") {
      if (args.size() == 1) return call_method(args[0], in_.intern(torch->name), {}, {});
    }
    const bool is_query = target == "torch.get_default_dtype" || target.starts_with("torch.cuda.is_") ||
                          target == "torch.finfo" || target.starts_with("torch.is_autocast") ||
                          target.starts_with("torch.get_autocast");
    if (is_query) return call_constant(value, args, keywords);
    if (target == "torch._dynamo.graph_break") {
      return unsupported("Call to `torch._dynamo.graph_break()`", "", "User-inserted graph break. Message: None",
                         {"Remove the `torch._dynamo.graph_break()` call."});
    }
    if (Variable* made = tensor_of_array(torch->name, args, keywords); made != nullptr || has_failed()) return made;
    return call_torch(value, torch->target, torch->name, args, keywords);
  }
  const std::string name = engine_.name_of(value);
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
    if (self->kind == VariableKind::Tensor && !self->is_ndarray)
      return call_tensor_method(self, in_.intern(function->name), args.subspan(1), keywords);
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
  if (self->kind == VariableKind::Tensor) {
    const std::string_view text_name = name;
    if (text_name == "item" && args.empty()) {
      if (!config_.capture_scalar_outputs && !engine_.is_fullgraph()) {
        return unsupported(
            "Unsupported Tensor.item() call with capture_scalar_outputs=False",
            "call_method TensorVariable() item () {}",
            "Dynamo does not support tracing `Tensor.item()` with config.capture_scalar_outputs=False.",
            {"Set `torch._dynamo.config.capture_scalar_outputs = True` or `export "
             "TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS=1` to include these operations in the captured graph."});
      }
      return item_of(self);
    }
    if (text_name == "tolist") {
      return unsupported(
          "Tensor.tolist() with non-integer tensor", "call_method TensorVariable() to_list",
          "Dynamo currently does not support tracing `tolist()` on non-integer tensors.",
          {"Ensure the input tensor to `tolist()` is an integer type (e.g., int8, int16, int32, int64)."});
    }
    if (text_name == "backward") {
      return unsupported(
          "Unsupported Tensor.backward() call", "call_method TensorVariable() backward None None None None",
          "Dynamo currently does not support tracing `Tensor.backward()` when trace_autograd_ops is off.",
          {"Set torch._dynamo.trace_autograd_ops=True"});
    }
    if (text_name == "data_ptr") {
      Variable& made = arena_->make(VariableKind::DataPtr);
      made.self = self;
      made.value = Value(std::int64_t{1});
      return &made;
    }
    if (self->is_ndarray) return untraced_array(text_name);
    if (text_name == "numpy") return array_of(self, args, keywords);
    const bool is_query = text_name == "size" || text_name == "dim" || text_name == "stride" || text_name == "numel" ||
                          text_name == "nelement" || text_name == "ndimension" || text_name == "is_contiguous" ||
                          text_name == "is_floating_point" || text_name == "is_complex" ||
                          text_name == "element_size" || text_name == "get_device" || text_name == "__len__" ||
                          text_name == "is_signed";
    const bool is_about_size = text_name == "size" || text_name == "stride" || text_name == "numel" ||
                               text_name == "nelement" || text_name == "__len__";
    if (is_about_size && self->node->has_unknown_size) return unknown_size(text_name);
    if (is_query) return size_query(self, name, args);
    return call_tensor_method(self, in_.intern(name), args, keywords);
  }
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
        {"Dynamo does not really define unspecialized nn.Module very well.", hints::kDynamoBug});
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
