// Type parameters: def f[T], class A[T], type X[T] = ... Behaviour: Python's reference, "Annotation scopes".
#include <fmt/format.h>

#include "core/python/eval/compiler.h"

namespace nns::python {

void Compiler::evaluated(NodeId id, NodeId value, std::string_view name) {
  Compiler of = inner();
  of.begin(table_.scope_of(id), name, qualified(name), id);
  of.expression(value);
  of.emit(Opcode::Return);
  const Ref<Code> code = of.finish();
  make_function(code, closure(*code));
  emit(Opcode::ShareNames);
}

void Compiler::type_parameters(NodeId parameters) {
  for (const NodeId parameter : tree_.children(parameters)) {
    const At at(*this, parameter);
    const std::string_view name = tree_.text(parameter);
    if (tree_.child(parameter, 0) == kNoNode) {
      load_none();
    } else {
      evaluated(parameter, tree_.child(parameter, 0), name);
    }
    emit(Opcode::TypeParameter, name_index(name), tree_.node(parameter).detail);
    store_name(name);
  }
  for (const NodeId parameter : tree_.children(parameters)) load_name(tree_.text(parameter));
  emit(Opcode::BuildTuple, static_cast<std::uint32_t>(tree_.children(parameters).size()));
  store_name(".type_params");
}

void Compiler::begin_generic(NodeId parameters, std::string_view name, std::uint32_t argument_count,
                             const std::function<void(Compiler&)>& define) {
  Compiler of = inner();
  const std::string shown = fmt::format("<generic parameters of {}>", name);
  of.begin(table_.scope_of(parameters), shown, qualified(shown), parameters);
  of.code_->positional_count = argument_count;
  of.type_parameters(parameters);
  define(of);
  of.emit(Opcode::Return);
  const Ref<Code> code = of.finish();
  make_function(code, closure(*code));
  emit(Opcode::ShareNames);
  emit(Opcode::PushNull);
}

void Compiler::type_alias(NodeId id) {
  const std::string_view name = tree_.text(tree_.child(id, 0));
  const NodeId value = tree_.child(id, 2);
  if (const NodeId parameters = tree_.child(id, 1); parameters != kNoNode) {
    begin_generic(parameters, name, 0, [id, value, name](Compiler& of) {
      of.evaluated(id, value, name);
      of.load_name(".type_params");
      of.emit(Opcode::TypeAlias, of.name_index(name));
    });
    emit(Opcode::Call, 0);
  } else {
    evaluated(id, value, name);
    emit(Opcode::BuildTuple, 0);
    emit(Opcode::TypeAlias, name_index(name));
  }
  store_name(name);
}

}  // namespace nns::python
