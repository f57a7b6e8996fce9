// Texts with tensors in them, which are made when the graph has run.
// Behaviour: torch/_dynamo/variables/misc.py, StringFormatVariable.
#include <fmt/format.h>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Variable* Translator::format(std::string text, Arguments args, Keywords keywords) {
  Variable& made = arena_->make(VariableKind::Format);
  made.name = std::move(text);
  for (Variable* arg : args) {
    NNS_VARIABLE(one, real(arg));
    made.items.push_back(one);
  }
  for (const KeywordArgument& one : keywords) {
    NNS_VARIABLE(value, real(one.value));
    made.keyword_defaults.emplace_back(one.name, value);
  }
  made.is_new = true;
  return &made;
}

std::string Translator::as_format(const Variable& text) {
  if (text.kind == VariableKind::Format) return text.name;
  std::string made;
  for (const char one : text.value.as<object::Str>()->view()) {
    made += one;
    if (one == '{' || one == '}') made += one;
  }
  return made;
}

}  // namespace nns::dynamo
