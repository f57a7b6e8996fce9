// Trackers as the texts of breaks show them. Behaviour: the __repr__ of torch._dynamo's variables.
#include <fmt/format.h>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"

namespace nns::dynamo {

std::string Translator::shown(Variable* variable) {
  if (variable == nullptr) return "None";
  const auto class_text = [&](const Value& of) {
    return repr_of(in_, Value(static_cast<object::Object*>(&in_.type_of(of))));
  };
  switch (variable->kind) {
    case VariableKind::Lazy:
      return variable->realized == nullptr
                 ? fmt::format("LazyVariableTracker(unrealized: {})", class_text(variable->value))
                 : fmt::format("LazyVariableTracker(realized: {})", shown(variable->realized));
    case VariableKind::Constant:
      return fmt::format("ConstantVariable({}: {})", in_.type_of(variable->value).name(),
                         repr_of(in_, variable->value));
    case VariableKind::Tensor:
      return variable->is_ndarray ? "NumpyNdarrayVariable()" : "TensorVariable()";
    case VariableKind::Number:
      return "SymNodeVariable()";
    case VariableKind::List:
      return fmt::format("ListVariable(length={})", variable->items.size());
    case VariableKind::Tuple:
      return fmt::format("{}Variable(length={})",
                         variable->cls != nullptr && variable->cls->name() == "Size" ? "Size" : "Tuple",
                         variable->items.size());
    case VariableKind::Dict:
      return "ConstDictVariable()";
    case VariableKind::Set:
      return "SetVariable()";
    case VariableKind::Function:
      return variable->is_new ? "NestedUserFunctionVariable()" : "UserFunctionVariable()";
    case VariableKind::Method:
      return "UserMethodVariable()";
    case VariableKind::Class:
      return fmt::format("UserDefinedClassVariable({})", repr_of(in_, variable->value));
    case VariableKind::Object:
      return fmt::format("UserDefinedObjectVariable({})", type_of(*variable).name());
    case VariableKind::NNModule:
      return "NNModuleVariable()";
    default:
      return fmt::format("{}()", type_of(*variable).name());
  }
}

std::string Translator::shown(Arguments args, char bracket) {
  std::string made(1, bracket);
  for (std::size_t i = 0; i < args.size(); ++i) made += (i > 0 ? ", " : "") + shown(args[i]);
  if (bracket == '(' && args.size() == 1) made += ",";
  return made + (bracket == '(' ? ")" : "]");
}

std::string Translator::shown(Keywords keywords) {
  std::string made = "{";
  for (const KeywordArgument& one : keywords)
    made += fmt::format("{}'{}': {}", made.size() > 1 ? ", " : "", one.name.view(), shown(one.value));
  return made + "}";
}

}  // namespace nns::dynamo
