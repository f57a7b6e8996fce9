// Functions that a program has marked: whose result is a constant, that may not be called, that no graph calls.
// Behaviour: torch/_dynamo/decorators.py; variables/functions.py, invoke_and_store_as_constant.
#include <fmt/format.h>

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

Variable* Translator::call_for_constant(const Value& function, Arguments args, Keywords keywords) {
  std::vector<Value> positional;
  std::vector<object::Keyword> named;
  for (Variable* arg : args) positional.push_back(value_now(arg));
  for (const KeywordArgument& one : keywords) named.push_back({one.name, value_now(one.value)});
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
