// Functions that a program has marked: whose result is a constant, that may not be called, that no graph calls.
// Behaviour: torch/_dynamo/decorators.py; variables/functions.py, invoke_and_store_as_constant.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"

namespace nns::dynamo {

bool Engine::is_marked(Function& function, std::string_view mark) const {
  Dict* own = function.instance_dict(false);
  const Value* found = own == nullptr ? nullptr : own->find(in_.intern(mark));
  return found != nullptr && found->is_bool() && found->as_bool();
}

bool Engine::disallow_in_graph(const Value& function) {
  add_targets();
  const auto known = function.is_object() ? functions_.find(function.object()) : functions_.end();
  if (known == functions_.end()) return false;
  disallowed_.insert(*known);
  functions_.erase(known);
  return true;
}

Variable* Translator::forbidden_call(const Value& function) {
  failure_.kind = Failure::Kind::Error;
  failure_.error = object::make_error(in_, object::ErrorKind::AssertionError,
                                      fmt::format("Attempt to trace forbidden callable {}", repr_of(in_, function)));
  return nullptr;
}

// The value that an argument has while the frame is compiled; Absent: it has none.
Value Translator::value_now(Variable* argument) {
  Value value = constant_value(argument);
  if (!value.is_absent() || has_failed()) return value;
  const Variable& one = *real(argument);
  const bool is_as_before = !one.is_new && !one.is_mutated && one.value.is_object();
  const bool is_of_world = one.kind == VariableKind::Object || one.kind == VariableKind::NNModule ||
                           one.kind == VariableKind::Function || one.kind == VariableKind::Tensor ||
                           one.kind == VariableKind::List || one.kind == VariableKind::Dict;
  return is_as_before && is_of_world ? one.value : Value::absent();
}

// What a node of the graph gives for the inputs that the frame is compiled with: it and what it needs run now.
// Behaviour: torch/_dynamo/utils.py, get_real_value.
PyResult<Value> Translator::real_value(const Node& wanted) {
  std::vector<const Node*> needed = {&wanted};
  for (std::size_t i = 0; i < needed.size(); ++i) {
    for_each_argument(*needed[i], [&](const Node& one) {
      if (std::find(needed.begin(), needed.end(), &one) == needed.end()) needed.push_back(&one);
    });
  }
  std::sort(needed.begin(), needed.end(), [](const Node* a, const Node* b) { return a->number < b->number; });
  std::vector<Value> values(wanted.graph->all().size());
  for (const Node* const node : needed) {
    if (node->op == Node::Op::Placeholder)
      values[node->number] = node->callee;
    else
      NNS_TRY(run_node(in_, *node, values));
  }
  return values[wanted.number];
}

Variable* Translator::call_for_constant(const Value& function, Arguments args, Keywords keywords) {
  std::vector<Value> positional;
  std::vector<object::Keyword> named;
  const auto value_of = [&](Variable* arg) {
    Value value = value_now(arg);
    if (!value.is_absent() || has_failed() || real(arg)->kind != VariableKind::Tensor) return value;
    PyResult<Value> computed = real_value(*real(arg)->node);
    if (computed.ok()) return std::move(computed).value();
    raise(computed.error());
    return Value::absent();
  };
  for (Variable* arg : args) positional.push_back(value_of(arg));
  for (const KeywordArgument& one : keywords) named.push_back({one.name, value_of(one.value)});
  if (has_failed()) return nullptr;
  bool is_known = true;
  for (const Value& value : positional) is_known = is_known && !value.is_absent();
  for (const object::Keyword& one : named) is_known = is_known && !one.value.is_absent();
  if (!is_known) return unsupported_builtin(engine_.name_of(function), args, !keywords.empty());
  PyResult<Value> result = in_.call(function, positional, named);
  if (!result.ok()) return raise(result.error());
  auto* tensor = result.value().as<tensor::Tensor>();
  if (tensor == nullptr) return build(result.value(), nullptr);
  // A tensor lies in the graph itself.
  const std::string key = table_key(engine_.name_of(function));
  module_table_[key] = result.value();
  Node& node = add_node(Node::Op::GetAttr, key, key);
  node.callee = result.value();
  --captured_calls_;
  return tensor_of(node, engine_.fake_of(*tensor, tensor->shape(), tensor->strides()));
}

}  // namespace nns::dynamo
