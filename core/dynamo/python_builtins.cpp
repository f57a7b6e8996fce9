// Python's own builtin functions and classes.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

// int(), float() and bool() of a tensor: of the number in it.
Variable* Translator::number_in(Variable* of, std::string_view name) {
  NNS_VARIABLE(number, of->kind == VariableKind::Tensor ? tensor_method(of, "item", {}, {}) : of);
  if (number->kind != VariableKind::Number) return number;
  const Value& hint = number->value;
  if (name == "bool") {
    if (hint.is_bool()) return number;
    Variable* both[] = {number, constant(Value(std::int64_t{0}))};
    return number_operation(engine_.operator_function("ne"), "ne", both);
  }
  const bool is_int = name == "int";
  if (is_int ? hint.is_int() : hint.is_float()) return number;
  Node& node = add_node(Node::Op::CallFunction, fmt::format("torch.sym_{}", name), fmt::format("sym_{}", name));
  node.callee = engine_.builtin(name);
  node.args.push_back(argument_of(*number->node));
  return number_of_symbol(add_symbol(
      {.kind = Symbol::Kind::OfValues, .hint = is_int ? Value(std::int64_t{2}) : Value(1.5), .node = &node}));
}

// The larger or smaller of two of which one is a tensor.
// Behaviour: torch/_dynamo/variables/builtin.py, _call_min_max_binary.
Variable* Translator::extreme_of(std::string_view name, Variable* a, Variable* b) {
  if (a == nullptr || b == nullptr) return nullptr;
  const bool is_max = name == "max";
  if (a->kind != VariableKind::Tensor) std::swap(a, b);
  Variable* both[] = {a, b};
  if (a->kind == VariableKind::Tensor && b->kind == VariableKind::Tensor) {
    const std::string function = is_max ? "maximum" : "minimum";
    return call_torch(engine_.operator_function("torch." + function), "torch." + function, function, both, {});
  }
  if (a->kind == VariableKind::Tensor && b->kind == VariableKind::Constant) {
    const KeywordArgument bound{in_.intern(is_max ? "min" : "max"), b};
    return call_torch(engine_.operator_function("torch.clamp"), "torch.clamp", "clamp", {&a, 1}, {&bound, 1});
  }
  if (a->kind == VariableKind::Constant && b->kind == VariableKind::Constant) {
    PyResult<Value> value = in_.call(engine_.builtin(name), {a->value, b->value});
    if (!value.ok()) return raise(value.error());
    return constant(value.value());
  }
  return unsupported_builtin(name, both, false);
}

// NOLINTNEXTLINE(readability-function-size): one case a builtin.
Variable* Translator::call_python_builtin(std::string_view name, Variable* function, Arguments args, Keywords keywords,
                                          bool& is_known) {
  is_known = true;
  const std::size_t count = args.size();
  const auto keyword = [&](std::string_view wanted) -> Variable* {
    for (const KeywordArgument& one : keywords) {
      if (one.name.view() == wanted) return one.value;
    }
    return nullptr;
  };
  if (name == "len" && count == 1) return length(args[0]);
  if (Variable* result = call_protocol_builtin(name, args, keywords, is_known); is_known || has_failed()) return result;
  is_known = true;
  if ((name == "isinstance" || name == "issubclass") && !keywords.empty())
    return raise(object::type_error(in_, "{}() takes no keyword arguments", name));
  if (name == "isinstance" && count == 2) {
    NNS_VARIABLE(value, real(args[0]));
    Value cls = constant_value(args[1]);
    // int | str
    if (cls.is_absent() && !has_failed() && type_of(*args[1]).is_immutable()) cls = real(args[1])->value;
    if (cls.is_absent()) return has_failed() ? nullptr : unsupported_builtin(name, args, false);
    const PyResult<bool> answer = [&]() -> PyResult<bool> {
      if (value->kind == VariableKind::Constant) return object::is_instance(in_, value->value, cls);
      if (value->kind == VariableKind::Tensor && !value->is_ndarray) {
        // torch.FloatTensor and its like ask for the kind of the items: a tensor without any tells as much.
        const Ref<tensor::Tensor> alike = tensor::empty(in_, {0}, value->node->example->dtype());
        alike->set_type(const_cast<Class&>(*value->tensor_class));
        return object::is_instance(in_, Value(alike), cls);
      }
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
  if (name == "iter" && count == 2) {
    // Calls until it gives the second.
    Variable* const function_called = args[0];
    Variable* const end = args[1];
    auto is_done = std::make_shared<bool>(false);
    return iterator([this, function_called, end, is_done]() -> Variable* {
      if (*is_done) return nullptr;
      NNS_VARIABLE(item, call(function_called, {}, {}));
      NNS_VARIABLE(same, equal(item, end));
      *is_done = same->value.as_bool();
      return *is_done ? nullptr : item;
    });
  }
  if (name == "next" && count >= 1) {
    NNS_VARIABLE(walker, real(args[0]));
    if (walker->kind == VariableKind::Object && !has_special(walker, "__next__"))
      return raise(object::type_error(in_, "'{}' object is not an iterator", type_of(*walker).name()));
    if (walker->kind == VariableKind::Object && count == 1) return call_method(walker, in_.names().dunder_next, {});
    Variable* item = next_of(walker);
    if (item != nullptr || has_failed()) return item;
    return count == 2 ? args[1] : raise_stop(walker);
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
    std::vector<Variable*> items;
    if (count == 1) {
      NNS_VARIABLE(from, real(args[0]));
      if (name == "frozenset" && from->kind == VariableKind::Set && from->cls == in_.builtins().frozen_set) return from;
      if (!items_of(from, items)) return nullptr;
    }
    NNS_VARIABLE(made, set_of(items));
    if (name == "frozenset") made->cls = in_.builtins().frozen_set;
    return made;
  }
  if (name == "dict") {
    Variable* made = dict();
    bool known = false;
    return call_dict_method(made, "update", args, keywords, known) == nullptr ? nullptr : made;
  }
  if (name == "enumerate" && count >= 1) {
    NNS_VARIABLE(walker, iterate(args[0]));
    Variable* start = count > 1 ? args[1] : keyword("start");
    const Value first = start == nullptr ? Value(std::int64_t{0}) : constant_value(start);
    if (!first.is_int()) {
      if (has_failed()) return nullptr;
      return raise(object::type_error(in_, "'{}' object cannot be interpreted as an integer", type_of(*start).name()));
    }
    auto at = std::make_shared<std::int64_t>(first.as_int());
    return iterator([this, walker, at]() -> Variable* {
      Variable* item = next_of(walker);
      return item == nullptr ? nullptr : tuple({constant(Value((*at)++)), item});
    });
  }
  if (name == "zip" || name == "map") {
    auto walkers = std::make_shared<std::vector<Variable*>>();
    if (name == "map" && count < 2)
      return raise(object::ErrorKind::TypeError, "map() must have at least two arguments.");
    for (Variable* arg : name == "map" ? args.subspan(1) : args) {
      NNS_VARIABLE(walker, iterate(arg));
      walkers->push_back(walker);
    }
    Variable* mapped = name == "map" ? args[0] : nullptr;
    const int strict = keyword("strict") == nullptr ? 0 : truth(keyword("strict"));
    if (strict < 0) return nullptr;
    const std::string what(name);
    return iterator([this, walkers, mapped, strict, what]() -> Variable* {
      std::vector<Variable*> items;
      for (Variable* walker : *walkers) {
        Variable* item = next_of(walker);
        if (item == nullptr) {
          if (has_failed() || strict == 0) return nullptr;
          return check_same_length(*walkers, items.size(), what);
        }
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
      while (Variable* item = next_of(walker)) {
        Variable* one[] = {item};
        Variable* answer = test->is_none() ? item : call(test, one, {});
        const int is_true = answer == nullptr ? -1 : truth(answer);
        if (is_true < 0) return nullptr;
        if (is_true == 1) return item;
      }
      return nullptr;
    });
  }
  if (name == "reversed" && count == 1) return reverse_walk(args[0]);
  if ((name == "any" || name == "all") && count == 1) {
    NNS_VARIABLE(walker, iterate(args[0]));
    while (Variable* item = next_of(walker)) {
      const int is_true = truth(item);
      if (is_true < 0) return nullptr;
      if (is_true == 2)
        return jump_on(*frame_, item, true, 0, false) == Step::Failed ? nullptr
                                                                      : unsupported_builtin(name, args, false);
      if ((is_true == 1) == (name == "any")) return constant(Value(name == "any"));
    }
    return has_failed() ? nullptr : constant(Value(name == "all"));
  }
  if (name == "sum" && count >= 1) {
    std::vector<Variable*> items;
    if (!items_of(args[0], items)) return nullptr;
    Variable* total = count > 1                     ? args[1]
                      : keyword("start") != nullptr ? keyword("start")
                                                    : constant(Value(std::int64_t{0}));
    for (Variable* item : items) {
      total = binary(object::BinaryOperator::Add, total, item, false);
      if (total == nullptr) return nullptr;
    }
    return total;
  }
  if ((name == "max" || name == "min") && count >= 1) {
    std::vector<Variable*> items(args.begin(), args.end());
    if (count == 1) {
      items.clear();
      if (!items_of(args[0], items)) return nullptr;
    }
    if (!keywords.empty() || items.empty()) return call_min_max(name, args, items, keyword("key"), keyword("default"));
    const bool has_number = std::any_of(items.begin(), items.end(), [&](Variable* item) {
      Variable* one = real(item);
      return one != nullptr && one->kind == VariableKind::Number && one->expression != nullptr;
    });
    if (has_failed()) return nullptr;
    if (has_number && keywords.empty()) {
      // Which it is is guarded. Differs: torch._dynamo keeps the smaller of two sizes as a formula.
      Variable* best = real(items[0]);
      for (std::size_t i = 1; i < items.size(); ++i) {
        NNS_VARIABLE(one, real(items[i]));
        NNS_VARIABLE(is_better,
                     binary(name == "max" ? object::BinaryOperator::Gt : object::BinaryOperator::Lt, one, best, false));
        const int answer = truth(is_better);
        if (answer < 0) return nullptr;
        if (answer == 2) return unsupported_builtin(name, args, false);
        if (answer == 1) best = one;
      }
      return best;
    }
    const bool all_constant =
        std::all_of(items.begin(), items.end(), [&](Variable* item) { return is_constant(item); });
    if (has_failed()) return nullptr;
    if (all_constant && keywords.empty()) {
      std::vector<Value> values;
      for (Variable* item : items) values.push_back(constant_value(item));
      PyResult<Value> value = in_.call(function->value, {Value(in_.list(std::move(values)))});
      if (!value.ok()) return raise(value.error());
      return constant(value.value());
    }
    const bool has_tensor = std::any_of(items.begin(), items.end(), [&](Variable* item) {
      Variable* one = real(item);
      return one != nullptr && one->kind == VariableKind::Tensor && !one->is_ndarray;
    });
    if (has_failed()) return nullptr;
    if (!has_tensor) return call_min_max(name, args, items, nullptr, nullptr);
    if (has_tensor && keywords.empty()) {
      Variable* best = real(items[0]);
      for (std::size_t i = 1; i < items.size() && best != nullptr; ++i) best = extreme_of(name, best, real(items[i]));
      return best;
    }
    return unsupported_builtin(name, args, !keywords.empty());
  }
  if (name == "sorted" && count == 1) {
    NNS_VARIABLE(sorted_one, real(args[0]));
    if (sorted_one->kind == VariableKind::Tensor) return unsupported_builtin(name, args, !keywords.empty());
    std::vector<Variable*> items;
    if (!items_of(args[0], items)) return nullptr;
    Variable* made = list(std::move(items));
    return sort_items(made->items, keyword("key"), keyword("reverse")) ? made : nullptr;
  }
  if (name == "str" || name == "repr") {
    if (count == 0) return text("");
    if (count == 1) return string_of(args[0], name == "repr");
  }
  if (name == "bool" && count == 1) {
    const int is_true = truth(args[0]);
    if (is_true < 0) return nullptr;
    if (is_true == 2) return number_in(real(args[0]), name);
    return constant(Value(is_true == 1));
  }
  if ((name == "int" || name == "float") && count == 1) {
    NNS_VARIABLE(value, real(args[0]));
    if (value->kind == VariableKind::Tensor) return number_in(value, name);
    if (value->kind == VariableKind::Number && value->value.is_int() && name == "int") return value;
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
    // What a __repr__ that may meet itself keeps in mind never leaves it.
    const bool is_of_repr = frame_->code->tree->source().name() == "<reprlib>";
    if (value->value.is_object() && (!value->is_new || is_of_repr)) {
      const Value* id = machine_.builtins().find("id");
      PyResult<Value> number = in_.call(*id, {value->value});
      if (!number.ok()) return raise(number.error());
      if (value->source != nullptr) guard_id(GuardKind::IdMatch, value->source, value->value);
      return constant(number.value());
    }
    return unsupported_builtin(name, args, false);
  }
  if (name == "callable" && count == 1) {
    NNS_VARIABLE(value, real(args[0]));
    const bool is_function = value->kind == VariableKind::Function || value->kind == VariableKind::Method ||
                             value->kind == VariableKind::Builtin || value->kind == VariableKind::Class ||
                             value->kind == VariableKind::NNModule || value->kind == VariableKind::BoundBuiltin;
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
  if (name == "object" && count == 0) return allocate(*in_.builtins().object, {});
  if (name == "property" || name == "staticmethod" || name == "classmethod")
    return unsupported_builtin(name, args, !keywords.empty());
  if (name == "print" || name == "open" || name == "input" || name == "__import__" || name == "exec" ||
      name == "eval" || name == "compile" || name == "globals" || name == "locals" || name == "breakpoint") {
    return unsupported_builtin(name, args, !keywords.empty());
  }
  is_known = false;
  return nullptr;
}

}  // namespace nns::dynamo
