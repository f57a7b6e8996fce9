#pragma once

#include <string_view>

#include "core/python/eval/machine.h"

/// What happens to exceptions that no program handles: sys.excepthook and sys.unraisablehook.
namespace nns::python {

/// Tells of the exception that ended a program: calls sys.excepthook where the program has put one, else writes the
/// traceback on streams.error. SystemExit is not told.
void tell_uncaught(Machine& machine, const PyError& error);
/// Tells of an exception that came where nobody can catch it, `doing` ("closing generator") something with `subject`:
/// the same with sys.unraisablehook.
void tell_unraisable(Machine& machine, const PyError& error, std::string_view doing, const Value& subject);
/// sys.excepthook and sys.unraisablehook themselves, among the names of module sys.
void add_exception_hooks(Machine& machine, Dict& sys);

}  // namespace nns::python
