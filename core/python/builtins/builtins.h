#pragma once

#include "core/python/eval/machine.h"

namespace nns::python {

/// Fills the machine's builtins: functions, classes, exceptions, constants. A further call does nothing.
void add_builtins(Machine& machine);
/// str's methods know all of Unicode from here on, in the whole process.
void use_unicode();

/// The parts of it, one a file.
void add_value_functions(Machine& machine);
void add_iteration_functions(Machine& machine);
void add_program_functions(Machine& machine);
void add_descriptors(Machine& machine);
void add_exceptions(Machine& machine);
void add_type_operations(Machine& machine);
void add_quick_calls(Machine& machine);

/// builtins.<name>(parameters) in C++.
void add_builtin(Machine& machine, std::string_view signature, object::NativeBody body);

}  // namespace nns::python
