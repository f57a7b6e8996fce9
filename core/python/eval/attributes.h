#pragma once

#include "core/python/eval/machine.h"

namespace nns::python {

/// What the built-in callable() says.
bool is_callable(Interpreter& interpreter, const Value& value);

/// Each gives the evaluator's classes what a program sees of them; called once for a machine.
void add_function_attributes(Machine& machine);
void add_generator_methods(Machine& machine);
void add_module_attributes(Machine& machine);
void add_super_methods(Machine& machine);
void add_exception_attributes(Machine& machine);

/// The annotations of a function, class or module as a dict: those that it keeps, or those that its __annotate__ gives
/// now.
PyResult<Value> annotations_of(Machine& machine, const Value& owner);

}  // namespace nns::python
