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
    const bool is_query = target == "torch.get_default_dtype" || target.starts_with("torch.cuda.is_") || target == "torch.finfo";
    if (is_query) return call_constant(value, args, keywords);
    if (target == "torch._dynamo.graph_break") {
      return unsupported("Call to `torch._dynamo.graph_break()`", "", "User-inserted graph break. Message: None", {"Remove the `torch._dynamo.graph_break()` call."});
    }
    return call_torch(value, torch->target, torch->name, args, keywords);
  }
  const std::string name = engine_.name_of(value);
  // A method of a class that is called through the class.
  if (function->cls != nullptr && !args.empty()) {
    NNS_VARIABLE(self, real(args[0]));
    if (self->kind == VariableKind::Tensor) return call_tensor_method(self, in_.intern(function->name), args.subspan(1), keywords);
    if (function->name == "__setattr__" && args.size() == 3) {
      const Value attribute = constant_value(args[1]);
      if (attribute.as<object::Str>() != nullptr) {
        NNS_VARIABLE(written, real(args[2]));
        return plain_store(self, in_.intern(attribute.as<object::Str>()->view()), written) ? constant(Value()) : nullptr;
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
        return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*self).name(), wanted.view()));
      }
    }
    bool is_known = false;
    Variable* result = self->kind == VariableKind::Dict || self->kind == VariableKind::AttributeDict
                           ? call_dict_method(self, function->name, args.subspan(1), keywords, is_known)
                           : call_container_method(self, function->name, args.subspan(1), keywords, is_known);
    if (is_known || has_failed()) return result;
  }
  const Value* known = machine_.builtins().find(std::string_view(name));
  if (known != nullptr && known->is(value)) {
    bool is_known = false;
    if (Variable* result = call_python_builtin(name, function, args, keywords, is_known); is_known || has_failed()) return result;
  }
  return call_constant(value, args, keywords);
}

Variable* Translator::call_bound_builtin(Variable* method, Arguments args, Keywords keywords) {
  NNS_VARIABLE(self, real(method->self));
  std::string name = method->name;
  if (name.empty() && method->value.as<object::BoundMethod>() != nullptr) name = engine_.name_of(method->value.as<object::BoundMethod>()->function());
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
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*self).name(), attribute.as<object::Str>()->view()));
  }
  if (self->kind == VariableKind::Tensor) {
    const std::string_view text_name = name;
    if (text_name == "item" && args.empty()) {
      if (!config_.capture_scalar_outputs && !engine_.is_fullgraph()) {
        return unsupported("Unsupported Tensor.item() call with capture_scalar_outputs=False", "call_method TensorVariable() item () {}",
                           "Dynamo does not support tracing `Tensor.item()` with config.capture_scalar_outputs=False.",
                           {"Set `torch._dynamo.config.capture_scalar_outputs = True` or `export TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS=1` to include these operations in the captured graph."});
      }
      return unsupported("Unsupported Tensor.item() call", "", "Symbolic numbers are not followed.", {});
    }
    if (text_name == "tolist") {
      return unsupported("Tensor.tolist() with non-integer tensor", "call_method TensorVariable() to_list",
                         "Dynamo currently does not support tracing `tolist()` on non-integer tensors.",
                         {"Ensure the input tensor to `tolist()` is an integer type (e.g., int8, int16, int32, int64)."});
    }
    if (text_name == "backward") {
      return unsupported("Unsupported Tensor.backward() call", "call_method TensorVariable() backward None None None None",
                         "Dynamo currently does not support tracing `Tensor.backward()` when trace_autograd_ops is off.",
                         {"Set torch._dynamo.trace_autograd_ops=True"});
    }
    if (text_name == "data_ptr") {
      return unsupported("Unsupported Tensor.data_ptr() call", "call_method TensorVariable() data_ptr", "Dynamo does not support `Tensor.data_ptr()`.", {"Remove the `data_ptr()` call."});
    }
    if (text_name == "numpy") {
      return unsupported("Unsupported Tensor.numpy() call", "call_method TensorVariable() numpy", "Dynamo does not follow arrays of numpy here.", {hints::kSupportable});
    }
    const bool is_query = text_name == "size" || text_name == "dim" || text_name == "stride" || text_name == "numel" || text_name == "nelement" ||
                          text_name == "ndimension" || text_name == "is_contiguous" || text_name == "is_floating_point" || text_name == "is_complex" ||
                          text_name == "element_size" || text_name == "get_device" || text_name == "__len__" || text_name == "is_signed";
    if (is_query) {
      std::vector<Value> positional;
      for (Variable* arg : args) positional.push_back(constant_value(arg));
      if (has_failed()) return nullptr;
      PyResult<Value> value = in_.call_method(Value(self->node->example), in_.intern(name), positional);
      if (!value.ok()) return raise(value.error());
      return constant(value.value());
    }
    return call_tensor_method(self, in_.intern(name), args, keywords);
  }
  bool is_known = false;
  if (self->kind == VariableKind::Dict || self->kind == VariableKind::AttributeDict) {
    Variable* result = call_dict_method(self, name, args, keywords, is_known);
    if (is_known || has_failed()) return result;
  }
  Variable* result = call_container_method(self, name, args, keywords, is_known);
  if (is_known || has_failed()) return result;
  if (self->kind == VariableKind::NNModule || self->value.as<nn::Module>() != nullptr) {
    return unsupported("UnspecializedNNModuleVariable missing method", fmt::format("call_method: {}", name),
                       fmt::format("Dynamo does not support tracing method {} of nn.Module {}", name, type_of(*self).name()),
                       {"Dynamo does not really define unspecialized nn.Module very well.", hints::kDynamoBug});
  }
  const Value whole = constant_value(self);
  if (!whole.is_absent()) {
    PyResult<Value> bound = object::getattr(in_, whole, in_.intern(name));
    if (!bound.ok()) return raise(bound.error());
    // join and its like take lists.
    std::vector<Value> positional;
    for (Variable* arg : args) {
      Value value = constant_value(arg);
      if (value.is_absent() && !has_failed()) {
        std::vector<Variable*> items;
        Variable* list_argument = real(arg);
        const bool is_walked = list_argument != nullptr && (list_argument->kind == VariableKind::List || list_argument->kind == VariableKind::Iterator || list_argument->kind == VariableKind::Generator || list_argument->kind == VariableKind::Dict);
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

// NOLINTNEXTLINE(readability-function-size): one case a builtin.
Variable* Translator::call_python_builtin(std::string_view name, Variable* function, Arguments args, Keywords keywords, bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  const auto keyword = [&](std::string_view wanted) -> Variable* {
    for (const KeywordArgument& one : keywords) {
      if (one.name.view() == wanted) return one.value;
    }
    return nullptr;
  };
  if (name == "len" && count == 1) return length(args[0]);
  if (name == "isinstance" && count == 2) {
    NNS_VARIABLE(value, real(args[0]));
    Value cls = constant_value(args[1]);
    if (cls.is_absent()) return has_failed() ? nullptr : unsupported_builtin(name, args, false);
    const PyResult<bool> answer = [&]() -> PyResult<bool> {
      if (value->kind == VariableKind::Constant) return object::is_instance(in_, value->value, cls);
      if (value->value.is_object() && value->kind != VariableKind::Exception && value->kind != VariableKind::Tensor) {
        const bool is_stand_in = value->kind == VariableKind::AttributeDict || value->kind == VariableKind::Context;
        if (!is_stand_in) return object::is_instance(in_, value->value, cls);
      }
      return object::is_subclass(in_, Value(static_cast<object::Object*>(&type_of(*value))), cls);
    }();
    if (!answer.ok()) return raise(answer.error());
    return constant(Value(answer.value()));
  }
  if (name == "issubclass" && count == 2) return call_constant(function->value, args, keywords);
  if ((name == "hasattr" || name == "getattr") && count >= 2) {
    const Value attribute = constant_value(args[1]);
    const auto* attribute_name = attribute.as<object::Str>();
    if (attribute_name == nullptr) return has_failed() ? nullptr : unsupported_builtin(name, args, false);
    const Name wanted = in_.intern(attribute_name->view());
    if (name == "hasattr") return has_attribute(args[0], wanted);
    if (count == 2) return load_attribute(args[0], wanted);
    NNS_VARIABLE(has, has_attribute(args[0], wanted));
    return has->value.as_bool() ? load_attribute(args[0], wanted) : args[2];
  }
  if ((name == "setattr" && count == 3) || (name == "delattr" && count == 2)) {
    const Value attribute = constant_value(args[1]);
    const auto* attribute_name = attribute.as<object::Str>();
    if (attribute_name == nullptr) return has_failed() ? nullptr : unsupported_builtin(name, args, false);
    Variable* value = name == "setattr" ? args[2] : &arena_->make(VariableKind::Deleted);
    return store_attribute(args[0], in_.intern(attribute_name->view()), value) ? constant(Value()) : nullptr;
  }
  if (name == "iter" && count == 1) return iterate(args[0]);
  if (name == "next" && count >= 1) {
    NNS_VARIABLE(walker, iterate(args[0]));
    Variable* item = walker->kind == VariableKind::Generator ? resume_generator(walker, constant(Value())) : walker->next();
    if (item != nullptr || has_failed()) return item;
    if (count == 2) return args[1];
    Variable& stop = arena_->make(VariableKind::Exception);
    stop.value = Value(static_cast<object::Object*>(&in_.builtins().exception(object::ErrorKind::StopIteration)));
    return raise(&stop);
  }
  if (name == "list" || name == "tuple") {
    std::vector<Variable*> items;
    if (count == 1) {
      NNS_VARIABLE(from, real(args[0]));
      if (from->kind == VariableKind::NNModule && from->source != nullptr) guard_length(from->source, 0, Value());
      if (!items_of(from, items)) return nullptr;
    }
    return name == "list" ? list(std::move(items)) : tuple(std::move(items));
  }
  if (name == "set" || name == "frozenset") {
    Variable& made = arena_->make(VariableKind::Set);
    made.is_new = true;
    if (name == "frozenset") made.cls = in_.builtins().frozen_set;
    std::vector<Variable*> items;
    if (count == 1 && !items_of(args[0], items)) return nullptr;
    for (Variable* item : items) {
      bool known = false;
      Variable* one[] = {item};
      if (call_container_method(&made, "add", one, {}, known) == nullptr) return nullptr;
    }
    return &made;
  }
  if (name == "dict") {
    Variable* made = dict();
    bool known = false;
    return call_dict_method(made, "update", args, keywords, known) == nullptr ? nullptr : made;
  }
  if (name == "enumerate" && count >= 1) {
    NNS_VARIABLE(walker, iterate(args[0]));
    Variable* start = count > 1 ? args[1] : keyword("start");
    auto at = std::make_shared<std::int64_t>(start == nullptr ? 0 : constant_value(start).as_int());
    return iterator([this, walker, at]() -> Variable* {
      Variable* item = walker->kind == VariableKind::Generator ? resume_generator(walker, constant(Value())) : walker->next();
      return item == nullptr ? nullptr : tuple({constant(Value((*at)++)), item});
    });
  }
  if (name == "zip" || name == "map") {
    auto walkers = std::make_shared<std::vector<Variable*>>();
    for (Variable* arg : name == "map" ? args.subspan(1) : args) {
      NNS_VARIABLE(walker, iterate(arg));
      walkers->push_back(walker);
    }
    Variable* mapped = name == "map" ? args[0] : nullptr;
    return iterator([this, walkers, mapped]() -> Variable* {
      std::vector<Variable*> items;
      for (Variable* walker : *walkers) {
        Variable* item = walker->kind == VariableKind::Generator ? resume_generator(walker, constant(Value())) : walker->next();
        if (item == nullptr) return nullptr;
        items.push_back(item);
      }
      if (items.empty()) return nullptr;
      return mapped != nullptr ? call(mapped, items, {}) : tuple(std::move(items));
    });
  }
  if (name == "filter" && count == 2) {
    NNS_VARIABLE(walker, iterate(args[1]));
    NNS_VARIABLE(test, real(args[0]));
    return iterator([this, walker, test]() -> Variable* {
      while (Variable* item = walker->kind == VariableKind::Generator ? resume_generator(walker, constant(Value())) : walker->next()) {
        Variable* one[] = {item};
        Variable* answer = test->is_none() ? item : call(test, one, {});
        const int is_true = answer == nullptr ? -1 : truth(answer);
        if (is_true < 0) return nullptr;
        if (is_true == 1) return item;
      }
      return nullptr;
    });
  }
  if (name == "reversed" && count == 1) {
    std::vector<Variable*> items;
    if (!items_of(args[0], items)) return nullptr;
    std::reverse(items.begin(), items.end());
    return iterator_over(std::move(items));
  }
  if ((name == "any" || name == "all") && count == 1) {
    NNS_VARIABLE(walker, iterate(args[0]));
    while (Variable* item = walker->kind == VariableKind::Generator ? resume_generator(walker, constant(Value())) : walker->next()) {
      const int is_true = truth(item);
      if (is_true < 0) return nullptr;
      if (is_true == 2) return jump_on(*frame_, item, true, 0, false) == Step::Failed ? nullptr : unsupported_builtin(name, args, false);
      if ((is_true == 1) == (name == "any")) return constant(Value(name == "any"));
    }
    return has_failed() ? nullptr : constant(Value(name == "all"));
  }
  if (name == "sum" && count >= 1) {
    std::vector<Variable*> items;
    if (!items_of(args[0], items)) return nullptr;
    Variable* total = count > 1 ? args[1] : keyword("start") != nullptr ? keyword("start") : constant(Value(std::int64_t{0}));
    for (Variable* item : items) {
      total = binary(object::BinaryOperator::Add, total, item, false);
      if (total == nullptr) return nullptr;
    }
    return total;
  }
  if ((name == "max" || name == "min") && count >= 1) {
    std::vector<Variable*> items(args.begin(), args.end());
    if (count == 1 && !items_of(args[0], items)) return nullptr;
    const bool all_constant = std::all_of(items.begin(), items.end(), [&](Variable* item) { return is_constant(item); });
    if (has_failed()) return nullptr;
    if (all_constant && keywords.empty()) {
      std::vector<Value> values;
      for (Variable* item : items) values.push_back(constant_value(item));
      PyResult<Value> value = in_.call(function->value, {Value(in_.list(std::move(values)))});
      if (!value.ok()) return raise(value.error());
      return constant(value.value());
    }
    if (items.size() == 2 && keywords.empty()) {
      const Value torch = engine_.operator_function(name == "max" ? "torch.maximum" : "torch.minimum");
      if (!torch.is_none()) return call_torch(torch, fmt::format("torch.{}imum", name == "max" ? "max" : "min"), fmt::format("{}imum", name == "max" ? "max" : "min"), items, {});
    }
    return unsupported_builtin(name, args, !keywords.empty());
  }
  if (name == "sorted" && count == 1) {
    std::vector<Variable*> items;
    if (!items_of(args[0], items)) return nullptr;
    Variable* key = keyword("key");
    Variable* reverse = keyword("reverse");
    std::vector<std::pair<Value, Variable*>> keyed;
    for (Variable* item : items) {
      Variable* one[] = {item};
      Variable* by = key == nullptr || key->is_none() ? item : call(key, one, {});
      if (by == nullptr) return nullptr;
      Value value = constant_value(by);
      if (value.is_absent()) return unsupported_builtin(name, args, !keywords.empty());
      keyed.emplace_back(std::move(value), item);
    }
    const bool is_reversed = reverse != nullptr && truth(reverse) == 1;
    std::optional<PyError> error;
    std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
      PyResult<Value> less = object::binary(in_, object::BinaryOperator::Lt, is_reversed ? b.first : a.first, is_reversed ? a.first : b.first);
      if (!less.ok()) {
        error = less.error();
        return false;
      }
      return less.value().is_bool() && less.value().as_bool();
    });
    if (error) return raise(*error);
    std::vector<Variable*> sorted;
    for (const auto& [value, item] : keyed) sorted.push_back(item);
    return list(std::move(sorted));
  }
  if (name == "str" || name == "repr") {
    if (count == 0) return text("");
    if (count == 1) return string_of(args[0], name == "repr");
  }
  if (name == "bool" && count == 1) {
    const int is_true = truth(args[0]);
    if (is_true < 0) return nullptr;
    if (is_true == 2) return call_method(args[0], in_.intern("item"), {}, {});
    return constant(Value(is_true == 1));
  }
  if ((name == "int" || name == "float") && count == 1) {
    NNS_VARIABLE(value, real(args[0]));
    if (value->kind == VariableKind::Tensor) return call_method(value, in_.intern("item"), {}, {});
    return call_constant(function->value, args, keywords);
  }
  if (name == "type" && count == 1) {
    NNS_VARIABLE(value, real(args[0]));
    if (value->kind == VariableKind::Object || value->kind == VariableKind::NNModule) {
      Variable& made = arena_->make(VariableKind::Class);
      made.value = Value(static_cast<object::Object*>(&type_of(*value)));
      if (value->source != nullptr) made.source = sources_->type(value->source);
      return &made;
    }
    Variable& made = arena_->make(VariableKind::Class);
    made.value = Value(static_cast<object::Object*>(&type_of(*value)));
    return &made;
  }
  if (name == "id" && count == 1) {
    NNS_VARIABLE(value, real(args[0]));
    if (value->value.is_object() && !value->is_new) {
      const Value* id = machine_.builtins().find("id");
      PyResult<Value> number = in_.call(*id, {value->value});
      if (!number.ok()) return raise(number.error());
      return constant(number.value());
    }
    return unsupported_builtin(name, args, false);
  }
  if (name == "callable" && count == 1) {
    NNS_VARIABLE(value, real(args[0]));
    const bool is_function = value->kind == VariableKind::Function || value->kind == VariableKind::Method || value->kind == VariableKind::Builtin ||
                             value->kind == VariableKind::Class || value->kind == VariableKind::NNModule || value->kind == VariableKind::BoundBuiltin;
    if (is_function) return constant(Value(true));
    return constant(Value(type_of(*value).lookup(in_.intern("__call__")) != nullptr));
  }
  if (name == "abs" && count == 1) {
    NNS_VARIABLE(value, real(args[0]));
    if (value->kind == VariableKind::Tensor) return call_torch(engine_.builtin("abs"), "operator.abs", "abs", args, {});
  }
  if (name == "slice") {
    Variable& made = arena_->make(VariableKind::Slice);
    made.items = {constant(Value()), constant(Value()), constant(Value())};
    for (std::size_t i = 0; i < count && i < 3; ++i) made.items[count == 1 ? 1 : i] = args[i];
    return &made;
  }
  if (name == "object" && count == 0) return new_object(*in_.builtins().object, {}, {});
  if (name == "property" || name == "staticmethod" || name == "classmethod") return unsupported_builtin(name, args, !keywords.empty());
  if (name == "print" || name == "open" || name == "input" || name == "__import__" || name == "exec" || name == "eval" || name == "compile" || name == "globals" || name == "locals" || name == "breakpoint") {
    return unsupported_builtin(name, args, !keywords.empty());
  }
  is_known = false;
  return nullptr;
}

// NOLINTNEXTLINE(readability-function-size): one case a method.
Variable* Translator::call_container_method(Variable* self, std::string_view name, Arguments args, Keywords keywords, bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  Variable* none = constant(Value());
  if (name == "__len__" && count == 0 && self->kind != VariableKind::Constant) return length(self);
  if (name == "__iter__" && count == 0) return iterate(self);
  if (name == "__next__" && count == 0) {
    bool known = false;
    Variable* one[] = {self};
    Variable& next = arena_->make(VariableKind::Builtin);
    next.value = engine_.builtin("next");
    return call_python_builtin("next", &next, one, {}, known);
  }
  if (name == "__contains__" && count == 1 && self->kind != VariableKind::Object) return contains(self, args[0]);
  if (name == "__getitem__" && count == 1 && self->kind != VariableKind::Object) return get_item(self, args[0]);
  if (name == "__setitem__" && count == 2 && self->kind != VariableKind::Object) return set_item(self, args[0], args[1]) ? none : nullptr;
  if (self->kind == VariableKind::List) {
    if (name == "append" && count == 1) {
      mutate(*self);
      self->items.push_back(args[0]);
      return none;
    }
    if (name == "extend" && count == 1) {
      std::vector<Variable*> more;
      if (!items_of(args[0], more)) return nullptr;
      mutate(*self);
      self->items.insert(self->items.end(), more.begin(), more.end());
      return none;
    }
    if (name == "insert" && count == 2) {
      const Value at = constant_value(args[0]);
      if (!at.is_int()) return unsupported_builtin(name, args, false);
      const std::int64_t size = static_cast<std::int64_t>(self->items.size());
      const std::int64_t place = std::clamp<std::int64_t>(at.as_int() < 0 ? at.as_int() + size : at.as_int(), 0, size);
      mutate(*self);
      self->items.insert(self->items.begin() + static_cast<std::ptrdiff_t>(place), args[1]);
      return none;
    }
    if (name == "pop") {
      const std::int64_t size = static_cast<std::int64_t>(self->items.size());
      const Value at = count == 0 ? Value(std::int64_t{-1}) : constant_value(args[0]);
      if (!at.is_int()) return unsupported_builtin(name, args, false);
      const std::int64_t place = at.as_int() < 0 ? at.as_int() + size : at.as_int();
      if (place < 0 || place >= size) return raise(object::ErrorKind::IndexError, size == 0 ? "pop from empty list" : "pop index out of range");
      mutate(*self);
      Variable* item = self->items[static_cast<std::size_t>(place)];
      self->items.erase(self->items.begin() + static_cast<std::ptrdiff_t>(place));
      return real(item);
    }
    if (name == "clear" && count == 0) {
      mutate(*self);
      self->items.clear();
      return none;
    }
    if (name == "reverse" && count == 0) {
      mutate(*self);
      std::reverse(self->items.begin(), self->items.end());
      return none;
    }
    if (name == "copy" && count == 0) return list(self->items);
    if (name == "sort") {
      bool known = false;
      Variable* one[] = {self};
      Variable& sorted = arena_->make(VariableKind::Builtin);
      NNS_VARIABLE(made, call_python_builtin("sorted", &sorted, one, keywords, known));
      mutate(*self);
      self->items = made->items;
      return none;
    }
  }
  if (self->kind == VariableKind::List || self->kind == VariableKind::Tuple) {
    if ((name == "index" || name == "count" || name == "remove") && count == 1) {
      std::int64_t found = -1, number = 0;
      for (std::size_t i = 0; i < self->items.size(); ++i) {
        NNS_VARIABLE(item, real(self->items[i]));
        NNS_VARIABLE(wanted, real(args[0]));
        NNS_VARIABLE(same, item->kind == VariableKind::Tensor || wanted->kind == VariableKind::Tensor ? identical(item, wanted) : equal(item, wanted));
        if (!same->value.as_bool()) continue;
        ++number;
        if (found < 0) found = static_cast<std::int64_t>(i);
      }
      if (name == "count") return constant(Value(number));
      if (found < 0) return raise(object::ErrorKind::ValueError, "list.index(x): x not in list");
      if (name == "index") return constant(Value(found));
      mutate(*self);
      self->items.erase(self->items.begin() + static_cast<std::ptrdiff_t>(found));
      return none;
    }
    if (name == "_asdict" || name == "_replace") {
      const auto& fields = *self->cls->lookup(in_.intern("_fields"))->as<object::Tuple>();
      Variable* made = name == "_asdict" ? dict() : tuple(self->items);
      if (name == "_replace") made->cls = self->cls;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (name == "_asdict" && !set_item(made, constant(fields[i]), self->items[i])) return nullptr;
        for (const KeywordArgument& one : keywords) {
          if (name == "_replace" && one.name.view() == fields[i].as<object::Str>()->view()) made->items[i] = one.value;
        }
      }
      return made;
    }
  }
  if (self->kind == VariableKind::Set) {
    const auto find = [&](Variable* item) {
      const Value wanted = key_of(*item);
      return std::find_if(self->items.begin(), self->items.end(), [&](Variable* one) { return object::equal_keys(key_of(*one), wanted); });
    };
    if (name == "add" && count == 1) {
      NNS_VARIABLE(item, real(args[0]));
      if (find(item) == self->items.end()) {
        mutate(*self);
        self->items.push_back(item);
      }
      return none;
    }
    if ((name == "remove" || name == "discard") && count == 1) {
      NNS_VARIABLE(item, real(args[0]));
      if (self->source != nullptr && !self->is_mutated && is_constant(item)) {
        guard_key(find(item) == self->items.end() ? GuardKind::SetNotContains : GuardKind::SetContains, self->source, constant_value(item));
      }
      const auto at = find(item);
      if (at == self->items.end()) return name == "discard" ? none : raise(object::key_error(in_, key_of(*item)));
      mutate(*self);
      self->items.erase(at);
      return none;
    }
    if (name == "update") {
      for (Variable* arg : args) {
        std::vector<Variable*> more;
        if (!items_of(arg, more)) return nullptr;
        for (Variable* item : more) {
          bool known = false;
          Variable* one[] = {item};
          if (call_container_method(self, "add", one, {}, known) == nullptr) return nullptr;
        }
      }
      return none;
    }
    if (name == "clear") {
      mutate(*self);
      self->items.clear();
      return none;
    }
    if (name == "union" || name == "intersection" || name == "difference") {
      Variable& other = arena_->make(VariableKind::Set);
      other.is_new = true;
      for (Variable* arg : args) {
        if (!items_of(arg, other.items)) return nullptr;
      }
      const auto op = name == "union" ? object::BinaryOperator::Or : name == "intersection" ? object::BinaryOperator::And : object::BinaryOperator::Sub;
      return binary(op, self, &other, false);
    }
    if (name == "copy") {
      Variable& made = arena_->make(VariableKind::Set);
      made.is_new = true;
      made.items = self->items;
      return &made;
    }
  }
  if (self->kind == VariableKind::Generator) {
    if (name == "send" && count == 1) {
      Variable* item = resume_generator(self, args[0]);
      if (item != nullptr || has_failed()) return item;
      Variable& stop = arena_->make(VariableKind::Exception);
      stop.value = Value(static_cast<object::Object*>(&in_.builtins().exception(object::ErrorKind::StopIteration)));
      return raise(&stop);
    }
    if (name == "close") {
      self->frame->is_finished = true;
      return none;
    }
  }
  if (self->kind == VariableKind::Context) {
    if (name == "__enter__") {
      self->mode_before = grad_mode_;
      set_grad_mode(self->mode);
      return none;
    }
    if (name == "__exit__") {
      set_grad_mode(self->mode_before);
      return none;
    }
  }
  if (self->kind == VariableKind::NNModule && name == "__getattribute__" && count == 1) {
    const Value attribute = constant_value(args[0]);
    if (attribute.as<object::Str>() == nullptr) return unsupported_builtin(name, args, false);
    return specialized_attribute(self, in_.intern(attribute.as<object::Str>()->view()));
  }
  if (self->kind == VariableKind::Object || self->kind == VariableKind::Exception) {
    if (name == "__init__" || name == "__init_subclass__" || name == "__del__") {
      if (self->kind == VariableKind::Exception) self->items.assign(args.begin(), args.end());
      return none;
    }
    if ((name == "__setattr__" && count == 2) || (name == "__delattr__" && count == 1)) {
      const Value attribute = constant_value(args[0]);
      if (attribute.as<object::Str>() == nullptr) return unsupported_builtin(name, args, false);
      Variable* value = count == 2 ? real(args[1]) : &arena_->make(VariableKind::Deleted);
      if (value == nullptr) return nullptr;
      return plain_store(self, in_.intern(attribute.as<object::Str>()->view()), value) ? none : nullptr;
    }
    if (name == "__getattribute__" && count == 1) {
      const Value attribute = constant_value(args[0]);
      const Name wanted = in_.intern(attribute.as<object::Str>()->view());
      bool is_found = false;
      Variable* own = own_attribute(self, wanted, is_found);
      if (is_found || has_failed()) return own;
      std::int64_t depth = 0;
      const Value* getter = class_lookup(type_of(*self), in_.names().dunder_getattr, depth, nullptr);
      if (getter != nullptr && python::as_function(*getter) != nullptr) {
        Variable& function = arena_->make(VariableKind::Function);
        function.value = *getter;
        Variable* all[] = {self, args[0]};
        return inline_call(&function, all, {});
      }
      if (self->value.as<nn::Module>() != nullptr) return module_registry_attribute(self, wanted);
      return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", type_of(*self).name(), wanted.view()));
    }
    if (name == "__eq__" && count == 1) return identical(self, args[0]);
    if (name == "__enter__" || name == "__exit__") {
      is_known = false;
      return nullptr;
    }
  }
  if (self->kind == VariableKind::Method && name == "__call__") return call(self, args, keywords);
  is_known = false;
  return nullptr;
}

Variable* Translator::call_dict_method(Variable* self, std::string_view name, Arguments args, Keywords keywords, bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  Variable* none = constant(Value());
  if (self->kind == VariableKind::AttributeDict) {
    Variable* object = self->self;
    Dict* own = object->value.is_object() ? object->value.object()->instance_dict(false) : nullptr;
    if ((name == "get" || name == "__getitem__" || name == "__contains__" || name == "pop") && count >= 1) {
      const Value key = constant_value(args[0]);
      const auto* key_text = key.as<object::Str>();
      if (key_text == nullptr) return unsupported_builtin(name, args, false);
      const Name attribute = in_.intern(key_text->view());
      Variable* written = pending(object, attribute);
      const bool is_deleted = written != nullptr && written->kind == VariableKind::Deleted;
      const Value* stored = own == nullptr ? nullptr : own->find(attribute);
      const bool has = written != nullptr ? !is_deleted : stored != nullptr;
      if (name == "__contains__") {
        return constant(Value(has));
      }
      Variable* value = nullptr;
      if (has) {
        value = written != nullptr ? real(written) : build(Value(*stored), self->source == nullptr ? nullptr : sources_->dict_item(self->source, key));
        if (value == nullptr) return nullptr;
        if (name == "pop" && !plain_store(object, attribute, &arena_->make(VariableKind::Deleted))) return nullptr;
        return value;
      }
      if (name == "get" || count > 1) return count > 1 ? args[1] : none;
      return raise(object::key_error(in_, key));
    }
    if (name == "keys" || name == "items" || name == "values" || name == "update" || name == "__iter__" || name == "copy") {
      if (name == "update") {
        Variable* made = dict();
        bool known = false;
        if (call_dict_method(made, "update", args, keywords, known) == nullptr) return nullptr;
        for (std::size_t i = 0; i < made->keys.size(); ++i) {
          if (!set_item(self, made->keys[i], made->items[i])) return nullptr;
        }
        return none;
      }
      Variable* made = dict();
      if (own != nullptr) {
        for (const Value& key : own->keys()) {
          made->keys.push_back(constant(key));
          made->items.push_back(lazy(*own->find(key), self->source == nullptr ? nullptr : sources_->dict_item(self->source, key)));
        }
      }
      for (const AttributeWrite& write : writes_) {
        if (write.object != object) continue;
        if (write.value->kind == VariableKind::Deleted) {
          const std::ptrdiff_t at = find_key(*made, *constant(write.name.value()));
          if (at >= 0) {
            made->keys.erase(made->keys.begin() + at);
            made->items.erase(made->items.begin() + at);
          }
        } else if (!set_item(made, constant(write.name.value()), write.value)) {
          return nullptr;
        }
      }
      if (name == "copy") return made;
      return call_dict_method(made, name, args, keywords, is_known);
    }
    is_known = false;
    return nullptr;
  }
  if (name == "keys" && count == 0) {
    guard_keys(*self);
    return iterator_over(self->keys);
  }
  if (name == "values" && count == 0) {
    guard_keys(*self);
    return iterator_over(self->items);
  }
  if (name == "items" && count == 0) {
    guard_keys(*self);
    std::vector<Variable*> pairs;
    for (std::size_t i = 0; i < self->keys.size(); ++i) pairs.push_back(tuple({self->keys[i], self->items[i]}));
    return iterator_over(std::move(pairs));
  }
  if (name == "get" && count >= 1) {
    NNS_VARIABLE(key, real(args[0]));
    const std::ptrdiff_t at = find_key(*self, *key);
    if (self->source != nullptr && !self->is_new && !self->is_mutated && is_constant(key)) {
      if (at < 0) guard_key(GuardKind::DictNotContains, self->source, constant_value(key));
    }
    if (at >= 0) return real(self->items[static_cast<std::size_t>(at)]);
    return count > 1 ? args[1] : none;
  }
  if (name == "pop" && count >= 1) {
    NNS_VARIABLE(key, real(args[0]));
    const std::ptrdiff_t at = find_key(*self, *key);
    if (at < 0) return count > 1 ? args[1] : raise(object::key_error(in_, key_of(*key)));
    Variable* value = self->items[static_cast<std::size_t>(at)];
    if (!delete_item(self, key)) return nullptr;
    return real(value);
  }
  if (name == "popitem" && count <= 1) {
    if (self->keys.empty()) return raise(object::ErrorKind::KeyError, "popitem(): dictionary is empty");
    Variable* pair = tuple({self->keys.back(), self->items.back()});
    mutate(*self);
    self->keys.pop_back();
    self->items.pop_back();
    return pair;
  }
  if (name == "setdefault" && count >= 1) {
    NNS_VARIABLE(key, real(args[0]));
    const std::ptrdiff_t at = find_key(*self, *key);
    if (at >= 0) return real(self->items[static_cast<std::size_t>(at)]);
    Variable* value = count > 1 ? args[1] : none;
    return set_item(self, key, value) ? value : nullptr;
  }
  if (name == "update") {
    for (Variable* arg : args) {
      NNS_VARIABLE(from, real(arg));
      if (from->kind == VariableKind::Dict) {
        guard_keys(*from);
        for (std::size_t i = 0; i < from->keys.size(); ++i) {
          if (!set_item(self, from->keys[i], from->items[i])) return nullptr;
        }
        continue;
      }
      if (from->kind == VariableKind::AttributeDict) {
        bool known = false;
        NNS_VARIABLE(copy, call_dict_method(from, "copy", {}, {}, known));
        Variable* one[] = {copy};
        if (call_dict_method(self, "update", one, {}, known) == nullptr) return nullptr;
        continue;
      }
      std::vector<Variable*> pairs;
      if (!items_of(from, pairs)) return nullptr;
      for (Variable* pair : pairs) {
        std::vector<Variable*> both;
        if (!items_of(pair, both)) return nullptr;
        if (both.size() != 2) return raise(object::ErrorKind::ValueError, "dictionary update sequence element has the wrong length; 2 is required");
        if (!set_item(self, both[0], both[1])) return nullptr;
      }
    }
    for (const KeywordArgument& keyword : keywords) {
      if (!set_item(self, constant(keyword.name.value()), keyword.value)) return nullptr;
    }
    return none;
  }
  if (name == "clear" && count == 0) {
    mutate(*self);
    self->keys.clear();
    self->items.clear();
    return none;
  }
  if (name == "copy" && count == 0) {
    Variable* made = dict();
    made->cls = self->cls;
    made->keys = self->keys;
    made->items = self->items;
    return made;
  }
  if (name == "__delitem__" && count == 1) return delete_item(self, args[0]) ? none : nullptr;
  is_known = false;
  return nullptr;
}

}  // namespace nns::dynamo
