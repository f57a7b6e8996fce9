#include "core/python/eval/plain_parameters.h"

#include "core/python/eval/machine.h"

namespace nns::python {

Ref<Function> with_plain_parameters(Interpreter& interpreter, const Function& function) {
  const Code& from = function.code();
  const Ref<Code> code = object::make<Code>(*Machine::of(interpreter).classes.code);
  code->tree = from.tree;
  code->name = from.name;
  code->qualified_name = from.qualified_name;
  code->instructions = from.instructions;
  code->spans = from.spans;
  code->constants = from.constants;
  code->names = from.names;
  code->locals = from.locals;
  code->cells = from.cells;
  code->cell_parameters = from.cell_parameters;
  code->free = from.free;
  code->positional_only_count = from.positional_only_count;
  code->positional_count = static_cast<std::uint32_t>(from.parameter_count());
  code->is_generator = from.is_generator;
  code->is_async = from.is_async;
  code->has_yield = from.has_yield;
  code->is_function = from.is_function;
  code->stack_size = from.stack_size;
  code->node = from.node;
  code->doc = from.doc;
  code->complete();
  Ref<Function> made = object::make<Function>(interpreter, code, Ref<Dict>(&function.globals()));
  made->rename(function.name());
  made->set_qualified_name(function.qualified_name());
  made->closure = function.closure;
  made->names = function.names;
  made->annotate = function.annotate;
  made->annotations = function.annotations;
  return made;
}

}  // namespace nns::python
