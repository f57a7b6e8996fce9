#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/python/eval/compiler.h"
#include "core/python/eval/machine.h"

namespace nns::python {

/// The code of a text. Errors: SyntaxError with its place.
PyResult<Ref<Code>> compile_text(Machine& machine, std::string name, std::string text,
                                 CompileMode mode = CompileMode::Module);

/// A new module that is found as __main__ and as `called`: its names.
Ref<Dict> new_main_module(Machine& machine, std::string_view called);

/// Runs a text as the main program: a new module __main__. `name` stands in tracebacks; `file` is __file__, the same if
/// it is empty. `called`: __name__, under which the module is also found; processes that a program starts call it
/// "__mp_main__".
PyResult<Value> run_program(Machine& machine, std::string name, std::string text, std::string_view file = {},
                            std::string_view called = "__main__");

/// What Python does behind the last statement of a main program, whether it ended by an exception or not (which was
/// told before): waits for threads that are no daemons, then calls what atexit keeps, the newest first. Exceptions are
/// written on streams.error, and the next is called.
void end_program(Machine& machine);

/// What Python does with the objects of a main program when nobody needs them any more: the modules that it and its
/// files are go, so that __del__ is called, and what generators have in `finally` runs. Must hold: nothing of the
/// program runs, and no error of it is kept.
void drop_program(Machine& machine);

/// A module that is written in Python.
struct ModuleSource {
  std::string_view name;
  bool is_package = false;
  /// What stands in tracebacks and as __file__.
  std::string file;
  std::string text;
  /// The tree of the text, if there is one (syntax/packed_tree.h): then nothing is parsed.
  std::string_view packed_tree = {};
};
/// Runs it and gives the module. It is in sys.modules meanwhile, so that modules may import each other; with an error
/// it is taken out again.
PyResult<Value> load_module(Machine& machine, ModuleSource source);

/// A module whose text is a part of nnscope.
struct EmbeddedModule {
  std::string_view name;
  bool is_package = false;
  std::string_view text;
  /// As in ModuleSource.
  std::string_view packed_tree = {};
};
/// Makes them importable; __file__ is "<name>".
void add_embedded_modules(Machine& machine, Machine::FinderOrder order, std::vector<EmbeddedModule> modules);

/// The folder of a program, as far as its modules go; paths are relative to it.
struct SourceFolder {
  /// The text of a file, or none.
  std::function<std::optional<std::string>(const std::string& path)> read;
  /// Whether modules lie somewhere below a folder; null: Machine::files tells it.
  std::function<bool(const std::string& path)> has_sources = nullptr;
};
/// Lets a program import the modules that lie beside it and in the folders of sys.path: a.b is a/b.py, a/b/__init__.py
/// or, if nobody else knows the name, the folders a/b without __init__.py.
void add_source_folder(Machine& machine, SourceFolder folder);

/// What Python writes on stderr when an exception ends a program: the traceback with lines and carets, its causes, and
/// "Type: message". Behaviour: Lib/traceback.py, TracebackException.format.
std::string traceback_text(Machine& machine, const PyError& error);

}  // namespace nns::python
